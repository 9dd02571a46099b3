//! One legal schedule: all threads run one after another. It shows accesses that a replay cannot, because threads of
//! other blocks, or earlier ones of the same block, wrote what the access depends on.
//!
//! In: an access that small inputs led out of bounds. Out: the access as that run observed it. This is no proof,
//! since under another schedule other threads may write in between.

use super::concrete_trials::trials;
use super::replay::{Judged, site};
use crate::context::{Context, Run, Tools};
use crate::obligations::obligation::Counterexample;
use crate::solver::WrapMode;
use base::work::Work;
use engine::symbolic::exec::events::AccessEvent;
use witness::{self, Budget, Fault, Inputs};

/// Most instructions and work of the run.
const STEPS: u64 = 400_000;
const WORK: Work = Work::millis(500);

/// Returns small inputs under which the access is out of bounds when threads run one after another.
pub(crate) fn in_turn<'p>(
    cx: &Context<'p>,
    tools: &mut Tools<'p>,
    run: &Run,
    ev: &AccessEvent,
) -> Option<(Counterexample, Judged)> {
    let (model, random) = trials(cx, tools).inputs(&tools.e.arena, &run.launch, &run.run.thread, ev)?;
    let inputs = Inputs { random: random.to_vec(), ..tools.judge.given(&tools.e.arena, &model)? };
    let budget = Budget { steps: STEPS, work: WORK, ..tools.judge.limits() };
    let seen = witness::enumerate(cx.program, tools.root.func, &inputs, &budget);
    let callers: Vec<witness::Site> = ev.stack.iter().rev().skip(1).rev().copied().map(site).collect();
    let bad = seen.bad.into_iter().take(seen.certain).find(|b| {
        b.site == site(ev.site)
            && b.callers == callers
            && b.launch_site == Some(site(run.launch.site))
            && b.fault.answers(Fault::Bounds)
            && !b.object.freed
    })?;
    let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
    let seen = Judged::InTurn { bad: Box::new(bad), by_chance: !random.is_empty() };
    Some((Counterexample { model, mode: WrapMode::Assume, degenerate }, seen))
}
