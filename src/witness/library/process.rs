//! State of the C and C++ libraries between calls. Types only: the models are in `libc`, `stdio` and `cxx`.

use super::host_threads::HostThreads;
use super::random::Rand;
use super::streams::OpenFiles;
use crate::machine::value::Reason;

/// State of the C library.
#[derive(Default)]
pub struct Libc {
    pub rand: Rand,
    /// Number of values drawn from [`crate::api::ConcreteInputs::random`].
    pub(super) drawn: usize,
    /// Reason why future random numbers are unknown.
    pub(super) rand_unknown: Reason,
    pub files: OpenFiles,
    pub threads: HostThreads,
    pub(super) errno: Option<u64>,
    /// Address of the file that a stream read last.
    pub(super) last_stream: Option<u64>,
}

impl Libc {
    /// Makes random numbers unknown after skipped code that drew an unknown number of values.
    pub fn havoc_random(&mut self, why: Reason) {
        self.rand_unknown = why;
    }
    pub fn havoc_input(&mut self, why: Reason) {
        self.files.havoc(why);
    }
}
