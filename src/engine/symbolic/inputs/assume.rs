//! Assumptions of an execution: conditions stated in scuba.toml, and asserts that the build removes; with the facts
//! assumed so far.
//!
//! Plain data below the executor; [`super::assumed_facts`] applies it. An assumption enters the path condition like
//! any fact. This module records which of its conjuncts were assumed, so that findings can name the assumptions that
//! they depend on.

use crate::symbolic::loops::quantified_facts::{self, QuantifiedFact};
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::term::TermId;
use base::axioms::{Axiom, ConsultedAxioms, OmittedAxioms};
use contracts::assume::StatedCondition;
use contracts::{Contract, Invariant, Requirement};
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Condition that was assumed of a call, since the values that it constrains are unknown.
#[derive(Clone, Debug)]
pub struct AssumedCondition {
    pub function: FuncRef,
    pub required: Requirement,
    /// The path condition without it, and with it.
    pub before: TermId,
    pub path: TermId,
}

/// Assumptions of one execution.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    pub stated: Rc<[StatedCondition]>,
    /// Contracts of the function that is executed first, whose callers are unknown.
    pub contracts: Rc<[Contract]>,
    /// Contracts that callers or launchers of a function must satisfy.
    pub owed: Rc<[Contract]>,
    /// Owed conditions that are not assumed, since they contradict known facts where only the contract constrains a
    /// value; `taken`: conditions that were assumed of calls.
    pub refused: FxHashSet<(FuncRef, String)>,
    pub taken: Vec<AssumedCondition>,
    /// Invariants of each caller-given object of a type; `looked_at`: number of these objects examined so far;
    /// `of_objects`: the resulting facts about them.
    pub invariants: Rc<[Invariant]>,
    /// Invariants of the program's own classes: each of one type, as the source spells it with its arguments.
    pub classes: Rc<[Invariant]>,
    pub(super) looked_at: usize,
    pub(super) of_objects: Vec<TermId>,
    /// Disjoint pairs, by contracts, of objects that a caller gave; the lower number first.
    pub disjoint: FxHashSet<(ObjId, ObjId)>,
    /// The path condition under which the contracts hold, if there are any for the executed function.
    pub required: Option<TermId>,
    /// Axioms that this execution does not take.
    without: OmittedAxioms,
    /// Recorder of the axioms that the execution reached, if requested.
    came_to: Option<Arc<ConsultedAxioms>>,
    /// The assumed facts, each with all its sources.
    facts: FxHashMap<TermId, Vec<Arc<str>>>,
    /// Assumptions on each element of memory at function entry, with their sources.
    always: Vec<(QuantifiedFact, Arc<str>)>,
    /// Stated conditions that cannot be applied, one line each.
    pub problems: Vec<String>,
}

impl Assumptions {
    /// Returns the assumptions of an execution under stated conditions, without the axioms in `without`.
    #[must_use]
    pub fn new(stated: &[StatedCondition], without: OmittedAxioms, came_to: Option<Arc<ConsultedAxioms>>) -> Self {
        Self { stated: stated.into(), without, came_to, ..Self::default() }
    }

    /// Whether this execution takes an axiom. Callers ask only where the answer makes a difference: an axiom that no
    /// execution asks for is one on which nothing depends.
    #[must_use]
    pub fn takes(&self, axiom: Axiom) -> bool {
        if let Some(came_to) = &self.came_to {
            came_to.note(axiom);
        }
        !self.without.has(axiom)
    }

    pub(super) fn note_always(&mut self, always: QuantifiedFact, who: &str) {
        self.always.push((always, who.into()));
    }

    /// Returns the instances of the element assumptions for everything that the roots read, and records them as
    /// assumed.
    pub fn of_elements(&mut self, a: &mut Arena, roots: &[TermId]) -> Option<TermId> {
        let mut all = vec![];
        for (always, who) in self.always.clone() {
            let Some(fact) = quantified_facts::instances(a, &[always], roots) else { continue };
            for part in a.conjuncts(fact) {
                self.note(part, &who);
            }
            all.push(fact);
        }
        (!all.is_empty()).then(|| a.and_all(all))
    }

    /// Returns the sources of the element assumptions about memory that the roots read.
    pub(super) fn on_elements(&self, a: &Arena, roots: &[TermId]) -> Vec<Arc<str>> {
        self.always.iter().filter(|(always, _)| always.concerns(a, roots)).map(|(_, who)| who.clone()).collect()
    }

    /// Whether a contract states that two objects share no byte.
    pub(in crate::symbolic) fn are_disjoint(&self, a: ObjId, b: ObjId) -> bool {
        self.disjoint.contains(&(a.min(b), a.max(b)))
    }

    /// Returns the facts about caller-given objects that follow from invariants and from the semantics of types.
    #[must_use]
    pub fn of_objects(&self) -> &[TermId] {
        &self.of_objects
    }

    pub(super) fn note(&mut self, fact: TermId, who: &str) {
        let all = self.facts.entry(fact).or_default();
        if !all.iter().any(|w| &**w == who) {
            all.push(Arc::from(who));
        }
    }

    /// Returns the sources that assume a fact.
    pub(super) fn of(&self, fact: TermId) -> &[Arc<str>] {
        self.facts.get(&fact).map_or(&[], Vec::as_slice)
    }

    /// Whether anything was assumed that was not known anyway.
    #[must_use]
    pub fn in_effect(&self) -> bool {
        !self.facts.is_empty()
    }
}
