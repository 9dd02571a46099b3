//! What an execution assumes: conditions stated in scuba.toml, and asserts that the build removes; with the facts that were assumed so far.
//!
//! Plain data below the executor; [`super::assumed_facts`] applies it. An assumption enters the path condition like any fact; which of its parts
//! were assumed is kept here, so that findings can say what they rest on.

use crate::symbolic::loops::quantified_facts::{self, Always};
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::term::TermId;
use base::axioms::{Axiom, CameTo, Without};
use contracts::assume::Condition;
use contracts::{Contract, Invariant, Requirement};
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// A condition that was assumed of a call, since nothing is known of what it speaks of.
#[derive(Clone, Debug)]
pub struct Taken {
    pub function: FuncRef,
    pub required: Requirement,
    /// The path without it, and with it.
    pub before: TermId,
    pub path: TermId,
}

/// What is assumed in one execution.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    pub stated: Rc<[Condition]>,
    /// Contracts that hold of the function that is executed first, whose callers are not known.
    pub contracts: Rc<[Contract]>,
    /// Contracts that those who call or launch a function owe it.
    pub owed: Rc<[Contract]>,
    /// Of these, such as contradict what is known where nothing but they would tell; and what was assumed so.
    pub refused: FxHashSet<(FuncRef, String)>,
    pub taken: Vec<Taken>,
    /// What holds of each object of a type that a caller gave; how many of these objects were looked at; and what that says of them.
    pub invariants: Rc<[Invariant]>,
    /// The same of the program's own classes: each of one type, as the source spells it with its arguments.
    pub classes: Rc<[Invariant]>,
    pub(super) looked_at: usize,
    pub(super) of_objects: Vec<TermId>,
    /// Objects that a caller gave which contracts call disjoint, the lower number first.
    pub disjoint: FxHashSet<(ObjId, ObjId)>,
    /// The path on which the former hold, where there are any for the function that is executed.
    pub required: Option<TermId>,
    /// The axioms that this execution does not take.
    without: Without,
    /// Where it is noted which axioms it came to, if anybody wants to know.
    came_to: Option<Arc<CameTo>>,
    /// The facts that were assumed, each with all that assume it.
    facts: FxHashMap<TermId, Vec<Arc<str>>>,
    /// What is assumed of each element of what memory held when the function was called, with who says so.
    always: Vec<(Always, Arc<str>)>,
    /// Stated conditions that cannot be applied, one line each.
    pub problems: Vec<String>,
}

impl Assumptions {
    /// For an execution under stated conditions that does not take these axioms.
    #[must_use]
    pub fn new(stated: &[Condition], without: Without, came_to: Option<Arc<CameTo>>) -> Self {
        Self { stated: stated.into(), without, came_to, ..Self::default() }
    }

    /// Whether this execution takes an axiom. To be asked where that makes a difference, and nowhere else: an axiom that no execution asks
    /// for is one on which nothing rests.
    #[must_use]
    pub fn takes(&self, axiom: Axiom) -> bool {
        if let Some(came_to) = &self.came_to {
            came_to.note(axiom);
        }
        !self.without.has(axiom)
    }

    pub(super) fn note_always(&mut self, always: Always, who: &str) {
        self.always.push((always, who.into()));
    }

    /// What these say of everything that the roots read. It is noted as what is assumed.
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

    /// Whether a contract says that two objects have no byte in common.
    pub(in crate::symbolic) fn are_disjoint(&self, a: ObjId, b: ObjId) -> bool {
        self.disjoint.contains(&(a.min(b), a.max(b)))
    }

    /// What holds of the objects that a caller gave, by invariants and by what types mean.
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

    /// What assumes a fact.
    pub(super) fn of(&self, fact: TermId) -> &[Arc<str>] {
        self.facts.get(&fact).map_or(&[], Vec::as_slice)
    }

    /// Whether anything was assumed that was not known anyway.
    #[must_use]
    pub fn in_effect(&self) -> bool {
        !self.facts.is_empty()
    }
}
