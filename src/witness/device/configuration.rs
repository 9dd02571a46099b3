//! Configuration of a launch. Plain data; [`super::shape`] says what it means for a kernel.

use crate::api::ProgramPoint;
use crate::machine::value::Val;
use ir::FuncRef;

/// Configuration of a launch.
pub struct LaunchConfiguration {
    pub grid: [Val; 3],
    pub block: [Val; 3],
    pub shared: Val,
    pub attributes: ShapeAttributes,
}

/// Launch attributes that decide which threads run.
#[derive(Default)]
pub struct ShapeAttributes {
    /// Blocks of a cluster along each axis.
    pub cluster: Option<[Val; 3]>,
    /// Whether all blocks must be on the device at the same time.
    pub cooperative: bool,
    /// Reason why the shape of the launch is unknown.
    pub open: Option<String>,
}

/// Launch that a device thread made and that has not begun.
#[derive(Clone)]
pub struct InnerLaunch {
    pub kernel: FuncRef,
    pub values: Vec<Val>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    /// Whether it runs behind the launching grid and all else that this launches (`cudaStreamTailLaunch`).
    pub tail: bool,
    /// Call that launches, in the program's own code.
    pub site: Option<ProgramPoint>,
}
