//! Calls a function if work takes too long: more CPU time of its thread than a limit, or more wall time than somebody
//! waits for it.

use super::cpu_time::{self, ThreadClock, TimeLimit};
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// Work in progress, as the watching thread sees it.
struct WatchedWork {
    id: u64,
    thread: ThreadClock,
    /// Reading of the thread's clock at which the work is late.
    until: Duration,
    end: Option<Instant>,
    /// Time of the next look: a thread uses no more CPU time than passes.
    look: Instant,
    late: bool,
    call: &'static (dyn Fn() + Sync),
}

/// Work in progress of all threads, and the time at which the watching thread wakes.
struct Watch {
    work: Vec<WatchedWork>,
    next: u64,
    wakes: Option<Instant>,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { work: vec![], next: 0, wakes: None });
static EARLIER: Condvar = Condvar::new();

thread_local! { static OWN: ThreadClock = ThreadClock::of_this_thread(); }

fn lock() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does some work on this thread. If it is late, `call` is called from another thread again and again, but never after
/// the work's end: work that has hardly begun may miss a call. Returns the result, and whether the work was late.
pub fn during<T>(limit: TimeLimit, call: &(dyn Fn() + Sync), work: impl FnOnce() -> T) -> (T, bool) {
    start_watching();
    let now = Instant::now();
    let look = now + limit.cpu.min(limit.wall.unwrap_or(FOREVER)).min(FOREVER);
    // SAFETY: the entry with this reference is removed by `WorkEnd` before `during` returns or unwinds, and the watching
    // thread uses it only while it holds the lock that the removal takes.
    #[expect(unsafe_code, reason = "the watching thread outlives this call; the entry does not")]
    let call = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(call) };
    let mut watch = lock();
    let id = watch.next;
    watch.next += 1;
    watch.work.push(WatchedWork {
        id,
        thread: OWN.with(Clone::clone),
        until: cpu_time::of_this_thread().saturating_add(limit.cpu),
        end: limit.wall.map(|wall| now + wall.min(FOREVER)),
        look,
        late: false,
        call,
    });
    if watch.wakes.is_none_or(|wakes| look < wakes) {
        EARLIER.notify_one();
    }
    drop(watch);
    let end = WorkEnd(id);
    let done = work();
    let late = end.remove();
    (done, late)
}

/// Longest time between two looks.
const FOREVER: Duration = Duration::from_secs(1 << 30);
/// Time between two calls.
const AGAIN: Duration = Duration::from_millis(100);
/// Shortest time between two looks at a thread whose clock has a coarse resolution.
const SOON: Duration = Duration::from_millis(10);

/// Removes the entry of a piece of work at its end.
struct WorkEnd(u64);

impl WorkEnd {
    fn remove(&self) -> bool {
        let mut watch = lock();
        let place = watch.work.iter().position(|w| w.id == self.0);
        place.is_some_and(|i| watch.work.swap_remove(i).late)
    }
}

impl Drop for WorkEnd {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Starts the watching thread of this process. Without it nothing is ever late.
fn start_watching() {
    static STARTED: Once = Once::new();
    const STACK: usize = 256 << 10;
    STARTED.call_once(|| {
        let _ = std::thread::Builder::new().name("alarm".into()).stack_size(STACK).spawn(watch);
    });
}

fn watch() {
    let mut watch = lock();
    loop {
        let now = Instant::now();
        for work in &mut watch.work {
            if work.look <= now {
                work.look_at(now);
            }
        }
        watch.wakes = watch.work.iter().map(|w| w.look).min();
        watch = match watch.wakes {
            None => EARLIER.wait(watch).unwrap_or_else(PoisonError::into_inner),
            Some(time) => {
                let wait = time.saturating_duration_since(Instant::now());
                EARLIER.wait_timeout(watch, wait).unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

impl WatchedWork {
    fn look_at(&mut self, now: Instant) {
        // A thread without a readable clock counts as one that never waits.
        let left = self.thread.read().map_or(Duration::ZERO, |used| self.until.saturating_sub(used));
        if self.late || left.is_zero() || self.end.is_some_and(|end| now >= end) {
            self.late = true;
            (self.call)();
            self.look = now + AGAIN;
        } else {
            let look = now + left.clamp(SOON, FOREVER);
            self.look = self.end.map_or(look, |end| look.min(end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::during;
    use crate::cpu_time::tests::spin;
    use crate::cpu_time::{TimeLimit, of_this_thread};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    const SHORT: Duration = Duration::from_millis(60);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn only_work_that_uses_the_cpu_is_late() {
        let calls = AtomicU32::new(0);
        let call = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        let asleep = TimeLimit::of(SHORT);
        assert_eq!(during(asleep, &call, || std::thread::sleep(SHORT * 4)), ((), false));
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        // Work that spins until the call ends soon after its limit.
        let until_called = || {
            let begun = of_this_thread();
            while calls.load(Ordering::Relaxed) == 0 {
                std::hint::spin_loop();
            }
            of_this_thread() - begun
        };
        let (used, late) = during(asleep, &call, until_called);
        assert!(late && used >= SHORT - Duration::from_millis(20) && used < LONG, "{used:?}");
        let calls_then = calls.load(Ordering::Relaxed);
        std::thread::sleep(super::AGAIN * 2);
        assert_eq!(calls.load(Ordering::Relaxed), calls_then);
        // Somebody waits.
        let waited = TimeLimit::of(LONG).within(SHORT);
        assert_eq!(during(waited, &call, || std::thread::sleep(SHORT * 4)), ((), true));
    }

    #[test]
    fn works_on_several_threads_are_watched_apart() {
        let late = |limit: Duration| during(TimeLimit::of(limit), &|| (), || spin(SHORT * 3)).1;
        std::thread::scope(|s| {
            let long = s.spawn(|| late(LONG));
            let short = s.spawn(|| late(SHORT));
            assert!(!long.join().unwrap() && short.join().unwrap());
        });
        assert!(std::panic::catch_unwind(|| during(TimeLimit::of(LONG), &|| (), || panic!("x"))).is_err());
        assert!(super::lock().work.iter().all(|w| w.until > Duration::ZERO));
    }
}
