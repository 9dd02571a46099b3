//! How long a thread has worked. What else a machine does hardly counts, so that a busy one tries as much as an idle one.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// So many times longer than a thread works its work may take.
const PATIENCE: u32 = 4;

/// Processor time that this thread had so far.
pub(crate) fn worked() -> Duration { clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default() }

/// A moment of this thread.
#[derive(Clone, Copy, Debug)]
pub struct Moment { worked: Duration, at: Instant }

impl Moment {
    #[must_use]
    pub fn now() -> Self { Self { worked: worked(), at: Instant::now() } }

    /// What this thread has worked since then; where it had to wait for long, a quarter of the time that has passed.
    #[must_use]
    pub fn elapsed(&self) -> Duration { worked().saturating_sub(self.worked).max(self.at.elapsed() / PATIENCE) }
}

#[cfg(test)]
mod tests {
    use super::Moment;
    use std::time::{Duration, Instant};

    #[test]
    fn waiting_counts_for_less_than_work() {
        let start = Moment::now();
        std::thread::sleep(Duration::from_millis(200));
        let waited = start.elapsed();
        assert!(waited >= Duration::from_millis(50) && waited < Duration::from_millis(200), "{waited:?}");
        let (start, at) = (Moment::now(), Instant::now());
        while super::worked().saturating_sub(start.worked) < Duration::from_millis(20) { std::hint::spin_loop(); }
        assert!(start.elapsed() >= Duration::from_millis(20) && at.elapsed() >= Duration::from_millis(20));
    }
}
