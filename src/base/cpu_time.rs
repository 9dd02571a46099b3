//! CPU time of threads and processes, and limits of it.
//!
//! A limit of wall time would be reached sooner on a busy machine. A limit of CPU time is not, and what hangs without
//! using the CPU stalls ([`StallWatch`]).

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Limits of one piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLimit {
    pub cpu: Duration,
    /// Limit of wall time, if somebody waits.
    pub wall: Option<Duration>,
}

impl TimeLimit {
    /// Limits CPU time alone.
    #[must_use]
    pub const fn of(cpu: Duration) -> Self {
        Self { cpu, wall: None }
    }
    /// Returns the same limit of CPU time, with at most this much wall time.
    #[must_use]
    pub fn within(self, wall: Duration) -> Self {
        Self { wall: Some(self.wall.map_or(wall, |w| w.min(wall))), ..self }
    }
    /// Returns a fraction of both limits.
    #[must_use]
    pub fn part(self, numerator: u32, denominator: u32) -> Self {
        let part = |time: Duration| time.saturating_mul(numerator) / denominator;
        Self { cpu: part(self.cpu), wall: self.wall.map(part) }
    }
    /// Adds a margin to both limits.
    #[must_use]
    pub fn and(self, margin: Duration) -> Self {
        let and = |time: Duration| time.saturating_add(margin);
        Self { cpu: and(self.cpu), wall: self.wall.map(and) }
    }
}

/// Detects work that hangs without using the CPU: it waits for a lock, a pipe or a disk. On a busy machine work gets
/// little CPU time, but some.
#[derive(Clone, Copy, Debug)]
pub struct StallWatch {
    /// Time and reading of the clock when progress was last seen.
    seen: (Instant, Duration),
    patience: Duration,
}

impl StallWatch {
    /// Wall time that work may wait, as a multiple of the CPU time that it may use.
    const FAR: u32 = 10;
    /// Part of that wall time that counts as progress if it is CPU time.
    const LEAST: u32 = 1000;

    /// Begins to watch work that may use this much CPU time.
    #[must_use]
    pub fn new(cpu: Duration) -> Self {
        Self { seen: (Instant::now(), Duration::ZERO), patience: cpu.saturating_mul(Self::FAR) }
    }
    /// Takes a reading of the work's clock. Returns the time until the work counts as stalled, if it makes no progress
    /// until then; zero if it does.
    #[must_use]
    pub fn left(&mut self, used: Duration) -> Duration {
        let now = Instant::now();
        // Less than before: a thread or process of the work has ended.
        if used.abs_diff(self.seen.1) > self.patience / Self::LEAST {
            self.seen = (now, used);
        }
        self.patience.saturating_sub(now - self.seen.0)
    }
}

/// Returns the CPU time that this thread has used.
#[must_use]
pub fn of_this_thread() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Clock of a thread's CPU time that other threads can read, with a resolution of some milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadClock {
    file: Option<String>,
}

impl ThreadClock {
    #[must_use]
    pub fn of_this_thread() -> Self {
        // A link to PID/task/TID (proc(5)).
        let own = std::fs::read_link("/proc/thread-self").ok();
        Self { file: own.and_then(|l| Some(format!("/proc/{}/stat", l.to_str()?))) }
    }
    /// Returns the CPU time that the thread has used; `None` if it has ended, or the system does not say.
    #[must_use]
    pub fn read(&self) -> Option<Duration> {
        used(&stat(self.file.as_deref()?)?)
    }
}

/// Returns the fields of a `stat` file of proc(5) from the third (the state) on; the second, the program's name, may
/// hold anything, even parentheses.
#[must_use]
pub fn stat(file: &str) -> Option<Vec<String>> {
    let stat = std::fs::read(file).ok()?;
    let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
    Some(std::str::from_utf8(&stat[after_name..]).ok()?.split_ascii_whitespace().map(str::to_owned).collect())
}

/// Returns the CPU time that the thread or process with these fields has used itself: `utime` and `stime`.
#[must_use]
pub fn used(stat: &[String]) -> Option<Duration> {
    ticks(stat, 11)
}

/// Returns the CPU time of a process's children that have ended and been waited for, and of theirs: `cutime` and
/// `cstime`.
#[must_use]
pub fn used_by_children(stat: &[String]) -> Option<Duration> {
    ticks(stat, 13)
}

/// Sum of two adjacent fields in clock ticks.
fn ticks(stat: &[String], first: usize) -> Option<Duration> {
    let field = |i: usize| stat.get(i)?.parse::<u64>().ok();
    let ticks = field(first)?.checked_add(field(first + 1)?)?;
    Some(Duration::from_millis(ticks.saturating_mul(1000) / rustix::param::clock_ticks_per_second().max(1)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{StallWatch, ThreadClock, TimeLimit, of_this_thread};
    use std::time::{Duration, Instant};

    /// Uses this much CPU time.
    pub(crate) fn spin(time: Duration) {
        let end = of_this_thread() + time;
        while of_this_thread() < end {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn another_thread_s_clock_runs_while_that_thread_does() {
        let own = ThreadClock::of_this_thread();
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::scope(|s| {
            s.spawn(move || {
                std::thread::sleep(Duration::from_millis(120));
                let asleep = own.read();
                std::thread::sleep(Duration::from_millis(1));
                send.send((own.clone(), asleep)).unwrap();
            });
            let (own, asleep) = receive.recv().unwrap();
            let slept = asleep.unwrap();
            spin(Duration::from_millis(80));
            let now = own.read().unwrap();
            assert!(
                now >= slept + Duration::from_millis(50) && now < slept + Duration::from_secs(30),
                "{slept:?} {now:?}"
            );
            assert!(now.abs_diff(of_this_thread()) < Duration::from_millis(60));
        });
        let ended = std::thread::spawn(ThreadClock::of_this_thread).join().unwrap();
        let soon = Instant::now() + Duration::from_secs(10);
        while ended.read().is_some() && Instant::now() < soon {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(ended.read(), None);
    }

    #[test]
    fn parts_and_margins_are_of_both_limits() {
        let limit = TimeLimit::of(Duration::from_secs(100));
        let nine = limit.part(9, 10).and(Duration::from_secs(8));
        assert_eq!((nine.cpu.as_secs(), nine.wall), (98, None));
        let nine = limit.within(Duration::from_secs(50)).within(Duration::from_secs(70)).part(9, 10);
        assert_eq!((nine.cpu.as_secs(), nine.wall), (90, Some(Duration::from_secs(45))));
    }

    #[test]
    fn only_what_makes_no_progress_stalls() {
        let tick = Duration::from_millis(20);
        let mut watch = StallWatch::new(tick);
        let patience = tick * 10;
        assert!(watch.left(Duration::ZERO) <= patience);
        let begun = Instant::now();
        for i in 1.. {
            assert!(!watch.left(tick * i).is_zero());
            if begun.elapsed() > patience * 2 {
                break;
            }
            std::thread::sleep(tick);
        }
        let used = Duration::from_secs(100);
        assert!(!watch.left(used).is_zero());
        std::thread::sleep(patience);
        // Less than a thousandth of the time is no progress.
        assert!(watch.left(used + patience / 2000).is_zero());
    }
}
