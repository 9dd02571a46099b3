//! Replays and runs whose outcome is known from before: a link, and the check after a build, go on from where the build stopped.
//!
//! In: what a run is given. Out: what it says, from an earlier check of the same code or by running it. A run is a function of the code, of
//! its inputs, its target and its budget, and of what patient passes came to before it; all of them are the key.

use super::solver::recall;
use crate::ir::{FuncRef, Program};
use crate::witness::{self, Budget, Inputs, Outcome, Patience, Run, Spend, Target};
use crate::work::Work;
use serde::{Deserialize, Serialize};

fn write(hasher: &mut blake3::Hasher, what: &str, key: &impl Serialize) {
    hasher.update(what.as_bytes());
    match postcard::to_stdvec(key) {
        Ok(bytes) => hasher.update(&bytes),
        Err(e) => unreachable!("plain data is always written to memory: {e}"),
    };
}

/// A replay as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    outcome: Outcome,
    spend: Spend,
    budget: Budget,
    /// What patient passes came to, this one among them.
    after: Patience,
}

impl Kept {
    /// Whether a replay with that budget would be the same.
    fn is_as_within(&self, budget: &Budget, cost: Work) -> bool {
        let Spend { steps, by_steps, by_work, least } = self.spend;
        let same_steps = if by_steps { self.budget.steps == budget.steps } else { steps < budget.steps };
        let same_work =
            if by_work { self.budget.work == budget.work } else { cost < budget.work && least <= budget.work };
        same_steps && same_work
    }
}

/// As [`witness::replay_after`].
pub(super) fn replay(
    program: &Program,
    root: FuncRef,
    inputs: &Inputs,
    target: &Target,
    budget: &Budget,
    patience: &mut Patience,
) -> Outcome {
    let others = (budget.loop_steps, budget.device_memory, budget.memory);
    let kept = recall::recorded(
        |h| write(h, "replay", &(root, inputs, target, others, &*patience)),
        |kept: &Kept, cost| kept.is_as_within(budget, cost),
        || {
            let mut after = patience.clone();
            let (outcome, spend) = witness::replay_after(program, root, inputs, target, budget, &mut after);
            Kept { outcome, spend, budget: *budget, after }
        },
    );
    *patience = kept.after;
    kept.outcome
}

/// As [`witness::enumerate`].
pub(super) fn enumerate(program: &Program, root: FuncRef, inputs: &Inputs, budget: &Budget) -> Run {
    recall::recorded(
        |h| write(h, "run", &(root, inputs, budget)),
        |_, _| true,
        || witness::enumerate(program, root, inputs, budget),
    )
}
