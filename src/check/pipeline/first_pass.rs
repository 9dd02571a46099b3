//! First pass: every access gets a little work before any gets a lot.
//!
//! In: the launches of a root. Out: decided accesses go to the tally; those that more effort could change return as
//! [`PendingAccess`]. The pass glances at all accesses, then takes a first look at the undecided ones, without models that
//! rest on unknowns.

use super::Engine;
use super::budgets;
use super::parallel::SafeAnyway;
use crate::context::{ArrayPosition, ExecutedLaunch, RootTools};
use crate::obligations::verdict::{AccessExamination, Effort, FurtherEffort};
use crate::rules::bounds;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::value::Base;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewest accesses of a launch that are announced.
const MANY: usize = 12;

/// An access whose first look is not final, with the index of its launch and its index in it.
#[derive(Clone, Debug)]
pub(super) struct PendingAccess {
    pub place: ArrayPosition,
    pub run: usize,
    pub event: usize,
    pub first: AccessExamination,
}

impl<'p> Engine<'p> {
    /// Gives every owned access a little work before any gets a lot: a glance at all, then a first look at the
    /// undecided ones. Returns those that more effort could change.
    pub(super) fn first_looks(
        &mut self,
        tools: &mut RootTools<'p>,
        runs: &[ExecutedLaunch],
        safe: &SafeAnyway,
    ) -> Vec<PendingAccess> {
        let glanced = self.glance(tools, runs, safe);
        let mut open: Vec<PendingAccess> = vec![];
        let mut open_places: FxHashMap<ArrayPosition, AccessExamination> = FxHashMap::default();
        let mut shown: FxHashSet<ArrayPosition> = FxHashSet::default();
        for o in glanced {
            let (run, event) = (&runs[o.run], &runs[o.run].run.accesses[o.event]);
            if self.counts_as_proved(runs, run, event) {
                continue;
            }
            // One look at a position that a proof for all launches decides may show a finding; further ones hardly do.
            let is_summarised = run.is_summarised(&o.place);
            if is_summarised && !shown.insert(o.place.clone()) {
                self.put(run.kernel, event, run.partial(&o.place, o.first.outcome));
                continue;
            }
            // Where another context is undecided, this one decides nothing alone: it shares the reason. A context that
            // is safe says nothing about others.
            let look = if let Some(other) = open_places.get(&o.place) {
                other.clone()
            } else if self.cx.is_spent() {
                o.first
            } else {
                let cx = self.cx.with_proofs(self.cx.scaled(budgets::FIRST_PROOFS));
                bounds::look(&cx, tools, Some(run), event, Effort::First)
            };
            if look.more == FurtherEffort::Nothing || is_summarised && look.more != FurtherEffort::Replay {
                self.put_of(run, event, run.partial(&o.place, look.outcome));
                continue;
            }
            if !look.outcome.is_safe() {
                open_places.entry(o.place.clone()).or_insert_with(|| look.clone());
            }
            open.push(PendingAccess { first: look, ..o });
        }
        open
    }

    /// Announces the accesses of launches that have many: what differs only by constants and names is decided together.
    fn announce(&self, tools: &mut RootTools<'p>, runs: &[ExecutedLaunch], safe: &SafeAnyway) {
        for run in runs.iter().filter(|run| run.run.accesses.len() >= MANY) {
            for event in &run.run.accesses {
                let place = self.cx.place_of(event);
                let is_open = self.is_mine(&place)
                    && !self.assumed.skips(&place)
                    && safe.outcome(&tools.e, run, event, &place).is_none();
                if is_open && !self.cx.is_spent() {
                    bounds::expect(tools, run, event);
                }
            }
        }
    }

    /// Decides accesses that take almost no work, and returns the others.
    fn glance(&mut self, tools: &mut RootTools<'p>, runs: &[ExecutedLaunch], safe: &SafeAnyway) -> Vec<PendingAccess> {
        let cx = self.cx.at_a_glance();
        self.announce(tools, runs, safe);
        let mut open: Vec<PendingAccess> = vec![];
        let mut open_places: FxHashSet<ArrayPosition> = FxHashSet::default();
        for (r, run) in runs.iter().enumerate() {
            for i in extremes_first(&mut tools.e.arena, &run.run.accesses) {
                let event = &run.run.accesses[i];
                let place = self.cx.place_of(event);
                if !self.is_mine(&place) || self.assumed.skips(&place) {
                    continue;
                }
                if let Some(outcome) = safe.outcome(&tools.e, run, event, &place) {
                    self.put(run.kernel, event, outcome);
                    continue;
                }
                let look = if open_places.contains(&place) || self.cx.is_spent() {
                    AccessExamination::none()
                } else {
                    bounds::look(&cx, tools, Some(run), event, Effort::Glance)
                };
                if look.more == FurtherEffort::Nothing {
                    self.put_of(run, event, run.partial(&place, look.outcome));
                    continue;
                }
                open_places.insert(place.clone());
                open.push(PendingAccess { place, run: r, event: i, first: look });
            }
        }
        open.sort_by_key(|o| (o.run, o.event));
        open
    }
}

/// Returns an order of the accesses that begins with the extremes: among accesses whose offsets differ by a constant,
/// those with the least and the greatest offset. Bounds that hold for these hold for the others. The order is
/// otherwise unchanged.
pub(super) fn extremes_first(a: &mut Arena, accesses: &[AccessEvent]) -> Vec<usize> {
    let mut families: FxHashMap<(Base, TermId), (usize, usize)> = FxHashMap::default();
    let mut constants = vec![0; accesses.len()];
    for (i, access) in accesses.iter().enumerate() {
        let [target] = &access.targets[..] else { continue };
        let constant = a.constant_of(target.offset);
        constants[i] = constant;
        let rest = a.add_const(target.offset, -constant);
        let (least, greatest) = families.entry((target.base.clone(), rest)).or_insert((i, i));
        if constant < constants[*least] {
            *least = i;
        }
        if constant > constants[*greatest] {
            *greatest = i;
        }
    }
    let first: FxHashSet<usize> = families.into_values().flat_map(|(least, greatest)| [least, greatest]).collect();
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|i| (!first.contains(i), *i));
    order
}
