//! Contracts under which nothing remains to check.
//!
//! In: an execution under contracts. Out: whether they can never hold, leave no launch, or contradict known facts at
//! a call where they are assumed. Everything would be safe under such contracts, so they are not assumed, and the
//! report names them.

use super::Engine;
use crate::obligations::decide::Decider;
use crate::obligations::obligation::Decision;
use crate::report::ContractFault;
use contracts::Contract;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::terms::term::TermId;
use ir::FuncRef;
use library::host::HostRoot;

const NEVER: &str = "can never hold";

impl<'p> Engine<'p> {
    /// Assumes no invariants for a function whose assumptions can never hold.
    pub(super) fn skip_contradictory_assumptions(&self, f: FuncRef, e: &mut Executor<'_>) {
        if self.vain.contains(&f) {
            e.assumptions.invariants = std::rc::Rc::default();
            e.assumptions.classes = std::rc::Rc::default();
        }
    }

    /// Returns the contracts of a function with unknown callers, except those that can never hold.
    pub(super) fn contracts_of(&self, f: FuncRef) -> Vec<Contract> {
        if self.vain.contains(&f) {
            return vec![];
        }
        let func = self.cx.program.func(f);
        self.cx.options.contracts.iter().filter(|c| c.is_of(&func.name, &func.display)).cloned().collect()
    }

    /// Whether the contract assumed for a function can never hold: everything would be safe under it. The report
    /// names it.
    pub(super) fn can_never_hold(&mut self, f: FuncRef, e: &mut Executor<'_>) -> bool {
        if e.assumptions.required.is_none() && e.assumptions.invariants.is_empty() {
            return false;
        }
        let of_objects = e.all_of_objects();
        let path = match e.assumptions.required {
            Some(path) => e.arena.and(path, of_objects),
            None if e.arena.as_bool(of_objects) == Some(true) => return false,
            None => of_objects,
        };
        let never = match Decider::default().with(self.cx.attempt).happens(&mut e.arena, path).decision {
            Decision::Fails(_) => return false,
            Decision::Safe => NEVER,
            _ => "may be one that can never hold",
        };
        let display = &self.cx.program.func(f).display;
        let line = format!("the contract of `{display}` {never}: it is not assumed");
        match never == NEVER {
            true => self.report.faults.push(ContractFault::of_line(line)),
            false => self.report.problems.push(line),
        }
        self.vain.insert(f);
        true
    }

    /// Whether a function that launches kernels launches none under its contract.
    pub(super) fn leaves_no_launch(&mut self, root: &HostRoot, e: &mut Executor<'p>) -> bool {
        if e.assumptions.required.is_none() || self.vain.contains(&root.func) || self.launches_something(e) {
            return false;
        }
        self.vain.insert(root.func);
        let (mut without, _) = self.follow(root);
        if !self.launches_something(&mut without) {
            self.vain.remove(&root.func);
            return false;
        }
        let display = &self.cx.program.func(root.func).display;
        let line = format!("under the contract of `{display}` no launch of it is reachable: it is not assumed");
        self.report.faults.push(ContractFault::of_line(line));
        true
    }

    /// Whether some launch may be reachable, as far as is known.
    fn launches_something(&self, e: &mut Executor<'_>) -> bool {
        if e.limits.gave_up().is_some() {
            return true;
        }
        let of_objects = e.all_of_objects();
        let paths: Vec<TermId> = e.events.launches.iter().map(|l| l.path).collect();
        paths.into_iter().any(|path| {
            let path = e.arena.and(path, of_objects);
            self.may_happen(e, path)
        })
    }

    /// Whether a condition assumed at a call contradicts the facts there. Such a condition is reported, and not
    /// assumed again.
    pub(super) fn contradicts(&mut self, e: &mut Executor<'_>) -> bool {
        let mut any = false;
        for taken in std::mem::take(&mut e.assumptions.taken) {
            let key = (taken.function, taken.required.text.clone());
            if self.refused.contains(&key) || self.may_happen(e, taken.path) || !self.may_happen(e, taken.before) {
                continue;
            }
            let display = &self.cx.program.func(taken.function).display;
            let (text, origin) = (&taken.required.text, &taken.required.origin);
            let line = format!("{origin}: `{text}` never holds where `{display}` is called; it is not assumed there");
            self.report.faults.push(ContractFault::of_line(line));
            self.refused.insert(key);
            any = true;
        }
        any
    }

    fn may_happen(&self, e: &mut Executor<'_>, path: TermId) -> bool {
        !matches!(Decider::default().with(self.cx.attempt).happens(&mut e.arena, path).decision, Decision::Safe)
    }
}
