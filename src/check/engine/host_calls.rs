//! What is looked at beside bounds: calls of the host on freed memory, copies beyond a side, kernels that use freed memory or addresses that
//! are not aligned.
//!
//! In: the events of a root. Out: findings in the tally. Most such events are no accesses that a user would count: only findings are.

use super::Engine;
use crate::check::context::{Place, Run, Tools};
use crate::check::obligations::verdict::Outcome;
use crate::check::rules::{alignment, lifetime, memcpy};
use crate::ir::FuncRef;
use crate::symbolic::exec::executor::Site;
use crate::symbolic::memory::lifetime::{CopyEvent, StaleEvent};
use crate::work::{Work, done};
use rustc_hash::FxHashMap;

/// Work on the copies of one call beyond which no further way to it is looked at.
const CALL_WORK: Work = Work::seconds(1);

/// Uses of freed memory by one launch that are looked at for each place of a finding.
const STALE_TRIES: usize = 8;

impl<'p> Engine<'p> {
    /// What the host itself does wrong. Only findings are counted: most calls are no accesses that a user would count.
    pub(super) fn calls(&mut self, tools: &mut Tools<'p>, stale: &[StaleEvent], copies: &[CopyEvent]) {
        for event in stale {
            if self.cx.is_spent() {
                return;
            }
            let (found, cut) = tools.noting_cuts(|tools| lifetime::of_host(tools, event));
            if let (Some((place, outcome)), Some(site)) = (found, event.site()) {
                self.put_call(place, site.func, outcome.unless(cut));
            }
        }
        // One call is looked at for each way that leads to it, and each round of a loop.
        let mut spent: FxHashMap<Site, Work> = FxHashMap::default();
        for event in copies {
            if self.cx.is_spent() {
                return;
            }
            let spent = spent.entry(event.side.site).or_default();
            if *spent > CALL_WORK {
                continue;
            }
            let before = done();
            let (found, cut) = tools.noting_cuts(|tools| memcpy::of_host(tools, event));
            for (place, outcome) in found {
                self.put_call(place, event.side.site.func, outcome.unless(cut));
            }
            *spent = *spent + (done() - before);
        }
    }

    pub(super) fn put_call(&mut self, place: Place, func: FuncRef, outcome: Outcome) {
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

    /// What a kernel accesses at addresses that are not aligned.
    pub(super) fn unaligned_in(&mut self, tools: &mut Tools<'p>, run: &Run) {
        for event in &run.run.unaligned {
            if self.cx.is_spent() {
                return;
            }
            let Some(place) = alignment::place(tools, event) else { continue };
            if self.rank(&place) == Some(Outcome::PROVED) {
                continue;
            }
            let (found, cut) = tools.noting_cuts(|tools| alignment::of_kernel(tools, run, event, place.clone()));
            if let Some(outcome) = found {
                self.put_call(place, run.kernel, outcome.unless(cut));
            }
        }
    }

    /// What a kernel does with freed memory. One finding at each place is enough.
    pub(super) fn stale_in(&mut self, tools: &mut Tools<'p>, run: &Run) {
        let mut tried: FxHashMap<Place, usize> = FxHashMap::default();
        for event in &run.run.stale {
            let Some((place, _)) = lifetime::place_in_kernel(tools, run, event) else { continue };
            let times = tried.entry(place.clone()).or_default();
            *times += 1;
            if self.cx.is_spent() || *times > STALE_TRIES || self.rank(&place) == Some(Outcome::PROVED) {
                continue;
            }
            let (found, cut) = tools.noting_cuts(|tools| lifetime::of_kernel(tools, run, event));
            let Some((place, outcome)) = found else { continue };
            self.put_call(place, run.kernel, outcome.unless(cut));
        }
    }
}
