//! Results of whole-program runs on small inputs: which accesses were out of bounds, by which thread and on which
//! inputs.
//!
//! Plain data and its look-up. [`super::concrete_trials`] makes the runs.

use super::replay::{direction, site};
use crate::solver::Model;
use engine::symbolic::exec::events::{AccessEvent, LaunchEvent};
use engine::symbolic::exec::site::Site;
use engine::symbolic::kernel::context::ThreadIndices;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::Term;
use finding::Direction;
use rustc_hash::FxHashMap;
use witness::{BlockThread, ProgramPoint};

/// An access out of bounds: its site, its direction, the calls to it, and the launch.
pub(super) type ObservedAccess = (ProgramPoint, Direction, Vec<ProgramPoint>, Option<ProgramPoint>);

/// First thread that made the access.
pub(super) type FirstThread = BlockThread;

/// Accesses that one run observed out of bounds.
pub(super) type ObservedAccesses = Vec<(ObservedAccess, FirstThread)>;

/// New results of one run, its inputs, and the sequence of `rand` where that differs from the one here.
#[derive(Clone)]
pub(super) struct NewResults {
    pub model: Model,
    pub bad: ObservedAccesses,
    pub random: &'static [u32],
    pub degenerate: bool,
    /// Whether a tensor has no elements: a run without such a tensor shows more.
    pub empty: bool,
}

/// Results of the runs that showed something new; those with sizes below 1 come last.
#[derive(Clone, Default)]
pub(crate) struct TrialResults {
    pub(super) runs: Vec<NewResults>,
    /// Whether these are runs of an operator with tensors.
    pub(crate) with_tensors: bool,
    /// Whether these are runs with files.
    pub(crate) with_files: bool,
    /// Runs in which `rand` returned other numbers than here.
    pub(super) chance: Vec<NewResults>,
    /// Accesses whose address was read out of bounds, and inputs that lead there.
    pub(super) astray: FxHashMap<ProgramPoint, Model>,
}

impl TrialResults {
    /// Returns inputs on which the address of an access was read out of bounds.
    pub fn astray(&self, ev: &AccessEvent) -> Option<&Model> {
        self.astray.get(&site(ev.site))
    }

    /// Returns inputs on which a copy or fill of the host was out of bounds on one side; `stack` leads to the call and
    /// ends with it.
    pub fn of_call(&self, stack: &[Site], direction: Direction) -> Option<Model> {
        let (call, callers) = stack.split_last()?;
        let seen = (site(*call), direction, callers.iter().copied().map(site).collect(), None);
        self.runs.iter().find(|r| r.bad.iter().any(|(s, _)| *s == seen)).map(|r| r.model.clone())
    }

    /// Returns inputs on which an access was out of bounds, the thread that made it, and the sequence of `rand` where
    /// that differs from the one here.
    pub fn inputs(
        &self,
        a: &Arena,
        launch: &LaunchEvent,
        thread: &ThreadIndices,
        ev: &AccessEvent,
    ) -> Option<(Model, &'static [u32])> {
        let callers: Vec<ProgramPoint> = ev.stack.iter().rev().skip(1).rev().copied().map(site).collect();
        let seen = (site(ev.site), direction(ev.kind), callers, Some(site(launch.site)));
        let (shown, (block, th)) =
            self.runs.iter().chain(&self.chance).find_map(|r| Some((r, r.bad.iter().find(|(s, _)| *s == seen)?.1)))?;
        let NewResults { model, random, .. } = shown;
        let mut model = model.clone();
        for (t, v) in thread.bid.into_iter().zip(block).chain(thread.tid.into_iter().zip(th)) {
            if let Term::Sym(s) = a.get(t) {
                model.values.insert(*s, i128::from(v));
            }
        }
        Some((model, random))
    }
}
