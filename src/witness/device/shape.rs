//! Computes which threads a launch runs from its configuration, its attributes and its kernel's attributes (CUDA C++
//! Programming Guide 13.0, Thread Block Clusters and Blocks as Clusters).
//!
//! In: a kernel and the sizes of its launch. Out: the grid and block that run; the launch is refused; or the outcome
//! is undecided.

use super::configuration::ShapeAttributes;
use super::outcome::{LaunchOutcome, REFUSED};
use crate::library::arguments::read;
use crate::library::runtime::INVALID_VALUE;
use crate::machine::call::ThreadStop;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Val, low32};
use ir::FuncRef;
pub use models::launches::{self, AttributeEffect, INVALID_CLUSTER_SIZE};

/// Most attributes of one launch to read.
const MAX: u64 = 16;

/// Sizes of a grid and a block.
pub type Dimensions = ([u32; 3], [u32; 3]);

/// Grid, block and cluster that a launch runs.
pub struct GridShape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
}

impl Machine<'_> {
    /// Reads the attributes of a `cudaLaunchConfig_t`.
    pub fn launch_attributes(&mut self, th: &Thread, config: Val) -> Result<ShapeAttributes, ThreadStop> {
        let mut out = ShapeAttributes::default();
        let at = |of: Val, offset: u64| Val { bits: of.bits + offset, ..of };
        let count = read(self, th, at(config, launches::COUNT_AT), 32)?;
        let Some(count) = count.known().filter(|n| *n <= MAX) else {
            out.open = Some("its attributes could not be read".to_owned());
            return Ok(out);
        };
        if count == 0 {
            return Ok(out);
        }
        let list = read(self, th, at(config, launches::LIST_AT), 64)?;
        for i in 0..count {
            let one = at(list, i * launches::ATTRIBUTE_BYTES);
            let Some(id) = read(self, th, one, 32)?.known() else {
                out.open = Some("its attributes could not be read".to_owned());
                return Ok(out);
            };
            let value = at(one, launches::VALUE_AT);
            match launches::effect(low32(id)) {
                AttributeEffect::Nothing => {}
                AttributeEffect::Cooperative => match read(self, th, value, 32)?.known() {
                    Some(n) => out.cooperative |= n != 0,
                    None => out.open = Some("whether it is cooperative is not known".to_owned()),
                },
                AttributeEffect::OfStreams => out.open = Some("it has a stream attribute".to_owned()),
                AttributeEffect::LargerClusters => out.open = Some("it prefers larger clusters".to_owned()),
                AttributeEffect::Cluster => {
                    if out.cluster.is_some() {
                        out.open = Some("its cluster is set twice".to_owned());
                    }
                    let mut axes = [Val::ZERO; 3];
                    for (k, axis) in (0u64..).zip(&mut axes) {
                        *axis = read(self, th, at(value, 4 * k), 32)?;
                    }
                    out.cluster = Some(axes);
                }
                AttributeEffect::Unknown(name) => out.open = Some(format!("it has the attribute `{name}`")),
            }
        }
        Ok(out)
    }

    /// Shape of a launch with these sizes. If it has none, its fate.
    pub fn shape(
        &self,
        kernel: FuncRef,
        (grid, block): Dimensions,
        attributes: &ShapeAttributes,
    ) -> Result<GridShape, LaunchOutcome> {
        let open = |why: &str| Err(LaunchOutcome::Undecided(why.to_owned()));
        if let Some(why) = &attributes.open {
            return open(why);
        }
        let shape = self.program.func(kernel).shape;
        if shape.unread {
            return open("the block or cluster sizes of the kernel's attributes are not known");
        }
        let cluster = self.cluster(kernel, attributes)?;
        if !launches::is_portable(cluster, shape.most_blocks) {
            return open("whether the device takes so large a cluster");
        }
        match shape.block {
            None if grid.iter().zip(cluster).any(|(g, c)| g % c != 0) => {
                Err(LaunchOutcome::Refused(INVALID_CLUSTER_SIZE))
            }
            None => Ok(GridShape { grid, block, cluster }),
            // PTX ISA 9.0, `.reqntid`; the guide asks for a block of one thread.
            Some(declared) if block != [1; 3] && block != declared => Err(LaunchOutcome::Refused(REFUSED)),
            Some(declared) => {
                Ok(GridShape { grid: [0, 1, 2].map(|i| grid[i].saturating_mul(cluster[i])), block: declared, cluster })
            }
        }
    }

    /// Cluster of a launch, if its sources agree (PTX ISA 9.0, `.reqnctapercluster`; `cudaFuncAttributes` in
    /// driver_types.h).
    fn cluster(&self, kernel: FuncRef, attributes: &ShapeAttributes) -> Result<[u32; 3], LaunchOutcome> {
        let shape = self.program.func(kernel).shape;
        let not_known = || LaunchOutcome::Undecided("the cluster is not known".to_owned());
        let refused = Err(LaunchOutcome::Refused(INVALID_CLUSTER_SIZE));
        let given = |axes: [Val; 3]| match numbers(axes) {
            None => Err(not_known()),
            Some([0, 0, 0]) => Ok(None),
            Some(c) => Ok(Some(c)),
        };
        let own = match (shape.cluster, shape.block) {
            (Some(c), _) => Some(c),
            (None, Some(_)) => Some([1; 3]),
            (None, None) => self.cuda.clusters.get(&kernel).map_or(Ok(None), |axes| given(*axes))?,
        };
        let by_launch = attributes.cluster.map_or(Ok(None), given)?;
        if own.is_some_and(|c| c.contains(&0)) {
            return refused;
        }
        if by_launch.is_some_and(|c| c.contains(&0)) {
            return Err(not_known());
        }
        match (own, by_launch) {
            (Some(a), Some(b)) if a != b => refused,
            (Some(c), _) | (None, Some(c)) => Ok(c),
            (None, None) if shape.names_no_cluster => refused,
            // Each block is its own cluster.
            (None, None) => Ok([1; 3]),
        }
    }

    /// Checks that the kernel may be launched with this grid and block; returns its cluster, if that is known.
    pub fn may_be_launched(
        &self,
        kernel: FuncRef,
        (grid, block): Dimensions,
    ) -> Result<Option<[u32; 3]>, LaunchOutcome> {
        let shape = self.program.func(kernel).shape;
        if shape.unread || shape.names_no_cluster {
            return Err(LaunchOutcome::Undecided(
                "the block or cluster sizes of its launches are not known".to_owned(),
            ));
        }
        let multiple = grid.iter().zip(shape.cluster.unwrap_or([1; 3])).all(|(g, c)| g % c == 0);
        if multiple && shape.block.is_none_or(|b| b == block) {
            Ok(shape.cluster)
        } else {
            Err(LaunchOutcome::Refused(REFUSED))
        }
    }

    /// Performs `cudaFuncSetAttribute` for the cluster size along an axis and returns the error code. A size that the
    /// kernel declares cannot be set: the code is then `cudaErrorNotPermitted` by the documentation, and
    /// `cudaErrorInvalidValue` on an H100 with CUDA 13.0.
    pub fn require_cluster(&mut self, kernel: FuncRef, axis: i64, value: Val) -> u64 {
        let shape = self.program.func(kernel).shape;
        if shape.unread || shape.block.is_some() || shape.cluster.is_some() {
            self.seen.doubt("a launch sets a cluster, but its kernel declares its own".to_owned());
            return 0;
        }
        if value.known().is_some_and(|v| low32(v).cast_signed() < 0) {
            self.cuda.error = INVALID_VALUE;
            return INVALID_VALUE;
        }
        let axes = self.cuda.clusters.entry(kernel).or_insert([Val::ZERO; 3]);
        for (i, held) in (0..).zip(axes) {
            if axis == i {
                *held = value;
            }
        }
        0
    }
}

/// Sizes along each axis, if all are known.
fn numbers(axes: [Val; 3]) -> Option<[u32; 3]> {
    let [x, y, z] = axes.map(|v| v.known().map(low32));
    Some([x?, y?, z?])
}
