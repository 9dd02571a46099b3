//! Budgets of each part of a check, at `limits.work = 100`.
//!
//! Every execution and every obligation has its own allotment: none is larger because another part took less on this
//! machine, or ended first in another thread. The rest of a phase passes to the next one only after all of that phase
//! has ended. Together they let a program of HeCBench's size take a minute on two cores at most.

use crate::options::{CheckOptions, Pace};
use base::work::Work;
use ir::reach::instructions;
use ir::{FuncRef, Program, Side};
use library::host::roots;

/// Host code from one root, and each kernel that it launches.
pub(crate) const EXECUTE: Work = Work::seconds(20);
/// Parts of this: one kernel executed under an arbitrary launch; one kernel that nothing launches, and all such
/// kernels.
pub(crate) const ANY_LAUNCH: Work = Work::seconds(3);
/// Part of it: requirements of kernels with many launches, and proofs that these meet them: of all, of one at most and at
/// least, and each proof.
pub(crate) const SUMMARIES: Work = Work::seconds(8);
pub(crate) const SUMMARY: Work = Work::seconds(3);
pub(crate) const SUMMARY_LEAST: Work = Work::millis(50);
pub(crate) const SUMMARY_EACH: Work = Work::millis(50);
pub(crate) const IDLE: (Work, Work, Work) = (Work::millis(500), Work::seconds(4), Work::seconds(30));
/// Budget of one function of a class whose invariants are sought.
pub(crate) const METHOD: Work = Work::millis(500);
/// Bounds on values that the threads of one root's launches exchange.
pub(crate) const EXCHANGE: Work = Work::seconds(4);
/// Budget of all accesses of one root: first looks, and second looks at undecided accesses.
pub(crate) const FIRST_LOOKS: Work = Work::seconds(20);
pub(crate) const SECOND_LOOKS: Work = Work::seconds(32);
/// Faults of the host itself, freed memory, alignment.
pub(crate) const CALLS: Work = Work::seconds(8);
/// Budget of one obligation: at a glance, with the given steps of the polynomial bound; at a first look; and at most.
pub(crate) const GLANCE: (Work, u32) = (Work::millis(5), 60);
pub(crate) const FIRST: Work = Work::millis(250);
pub(crate) const MAX: Work = Work::seconds(1);
/// Budget of the proof searches of one access at a first look.
pub(crate) const FIRST_PROOFS: Work = Work::millis(700);
/// Budgets of one access at a second look, for all its searches and replays together: where the solver gave up, where a
/// model rests on unknowns, and where only wraps are undecided. On 152 HeCBench programs 98 in 100 of the second looks
/// that decided took less than a second (decision 027).
pub(crate) const SECOND_LOOK: Work = Work::seconds(1);
pub(crate) const REPLAYED_LOOK: Work = Work::seconds(1);
pub(crate) const WRAP_LOOK: Work = Work::millis(400);
/// Budget of a second look after several in a row that decided nothing.
pub(crate) const HURRIED: Work = Work::millis(200);

/// Budget of a check that a compile command waits for: on 46 units of 24 HeCBench programs nvcc took 0.85 s of
/// processor time in the median, and more for a unit with more code; this is a seventh of that. Units of work are
/// about nanoseconds.
const COMPILE: (Work, Work, Work) = (Work::millis(120), Work::units(3_000), Work::seconds(1));
/// Largest budget of a check that a link waits for: the same again for each of its units.
const LINK: Work = Work::seconds(3);

/// Returns the total budget of a check while somebody waits, whatever the other budgets are, and the number of
/// instructions that it derives from.
pub(crate) fn of_pace(program: &Program, options: &CheckOptions) -> (Work, u64) {
    let reached = instructions(program, reached(program, options));
    let units = program.modules.iter().filter(|m| m.side == Side::Host).count().max(1) as u64;
    let budget = match options.pace {
        Pace::Compile => (COMPILE.0 + COMPILE.1 * reached).min(COMPILE.2),
        Pace::Beside(units) => (COMPILE.0 + COMPILE.1 * reached).min(COMPILE.2).max(Work::units(units)),
        Pace::Link => (COMPILE.0 * units + COMPILE.1 * reached).min(COMPILE.2 * units).min(LINK),
        Pace::Whole => Work::MAX,
    };
    (budget, reached)
}

/// Returns the functions from which code is reached: roots and kernels.
fn reached(program: &Program, options: &CheckOptions) -> Vec<FuncRef> {
    let kernels = program.functions().filter(|(_, m, f)| m.side == Side::Device && f.kernel).map(|(r, ..)| r);
    roots(program, &options.roots, &options.entry).into_iter().map(|r| r.func).chain(kernels).collect()
}

/// A root's share of a program's budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// Share in hundredths of the allotments of one root.
    pub part: u32,
    /// Share of the check's total budget while somebody waits.
    pub total: Work,
}

/// Returns the shares of roots that lead to a launch and of those that do not, for a check that may cost `total`. The
/// latter have almost nothing to decide, and take nothing from the former: one file often registers all operators of
/// an extension of which only some are present.
pub(crate) fn shares(total: Work, launching: usize, others: usize) -> (Share, Share) {
    let rest = if launching > 0 { total / 4 } else { total };
    let most = if others > 0 && total < Work::MAX { total - rest } else { total };
    let share = |total: Work, of: usize, roots: usize| Share { part: share_of(roots), total: total / of as u64 };
    (share(most, launching, launching), share(rest, others, launching + others))
}

/// Returns a root's share in hundredths among this many roots: the shares add up to a few times the allotments of one
/// root.
fn share_of(roots: usize) -> u32 {
    u32::try_from(200 / (roots + 1)).unwrap_or(0).clamp(8, 100)
}

/// Returns the budget of one of this many kernels that nothing launches.
pub(crate) fn idle(kernels: usize) -> Work {
    (IDLE.2 / kernels.max(1) as u64).max(IDLE.0).min(IDLE.1)
}

/// Returns the budget of one such kernel on request: its conditions are sought, or some are stated, and must decide
/// no less than when they were found.
pub(crate) fn asked_for(kernels: usize) -> Work {
    idle(kernels) * 4
}

#[cfg(test)]
mod tests {
    use super::{IDLE, idle, share_of, shares};
    use base::work::Work;

    #[test]
    fn the_more_there_are_the_less_each_may_take() {
        assert_eq!([0, 1, 2, 3, 9, 500].map(share_of), [100, 100, 66, 50, 20, 8]);
        // 49 operators with kernels elsewhere leave the fiftieth as much as if it were alone, where nobody waits.
        let (own, elsewhere) = shares(Work::MAX, 1, 49);
        assert_eq!([own, elsewhere].map(|s| (s.part, s.total)), [(100, Work::MAX), (8, Work::MAX)]);
        let (own, elsewhere) = shares(Work::seconds(4), 2, 48);
        assert_eq!((own.part, own.total), (66, Work::millis(1500)));
        assert_eq!((elsewhere.part, elsewhere.total * 48), (8, Work::units(1_000_000_000 / 48 * 48)));
        assert_eq!([1, 10, 1000].map(idle), [IDLE.1, IDLE.2 / 10, IDLE.0]);
    }
}
