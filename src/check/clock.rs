//! How long a thread has worked. What else a machine does does not count, so that a busy one tries as much as an idle one.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Processor time that this thread had so far.
pub(super) fn worked() -> Duration { clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default() }
