//! Second pass: the remaining budget is shared among undecided accesses, first those that the solver did not finish,
//! then replays.
//!
//! In: the accesses that the first pass left undecided. Out: verdicts in the tally, and the accesses that more effort
//! could still change.

use super::Engine;
use super::budgets;
use super::first_pass::PendingAccess;
use crate::context::{ExecutedLaunch, RootTools, WorstDecision};
use crate::obligations::verdict::{AccessExamination, AccessVerdict, Effort, FurtherEffort};
use crate::rules::bounds;
use engine::symbolic::exec::events::AccessEvent;
use finding::Verdict;
use std::collections::VecDeque;

/// Number of consecutive undecided accesses that rest on unknowns, after which the next get little work.
const FRUITLESS: u32 = 2;

impl<'p> Engine<'p> {
    /// Shares the remaining work among undecided accesses: first those that the solver did not finish, then replays.
    /// Returns those that more effort could still change.
    pub(super) fn second_looks(
        &mut self,
        tools: &mut RootTools<'p>,
        runs: &[ExecutedLaunch],
        mut open: Vec<PendingAccess>,
    ) -> Vec<PendingAccess> {
        open.sort_by_key(|o| std::cmp::Reverse(o.first.more));
        let mut left = open.len() as u64;
        // Where another context left a position unknown, only a finding can still change it.
        let mut queue: VecDeque<(PendingAccess, bool)> = open.into_iter().map(|o| (o, false)).collect();
        let mut still = vec![];
        let mut fruitless = 0;
        while let Some((o, waited)) = queue.pop_front() {
            let (run, event) = (&runs[o.run], &runs[o.run].run.accesses[o.event]);
            if self.counts_as_proved(event) {
                left -= 1;
                continue;
            }
            if !waited && self.rank(&self.cx.place_of(event)).is_some_and(|r| r >= AccessVerdict::UNKNOWN) {
                queue.push_back((o, true));
                continue;
            }
            let (first, most) = (self.cx.scaled(budgets::FIRST), self.cx.scaled(budgets::MAX));
            let each = (self.cx.work_left() / left * 2).max(first).min(most);
            // After several consecutive models that set unknowns without a verdict, the next get less work.
            let hurried = o.first.more == FurtherEffort::Replay && fruitless >= FRUITLESS;
            let work = if hurried { each.min(self.cx.scaled(budgets::HURRIED)) } else { each };
            let mut cx = self.cx.with_work(work);
            cx.attempt.hurried = hurried;
            left -= 1;
            let second = if self.cx.is_spent() {
                AccessExamination::none()
            } else {
                bounds::look(&cx, tools, Some(run), event, Effort::Full)
            };
            fruitless = if matches!(second.outcome, AccessVerdict::Unknown(_)) { fruitless + 1 } else { 0 };
            let undecided = second.more == FurtherEffort::Work && matches!(second.outcome, AccessVerdict::Unknown(_));
            let outcome = second.outcome.or_first(o.first.outcome);
            if undecided && each < most {
                still.push(PendingAccess { first: AccessExamination { outcome, more: FurtherEffort::Work }, ..o });
                continue;
            }
            self.put(run.kernel, event, run.partial(outcome));
        }
        still
    }

    /// Records undecided accesses with their first outcome, without further attempts.
    pub(super) fn record_undecided(&mut self, runs: &[ExecutedLaunch], open: Vec<PendingAccess>) {
        for o in open {
            self.put(runs[o.run].kernel, &runs[o.run].run.accesses[o.event], runs[o.run].partial(o.first.outcome));
        }
    }

    /// Whether a position is already proved faulty; if so, counts the access without looking at it again.
    pub(super) fn counts_as_proved(&mut self, ev: &AccessEvent) -> bool {
        let place = self.cx.place_of(ev);
        let Some(WorstDecision { outcome: AccessVerdict::Found(f), times, .. }) = self.places.get_mut(&place) else {
            return false;
        };
        if f.verdict != Verdict::Proved || f.degenerate {
            return false;
        }
        *times += 1;
        true
    }
}
