//! Configuration of a launch. Plain data; [`super::shape`] says what it means for a kernel.

use crate::machine::value::Val;

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
