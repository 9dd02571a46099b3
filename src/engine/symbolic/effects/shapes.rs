//! What is known of a kernel's arguments and of memory at a launch: the key under which summaries of kernels are kept.

use super::write_set::Footprint;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::Base;
use ir::FuncRef;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// What is known of an argument: where it points to (at one offset, or at any), or a structure's members at their offsets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::symbolic) enum Shape {
    Number,
    Pointer(Vec<(Base, Option<i64>)>),
    Structure(Members),
}

/// What is known of a structure or an object: the pointers in it at their offsets and, where all else was never written, its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::symbolic) struct Members {
    pub(super) cells: Vec<(i64, u32, Shape)>,
    pub(super) else_unset: bool,
}

/// What objects hold at the launch.
pub(in crate::symbolic) type Held = Vec<(ObjId, Members)>;

/// Answers by kernel and arguments, and pointers in memory.
pub(in crate::symbolic) type Effects = FxHashMap<(FuncRef, Vec<Shape>, Held), Option<Rc<Footprint>>>;

/// Write sets of kernels that were found out so far.
#[derive(Clone, Default)]
pub(in crate::symbolic) struct Summaries {
    pub all: Effects,
    /// Number of offset-exact ones among them.
    pub exact: usize,
}
