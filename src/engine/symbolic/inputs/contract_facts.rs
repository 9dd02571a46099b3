//! Contracts of a function at its entry.
//!
//! In: contracts of scuba.toml, a function with unknown callers, its arguments. Out: the state in which the contract
//! holds, with an extent for each pointer that it mentions. A verdict that depends on the contract holds if callers
//! satisfy it, and is reported like any assumption. The contract is assumed for the function that an execution begins
//! with, not for its callees: their arguments are known.

use super::assume::AssumedCondition;
use super::contract_terms::{NameMeanings, TermScope};
use crate::symbolic::exec::events::{ContractEvent, LaunchConfig, LaunchEvent};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::State;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::loops::quantified_facts::QuantifiedFact;
use crate::symbolic::memory::object::{ObjId, ObjKind};
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{InputSource, SymKind, TermId};
use base::axioms::Axiom;
use contracts::ast::{CondKind, Forall};
use contracts::{Contract, ContractTerm, Requirement};
use ir::FuncRef;
use std::rc::Rc;

/// Function with its arguments and, if launched, its launch configuration.
#[derive(Clone, Copy)]
pub struct ContractCall<'a> {
    pub f: FuncRef,
    pub args: &'a [Value],
    pub launch: Option<&'a LaunchConfig>,
    pub by: ContractParty,
}

/// Who is responsible for a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractParty {
    /// The callers are unknown: the contract is assumed at the start of the execution.
    Entry,
    /// A known caller must satisfy the contract: unknown values are not constrained.
    Caller,
    /// A known caller passes an unknown value: the contract is assumed of it at this call.
    Taken,
}

/// Meaning of a condition.
pub(super) enum ConditionMeaning {
    Now(TermId),
    /// A condition on every integer between two others: instances hold for each that is read.
    Always(QuantifiedFact),
}

/// Prefix of the input that represents a contract's claim about two pointers; their names follow.
pub const DISJOINT: &str = "disjoint(";

/// Prefix of the input that represents a contract's claim that a function changes nothing; the function follows.
pub const UNCHANGED: &str = "modifies nothing: ";

/// Upper bound on the size of any object in bytes.
const LARGEST: i128 = 1 << 48;

impl ExecutionContext<'_> {
    /// Adds the contracts of the function that an execution begins with; the caller of any other function must satisfy
    /// its contract.
    pub(super) fn contracts_at_entry(&mut self, f: FuncRef, args: &[Value], mut s: State) -> State {
        if !self.call_stack().is_empty() {
            if self.assumptions.owed.is_empty() {
                return s;
            }
            let stack = self.call_stack().to_vec();
            return self.owe_contracts(ContractCall { f, args, launch: None, by: ContractParty::Caller }, s, &stack);
        }
        if self.assumptions.contracts.is_empty() || !self.assumptions.takes(Axiom::Contract) {
            return s;
        }
        let func = self.function(f);
        let contracts = self.assumptions.contracts.clone();
        for contract in contracts.iter().filter(|c| c.is_of(&func.name, &func.display)) {
            let is_of_places = |r: &Requirement| matches!(r.condition.kind, CondKind::Disjoint(_));
            for required in contract.requires.iter().flat_map(|r| {
                // Conditions on numbers stay together: they may be contradictory.
                let parts = r.parts();
                if parts.iter().any(is_of_places) { parts } else { vec![r.clone()] }
            }) {
                s = self.required(ContractCall { f, args, launch: None, by: ContractParty::Entry }, s, &required);
            }
            self.assumptions.required = Some(s.path);
        }
        s
    }

    /// Records for the rule `contract` a call or launch that may violate a contract; `stack` ends with the call. If
    /// the extent of a pointer is unknown, only the contract constrains it: it is assumed.
    pub fn owe_contracts(&mut self, called: ContractCall<'_>, mut s: State, stack: &[Site]) -> State {
        if !self.is_recording() || self.assumptions.owed.is_empty() || !self.assumptions.takes(Axiom::Contract) {
            return s;
        }
        let func = self.function(called.f);
        let contracts = self.assumptions.owed.clone();
        let of_it = contracts.iter().filter(|c| c.is_of(&func.name, &func.display)).flat_map(|c| &c.requires);
        for required in of_it.flat_map(Requirement::parts) {
            let refused = !self.assumptions.refused.is_empty()
                && self.assumptions.refused.contains(&(called.f, required.text.clone()));
            if refused {
                continue;
            }
            let broken = match self.holds(called, &s, &required) {
                Ok(ConditionMeaning::Now(holds)) => self.arena.not(holds),
                Ok(ConditionMeaning::Always(always)) => always.broken(&mut self.arena),
                Err(_) => {
                    let before = s.path;
                    s = self.required(ContractCall { by: ContractParty::Taken, ..called }, s, &required);
                    if s.path != before {
                        let (function, path) = (called.f, s.path);
                        self.assumptions.taken.push(AssumedCondition { function, required, before, path });
                    }
                    continue;
                }
            };
            let path = self.arena.and(s.path, broken);
            if self.arena.as_bool(path) != Some(false) {
                self.events.contracts.push(ContractEvent {
                    stack: Rc::new(stack.to_vec()),
                    function: called.f,
                    required: Rc::new(required),
                    path,
                    broken,
                });
            }
        }
        s
    }

    /// Returns the condition that a requirement of a kernel states of one launch, in the memory of that launch; `None`
    /// where it concerns something unknown there, or every element of an array. Nothing is assumed. `by`: whether
    /// the launch is known ([`ContractParty::Caller`]) or any launch ([`ContractParty::Entry`]).
    pub fn required_of_launch(
        &mut self,
        kernel: FuncRef,
        launch: &LaunchEvent,
        required: &Requirement,
        by: ContractParty,
    ) -> Option<TermId> {
        let mut state = self.initial_state();
        (state.mem, state.path) = (launch.memory.clone(), launch.path);
        let called = ContractCall { f: kernel, args: &launch.args, launch: Some(&launch.config), by };
        match self.holds(called, &state, required) {
            Ok(ConditionMeaning::Now(condition)) => Some(condition),
            Ok(ConditionMeaning::Always(_)) | Err(_) => None,
        }
    }

    /// Returns the condition that a requirement states of a function that is called with these arguments in this state;
    /// `None` where it concerns something unknown there, or every element of an array. Nothing is assumed.
    pub fn required_of_call(
        &mut self,
        f: FuncRef,
        args: &[Value],
        entry: &State,
        required: &Requirement,
    ) -> Option<TermId> {
        let called = ContractCall { f, args, launch: None, by: ContractParty::Entry };
        match self.holds(called, entry, required) {
            Ok(ConditionMeaning::Now(condition)) => Some(condition),
            Ok(ConditionMeaning::Always(_)) | Err(_) => None,
        }
    }

    /// Returns the meaning of a condition in a state.
    fn holds(
        &mut self,
        called: ContractCall<'_>,
        s: &State,
        required: &Requirement,
    ) -> Result<ConditionMeaning, String> {
        let mut asked = TermScope {
            names: NameMeanings::Of(called),
            function: called.f,
            state: s.clone(),
            bound: vec![],
            defined: vec![],
        };
        self.said(&mut asked, required, called.by)
    }

    /// Returns the meaning of a condition for the names in `asked`.
    pub(super) fn said(
        &mut self,
        asked: &mut TermScope<'_>,
        required: &Requirement,
        by: ContractParty,
    ) -> Result<ConditionMeaning, String> {
        match &required.condition.kind {
            CondKind::Disjoint(all) => self.are_apart(asked, by, all).map(ConditionMeaning::Now),
            CondKind::Forall(all) => match self.condition_of(asked, &required.condition) {
                Ok(every) => Ok(ConditionMeaning::Now(every)),
                Err(_) => self.forall(asked, all).map(ConditionMeaning::Always),
            },
            _ => self.condition_of(asked, &required.condition).map(ConditionMeaning::Now),
        }
    }

    /// Returns a condition on each integer between two others.
    fn forall(&mut self, asked: &mut TermScope<'_>, all: &Forall) -> Result<QuantifiedFact, String> {
        let (from, to) = (self.number_said(asked, &all.from)?, self.number_said(asked, &all.to)?);
        let k = self.arena.fresh(
            SymKind::Iteration { name: all.variable.clone() },
            all.variable.clone(),
            Interval::new(0, LARGEST),
        );
        let count = self.arena.sub(to, from);
        let count = self.arena.add_const(count, i128::from(all.closed));
        let at = self.arena.add(from, k);
        let cond = self.with_bound(asked, &all.variable, at, &all.body)?;
        Ok(QuantifiedFact::new(k, count, cond))
    }

    /// Returns the condition that no two of these share a byte. Whether two names of caller memory are the same object
    /// is unknown: if the contract is assumed for the whole execution they are disjoint, and an input of that name
    /// makes verdicts depend on it.
    fn are_apart(
        &mut self,
        asked: &mut TermScope<'_>,
        by: ContractParty,
        all: &[ContractTerm],
    ) -> Result<TermId, String> {
        let mut places: Vec<(GuardedTarget, String)> = vec![];
        for term in all {
            // A null pointer has no bytes.
            let Some(p) = self.pointer_of(asked, term)? else { continue };
            places.extend(p.targets.iter().map(|t| (t.clone(), term.to_string())));
        }
        let mut apart = vec![];
        for (i, (a, of_a)) in places.iter().enumerate() {
            for (b, of_b) in places[i + 1..].iter().filter(|(_, of_b)| of_b != of_a) {
                let (Base::Object(x), Base::Object(y)) = (&a.base, &b.base) else {
                    match [&a.base, &b.base].into_iter().find(|base| matches!(base, Base::Unknown(_))) {
                        Some(_) => return Err(format!("what `{of_a}` or `{of_b}` points to is not known")),
                        None => continue,
                    }
                };
                if self.may_be_given_twice(*x, *y) {
                    if by != ContractParty::Entry {
                        return Err(format!("whether `{of_a}` and `{of_b}` are one is not known there"));
                    }
                    self.assumptions.disjoint.insert((*x.min(y), *x.max(y)));
                    let function = self.function(asked.function).display.clone();
                    let stated = InputSource::Param { function, name: format!("{DISJOINT}{of_a}, {of_b})") };
                    let (stated, one) = (self.truth_input(stated), self.arena.int(1));
                    apart.push(self.arena.eq(stated, one));
                }
                if x == y {
                    let extent =
                        self.object(*x).extent.ok_or_else(|| format!("the extent of `{of_a}` is not known there"))?;
                    let (first, second) = (self.arena.le(extent, a.offset), self.arena.le(extent, b.offset));
                    let (both, none) = (self.arena.and(a.cond, b.cond), self.arena.or(first, second));
                    let not = self.arena.not(both);
                    apart.push(self.arena.or(not, none));
                }
            }
        }
        Ok(self.arena.and_all(apart))
    }

    fn required(&mut self, called: ContractCall<'_>, s: State, required: &Requirement) -> State {
        let Requirement { text, origin, .. } = required;
        let display = &self.function(called.f).display;
        let who = format!("`{text}` ({origin}), the contract of `{display}`");
        match self.holds(called, &s, required) {
            Ok(ConditionMeaning::Always(always)) => {
                let otherwise = self.arena.not(s.path);
                let always = always.where_not(&mut self.arena, otherwise);
                self.assumptions.note_always(always, &who);
                s
            }
            Ok(ConditionMeaning::Now(c)) => self.assume_as(s.clone(), c, &who).unwrap_or_else(|| {
                if called.by == ContractParty::Taken {
                    let (before, path) = (s.path, self.arena.bool(false));
                    let required = required.clone();
                    self.assumptions.taken.push(AssumedCondition { function: called.f, required, before, path });
                    return s;
                }
                self.problem(format!(
                    "{origin}: `{text}` never holds where `{display}` is called; it is not assumed there"
                ));
                s
            }),
            Err(why) => {
                self.problem(format!("{origin}: `{text}` is not assumed of `{display}`: {why}"));
                s
            }
        }
    }
}

impl MemoryDomain<'_> {
    /// Returns a value of the launch configuration, of this launch or of the executed kernel's, by the contract's word
    /// for it.
    pub(super) fn of_the_launch(&self, word: &str, launch: Option<&LaunchConfig>) -> Option<TermId> {
        let (dimension, axis) = word.split_once('.').unwrap_or((word, ""));
        let axis = ["x", "y", "z"].iter().position(|a| *a == axis);
        let (grid, block, shared) = match (launch, &self.kernel.thread) {
            (Some(l), _) => (l.grid, l.block, Some(l.shared)),
            (None, Some(thread)) => (thread.grid, thread.block, thread.shared.and_then(|o| self.object(o).extent)),
            (None, None) => return None,
        };
        match (dimension, axis) {
            ("gridDim", Some(i)) => Some(grid[i]),
            ("blockDim", Some(i)) => Some(block[i]),
            (_, None) => shared,
            _ => None,
        }
    }

    /// Returns the extent in bytes of an object that only a contract constrains.
    ///
    /// # Errors
    /// The extent is unknown, and no contract can state it either: the function does not get the object from its
    /// caller.
    pub fn extent_of_parameter(&mut self, f: FuncRef, o: ObjId) -> Result<TermId, String> {
        let name = self.object(o).name.clone();
        if let Some(known) = self.object(o).extent {
            return Ok(known);
        }
        if !matches!(self.object(o).kind, ObjKind::Parameter) {
            return Err(format!("the extent of `{name}` is not known"));
        }
        let source = InputSource::Param { function: self.function(f).display.clone(), name: format!("extent({name})") };
        let extent = self.arena.fresh(SymKind::Input(source), format!("extent({name})"), Interval::new(0, LARGEST));
        self.heap.set_extent(o, extent);
        Ok(extent)
    }
}

impl ValueDomain<'_> {
    /// Whether contracts state of all these functions, whose bodies are unavailable, that they change nothing that the
    /// execution knows. The unchanged state then depends on these contracts.
    pub(crate) fn change_nothing(&mut self, s: &mut State, callees: &[FuncRef]) -> bool {
        if callees.is_empty() || self.assumptions.owed.is_empty() || !self.assumptions.takes(Axiom::Contract) {
            return false;
        }
        let contracts = self.assumptions.owed.clone();
        let mut stated: Vec<(String, String)> = vec![];
        for f in callees {
            let func = self.function(*f);
            let says = |c: &&Contract| c.modifies_nothing.is_some() && c.is_of(&func.name, &func.display);
            let Some(contract) = contracts.iter().find(says).filter(|_| func.is_declaration()) else { return false };
            let origin = contract.modifies_nothing.clone().unwrap_or_default();
            stated.push((
                func.display.clone(),
                format!("`modifies = []` ({origin}), the contract of `{}`", func.display),
            ));
        }
        for (function, who) in stated {
            // Verdicts depend on facts: an input represents this claim.
            let source = InputSource::Param { function: function.clone(), name: format!("{UNCHANGED}{function}") };
            let (holds, one) = (self.truth_input(source), self.arena.int(1));
            let holds = self.arena.eq(holds, one);
            if let Some(held) = self.assume_as(s.clone(), holds, &who) {
                *s = held;
            }
        }
        true
    }
}
