//! Launch shape that a kernel's attributes fix (CUDA C++ Programming Guide 13.0, Thread Block Clusters and Blocks as
//! Clusters).

use serde::{Deserialize, Serialize};
use std::fmt;

/// The attributes of a kernel that decide, together with a launch, which threads run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchShape {
    /// Threads of a block along each axis (`__block_size__`). The grid of a launch then counts clusters.
    pub block: Option<[u32; 3]>,
    /// Blocks of a cluster along each axis (`__cluster_dims__`, or the second tuple of `__block_size__`).
    pub cluster: Option<[u32; 3]>,
    /// True where each launch must give its cluster dimensions (`__cluster_dims__()`).
    pub names_no_cluster: bool,
    /// Largest number of blocks of a cluster (the third argument of `__launch_bounds__`).
    pub most_blocks: Option<u32>,
    /// True where its attributes contradict each other or are not constant here.
    pub unread: bool,
}

impl LaunchShape {
    /// Converts numbers of blocks and threads into the grid and block that nvcc's code launches them with.
    #[must_use]
    pub fn as_launched(&self, grid: [u32; 3], block: [u32; 3]) -> ([u32; 3], [u32; 3]) {
        if self.block.is_none() {
            return (grid, block);
        }
        let cluster = self.cluster.unwrap_or([1; 3]);
        ([0, 1, 2].map(|i| grid[i].div_ceil(cluster[i].max(1))), [1; 3])
    }
}

impl fmt::Display for LaunchShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, dims) in [("block_size", self.block), ("cluster", self.cluster)] {
            if let Some([x, y, z]) = dims {
                write!(f, " {word} {x},{y},{z}")?;
            }
        }
        if let Some(n) = self.most_blocks {
            write!(f, " max_cluster {n}")?;
        }
        f.write_str(if self.names_no_cluster { " cluster_at_launch" } else { "" })?;
        f.write_str(if self.unread { " shape_unread" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_launched_in_what_it_counts() {
        let plain = LaunchShape { cluster: Some([2, 1, 1]), ..LaunchShape::default() };
        assert_eq!(plain.as_launched([4, 1, 1], [32, 1, 1]), ([4, 1, 1], [32, 1, 1]));
        let declared = LaunchShape { block: Some([128, 1, 1]), ..plain };
        assert_eq!(declared.as_launched([4, 3, 1], [128, 1, 1]), ([2, 3, 1], [1, 1, 1]));
    }
}
