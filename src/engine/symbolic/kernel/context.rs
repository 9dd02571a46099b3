//! What a kernel runs under, and what is noted of it meanwhile ([`KernelContext`]).
//!
//! Plain data below the executor: running a kernel aside puts a fresh context in the place of the host's, and this back afterwards.

use crate::symbolic::effects::write_set::{Beside, Footprint, Stable};
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::partition::Partitions;
use crate::symbolic::terms::term::TermId;
use ir::{FuncRef, TypeId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What a kernel runs under; absent while the host is executed.
#[derive(Clone, Debug)]
pub struct Thread {
    pub tid: [TermId; 3],
    pub bid: [TermId; 3],
    pub block: [TermId; 3],
    pub grid: [TermId; 3],
    /// Blocks of a cluster along each axis, if that is known.
    pub cluster: Option<[u32; 3]>,
    pub shared: Option<ObjId>,
}

/// A number that was read of memory that the threads of a kernel write.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    pub object: ObjId,
    pub bits: u32,
    /// Its type, in the module of a function.
    pub ty: (FuncRef, TypeId),
    /// An atomic operation that adds to it gave it.
    pub counts: bool,
    /// Where in the object it was read, in bytes, and on which path, if in one place.
    pub place: Option<(TermId, TermId)>,
    /// How many accesses of the kernel were recorded before.
    pub order: usize,
}

/// The kernel under execution; as it is by default while the host is executed.
#[derive(Clone, Default)]
pub struct KernelContext {
    /// Absent while the host is executed.
    pub thread: Option<Thread>,
    /// Where it writes: what is there is not followed.
    pub(in crate::symbolic) written: Footprint,
    /// Whether it wrote through a pointer that is not known: any memory but its own variables and constants may be meant.
    pub(in crate::symbolic) written_anywhere: bool,
    /// Memory that its threads share and that it writes in a way that is not recorded as an access.
    pub(in crate::symbolic) written_otherwise: FxHashSet<ObjId>,
    /// Whether it ran code of which is not known what that writes.
    pub(crate) unknown_code: bool,
    /// Which objects' contents it may read as they were at the launch.
    pub(in crate::symbolic) stable: Option<Rc<Stable>>,
    /// Objects whose bytes outside the kernel's write set keep launch-time contents.
    pub(in crate::symbolic) beside: Option<Rc<Beside>>,
    /// It has a single thread, which has the device for itself (`single_thread.rs`).
    pub(in crate::symbolic) alone: bool,
    /// The parts into which named pointers cut its objects.
    pub(crate) partitions: Partitions,
}
