//! What the C and C++ libraries remember of a process between calls. Types alone: the models are below `libc`, `stdio` and `cxx`.

use super::random::{Drand48, Rand};
use super::streams::Files;
use crate::machine::value::{Reason, Val};

/// State of the C library.
#[derive(Default)]
pub struct Libc {
    pub rand: Rand,
    /// How many numbers were drawn from [`crate::api::Inputs::random`].
    pub(super) drawn: usize,
    pub drand48: Drand48,
    /// Why the random numbers to come are not known.
    pub(super) rand_unknown: Reason,
    pub(super) drand48_unknown: Reason,
    pub files: Files,
    pub(super) errno: Option<u64>,
    pub getopt: Getopt,
    /// Whether the last reading from `std::cin` succeeded, where that is known.
    pub cin_good: Option<bool>,
    /// Whether it met the end.
    pub cin_ended: bool,
    /// Position in `strtok`'s string.
    pub strtok: Val,
}

impl Libc {
    /// After skipped code that drew an unknown number of values.
    pub fn forget_random(&mut self, why: Reason) {
        self.rand_unknown = why;
        self.drand48_unknown = why;
    }
    pub fn forget_input(&mut self, why: Reason) {
        self.files.forget(why);
        self.cin_good = None;
        self.strtok = Val::poison(why);
        self.getopt.unknown = why;
    }
}

/// Where the scan of `argv` stands.
pub struct Getopt {
    pub(super) index: u64,
    /// Bytes of the current word already read.
    pub(super) within: u64,
    /// The operands that were passed over and stand before `index`, from the first to behind the last; none: equal.
    pub(super) first: u64,
    pub(super) last: u64,
    /// Whether a scan has begun.
    pub(super) begun: bool,
    /// Why it is not known where it stands.
    pub unknown: Reason,
}

impl Default for Getopt {
    fn default() -> Self {
        Self { index: 1, within: 0, first: 1, last: 1, begun: false, unknown: Reason::NONE }
    }
}
