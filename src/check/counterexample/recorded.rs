//! Replays and runs with outcomes recorded earlier: a link, and the check after a build, continue where the build
//! stopped.
//!
//! In: a run's inputs. Out: its outcome, from an earlier check of the same code or by running it. A run is a function
//! of the code, its inputs, its target, its budget, and the progress of earlier patient passes; all of these form the
//! key.

use crate::solver::cache;
use base::inside::{self, CheckPhase};
use base::work::Work;
use ir::{FuncRef, Program};
use serde::{Deserialize, Serialize};
use witness::{self, ConcreteInputs, ExhaustiveRun, PatientPasses, ReplayCost, ReplayOutcome, RunBudget, TargetAccess};

fn write(hasher: &mut blake3::Hasher, what: &str, key: &impl Serialize) {
    hasher.update(what.as_bytes());
    match postcard::to_stdvec(key) {
        Ok(bytes) => hasher.update(&bytes),
        Err(e) => unreachable!("plain data is always written to memory: {e}"),
    };
}

/// A recorded replay.
#[derive(Serialize, Deserialize)]
struct RecordedReplay {
    outcome: ReplayOutcome,
    spend: ReplayCost,
    budget: RunBudget,
    /// Progress of patient passes, including this one.
    after: PatientPasses,
}

impl RecordedReplay {
    /// Whether a replay with that budget would give the same outcome.
    fn is_as_within(&self, budget: &RunBudget, cost: Work) -> bool {
        let ReplayCost { steps, by_steps, by_work, least } = self.spend;
        let same_steps = if by_steps { self.budget.steps == budget.steps } else { steps < budget.steps };
        let same_work =
            if by_work { self.budget.work == budget.work } else { cost < budget.work && least <= budget.work };
        same_steps && same_work
    }
}

/// Replays as [`witness::replay_after`] does, or recalls the outcome.
pub(crate) fn replay(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    target: &TargetAccess,
    budget: &RunBudget,
    patience: &mut PatientPasses,
) -> ReplayOutcome {
    let others = (budget.loop_steps, budget.device_memory, budget.memory);
    let kept = cache::recorded(
        |h| write(h, "replay", &(root, inputs, target, others, &*patience)),
        |kept: &RecordedReplay, cost| kept.is_as_within(budget, cost),
        || {
            let mut after = patience.clone();
            let replay = || witness::replay_after(program, root, inputs, target, budget, &mut after);
            let (outcome, spend) = inside::timed(CheckPhase::Replay, replay);
            RecordedReplay { outcome, spend, budget: *budget, after }
        },
    );
    *patience = kept.after;
    kept.outcome
}

/// Enumerates as [`witness::enumerate`] does, or recalls the run.
pub(crate) fn enumerate(
    program: &Program,
    root: FuncRef,
    inputs: &ConcreteInputs,
    budget: &RunBudget,
) -> ExhaustiveRun {
    cache::recorded(
        |h| write(h, "run", &(root, inputs, budget)),
        |_, _| true,
        || inside::timed(CheckPhase::Trials, || witness::enumerate(program, root, inputs, budget)),
    )
}

#[cfg(test)]
mod tests {
    use super::RecordedReplay;
    use crate::solver::cache;
    use base::work::{Work, charge, done};
    use witness::{PatientPasses, ReplayCost, ReplayOutcome, RunBudget};

    fn kept(by_steps: bool, by_work: bool) -> RecordedReplay {
        RecordedReplay {
            outcome: ReplayOutcome::NotReached { why: "it ended".into() },
            spend: ReplayCost { steps: 1000, by_steps, by_work, least: Work::units(700) },
            budget: RunBudget { steps: 5000, work: Work::units(5000), ..RunBudget::default() },
            after: PatientPasses::default(),
        }
    }

    #[test]
    fn a_replay_is_taken_from_before_only_where_it_would_be_the_same() {
        let fits = |k: &RecordedReplay, steps: u64, work: u64| {
            k.is_as_within(&RunBudget { steps, work: Work::units(work), ..RunBudget::default() }, Work::units(500))
        };
        let free = kept(false, false);
        assert!(fits(&free, 5000, 5000) && fits(&free, 1001, 700) && fits(&free, 1 << 40, 1 << 40));
        assert!(!fits(&free, 1000, 5000) && !fits(&free, 5000, 699), "it would have been cut off");
        let by_steps = kept(true, false);
        assert!(fits(&by_steps, 5000, 9000) && !fits(&by_steps, 5001, 9000));
        let by_work = kept(false, true);
        assert!(fits(&by_work, 9000, 5000) && !fits(&by_work, 9000, 5001));
    }

    #[test]
    fn what_was_made_before_is_charged_and_not_made_again() {
        let made = std::cell::Cell::new(0);
        let ask = |digest: u8, what: u8, fits: bool| {
            let before = done();
            let value: u64 = cache::on_program(
                || [digest; 32],
                || {
                    cache::recorded(
                        |h| {
                            h.update(&[what]);
                        },
                        |_, _| fits,
                        || {
                            made.set(made.get() + 1);
                            charge(Work::millis(50).get());
                            7
                        },
                    )
                },
            );
            assert_eq!((value, done() - before), (7, Work::millis(50)));
            made.get()
        };
        let times = cache::recalling(None, || {
            [(1, 1, true), (1, 1, true), (1, 2, true), (2, 1, true), (1, 1, false)].map(|(d, w, f)| ask(d, w, f))
        });
        assert_eq!(times, [1, 1, 2, 3, 4]);
    }
}
