//! State of the CUDA runtime between calls. Types only; the models are in `cuda`.

use crate::api::ProgramPoint;
use crate::machine::value::Val;
use crate::memory::space::WindowId;
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// Stream under capture, whose work goes into a graph, and the capture mode.
    pub(super) capturing: Option<(Val, Val)>,
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
