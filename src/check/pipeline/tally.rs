//! The tally: decisions for each position, combined from all launches, roots and tasks, and the report made from
//! them.
//!
//! In: outcomes. Out: for each position the worst outcome and its count, then the [`ProgramReport`]. The tally must
//! not depend on how an outcome was found.

use super::Engine;
use crate::context::{ArrayPosition, ExecutedLaunch, WorstDecision};
use crate::findings::explanation;
use crate::findings::position::{inner_places, position_of};
use crate::obligations::verdict::AccessVerdict;
use crate::report::{self, AccessStanding, ProgramReport};
use crate::rules;
use crate::rules::rule::DecisionReceiver;
use crate::summaries::{LaunchSummaries, unless_wraps};
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use finding::counts::CountedKernel;
use finding::{Finding, Position, ReasonCode, Related, Summary, UNDECIDED_COPY, Undecided};
use ir::FuncRef;
use rustc_hash::FxHashSet;
use std::time::Instant;

impl Engine<'_> {
    /// Merges another engine's results for the same program.
    pub(super) fn absorb(&mut self, mut other: Self) {
        self.kernels.extend(&other.kernels);
        self.launched.extend(&other.launched);
        self.behind_models.extend(&other.behind_models);
        self.called_by_models.extend(&other.called_by_models);
        self.followed.extend(&other.followed);
        self.given_away.extend(&other.given_away);
        self.launches += other.launches;
        self.report.notes.append(&mut other.report.notes);
        self.report.internal.append(&mut other.report.internal);
        for problem in std::mem::take(&mut other.report.problems) {
            if !self.report.problems.contains(&problem) {
                self.report.problems.push(problem);
            }
        }
        for fault in std::mem::take(&mut other.report.faults) {
            if !self.report.faults.contains(&fault) {
                self.report.faults.push(fault);
            }
        }
        self.lost = self.lost.take().or(other.lost.take());
        for (kernel, why) in std::mem::take(&mut other.unfollowed) {
            self.unfollowed.entry(kernel).or_insert(why);
        }
        self.own_alone.extend(&other.own_alone);
        for (kernel, why) in std::mem::take(&mut other.partly) {
            self.partly.entry(kernel).or_insert(why);
        }
        self.assumed.absorb(std::mem::take(&mut other.assumed));
        self.cx.spent = self.cx.spent + other.cx.spent;
        self.absorb_places(other);
    }

    /// Merges only another engine's decisions.
    pub(super) fn absorb_places(&mut self, other: Self) {
        for (place, tallied) in other.places {
            self.add(place, tallied);
        }
    }

    /// Adds a decision. Of two decisions for a position the worse stays, of equal ones the first; findings for
    /// different wrapping operations, and for different missing checks, all stay.
    fn add(&mut self, place: ArrayPosition, mut new: WorstDecision) {
        let Some(old) = self.places.get_mut(&place) else {
            self.places.insert(place, new);
            return;
        };
        let also = std::mem::take(&mut new.also);
        if new.outcome.is_finding() {
            old.found_at.append(&mut new.found_at);
        }
        match new.outcome {
            AccessVerdict::Found(found) if old.wraps_otherwise(&found) => old.also.push(*found),
            AccessVerdict::Found(found) if old.lacks_otherwise(&found) => old.add_lacking(found, new.times),
            outcome => {
                if outcome.is_finding() && old.outcome.is_finding() {
                    old.times += new.times;
                }
                if outcome.outweighs(&old.outcome) {
                    (old.outcome, old.kernel, old.inner) = (outcome, new.kernel, new.inner);
                }
            }
        }
        for found in also {
            if old.wraps_otherwise(&found) || old.lacks_otherwise(&found) {
                old.also.push(found);
            }
        }
    }

    pub(super) fn safe_places(&self) -> impl Iterator<Item = ArrayPosition> {
        self.places.iter().filter(|(_, t)| t.outcome.is_safe()).map(|(p, _)| p.clone())
    }

    /// Records the outcomes of launches that were not executed.
    pub(super) fn put_summaries(&mut self, summaries: &LaunchSummaries, host_gave_up: Option<&UnknownReason>) {
        for (kernel, outcomes) in &summaries.outcomes {
            for (place, wraps) in outcomes {
                if self.assumed.skips(place) {
                    continue;
                }
                let outcome = match host_gave_up {
                    Some(why) => AccessVerdict::Unknown(UnknownReason::HostNotFollowed(Box::new(why.clone()))),
                    None => unless_wraps(wraps),
                };
                self.put_at(place.clone(), *kernel, outcome, vec![]);
            }
        }
    }

    /// Returns the positions that are undecided.
    pub(super) fn undecided_places(&self) -> FxHashSet<ArrayPosition> {
        let is_open = |t: &WorstDecision| matches!(t.outcome, AccessVerdict::Unknown(_));
        self.places.iter().filter(|(_, t)| is_open(t)).map(|(p, _)| p.clone()).collect()
    }

    /// Whether some position is undecided only for lack of budget.
    pub(super) fn lacks_budget(&self) -> bool {
        self.places
            .values()
            .any(|t| matches!(&t.outcome, AccessVerdict::Unknown(why) if why.code() == ReasonCode::Work))
    }

    /// Returns the rank of a position's outcome; `None` where nothing reached it.
    pub(super) fn rank(&self, place: &ArrayPosition) -> Option<u8> {
        self.places.get(place).map(|t| t.outcome.rank())
    }

    pub(super) fn put(&mut self, kernel: FuncRef, ev: &AccessEvent, outcome: AccessVerdict) {
        let inner = match outcome {
            AccessVerdict::Unknown(_) => inner_places(self.cx.program, &ev.stack, ev.kind),
            _ => vec![],
        };
        self.put_at(self.cx.place_of(ev), kernel, outcome, inner);
    }

    /// Adds an outcome at a position; for `inner` see [`WorstDecision::inner`].
    pub(crate) fn put_at(
        &mut self,
        place: ArrayPosition,
        kernel: FuncRef,
        outcome: AccessVerdict,
        inner: Vec<Related>,
    ) {
        if let AccessVerdict::Found(f) = &outcome {
            debug_assert!(rules::is_made(f.rule), "a finding of a class that its rule does not make");
        }
        let kernel = self.cx.program.func(kernel).display.clone();
        self.add(place, WorstDecision { outcome, kernel, times: 1, inner, also: vec![], found_at: vec![] });
    }

    /// Adds the outcome of an access in a launch of the current root.
    pub(super) fn put_of(&mut self, run: &ExecutedLaunch, ev: &AccessEvent, outcome: AccessVerdict) {
        let is_finding = outcome.is_finding();
        self.put(run.kernel, ev, outcome);
        if is_finding && let Some(known) = self.places.get_mut(&self.cx.place_of(ev)) {
            known.found_at.push(run.number);
        }
    }

    /// Returns the checked kernels, in the order of their positions.
    fn counted_kernels(&self) -> Vec<CountedKernel> {
        let program = self.cx.program;
        let mut kernels: Vec<CountedKernel> = self
            .kernels
            .iter()
            .map(|k| CountedKernel {
                position: position_of(program.users_loc(k.module, program.func(*k).loc)),
                name: program.func(*k).display.clone(),
            })
            .collect();
        kernels.sort_unstable();
        kernels
    }

    pub(super) fn finish(mut self, start: Instant) -> ProgramReport {
        self.report.kernels = self.counted_kernels();
        for ((loc, array), WorstDecision { outcome, kernel, times, inner, also, .. }) in self.places {
            explanation::counts_as(&(loc.clone(), array.clone()), &kernel, &outcome);
            let standing = match outcome {
                AccessVerdict::Safe | AccessVerdict::SafeIfNoWrap(_) => AccessStanding::Safe,
                AccessVerdict::Unknown(_) => AccessStanding::Undecided,
                AccessVerdict::Found(ref f) if f.rule == Rule::IndexOverflow => AccessStanding::Safe,
                AccessVerdict::Found(_) => AccessStanding::Found,
            };
            let position = position_of(loc.clone());
            let place = (loc.clone(), array.clone());
            // Without a line number the kernel identifies the position.
            let within = if loc.line == 0 { format!(" in `{kernel}`") } else { String::new() };
            let assuming = self.assumed.resting.contains(&place);
            let class = outcome.class(assuming);
            self.report.places.push(report::DecidedAccess {
                position,
                kernel: kernel.clone(),
                array: array.clone(),
                standing,
                class,
            });
            if assuming {
                self.report.notes.push(format!("{loc}: `{array}`{within} {}", self.assumed.words(&place)));
            }
            match outcome {
                AccessVerdict::Safe => {}
                AccessVerdict::SafeIfNoWrap(ops) => {
                    let ops = ops.join(" and ");
                    self.report.notes.push(format!("{loc}: `{array}`{within} is safe if {ops} does not wrap"));
                }
                AccessVerdict::Unknown(reason) => {
                    self.report.undecided.push(Undecided {
                        position: Position { file: loc.file, line: loc.line, column: loc.column },
                        kernel,
                        array,
                        code: reason.code(),
                        reason: reason.to_string(),
                        related: inner,
                    });
                }
                AccessVerdict::Found(mut f) => {
                    f.occurrences = times;
                    let all = std::iter::once(*f).chain(also).map(|mut f| {
                        finding::steps::complete(&mut f);
                        f
                    });
                    self.report.findings.extend(all);
                }
            }
        }
        self.report.summary = Summary {
            programs: 1,
            kernels: u32::try_from(self.report.kernels.len()).unwrap_or(0),
            launches: self.launches,
            work: self.cx.spent.get(),
            seconds: start.elapsed().as_secs_f64(),
            ..Summary::default()
        };
        self.report.count_places();
        self.report
    }
}

impl WorstDecision {
    /// Whether the finding concerns a wrapping operation that is not reported at this position yet.
    fn wraps_otherwise(&self, new: &Finding) -> bool {
        let AccessVerdict::Found(first) = &self.outcome else { return false };
        let another = |f: &Finding| f.rule == Rule::IndexOverflow && f.related.first() != new.related.first();
        new.rule == Rule::IndexOverflow && another(first) && self.also.iter().all(another)
    }

    /// Whether the finding concerns a missing check, or an argument, that is not reported at this position yet.
    fn lacks_otherwise(&self, new: &Finding) -> bool {
        let AccessVerdict::Found(first) = &self.outcome else { return false };
        let another = |f: &Finding| match (&f.missing_check, &new.missing_check) {
            _ if f.checked_argument() != new.checked_argument() => true,
            (Some(known), Some(check)) => known.condition != check.condition,
            _ => false,
        };
        first.rule == new.rule && new.checked_argument().is_some() && another(first) && self.also.iter().all(another)
    }

    /// Adds a finding of another missing check: the worst stands for the position.
    fn add_lacking(&mut self, new: Box<Finding>, times: u32) {
        let new = AccessVerdict::Found(new);
        let other = if new.outweighs(&self.outcome) { std::mem::replace(&mut self.outcome, new) } else { new };
        if let AccessVerdict::Found(mut other) = other {
            other.occurrences = times;
            self.also.push(*other);
        }
    }
}

impl Engine<'_> {
    fn add_note(&mut self, note: String) {
        if !self.report.notes.contains(&note) {
            self.report.notes.push(note);
        }
    }
}

impl DecisionReceiver for Engine<'_> {
    fn is_proved(&self, place: &ArrayPosition) -> bool {
        self.rank(place) == Some(AccessVerdict::PROVED)
    }

    fn note(&mut self, place: ArrayPosition, func: FuncRef, outcome: AccessVerdict) {
        match outcome {
            o @ AccessVerdict::Found(_) => self.put_at(place, func, o, vec![]),
            AccessVerdict::Unknown(why) => {
                self.add_note(format!("{}: the call's use of `{}` is undecided: {why}", place.0, place.1));
            }
            AccessVerdict::Safe | AccessVerdict::SafeIfNoWrap(_) => {}
        }
    }

    fn note_copy(&mut self, place: ArrayPosition, func: FuncRef, outcome: AccessVerdict) {
        match outcome {
            AccessVerdict::Unknown(why) => {
                self.add_note(format!("{}: {UNDECIDED_COPY} `{}` is undecided: {why}", place.0, place.1));
            }
            other => self.note(place, func, other),
        }
    }

    fn record(&mut self, event: &AccessEvent, func: FuncRef, outcome: AccessVerdict) {
        self.put(func, event, outcome);
    }
}
