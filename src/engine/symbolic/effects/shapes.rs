//! Facts about a kernel's arguments and about memory at a launch: the key of kernel summaries.

use super::write_set::Footprint;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::value::Base;
use ir::FuncRef;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// Facts about an argument: the targets of a pointer (at one offset, or at any), or the members of a structure at
/// their offsets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::symbolic) enum ArgumentShape {
    Number,
    Pointer(Vec<(Base, Option<i64>)>),
    Structure(MemberShapes),
}

/// Facts about a structure or an object: its pointers at their offsets and, if everything else was never written
/// (`else_unset`), its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::symbolic) struct MemberShapes {
    pub(super) cells: Vec<(i64, u32, ArgumentShape)>,
    pub(super) else_unset: bool,
}

/// Contents of objects at the launch.
pub(in crate::symbolic) type LaunchContents = Vec<(ObjId, MemberShapes)>;

/// Write sets by kernel, arguments and pointers in memory.
pub(in crate::symbolic) type WriteSets =
    FxHashMap<(FuncRef, Vec<ArgumentShape>, LaunchContents), Option<Rc<Footprint>>>;

/// Write sets of kernels computed so far.
#[derive(Clone, Default)]
pub(in crate::symbolic) struct Summaries {
    pub all: WriteSets,
    /// Number of offset-exact ones among them.
    pub exact: usize,
    /// Kernels whose write sets are being computed, the outermost first.
    pub under_way: Vec<FuncRef>,
}
