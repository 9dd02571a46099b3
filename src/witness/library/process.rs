//! State of the C and C++ libraries between calls. Types only: the models are in `libc`, `stdio` and `cxx`.

use super::random::Rand;
use super::streams::OpenFiles;
use crate::machine::value::{Reason, Val};
use crate::memory::space::WindowId;
use rustc_hash::FxHashMap;

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

/// Threads that a run has started, and what they hold.
#[derive(Default)]
pub struct HostThreads {
    /// Number of threads that were started.
    pub(super) started: u64,
    /// Threads around the present one.
    pub(super) depth: usize,
    /// Number of the present thread, and of those that have begun; 0 for the first one.
    pub(super) present: u64,
    pub(super) begun: u64,
    /// Addresses of variables of threads, by thread and variable of the first one, and whether code initialises such variables.
    pub(super) variables: FxHashMap<(u64, WindowId), u64>,
    pub(super) are_guarded: Option<bool>,
    /// Locked mutexes, each with the depth of the thread that locked it.
    pub(super) locked: Vec<(u64, usize)>,
    /// Whether a kernel that may wait for the host was not run to its end.
    pub(super) unfinished: bool,
    /// Results of POSIX threads, by their handles.
    pub(super) results: Vec<Val>,
    /// Iterations of the OpenMP loop that its thread has not begun: first, last, and stride.
    pub(super) iterations: Option<[Val; 3]>,
}

impl HostThreads {
    /// Addresses of the objects that threads have in place of some variables, in order.
    pub fn in_place_of(&self, variables: &[WindowId]) -> Vec<u64> {
        let own = self.variables.iter().filter(|((_, of), _)| variables.contains(of));
        let mut all: Vec<u64> = own.map(|(_, address)| *address).collect();
        all.sort_unstable();
        all
    }

    /// Records a kernel that may wait for the host, and was not run to its end. Returns whether a thread may go on too early
    /// for that reason.
    pub const fn leave_unfinished(&mut self) -> bool {
        self.unfinished = true;
        self.is_another()
    }

    /// Whether the present thread is another one than the first.
    #[must_use]
    pub const fn is_another(&self) -> bool {
        self.depth > 0
    }
}
