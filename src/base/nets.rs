//! Safety nets: limits of time and memory, far above what budgets of work allow, that end what should have ended by
//! itself.
//!
//! No verdict may depend on them. If one is reached, the report says which: another run may decide more. Time is CPU
//! time, so that a busy machine reaches a net no sooner than an idle one.

use super::cpu_time::{self, ThreadClock, TimeLimit};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
    end: Option<TimeEnd>,
    hit: Arc<AtomicU8>,
    threads: Arc<RunningThreads>,
    /// Chain of CPU time ([`chain`]) of the thread that made or passed on these nets.
    chain: Duration,
}

/// End of the time for everything.
#[derive(Clone, Copy, Debug)]
struct TimeEnd {
    /// Length at which a chain of CPU time ends.
    chain: Duration,
    /// Time before which no chain can be that long.
    soonest: Instant,
    /// End of the wall time, if somebody waits.
    wall: Option<Instant>,
}

/// Threads that work under some nets: clocks, and the length of the chain before each clock's zero.
#[derive(Debug, Default)]
struct RunningThreads(Mutex<Vec<(ThreadClock, Duration)>>);

impl Nets {
    /// Sets the milliseconds of CPU time for one query, and the time for everything from now on. Each thread has the
    /// whole time, less what the thread that started it had used by then.
    pub fn new(solver_ms: u32, all: Option<TimeLimit>) -> Self {
        let (now, chain) = (Instant::now(), chain());
        let end = all.map(|limit| TimeEnd {
            chain: chain.saturating_add(limit.cpu),
            soonest: now + limit.cpu,
            wall: limit.wall.map(|wall| now + wall),
        });
        // Whoever watches this thread also watches the threads that it starts under further nets.
        let threads = NETS.with(|n| n.borrow().as_ref().map(|n| n.threads.clone())).unwrap_or_default();
        Self { solver_ms, end, hit: Arc::default(), threads, chain }
    }
    /// Nets that were reached.
    pub fn reached(&self) -> Vec<Net> {
        let hit = self.hit.load(Ordering::Relaxed);
        Net::ALL.into_iter().filter(|n| hit & n.bit() != 0).collect()
    }
    /// Returns the CPU time that the threads now under these nets have used together.
    pub fn used(&self) -> Duration {
        let threads = self.threads.0.lock().unwrap_or_else(PoisonError::into_inner);
        threads.iter().filter_map(|(clock, _)| clock.read()).sum()
    }
    /// Returns a time in which no thread under these nets can become late, for a thread that watches them; zero if one
    /// is late.
    pub fn left(&self) -> Duration {
        let Some(end) = self.end else { return Duration::MAX };
        let now = Instant::now();
        let left = |end: Instant| end.saturating_duration_since(now);
        let wall = end.wall.map_or(Duration::MAX, left);
        let surely = left(end.soonest);
        if !surely.is_zero() {
            return surely.min(wall);
        }
        let threads = self.threads.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread without a readable clock counts as one that never waits.
        let used =
            |(clock, before): &(ThreadClock, Duration)| clock.read().map_or(Duration::MAX, |used| *before + used);
        let longest = threads.iter().map(used).max().unwrap_or_default();
        end.chain.saturating_sub(longest).min(wall)
    }
}

impl TimeEnd {
    fn is_over(&self) -> bool {
        let now = Instant::now();
        self.wall.is_some_and(|end| now >= end) || now >= self.soonest && chain() >= self.chain
    }
}

/// Default without nets, as in tests of the solver alone.
const USUAL_SOLVER_MS: u32 = 60_000;

thread_local! {
    static NETS: RefCell<Option<Nets>> = const { RefCell::new(None) };
    /// Length of the chain before this thread's first moment.
    static BEFORE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Returns the CPU time that this thread has used, and what the thread that started it had used before. On an idle
/// machine no chain is longer than the time that has passed.
fn chain() -> Duration {
    BEFORE.get() + cpu_time::of_this_thread()
}

/// Runs work under these nets.
pub fn under<T>(nets: Option<Nets>, work: impl FnOnce() -> T) -> T {
    let _running = nets.as_ref().map(RunningThread::new);
    let before = NETS.with(|n| n.replace(nets));
    let done = work();
    NETS.with(|n| n.replace(before));
    done
}

/// Guard of this thread's place among the threads of its nets.
struct RunningThread {
    threads: Arc<RunningThreads>,
    clock: ThreadClock,
}

impl RunningThread {
    fn new(nets: &Nets) -> Self {
        BEFORE.set(BEFORE.get() + nets.chain.saturating_sub(chain()));
        let (threads, clock) = (nets.threads.clone(), ThreadClock::of_this_thread());
        threads.0.lock().unwrap_or_else(PoisonError::into_inner).push((clock.clone(), BEFORE.get()));
        Self { threads, clock }
    }
}

impl Drop for RunningThread {
    fn drop(&mut self) {
        let mut all = self.threads.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = all.iter().rposition(|(clock, _)| *clock == self.clock) {
            all.swap_remove(own);
        }
    }
}

/// Nets of this thread, for another thread that works on the same check.
pub fn current() -> Option<Nets> {
    NETS.with(|n| n.borrow().clone()).map(|nets| Nets { chain: chain(), ..nets })
}

/// Time that one query may take.
pub fn solver_limit() -> TimeLimit {
    let (usual, end) = NETS.with(|n| n.borrow().as_ref().map_or((USUAL_SOLVER_MS, None), |n| (n.solver_ms, n.end)));
    let usual = Duration::from_millis(u64::from(usual));
    // Less than a millisecond is no time for a solver.
    let least = |time: Duration| time.max(Duration::from_millis(1));
    let cpu = end.map_or(usual, |end| usual.min(end.chain.saturating_sub(chain())));
    let wall = end.and_then(|end| end.wall).map(|end| least(end.saturating_duration_since(Instant::now())));
    TimeLimit { cpu: least(cpu), wall }
}

/// Whether the time for everything is over; if so, records it. Once it is over for one thread, it is for all.
pub fn is_late() -> bool {
    let known = |n: &Nets| n.hit.load(Ordering::Relaxed) & Net::Time.bit() != 0;
    let late = NETS.with(|n| n.borrow().as_ref().is_some_and(|n| known(n) || n.end.is_some_and(|end| end.is_over())));
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
    use super::{Net, Nets, chain, current, hit, is_late, solver_limit, under};
    use crate::cpu_time::TimeLimit;
    use crate::cpu_time::tests::spin;
    use std::time::Duration;

    const SHORT: Duration = Duration::from_millis(60);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_any_thread_reaches_is_reached() {
        let nets = Nets::new(7, None);
        under(Some(nets.clone()), || {
            assert_eq!((solver_limit(), nets.reached()), (TimeLimit::of(Duration::from_millis(7)), vec![]));
            let here = current();
            std::thread::scope(|s| {
                s.spawn(|| under(here, || hit(Net::Memory)));
            });
            hit(Net::Solver);
        });
        hit(Net::Time);
        assert_eq!(nets.reached(), [Net::Solver, Net::Memory]);
        assert_eq!(Net::Time.setting(), "limits.tu_seconds");
        let over = Nets::new(7, Some(TimeLimit::of(Duration::ZERO)));
        assert!(under(Some(over.clone()), is_late) && over.reached() == [Net::Time]);
        assert_eq!(under(Some(over), solver_limit).cpu, Duration::from_millis(1));
    }

    #[test]
    fn a_thread_that_waits_is_not_late() {
        let nets = Nets::new(7, Some(TimeLimit::of(SHORT)));
        under(Some(nets.clone()), || {
            std::thread::sleep(SHORT * 3);
            assert!(!is_late() && nets.reached().is_empty() && !nets.left().is_zero());
            spin(SHORT);
            assert!(is_late() && nets.reached() == [Net::Time] && nets.left() < SHORT / 2);
        });
        // Somebody waits.
        let nets = Nets::new(7, Some(TimeLimit::of(LONG).within(SHORT)));
        under(Some(nets.clone()), || {
            assert!(!is_late());
            std::thread::sleep(SHORT);
            assert!(is_late() && nets.left().is_zero() && solver_limit().wall == Some(Duration::from_millis(1)));
        });
    }

    #[test]
    fn a_thread_goes_on_where_the_one_that_started_it_was() {
        let nets = Nets::new(7, Some(TimeLimit::of(SHORT * 2)));
        let guard = nets.clone();
        under(Some(nets.clone()), || {
            spin(SHORT);
            let (here, own) = (current(), chain());
            let other = |nets, time| {
                std::thread::scope(|s| {
                    s.spawn(|| {
                        under(nets, || {
                            assert!(chain() >= own);
                            spin(time);
                            is_late()
                        })
                    })
                    .join()
                    .unwrap()
                })
            };
            assert!(!other(here.clone(), Duration::ZERO) && !is_late());
            assert!(other(here, SHORT), "two threads after each other");
            // What one thread found holds for all.
            assert!(is_late());
            // Nets of a part of the work have their own end, and its threads are seen from outside.
            let part = Nets::new(7, Some(TimeLimit::of(LONG)));
            under(Some(part.clone()), || {
                assert!(!is_late());
                let here = current();
                std::thread::scope(|s| {
                    s.spawn(|| {
                        under(here, || {
                            spin(SHORT * 2);
                            assert!(!is_late() && guard.left().is_zero());
                        });
                    });
                });
            });
        });
        assert_eq!((nets.threads.0.lock().unwrap().len(), nets.reached()), (0, vec![Net::Time]));
    }
}
