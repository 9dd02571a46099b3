//! Evidence for a sufficient condition: whether launches that violate it go out of bounds.
//!
//! In: a condition, and obligations of accesses that it covers. Out: `Needed` where a replay of the kernel alone goes
//! out of bounds, with arguments and a launch that violate the condition; `Exact` where a proof shows this for the
//! last or the first thread of every such launch.

use super::Evidence;
use super::conditions::implies;
use super::gather::AccessIndex;
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::replay_result::{ReplayResult, SoughtFault};
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use engine::symbolic::exec::events::LaunchConfig;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::terms::term::TermId;
use rustc_hash::FxHashMap;
use witness::AccessFault;

/// Most obligations of one condition that are examined.
const LOOKED_AT: usize = 3;

/// An executed launch of a kernel.
pub(super) struct Executed<'a> {
    pub config: &'a LaunchConfig,
    pub run: &'a KernelRun,
    /// Axioms under which the launch runs.
    pub axioms: TermId,
}

/// Returns the evidence for a kernel's condition that is proved sufficient for these accesses.
pub(super) fn of_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    launch: &Executed<'_>,
    condition: TermId,
    obligations: &[(AccessIndex, Obligation)],
) -> Evidence {
    let violated = tools.e.arena.not(condition);
    let few = || obligations.iter().take(LOOKED_AT);
    let needed = few().any(|((_, n), ob)| {
        violating(cx, tools, violated, ob).is_some_and(|c| {
            let ev = &launch.run.accesses[*n];
            tools.judge.goes_out_alone(&tools.e.arena, (launch.config, &launch.run.thread), ev, &c)
        })
    });
    if !needed {
        return Evidence::Sufficient;
    }
    if few().any(|(_, ob)| is_exact(cx, tools, launch, violated, ob)) { Evidence::Exact } else { Evidence::Needed }
}

/// Returns the evidence for a host function's condition, by a replay from that function.
pub(super) fn of_entry(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    runs: &[ExecutedLaunch],
    condition: TermId,
    obligations: &[(AccessIndex, Obligation)],
) -> Evidence {
    let violated = tools.e.arena.not(condition);
    let needed = obligations.iter().take(LOOKED_AT).any(|((l, n), ob)| {
        violating(cx, tools, violated, ob).is_some_and(|c| {
            let run = &runs[*l];
            let (ev, wanted) = (&run.run.accesses[*n], SoughtFault::Fault(AccessFault::Bounds));
            let judged = tools.replay(cx, run, ev, &c, wanted);
            matches!(judged, ReplayResult::Reached { .. })
        })
    });
    if needed { Evidence::Needed } else { Evidence::Sufficient }
}

/// Returns a model in which a condition is violated and an access is out of bounds.
fn violating(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    violated: TermId,
    ob: &Obligation,
) -> Option<Counterexample> {
    let facts = tools.e.arena.and(ob.facts, violated);
    if tools.e.arena.as_bool(facts) == Some(false) {
        return None;
    }
    match tools.decide(cx, &Obligation { facts, ..ob.clone() }).decision {
        Decision::Fails(c) => Some(c),
        _ => None,
    }
}

/// Whether the last or the first thread goes out of bounds wherever the condition is violated.
fn is_exact(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    launch: &Executed<'_>,
    violated: TermId,
    ob: &Obligation,
) -> bool {
    let a = &mut tools.e.arena;
    let (zero, thread) = (a.int(0), &launch.run.thread);
    let mut last: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut first = last.clone();
    for (of, within) in [(thread.tid, launch.config.block), (thread.bid, launch.config.grid)] {
        for (t, n) in of.into_iter().zip(within) {
            last.insert(t, a.add_const(n, -1));
            first.insert(t, zero);
        }
    }
    let end = a.add(ob.offset, ob.bytes);
    let (below, above) = (a.lt(ob.offset, zero), a.lt(ob.extent, end));
    let out = a.or(below, above);
    let bad = a.and(ob.facts, out);
    let given = a.and(launch.axioms, violated);
    [last, first].iter().any(|which| {
        let there = tools.e.arena.substitute(bad, which);
        implies(&mut tools.e.arena, &mut tools.decider.with(cx.attempt), given, there)
    })
}
