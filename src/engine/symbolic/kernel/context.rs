//! Context of a kernel under execution, and what is recorded of it meanwhile ([`KernelContext`]).
//!
//! Plain data below the executor: to run a kernel aside, the executor swaps in a fresh context, and the host's
//! afterwards ([`crate::symbolic::exec::aside`]).

use crate::symbolic::effects::write_set::{Footprint, PartialWrites, StableReads};
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::partition::Partitions;
use crate::symbolic::terms::term::TermId;
use ir::{FuncRef, TypeId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Indices and dimensions of the executed thread; absent while the host is executed.
#[derive(Clone, Debug)]
pub struct ThreadIndices {
    pub tid: [TermId; 3],
    pub bid: [TermId; 3],
    pub block: [TermId; 3],
    pub grid: [TermId; 3],
    /// Blocks of a cluster along each axis, if known.
    pub cluster: Option<[u32; 3]>,
    pub shared: Option<ObjId>,
}

/// Number that was read from memory that the threads of a kernel write.
#[derive(Clone, Copy, Debug)]
pub struct ExchangedNumber {
    pub object: ObjId,
    pub bits: u32,
    /// Type of the number, in the module of a function.
    pub ty: (FuncRef, TypeId),
    /// Whether it is the result of an atomic operation that adds to it.
    pub counts: bool,
    /// The constant that this operation adds.
    pub adds: Option<i128>,
    /// Byte offset of the read in the object, and its path condition, if there is a single read.
    pub place: Option<(TermId, TermId)>,
    /// Number of accesses of the kernel that were recorded before.
    pub order: usize,
    /// Number of barriers of the block that were recorded before.
    pub barriers: usize,
}

/// The kernel under execution; the default value while the host is executed.
#[derive(Clone, Default)]
pub struct KernelContext {
    /// Absent while the host is executed.
    pub thread: Option<ThreadIndices>,
    /// Write set: the contents of these bytes are not followed.
    pub(in crate::symbolic) written: Footprint,
    /// Whether it wrote through an unknown pointer: this may be any memory except for its own variables and constants.
    pub(in crate::symbolic) written_anywhere: bool,
    /// Memory shared by its threads that it writes without a recorded access.
    pub(in crate::symbolic) written_otherwise: FxHashSet<ObjId>,
    /// Whether it launches kernels, which write beside it and after it.
    pub launches: bool,
    /// Whether it allocates memory of the device's heap.
    pub allocates: bool,
    /// Whether it ran code with unknown writes.
    pub unknown_code: bool,
    /// Objects that it may read with their contents at the launch.
    pub(in crate::symbolic) stable: Option<Rc<StableReads>>,
    /// Objects whose bytes outside the kernel's write set keep launch-time contents.
    pub(in crate::symbolic) beside: Option<Rc<PartialWrites>>,
    /// Whether it has a single thread, which has the device for itself (`single_thread.rs`).
    pub(in crate::symbolic) alone: bool,
    /// Whether results of collective operations keep no bounds: something may disturb one.
    pub(in crate::symbolic) disturbed: bool,
    /// Partitions of its objects by named pointers.
    pub partitions: Partitions,
    /// Bytes that its static shared variables begin at a multiple of, once that was asked.
    pub(in crate::symbolic) shared_begin: Option<u32>,
}

impl KernelContext {
    /// Whether it may write any memory but its own variables and constants. A kernel that it launches follows pointers that
    /// it stores itself.
    pub(in crate::symbolic) fn may_write_anywhere(&self) -> bool {
        self.written_anywhere || self.launches && self.written.has_pointers()
    }
}
