//! State of the C and C++ libraries between calls. Types only: the models are in `libc`, `stdio` and `cxx`.

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
    pub(super) errno: Option<u64>,
    /// Success of the last read from `std::cin`, if known.
    pub cin_good: Option<bool>,
    /// Whether the last read reached the end of the input.
    pub cin_ended: bool,
}

impl Libc {
    /// Makes random numbers unknown after skipped code that drew an unknown number of values.
    pub fn havoc_random(&mut self, why: Reason) {
        self.rand_unknown = why;
    }
    pub fn havoc_input(&mut self, why: Reason) {
        self.files.havoc(why);
        self.cin_good = None;
    }
}
