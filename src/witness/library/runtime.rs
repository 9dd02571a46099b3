//! State of the CUDA runtime between calls. Types only; the models are in `cuda`.

use crate::api::ProgramPoint;
use crate::device::configuration::{InnerLaunch, LaunchConfiguration};
use crate::machine::value::Val;
use crate::memory::space::WindowId;
use finding::Direction;
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Capture of streams.
pub struct Capture {
    /// Captured streams, and events that they recorded last.
    pub(super) streams: Vec<u64>,
    pub(super) events: Vec<u64>,
    pub(super) mode: Val,
    pub(super) work: Vec<KeptWork>,
    /// Graph that gets the work, if the program has made it before.
    pub(super) into: Option<u64>,
}

/// Rows of one side of a copy: the address of the first, bytes from row to row, and rows from slice to slice.
#[derive(Clone, Copy)]
pub struct RowsOfCopy {
    pub at: Val,
    pub pitch: Val,
    pub slice: Val,
}

/// Sizes of an array of CUDA: bytes of a row, rows, slices, and bytes of an element.
#[derive(Clone, Copy)]
pub struct ArrayLayout {
    pub row: u64,
    pub height: u64,
    pub depth: u64,
    pub element: u64,
}

/// Memory that a texture or surface shows.
#[derive(Clone, Copy)]
pub enum ImageBehind {
    /// Linear memory: address and bytes.
    Linear { at: u64, bytes: u64 },
    /// An array, by its handle.
    Array(u64),
}

/// Operation of a device.
#[derive(Clone)]
pub enum DeviceWork {
    Copy {
        to: Val,
        from: Val,
        bytes: Val,
    },
    /// Copy of rows: bytes of each, rows of each slice, and slices.
    CopyRows {
        to: RowsOfCopy,
        from: RowsOfCopy,
        extent: [Val; 3],
    },
    Fill {
        to: Val,
        byte: Val,
        bytes: Val,
    },
    FillRows {
        to: RowsOfCopy,
        byte: Val,
        extent: [Val; 3],
    },
    /// Copy of rows from or to an array of which nothing is known: the other side alone.
    TouchRows {
        rows: RowsOfCopy,
        extent: [Val; 3],
        direction: Direction,
    },
    /// Launch of the kernel behind a handle; `arguments` is the array of their addresses.
    Launch {
        handle: Val,
        configuration: Rc<LaunchConfiguration>,
        arguments: Val,
    },
    /// Call of a function of the host.
    HostCall {
        function: FuncRef,
        arguments: Rc<[Val]>,
    },
    /// Start of the life of memory that a graph owns, and its end.
    Allocate(Val),
    Release(Val),
    /// Operations of another graph.
    Graph(Rc<Vec<KeptWork>>),
    /// Order alone: a node without an operation.
    Nothing,
}

/// Work that a graph keeps, and where the program asked for it.
#[derive(Clone)]
pub struct KeptWork {
    pub(super) site: Option<ProgramPoint>,
    pub(super) work: DeviceWork,
}

/// Work of a graph, in the order in which its nodes were made.
pub struct DeviceGraph {
    pub(super) work: Rc<Vec<KeptWork>>,
    /// Graph that it was instantiated from, whose nodes name its work.
    pub(super) of: Option<u64>,
}

/// State of the CUDA runtime.
#[derive(Default)]
pub struct Cuda {
    /// Launch configurations between `__cudaPushCallConfiguration` and the stub's pop: grid x, y, z, block x, y, z,
    /// dynamic shared bytes, stream.
    pub(super) pending: Vec<[Val; 8]>,
    /// Result of `cudaGetLastError`.
    pub error: u64,
    /// Number of launches so far, including those that did not run.
    pub launches: u64,
    /// Number of launches that ran.
    pub ran: u64,
    /// Kernels whose effects took too long, or could not be executed.
    pub dear: FxHashSet<FuncRef>,
    /// Steps for launches that ran only for their effects.
    pub side_steps: u64,
    /// Steps of threads that were tried for the target access.
    pub tried_steps: u64,
    /// Largest dynamic shared memory of kernels in bytes, where the program set it.
    pub most_shared: FxHashMap<FuncRef, Val>,
    /// Cluster sizes that the program required of kernels; zero along an axis that it did not set.
    pub clusters: FxHashMap<FuncRef, [Val; 3]>,
    /// Error that ended a kernel, and with it all device work.
    pub trapped: Option<String>,
    /// Capture whose streams' work goes into a graph.
    pub capturing: Option<Capture>,
    /// Graphs and executable graphs by their handles, and nodes by theirs: the graph, and the place in it.
    pub(super) graphs: FxHashMap<u64, DeviceGraph>,
    pub(super) nodes: FxHashMap<u64, (u64, usize)>,
    /// Addresses of memory that graphs allocate at their launches.
    pub(super) graph_memory: FxHashSet<u64>,
    /// Arrays by their handles.
    pub(super) arrays: FxHashMap<u64, ArrayLayout>,
    /// Textures and surfaces by their handles.
    pub(super) images: FxHashMap<u64, ImageBehind>,
    /// Place where the program asked for the work of a graph that is done now.
    pub launched_for: Option<ProgramPoint>,
    /// Launches that device threads made and that have not begun yet.
    pub inner: Vec<InnerLaunch>,
    /// Number of launches inside each other of the one that runs; 0 for one of the host.
    pub inner_depth: u32,
    /// Whether another device than the first may be in use.
    pub(super) several_devices: bool,
    /// Whether the program asked for the free memory.
    pub(super) asked_for_memory: bool,
    /// Whether the program has set an attribute of a memory pool.
    pub(super) pools_set: bool,
    /// Last object that existed when the device was reset.
    pub(super) ended: WindowId,
    /// Launch sites that the run reached.
    pub sites: FxHashSet<ProgramPoint>,
    pub(super) message: Option<u64>,
}

/// `cudaErrorInvalidValue`.
pub const INVALID_VALUE: u64 = 1;

/// `cudaErrorCooperativeLaunchTooLarge`.
pub const COOPERATIVE_TOO_LARGE: u64 = 720;

impl Cuda {
    /// Returns the memory that the texture or surface of a handle shows, with the sizes of an array; `None` for any other value.
    pub fn image(&self, handle: u64) -> Option<(ImageBehind, Option<ArrayLayout>)> {
        let behind = *self.images.get(&handle)?;
        match behind {
            ImageBehind::Linear { .. } => Some((behind, None)),
            ImageBehind::Array(array) => self.arrays.get(&array).map(|sizes| (behind, Some(*sizes))),
        }
    }

    /// Whether a stream is captured.
    pub(super) const fn is_capturing(&self) -> bool {
        self.capturing.is_some()
    }
}
