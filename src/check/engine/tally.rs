//! The tally: what was decided of each place, put together from all launches, roots and tasks, and the report that it becomes.
//!
//! In: outcomes. Out: of each place the worst outcome with how often it came, then the [`ProgramReport`]. It must not know how any was
//! found.

use super::Engine;
use crate::check::context::Place;
use crate::check::obligations::verdict::Outcome;
use crate::check::report::{self, ProgramReport, Standing};
use crate::check::rules::list;
use crate::check::rules::rule::Tally;
use crate::ir::FuncRef;
use crate::report::finding::{Code, Position, Summary, Undecided, Verdict};
use crate::rules::Rule;
use crate::symbolic::exec::events::AccessEvent;
use std::time::Instant;

impl Engine<'_> {
    /// What another engine saw of the same program.
    pub(super) fn absorb(&mut self, mut other: Self) {
        self.kernels.extend(&other.kernels);
        self.launched.extend(&other.launched);
        self.launches += other.launches;
        self.report.notes.append(&mut other.report.notes);
        for problem in std::mem::take(&mut other.report.problems) {
            if !self.report.problems.contains(&problem) {
                self.report.problems.push(problem);
            }
        }
        self.lost = self.lost.take().or(other.lost.take());
        self.own_alone.extend(&other.own_alone);
        for (kernel, why) in std::mem::take(&mut other.partly) {
            self.partly.entry(kernel).or_insert(why);
        }
        self.assumed.absorb(std::mem::take(&mut other.assumed));
        self.cx.spent = self.cx.spent + other.cx.spent;
        self.absorb_places(other);
    }

    /// Only what it decided.
    pub(super) fn absorb_places(&mut self, other: Self) {
        for (place, (outcome, kernel, n)) in other.places {
            match self.places.get_mut(&place) {
                None => {
                    self.places.insert(place, (outcome, kernel, n));
                }
                Some((old, _, times)) => {
                    if outcome.is_finding() && old.is_finding() {
                        *times += n;
                    }
                    if outcome.outweighs(old) {
                        *old = outcome;
                    }
                }
            }
        }
    }

    pub(super) fn safe_places(&self) -> impl Iterator<Item = Place> {
        self.places.iter().filter(|(_, (o, ..))| o.is_safe()).map(|(p, _)| p.clone())
    }

    /// Whether something is open only for want of budget.
    pub(super) fn lacks_budget(&self) -> bool {
        self.places.values().any(|(o, ..)| matches!(o, Outcome::Unknown(why) if why.code() == Code::Work))
    }

    /// How bad a place is; `None` where nothing came to it.
    pub(super) fn rank(&self, place: &Place) -> Option<u8> {
        self.places.get(place).map(|(o, ..)| o.rank())
    }

    pub(super) fn put(&mut self, kernel: FuncRef, ev: &AccessEvent, outcome: Outcome) {
        let (loc, array) = self.cx.place_of(ev);
        self.put_at((loc, array), kernel, outcome);
    }

    pub(super) fn put_at(&mut self, place: Place, kernel: FuncRef, outcome: Outcome) {
        if let Outcome::Found(f) = &outcome {
            debug_assert!(
                list::of(f.rule).classes().contains(&f.rule),
                "a finding of a class that its rule does not make"
            );
        }
        let display = self.cx.program.func(kernel).display.clone();
        match self.places.get_mut(&place) {
            None => {
                self.places.insert(place, (outcome, display, 1));
            }
            Some((old, _, n)) => {
                if outcome.is_finding() && old.is_finding() {
                    *n += 1;
                }
                if outcome.outweighs(old) {
                    *old = outcome;
                }
            }
        }
    }

    pub(super) fn finish(mut self, start: Instant) -> ProgramReport {
        let mut s = Summary {
            programs: 1,
            kernels: u32::try_from(self.kernels.len()).unwrap_or(0),
            launches: self.launches,
            ..Summary::default()
        };
        for ((loc, array), (outcome, kernel, n)) in self.places {
            s.accesses += 1;
            let standing = match outcome {
                Outcome::Safe | Outcome::SafeIfNoWrap(_) => Standing::Safe,
                Outcome::Unknown(_) => Standing::Open,
                Outcome::Found(ref f) if f.rule == Rule::IndexOverflow => Standing::Safe,
                Outcome::Found(_) => Standing::Found,
            };
            let position = Position { file: loc.file.clone(), line: loc.line, column: loc.column };
            self.report.places.push(report::Place { position, kernel: kernel.clone(), array: array.clone(), standing });
            let place = (loc.clone(), array.clone());
            if self.assumed.resting.contains(&place) {
                s.safe_assuming += 1;
                self.report.notes.push(format!(
                    "{}:{}:{}: `{array}` {}",
                    loc.file,
                    loc.line,
                    loc.column,
                    self.assumed.words(&place)
                ));
            }
            match outcome {
                Outcome::Safe => s.safe += 1,
                Outcome::SafeIfNoWrap(ops) => {
                    s.safe_if_no_wrap += 1;
                    self.report.notes.push(format!(
                        "{}:{}:{}: `{array}` is safe if {} does not wrap",
                        loc.file,
                        loc.line,
                        loc.column,
                        ops.join(" and ")
                    ));
                }
                Outcome::Unknown(reason) => {
                    s.unknown += 1;
                    self.report.undecided.push(Undecided {
                        position: Position { file: loc.file, line: loc.line, column: loc.column },
                        kernel,
                        array,
                        code: reason.code(),
                        reason: reason.to_string(),
                    });
                }
                Outcome::Found(mut f) => {
                    if f.verdict == Verdict::Proved {
                        s.proved += 1;
                    } else {
                        s.possible += 1;
                    }
                    f.occurrences = n;
                    self.report.findings.push(*f);
                }
            }
        }
        s.seconds = start.elapsed().as_secs_f64();
        s.work = self.cx.spent.get();
        self.report.summary = s;
        self.report
    }
}

impl Tally for Engine<'_> {
    fn is_proved(&self, place: &Place) -> bool {
        self.rank(place) == Some(Outcome::PROVED)
    }

    fn note(&mut self, place: Place, func: FuncRef, outcome: Outcome) {
        match outcome {
            o @ Outcome::Found(_) => self.put_at(place, func, o),
            Outcome::Unknown(why) => {
                let note = format!(
                    "{}:{}:{}: what the call does with `{}` is not decided: {why}",
                    place.0.file, place.0.line, place.0.column, place.1
                );
                if !self.report.notes.contains(&note) {
                    self.report.notes.push(note);
                }
            }
            Outcome::Safe | Outcome::SafeIfNoWrap(_) => {}
        }
    }

    fn leave_open(&mut self, event: &AccessEvent, func: FuncRef, why: Outcome) {
        self.put(func, event, why);
    }
}
