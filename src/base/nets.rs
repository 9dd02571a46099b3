//! Safety nets: limits of time and memory, far above what budgets of work allow, that end what should have ended by
//! itself.
//!
//! No verdict may depend on them. If one is reached, the report says which: another run may decide more.

use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// A safety net, by its setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Net {
    Solver,
    Time,
    Memory,
}

impl Net {
    pub const ALL: [Self; 3] = [Self::Solver, Self::Time, Self::Memory];
    /// Name of the setting in scuba.toml.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Solver => "limits.solver_ms",
            Self::Time => "limits.tu_seconds",
            Self::Memory => "limits.memory",
        }
    }
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Safety nets of one check, shared by all its threads.
#[derive(Clone, Debug)]
pub struct Nets {
    solver_ms: u32,
    until: Option<Instant>,
    hit: Arc<AtomicU8>,
}

impl Nets {
    /// Sets the milliseconds for one query, and the time for everything from now on.
    pub fn new(solver_ms: u32, all: Option<Duration>) -> Self {
        Self { solver_ms, until: all.map(|d| Instant::now() + d), hit: Arc::default() }
    }
    /// Nets that were reached.
    pub fn reached(&self) -> Vec<Net> {
        let hit = self.hit.load(Ordering::Relaxed);
        Net::ALL.into_iter().filter(|n| hit & n.bit() != 0).collect()
    }
}

/// Default without nets, as in tests of the solver alone.
const USUAL_SOLVER_MS: u32 = 60_000;

thread_local! { static NETS: RefCell<Option<Nets>> = const { RefCell::new(None) }; }

/// Runs work under these nets.
pub fn under<T>(nets: Option<Nets>, work: impl FnOnce() -> T) -> T {
    let before = NETS.with(|n| n.replace(nets));
    let done = work();
    NETS.with(|n| n.replace(before));
    done
}

/// Nets of this thread, for another thread that works on the same check.
pub fn current() -> Option<Nets> {
    NETS.with(|n| n.borrow().clone())
}

/// Milliseconds that one query may take.
pub fn solver_ms() -> u32 {
    let left = |end: Instant| {
        u32::try_from(end.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(u32::MAX).max(1)
    };
    NETS.with(|n| n.borrow().as_ref().map_or(USUAL_SOLVER_MS, |n| n.until.map_or(u32::MAX, left).min(n.solver_ms)))
}

/// Whether the time for everything is over; if so, records it.
pub fn is_late() -> bool {
    let late = NETS.with(|n| n.borrow().as_ref().is_some_and(|n| n.until.is_some_and(|end| Instant::now() >= end)));
    if late {
        hit(Net::Time);
    }
    late
}

/// Records that a net was reached.
pub fn hit(net: Net) {
    NETS.with(|n| {
        if let Some(n) = &*n.borrow() {
            n.hit.fetch_or(net.bit(), Ordering::Relaxed);
        }
    });
}

/// Number of reached nets, to determine whether a result depends on one.
pub fn count() -> usize {
    NETS.with(|n| n.borrow().as_ref().map_or(0, |n| n.reached().len()))
}

#[cfg(test)]
mod tests {
    use super::{Net, Nets, current, hit, solver_ms, under};

    #[test]
    fn what_any_thread_reaches_is_reached() {
        let nets = Nets::new(7, None);
        under(Some(nets.clone()), || {
            assert_eq!((solver_ms(), nets.reached()), (7, vec![]));
            let here = current();
            std::thread::scope(|s| {
                s.spawn(|| under(here, || hit(Net::Memory)));
            });
            hit(Net::Solver);
        });
        hit(Net::Time);
        assert_eq!(nets.reached(), [Net::Solver, Net::Memory]);
        assert_eq!(Net::Time.setting(), "limits.tu_seconds");
        let over = Nets::new(7, Some(std::time::Duration::ZERO));
        assert!(
            under(Some(over.clone()), super::is_late)
                && over.reached() == [Net::Time]
                && under(Some(over), solver_ms) == 1
        );
    }
}
