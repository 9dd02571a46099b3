//! What the CUDA runtime remembers of a process between calls. Types alone; the models are in `cuda`.

use crate::api::Site;
use crate::machine::value::Val;
use crate::memory::space::ObjId;
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// State of the runtime.
#[derive(Default)]
pub struct Cuda {
    /// The launch configuration between `__cudaPushCallConfiguration` and the stub's pop: grid x, y, z, block x, y, z,
    /// dynamic shared bytes, stream.
    pub(super) pending: Vec<[Val; 8]>,
    /// What `cudaGetLastError` says.
    pub error: u64,
    /// Launches so far, those that did not run included.
    pub launches: u64,
    /// Those that ran.
    pub ran: u64,
    /// Kernels whose effects took too long, or could not be followed.
    pub dear: FxHashSet<FuncRef>,
    /// Steps taken for effects alone.
    pub side_steps: u64,
    /// Steps of threads that were tried for the access sought.
    pub tried_steps: u64,
    /// The dynamic shared memory that kernels may have, in bytes, where that was set.
    pub most_shared: FxHashMap<FuncRef, Val>,
    /// The clusters that kernels were made to require, zero along an axis where that was not set.
    pub clusters: FxHashMap<FuncRef, [Val; 3]>,
    /// What ended a kernel, and with it all work for the device.
    pub trapped: Option<String>,
    /// The stream that is being captured, whose work is kept in a graph, and the mode.
    pub(super) capturing: Option<(Val, Val)>,
    /// Another device than the first may be in use.
    pub(super) several_devices: bool,
    /// The last object that there was when the device was reset.
    pub(super) ended: ObjId,
    /// Where launches were come to.
    pub sites: FxHashSet<Site>,
    pub(super) message: Option<u64>,
}

/// `cudaErrorInvalidValue`.
pub const INVALID_VALUE: u64 = 1;

/// `cudaErrorCooperativeLaunchTooLarge`.
pub const COOPERATIVE_TOO_LARGE: u64 = 720;
