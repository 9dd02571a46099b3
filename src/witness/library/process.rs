//! State of the C and C++ libraries between calls. Types only: the models are in `libc`, `stdio` and `cxx`.

use super::random::{Drand48, Rand};
use super::streams::OpenFiles;
use crate::machine::value::{Reason, Val};

/// State of the C library.
#[derive(Default)]
pub struct Libc {
    pub rand: Rand,
    /// Number of values drawn from [`crate::api::ConcreteInputs::random`].
    pub(super) drawn: usize,
    pub drand48: Drand48,
    /// Reason why future random numbers are unknown.
    pub(super) rand_unknown: Reason,
    pub(super) drand48_unknown: Reason,
    pub files: OpenFiles,
    pub(super) errno: Option<u64>,
    pub getopt: Getopt,
    /// Success of the last read from `std::cin`, if known.
    pub cin_good: Option<bool>,
    /// Whether the last read reached the end of the input.
    pub cin_ended: bool,
    /// Position in `strtok`'s string.
    pub strtok: Val,
}

impl Libc {
    /// Makes random numbers unknown after skipped code that drew an unknown number of values.
    pub fn havoc_random(&mut self, why: Reason) {
        self.rand_unknown = why;
        self.drand48_unknown = why;
    }
    pub fn havoc_input(&mut self, why: Reason) {
        self.files.havoc(why);
        self.cin_good = None;
        self.strtok = Val::poison(why);
        self.getopt.unknown = why;
    }
}

/// Position of the scan of `argv`.
pub struct Getopt {
    pub(super) index: u64,
    /// Bytes of the current word already read.
    pub(super) within: u64,
    /// Range of skipped operands before `index`: first one, and end. Empty if both are equal.
    pub(super) first: u64,
    pub(super) last: u64,
    /// Whether a scan has begun.
    pub(super) begun: bool,
    /// Reason why the position is unknown.
    pub unknown: Reason,
}

impl Default for Getopt {
    fn default() -> Self {
        Self { index: 1, within: 0, first: 1, last: 1, begun: false, unknown: Reason::NONE }
    }
}
