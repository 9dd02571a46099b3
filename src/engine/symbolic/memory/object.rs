//! Memory objects of the symbolic executor: cells at constant byte offsets.

use super::value::Value;
use crate::symbolic::exec::site::Site;
use crate::symbolic::terms::term::TermId;
use base::reasons::UnknownReason;
use ir::{FuncRef, GlobalRef, LocId, ModuleId, TypeId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Index into [`Objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjId(pub u32);

/// Bits of the offset that are reserved for one argument's string in [`ObjKind::ArgvTexts`].
pub(in crate::symbolic) const ARGUMENT_BITS: u32 = 32;

/// What kind of memory an object is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ObjKind {
    /// Host stack variable.
    HostLocal,
    HostHeap,
    HostGlobal(GlobalRef),
    /// The array of argument pointers given to `main`.
    ArgvArray,
    /// The string `argv[i]`.
    ArgvText(u32),
    /// The strings of all arguments, for an unknown index: `argv[i]` begins at byte `i << ARGUMENT_BITS`.
    ArgvTexts,
    /// `cudaMalloc` and its family.
    DeviceHeap,
    /// `cudaMallocManaged`, `cudaMallocHost`, `cudaHostAlloc`: reachable from both sides.
    Managed,
    DeviceGlobal(GlobalRef),
    Constant(GlobalRef),
    SharedStatic(GlobalRef),
    SharedDynamic,
    /// Thread-local array or variable.
    DeviceLocal,
    /// Pointee of a root's pointer parameter; its extent is unknown.
    Parameter,
    /// Result of `fopen`: the file's number in the executor's list. The bytes from 0 on hold the position in bytes,
    /// those from 8 on the number of words read.
    Stream(u32),
    /// An object that a library or the system owns.
    Opaque,
}

impl ObjKind {
    /// Whether such an object exists when the program or the root starts.
    #[must_use]
    pub fn is_there_from_the_start(&self) -> bool {
        matches!(
            self,
            Self::HostGlobal(_)
                | Self::DeviceGlobal(_)
                | Self::Constant(_)
                | Self::Parameter
                | Self::ArgvArray
                | Self::ArgvText(_)
                | Self::ArgvTexts
        )
    }
}

/// Immutable part of an object.
#[derive(Clone, Debug)]
pub struct Object {
    pub kind: ObjKind,
    /// Source name: the variable, or the expression to which the allocation was assigned.
    pub name: String,
    /// Size in bytes; `None` if unknown.
    pub extent: Option<TermId>,
    /// Source position of its allocation or declaration.
    pub site: Option<(ModuleId, LocId)>,
    pub func: Option<FuncRef>,
    /// Whether the object is an array or a structure that contains one.
    pub array: bool,
}

/// Provenance of an object that a caller gave.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct CallerObject {
    /// Function whose parameter leads to the object.
    pub function: FuncRef,
    pub module: ModuleId,
    /// Element type, if the source tells it.
    pub ty: Option<TypeId>,
    /// Whether the object is a structure passed by value: a dot then separates its name from those of its members.
    pub by_value: bool,
    /// Class of the object in a library with models.
    pub class: Option<super::tensors::LibraryClass>,
}

/// Contents of the bytes that no cell covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UncoveredContents {
    /// Never written.
    Uninit,
    Zero,
    /// Initial value of a constant global.
    Init,
    /// Written at an unknown offset or with unknown data. Equal versions hold equal contents.
    Unknown {
        version: u32,
        input: bool,
        reason: Rc<UnknownReason>,
    },
    /// An array write over the earlier contents.
    Layer(Rc<super::array_write::Layer>),
    /// Contents of one of two states; cells are inside these.
    Either(Rc<super::array_write::JoinedContents>),
}

/// Free state of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeState {
    pub cond: TermId,
    /// Condition that the object ended with its device's context: freeing it again is refused and does no harm.
    pub with_context: TermId,
    /// Free sites on any path: each is the call stack from the root or the kernel inwards, the freeing call last.
    pub at: Vec<Rc<Vec<Site>>>,
}

/// Mutable part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjState {
    /// Byte offset → (size in bytes, value). Cells do not overlap.
    pub cells: BTreeMap<i64, (u32, Value)>,
    pub rest: UncoveredContents,
    /// Set if the object may have been freed.
    pub freed: Option<Rc<FreeState>>,
}

impl ObjState {
    #[must_use]
    pub fn new(rest: UncoveredContents) -> Self {
        Self { cells: BTreeMap::new(), rest, freed: None }
    }

    /// Removes cells that overlap `[from, to)`.
    pub fn clear(&mut self, from: i64, to: i64) {
        let hit: Vec<i64> = self.overlapping(from, to).map(|(o, ..)| o).collect();
        for o in hit {
            self.cells.remove(&o);
        }
    }

    /// Cells that overlap `[from, to)`.
    pub fn overlapping(&self, from: i64, to: i64) -> impl Iterator<Item = (i64, u32, &Value)> {
        // A cell is at most 64 KiB wide (see the executor's store): search back that far.
        self.cells
            .range(from.saturating_sub(1 << 16)..to)
            .filter(move |(o, (s, _))| **o + i64::from(*s) > from)
            .map(|(o, (s, v))| (*o, *s, v))
    }
}

pub use super::map::Memory;

/// Returns a state with new contents that keeps the old free state.
pub(in crate::symbolic) fn with_end_of(old: Option<&Rc<ObjState>>, mut new: ObjState) -> ObjState {
    new.freed = old.and_then(|x| x.freed.clone());
    new
}
