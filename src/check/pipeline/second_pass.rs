//! Second pass: the remaining budget is shared among undecided accesses, first those that the solver did not finish,
//! then replays.
//!
//! In: the accesses that the first pass left undecided. Out: verdicts in the tally.

use super::Engine;
use super::budgets;
use super::first_pass::PendingAccess;
use crate::context::{ExecutedLaunch, RootTools};
use crate::obligations::verdict::{AccessExamination, AccessVerdict, Effort, FurtherEffort};
use crate::rules::bounds;
use base::work::Work;
use engine::symbolic::exec::events::AccessEvent;
use finding::Verdict;
use std::collections::VecDeque;

/// Most launches of one position that are looked at for the checks that an operator lacks.
const LAUNCHES: usize = 3;

/// Success of the second looks of a task so far. More of what decided nothing seldom decides the next access:
/// neighbours share their kernel, their unknowns and their arithmetic.
#[derive(Default)]
struct Hope {
    /// Second looks that brought no better verdict and no finding, less two for each that did.
    fruitless: u32,
}

impl Hope {
    /// Fruitless looks after which the next get little work.
    const FEW: u32 = 2;

    fn is_small(&self) -> bool {
        self.fruitless >= Self::FEW
    }

    fn note(&mut self, first: &AccessVerdict, second: &AccessVerdict) {
        let (before, now) = (first.rank(), second.rank());
        let gained = second.is_finding() && now > before || second.is_safe() && now < before;
        self.fruitless = if gained { self.fruitless.saturating_sub(2) } else { self.fruitless + 1 };
    }

    /// Returns the most work of a second look at an access with this first outcome.
    fn most(&self, first: &AccessExamination) -> Work {
        match (&first.outcome, first.more) {
            _ if self.is_small() => budgets::HURRIED,
            (AccessVerdict::Safe | AccessVerdict::SafeIfNoWrap(_), _) => budgets::WRAP_LOOK,
            (_, FurtherEffort::Replay) => budgets::REPLAYED_LOOK,
            _ => budgets::SECOND_LOOK,
        }
    }
}

impl<'p> Engine<'p> {
    /// Shares the remaining work among undecided accesses: first those that the solver did not finish, then replays.
    pub(super) fn second_looks(
        &mut self,
        tools: &mut RootTools<'p>,
        runs: &[ExecutedLaunch],
        mut open: Vec<PendingAccess>,
    ) {
        open.sort_by_key(|o| std::cmp::Reverse(o.first.more));
        let mut left = open.len() as u64;
        // Where another context left a position unknown, only a finding can still change it.
        let mut queue: VecDeque<(PendingAccess, bool)> = open.into_iter().map(|o| (o, false)).collect();
        let mut hope = Hope::default();
        while let Some((o, waited)) = queue.pop_front() {
            let (run, event) = (&runs[o.run], &runs[o.run].run.accesses[o.event]);
            if self.counts_as_proved(runs, run, event) {
                left -= 1;
                continue;
            }
            let rank = self.rank(&self.cx.place_of(event));
            if !waited && rank.is_some_and(|r| r >= AccessVerdict::UNKNOWN) {
                queue.push_back((o, true));
                continue;
            }
            // Where the execution did not complete, only a finding counts.
            let is_partial = run.partly.is_some();
            if is_partial && o.first.outcome.is_safe() {
                left -= 1;
                self.put(run.kernel, event, run.partial(&o.place, o.first.outcome));
                continue;
            }
            // Another context of this position is undecided, or no safer: a better verdict here changes nothing.
            let worse = waited || o.first.outcome.is_safe() && rank.is_some_and(|r| r >= o.first.outcome.rank());
            if worse && hope.is_small() {
                left -= 1;
                self.put(run.kernel, event, run.partial(&o.place, o.first.outcome));
                continue;
            }
            let (first, most) = (self.cx.scaled(budgets::FIRST), self.cx.scaled(budgets::MAX));
            let each = (self.cx.work_left() / left * 2).max(first).min(most);
            let only_findings = is_partial || run.is_summarised(&o.place);
            let in_vain = worse || only_findings && o.first.more != FurtherEffort::Replay;
            let look = self.cx.scaled(if in_vain { budgets::HURRIED } else { hope.most(&o.first) });
            let mut cx = self.cx.with_work(each.min(look)).at_most(look);
            cx.attempt.hurried = hope.is_small();
            left -= 1;
            let second = if self.cx.is_spent() {
                AccessExamination::none()
            } else {
                bounds::look(&cx, tools, Some(run), event, Effort::Full)
            };
            hope.note(&o.first.outcome, &second.outcome);
            self.put_of(run, event, run.partial(&o.place, second.outcome.or_first(o.first.outcome)));
        }
    }

    /// Records undecided accesses with their first outcome, without further attempts.
    pub(super) fn record_undecided(&mut self, runs: &[ExecutedLaunch], open: Vec<PendingAccess>) {
        for o in open {
            self.put(
                runs[o.run].kernel,
                &runs[o.run].run.accesses[o.event],
                runs[o.run].partial(&o.place, o.first.outcome),
            );
        }
    }

    /// Whether a position is already proved faulty; if so, counts the access without looking at it again. Where the finding
    /// is of a check that an operator lacks, a launch with other arguments may lack another one.
    pub(super) fn counts_as_proved(&mut self, runs: &[ExecutedLaunch], run: &ExecutedLaunch, ev: &AccessEvent) -> bool {
        let place = self.cx.place_of(ev);
        let Some(known) = self.places.get_mut(&place) else { return false };
        let AccessVerdict::Found(f) = &known.outcome else { return false };
        if f.verdict != Verdict::Proved || f.degenerate {
            return false;
        }
        let is_alike =
            |number: &usize| runs.iter().any(|r| r.number == *number && r.launch.is_given_the_same(&run.launch));
        let lacks_check = f.checked_argument().is_some() && known.found_at.len() < LAUNCHES;
        if lacks_check && !known.found_at.iter().any(is_alike) {
            return false;
        }
        known.times += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Hope;
    use crate::obligations::verdict::{AccessExamination, AccessVerdict, FurtherEffort};
    use crate::pipeline::budgets;
    use base::reasons::UnknownReason;

    #[test]
    fn looks_that_bring_nothing_leave_little_to_the_next_until_one_decides() {
        let open = || AccessVerdict::Unknown(UnknownReason::SolverWork);
        let (wraps, safe) = (|| AccessVerdict::SafeIfNoWrap(vec![]), || AccessVerdict::Safe);
        let first = |outcome, more| AccessExamination { outcome, more };
        let mut hope = Hope::default();
        assert_eq!(hope.most(&first(open(), FurtherEffort::Work)), budgets::SECOND_LOOK);
        assert_eq!(hope.most(&first(open(), FurtherEffort::Replay)), budgets::REPLAYED_LOOK);
        assert_eq!(hope.most(&first(wraps(), FurtherEffort::Work)), budgets::WRAP_LOOK);
        // The same verdict again, though final, is no gain.
        hope.note(&open(), &open());
        hope.note(&wraps(), &wraps());
        assert!(hope.is_small());
        assert_eq!(hope.most(&first(wraps(), FurtherEffort::Work)), budgets::HURRIED);
        hope.note(&open(), &wraps());
        assert!(!hope.is_small());
        hope.note(&wraps(), &open());
        hope.note(&wraps(), &open());
        assert!(hope.is_small());
        // A second look without a verdict keeps the first one's: no gain, either.
        let mut seen = Hope { fruitless: Hope::FEW };
        seen.note(&safe(), &open());
        assert!(seen.is_small());
        hope.note(&wraps(), &safe());
        assert!(!hope.is_small());
    }
}
