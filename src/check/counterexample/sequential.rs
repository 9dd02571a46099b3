//! One legal schedule: all threads run one after another. It shows accesses that a replay cannot, because threads of
//! other blocks, or earlier ones of the same block, wrote what the access depends on.
//!
//! In: an access that small inputs led out of bounds. Out: the access as that run observed it. This is no proof,
//! since under another schedule other threads may write in between.

use super::concrete_trials::trials;
use super::replay::{direction, site};
use super::replay_result::ReplayResult;
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::obligations::obligation::Counterexample;
use crate::solver::WrapMode;
use base::work::Work;
use engine::symbolic::exec::events::AccessEvent;
use witness::{self, AccessFault, ConcreteInputs, RunBudget};

/// Most instructions and work of the run.
const STEPS: u64 = 400_000;
const WORK: Work = Work::millis(500);

/// Returns small inputs under which the access is out of bounds when threads run one after another.
pub(crate) fn in_turn<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
) -> Option<(Counterexample, ReplayResult)> {
    let (model, random) = trials(cx, tools).inputs(&tools.e.arena, &run.launch, &run.run.thread, ev)?;
    let inputs = ConcreteInputs { random: random.to_vec(), ..tools.judge.given(&tools.e.arena, &model)? };
    let budget = RunBudget { steps: STEPS, work: WORK, ..tools.judge.limits() };
    let seen = witness::enumerate(cx.program, tools.root.func, &inputs, &budget);
    let callers: Vec<witness::ProgramPoint> = ev.stack.iter().rev().skip(1).rev().copied().map(site).collect();
    let bad = seen.bad.into_iter().take(seen.certain).find(|b| {
        b.site == site(ev.site)
            && b.direction == direction(ev.kind)
            && b.callers == callers
            && b.launch_site == Some(site(run.launch.site))
            && b.fault.answers(AccessFault::Bounds)
            && !b.object.freed
    })?;
    let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
    let seen = ReplayResult::InTurn { bad: Box::new(bad), by_chance: !random.is_empty() };
    Some((Counterexample { model, mode: WrapMode::Assume, degenerate }, seen))
}
