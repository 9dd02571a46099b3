//! The second pass: what is left of the budget is shared among what is open, first what the solver did not finish, then replays.
//!
//! In: what the first pass left open. Out: verdicts in the tally, and what more could still change.

use super::Engine;
use super::budgets;
use super::first_pass::Open;
use crate::context::{Run, Tallied, Tools};
use crate::obligations::verdict::{Effort, Look, More, Outcome};
use crate::rules::bounds;
use engine::symbolic::exec::events::AccessEvent;
use finding::Verdict;
use std::collections::VecDeque;

/// How many accesses in a row may stay open that rest on what is not known, before the next get little only.
const FRUITLESS: u32 = 2;

impl<'p> Engine<'p> {
    /// Shares what is left among what is open: first what the solver did not finish, then replays. Gives what more could still change.
    pub(super) fn second_looks(&mut self, tools: &mut Tools<'p>, runs: &[Run], mut open: Vec<Open>) -> Vec<Open> {
        open.sort_by_key(|o| std::cmp::Reverse(o.first.more));
        let mut left = open.len() as u64;
        // Where another context left a place unknown, only a finding is still to be won there.
        let mut queue: VecDeque<(Open, bool)> = open.into_iter().map(|o| (o, false)).collect();
        let mut still = vec![];
        let mut fruitless = 0;
        while let Some((o, waited)) = queue.pop_front() {
            let (run, event) = (&runs[o.run], &runs[o.run].run.accesses[o.event]);
            if self.counts_as_proved(event) {
                left -= 1;
                continue;
            }
            if !waited && self.rank(&self.cx.place_of(event)).is_some_and(|r| r >= Outcome::UNKNOWN) {
                queue.push_back((o, true));
                continue;
            }
            let (first, most) = (self.cx.scaled(budgets::FIRST), self.cx.scaled(budgets::MOST));
            let each = (self.cx.work_left() / left * 2).max(first).min(most);
            // Where models that set what is not known came to nothing several times in a row, the next get less.
            let hurried = o.first.more == More::Replay && fruitless >= FRUITLESS;
            tools.decider.limits.work = if hurried { each.min(self.cx.scaled(budgets::HURRIED)) } else { each };
            left -= 1;
            let second = if self.cx.is_spent() {
                Look::none()
            } else {
                tools.in_hurry(hurried, |tools| bounds::look(&self.cx, tools, Some(run), event, Effort::Full))
            };
            fruitless = if matches!(second.outcome, Outcome::Unknown(_)) { fruitless + 1 } else { 0 };
            let undecided = second.more == More::Work && matches!(second.outcome, Outcome::Unknown(_));
            let outcome = second.outcome.or_first(o.first.outcome);
            if undecided && each < most {
                still.push(Open { first: Look { outcome, more: More::Work }, ..o });
                continue;
            }
            self.put(run.kernel, event, run.partial(outcome));
        }
        still
    }

    /// Says of what is open that nothing more was tried.
    pub(super) fn leave_open(&mut self, runs: &[Run], open: Vec<Open>) {
        for o in open {
            self.put(runs[o.run].kernel, &runs[o.run].run.accesses[o.event], runs[o.run].partial(o.first.outcome));
        }
    }

    /// A place already proved to be wrong is not looked at again.
    pub(super) fn counts_as_proved(&mut self, ev: &AccessEvent) -> bool {
        let place = self.cx.place_of(ev);
        let Some(Tallied { outcome: Outcome::Found(f), times, .. }) = self.places.get_mut(&place) else { return false };
        if f.verdict != Verdict::Proved || f.degenerate {
            return false;
        }
        *times += 1;
        true
    }
}
