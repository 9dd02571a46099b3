//! Memory of the symbolic executor: objects made of cells at constant byte offsets.

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

/// Room for the text of one argument in [`ObjKind::ArgvTexts`].
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
    /// The text of `argv[i]`.
    ArgvText(u32),
    /// The texts of all arguments, where which one is meant is not known: that of `argv[i]` begins at byte `i << ARGUMENT_BITS`.
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
    /// What a pointer parameter of a root points to: extent not known.
    Parameter,
    /// What `fopen` gives: the file's number in the executor's list. Of its bytes those from 0 on are the position in bytes,
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

/// The part of an object that does not change.
#[derive(Clone, Debug)]
pub struct Object {
    pub kind: ObjKind,
    /// Source name: variable, or the expression it was assigned to.
    pub name: String,
    /// Size in bytes; `None` where it is not known.
    pub extent: Option<TermId>,
    /// Where it was allocated or declared.
    pub site: Option<(ModuleId, LocId)>,
    pub func: Option<FuncRef>,
    /// An array, or a structure that contains one.
    pub array: bool,
}

/// What is known of an object that a caller gave.
#[derive(Clone, Copy, Debug)]
pub(in crate::symbolic) struct Given {
    /// Whose parameter leads to it.
    pub function: FuncRef,
    pub module: ModuleId,
    /// The type of an element, where the source tells it.
    pub ty: Option<TypeId>,
    /// A structure that is passed by value: its members follow its name behind a dot.
    pub by_value: bool,
    /// What it is of a library whose functions have models.
    pub class: Option<super::tensors::Class>,
}

/// What bytes that no cell covers hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Never written.
    Uninit,
    Zero,
    /// Initial value of a constant global.
    Init,
    /// Written where or with what is not known in detail. Equal versions hold equal contents.
    Unknown {
        version: u32,
        input: bool,
        reason: Rc<UnknownReason>,
    },
    /// Written over what it held before.
    Layer(Rc<super::array_write::Layer>),
    /// One thing or another; cells are in these.
    Either(Rc<super::array_write::Either>),
}

/// That an object was freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    pub cond: TermId,
    /// Where it ended with its device's context: freeing it again is refused, and harms nothing.
    pub with_context: TermId,
    /// Where that is done, on any path: the calls from the root or the kernel inwards, the one that frees last.
    pub at: Vec<Rc<Vec<Site>>>,
}

/// The changing part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjState {
    /// Byte offset → (size in bytes, value). Cells do not overlap.
    pub cells: BTreeMap<i64, (u32, Value)>,
    pub rest: Rest,
    /// Whether it may have been freed.
    pub freed: Option<Rc<Freed>>,
}

impl ObjState {
    #[must_use]
    pub fn new(rest: Rest) -> Self {
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
        // Cells are at most 64 KiB wide (see the executor's store), so look back that far.
        self.cells
            .range(from.saturating_sub(1 << 16)..to)
            .filter(move |(o, (s, _))| **o + i64::from(*s) > from)
            .map(|(o, (s, v))| (*o, *s, v))
    }
}

pub use super::map::Memory;

/// A state whose contents are replaced: that the object was freed stays.
pub(in crate::symbolic) fn with_end_of(old: Option<&Rc<ObjState>>, mut new: ObjState) -> ObjState {
    new.freed = old.and_then(|x| x.freed.clone());
    new
}
