//! Host code from one root. Where executing it takes too much work or memory, it is executed again without the most
//! expensive parts that do nothing on a device; where no such part is expensive, without iterating expensive loops
//! one by one.

use super::Engine;
use crate::context::RootCall;
use base::work::{Allotment, done};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::limits::ExecutionLimits;
use engine::symbolic::limits::budget::{self, Allowance, Limit};
use engine::symbolic::limits::cost::{Cost, CostMeasure, HeavyParts, HostPart, PartCosts, PartTreatment};
use ir::{FuncRef, Function, Side};
use library::host::{HostRoot, converted, initialised, root_state_before};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Parts that are skipped after the first, the second and the third execution: a divisor (a part is skipped if it
/// costs at least the execution's cost divided by it), and which of these parts. The innermost parts come first, so
/// that as much as possible stays known. If that does not suffice, all such parts: code that was slow in one place is
/// also slow in places not reached yet.
const LEFT_OUT: [(u128, HeavyParts); 3] = [(8, HeavyParts::Innermost), (8, HeavyParts::All), (32, HeavyParts::All)];

impl<'p> Engine<'p> {
    /// Executes a root. Each execution that may be repeated gets a third of the remaining work.
    pub(crate) fn follow(&mut self, root: &HostRoot) -> (Executor<'p>, Option<Rc<RootCall>>) {
        let mut spared = self.for_the_host_alone();
        spared.extend(&self.by_invariant);
        let mut steps = LEFT_OUT.iter();
        loop {
            let step = steps.next();
            let start = done();
            let mut e = self.executor();
            let work = if step.is_some() { Allotment::of(self.cx.work_left() / 3) } else { self.cx.all };
            e.limits = ExecutionLimits::new(self.budget(work), PartCosts::new(self.reach.clone(), spared.clone()));
            // No known code calls it.
            if self.cx.program.func(root.func).name != "main" {
                e.assumptions.contracts = self.contracts_of(root.func).into();
                self.skip_contradictory_assumptions(root.func, &mut e);
            }
            let (args, state) = root_state_before(&mut e, root);
            let state = converted(&mut e, root.func, &args, state);
            let mut call = None;
            if let Some(state) = state.and_then(|s| initialised(&mut e, root.func, s)) {
                let entry = root.entry.then(|| (args.clone(), state.clone()));
                if let Some((result, mut after)) = e.call(root.func, args, state, 0) {
                    e.outlived_by_threads(&after);
                    e.give_away(&mut after, result.as_ref());
                    let symbols = e.arena.symbols().len();
                    call = entry.map(|(args, entry)| RootCall { args, entry, returns: after.path, symbols });
                }
            }
            let call = call.filter(|_| e.limits.gave_up().is_none()).map(Rc::new);
            e.limits.allot(self.cx.all);
            let cost = Cost { steps: Allowance::default().steps - e.limits.left().steps, work: done() - start };
            let (Some(step), Some(limit)) = (step, e.limits.limit()) else { return (e, call) };
            // Nobody waits for the result any more.
            if limit == Limit::Time {
                return (e, call);
            }
            let heavy = e.limits.effort().heaviest(cost, measure(limit), *step);
            let more = e.limits.effort().spare(&heavy);
            self.say_left_out(&heavy, &more);
            if more == spared {
                if limit != Limit::Work {
                    return (e, call);
                }
                steps = [].iter();
            }
            spared = more;
            drop(e);
            if limit == Limit::Memory {
                budget::give_back();
            }
        }
    }

    /// Returns the functions that operators use where their tensors are on the host: functions with loops that take
    /// tensors and do nothing on a device.
    fn for_the_host_alone(&self) -> FxHashMap<HostPart, PartTreatment> {
        let program = self.cx.program;
        let host = || program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration());
        let is_tensor = |class: &Option<String>| class.as_ref().is_some_and(|c| c.contains("at::Tensor"));
        let takes_tensors = |f: &Function| {
            !f.is_library_model()
                && f.params.iter().any(|p| p.name != "this" && (is_tensor(&p.class) || is_tensor(&p.of_class)))
        };
        let names: Vec<(FuncRef, &Function)> = host()
            .filter(|(r, _, f)| takes_tensors(f) && self.reach.is_harmless(*r) && !program.loc(r.module, f.loc).system)
            .map(|(r, _, f)| (r, f))
            .collect();
        if names.is_empty() {
            return FxHashMap::default();
        }
        // The name of a lambda begins with its enclosing function's name.
        let with_loops: Vec<&str> = host().filter(|(.., f)| has_loop(f)).map(|(.., f)| f.display.as_str()).collect();
        let loops = |f: &Function| with_loops.iter().any(|name| name.starts_with(f.display.as_str()));
        names
            .into_iter()
            .filter(|(_, f)| loops(f))
            .map(|(r, _)| (HostPart::Function(r), PartTreatment::Entirely))
            .collect()
    }

    pub(super) fn say_left_out(&mut self, parts: &[HostPart], how: &FxHashMap<HostPart, PartTreatment>) {
        for p in parts {
            let (HostPart::Function(f) | HostPart::Loop(f, _)) = *p;
            let func = self.cx.program.func(f);
            let what = match p {
                HostPart::Loop(_, header) => format!(
                    "the loop at line {} of `{}`",
                    self.cx.program.loc(f.module, func.blocks[header.index()].term_loc).line,
                    func.display
                ),
                HostPart::Function(_) => format!("`{}`", func.display),
            };
            let iterations = how.get(p) == Some(&PartTreatment::Rounds);
            self.report.notes.push(if iterations {
                format!("{what} takes too long to follow iteration by iteration")
            } else {
                format!("{what} is skipped: it takes too long to follow, and makes no CUDA call")
            });
        }
    }
}

/// Whether a block leads back to an earlier one: clang emits blocks in source order. A block that leads to itself
/// destroys the elements of an array (`arraydestroy.body`), such as those of `return {y, z};`, and is hardly ever a
/// source loop.
fn has_loop(f: &Function) -> bool {
    f.blocks.iter().enumerate().any(|(i, b)| b.term.successors().iter().any(|to| to.index() < i))
}

/// Returns the measure of a limit: each step leaves terms in memory.
const fn measure(limit: Limit) -> CostMeasure {
    match limit {
        Limit::Steps | Limit::Memory => CostMeasure::Steps,
        Limit::Work | Limit::Time => CostMeasure::Work,
    }
}
