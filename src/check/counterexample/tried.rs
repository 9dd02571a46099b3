//! What runs of the whole program on small inputs showed: which accesses were out of bounds, by which thread and on which inputs.
//!
//! Plain data and its look-up. [`super::concrete_trials`] makes the runs.

use super::replay::site;
use crate::solver::Model;
use engine::symbolic::exec::events::{AccessEvent, LaunchEvent};
use engine::symbolic::kernel::context::Thread;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::Term;
use rustc_hash::FxHashMap;
use witness::{BlockThread, Site};

/// One access that was out of bounds: its place, the calls to it, the launch.
pub(super) type Seen = (Site, Vec<Site>, Option<Site>);

/// The thread that did it first.
pub(super) type By = BlockThread;

/// What one run saw.
pub(super) type Bad = Vec<(Seen, By)>;

/// What one run showed that was new, its inputs, and what `rand` gave where that was not what it does here.
#[derive(Clone)]
pub(super) struct Shown {
    pub model: Model,
    pub bad: Bad,
    pub random: &'static [u32],
    pub degenerate: bool,
}

/// What was seen, by the runs that showed something new; those with sizes below 1 come last.
#[derive(Clone, Default)]
pub(crate) struct Tried {
    pub(super) runs: Vec<Shown>,
    /// Whether these are runs of an operator with tensors.
    pub(crate) with_tensors: bool,
    /// The same, of runs in which `rand` gave other numbers than it does here.
    pub(super) chance: Vec<Shown>,
    /// Accesses whose address was read out of bounds, and inputs that lead there.
    pub(super) astray: FxHashMap<Site, Model>,
}

impl Tried {
    /// Inputs on which the address of an access was read out of bounds.
    pub fn astray(&self, ev: &AccessEvent) -> Option<&Model> {
        self.astray.get(&site(ev.site))
    }

    /// Inputs on which an access was out of bounds, with the thread that it was, and what `rand` gave where that was not what it does here.
    pub fn inputs(
        &self,
        a: &Arena,
        launch: &LaunchEvent,
        thread: &Thread,
        ev: &AccessEvent,
    ) -> Option<(Model, &'static [u32])> {
        let callers: Vec<Site> = ev.stack.iter().rev().skip(1).rev().copied().map(site).collect();
        let seen = (site(ev.site), callers, Some(site(launch.site)));
        let (shown, (block, th)) =
            self.runs.iter().chain(&self.chance).find_map(|r| Some((r, r.bad.iter().find(|(s, _)| *s == seen)?.1)))?;
        let Shown { model, random, .. } = shown;
        let mut model = model.clone();
        for (t, v) in thread.bid.into_iter().zip(block).chain(thread.tid.into_iter().zip(th)) {
            if let Term::Sym(s) = a.get(t) {
                model.values.insert(*s, i128::from(v));
            }
        }
        Some((model, random))
    }
}
