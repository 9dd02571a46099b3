//! Attributes of launches and kernels in the CUDA runtime (driver_types.h of CUDA 13.0; CUDA Runtime API reference
//! 13.0, `cudaLaunchAttributeID` and `cudaFuncAttribute`): their numbers, their layout, and which of them decide which
//! threads run.

/// Size of a `cudaLaunchAttribute` and offset of its value, in bytes.
pub const ATTRIBUTE_BYTES: u64 = 72;
pub const VALUE_AT: u64 = 8;

/// Offsets in a `cudaLaunchConfig_t` of the attribute list's address and of its length, in bytes.
pub const LIST_AT: u64 = 40;
pub const COUNT_AT: u64 = 48;

/// Effect of a launch attribute on the threads that run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeEffect {
    /// The same threads run, though perhaps concurrently with earlier work.
    Nothing,
    /// The same threads run, perhaps in larger clusters, or the launch fails: the clusters must divide the grid, and
    /// only newer devices support them.
    LargerClusters,
    /// The same threads run, or none: documented as an attribute of streams only.
    OfStreams,
    /// The same threads run, or none if they cannot all be resident at once; no effect if the value is zero.
    Cooperative,
    /// The value is the cluster size, in blocks along each axis.
    Cluster,
    /// Undocumented or not modelled; with its name or number.
    Unknown(String),
}

/// Returns the effect of an attribute by its number.
#[must_use]
pub fn effect(id: u32) -> AttributeEffect {
    let name = match id {
        // Ignore, AccessPolicyWindow, ClusterSchedulingPolicyPreference, ProgrammaticStreamSerialization, Priority,
        // MemSyncDomainMap, MemSyncDomain, PreferredSharedMemoryCarveout, NvlinkUtilCentricScheduling: hints, caches,
        // and the order of work.
        0 | 1 | 5 | 6 | 8 | 9 | 10 | 14 | 16 => return AttributeEffect::Nothing,
        2 => return AttributeEffect::Cooperative,
        3 => return AttributeEffect::OfStreams,
        4 => return AttributeEffect::Cluster,
        11 => return AttributeEffect::LargerClusters,
        7 => "cudaLaunchAttributeProgrammaticEvent".to_owned(),
        12 => "cudaLaunchAttributeLaunchCompletionEvent".to_owned(),
        13 => "cudaLaunchAttributeDeviceUpdatableKernelNode".to_owned(),
        other => format!("{other}"),
    };
    AttributeEffect::Unknown(name)
}

/// `cudaErrorInvalidClusterSize`: cluster sizes that contradict each other, are missing, or do not divide the grid (as
/// observed on an H100 with CUDA 13.0).
pub const INVALID_CLUSTER_SIZE: u64 = 912;

/// Largest cluster size in blocks that every device with clusters supports (CUDA C++ Programming Guide 13.0, Thread
/// Block Clusters).
const PORTABLE: u64 = 8;

/// Whether every device with clusters supports a cluster of this size, and the kernel's own bound allows it.
#[must_use]
pub fn is_portable(cluster: [u32; 3], most: Option<u32>) -> bool {
    let blocks = cluster.iter().fold(1u64, |n, c| n.saturating_mul(u64::from(*c)));
    blocks <= most.map_or(PORTABLE, |m| PORTABLE.min(u64::from(m)))
}

/// `cudaFuncAttributeRequiredClusterWidth`; height and depth follow it.
const CLUSTER_WIDTH: i128 = 11;

/// Whether a kernel attribute sets a cluster size.
#[must_use]
pub fn is_of_clusters(attribute: i128) -> bool {
    axis(Some(attribute)).is_some()
}

/// Returns the axis whose cluster size a kernel attribute sets.
#[must_use]
pub fn axis(attribute: Option<i128>) -> Option<i64> {
    let at = attribute?.checked_sub(CLUSTER_WIDTH)?;
    i64::try_from(at).ok().filter(|i| (0..3).contains(i))
}

/// Functions that set a kernel attribute, with the index of the argument that names it.
pub const SETTERS: &[(&str, usize)] = &[
    ("cudaFuncSetAttribute", 1),
    ("cudaKernelSetAttributeForDevice", 1),
    ("cuFuncSetAttribute", 1),
    ("cuKernelSetAttribute", 0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_eight_are_not_portable() {
        assert!(is_portable([2, 2, 2], None) && !is_portable([16, 1, 1], None) && !is_portable([3, 3, 1], None));
        assert!(is_portable([4, 1, 1], Some(4)) && !is_portable([8, 1, 1], Some(4)));
    }

    #[test]
    fn attributes_of_clusters_have_axes() {
        assert_eq!([10, 11, 12, 13, 14].map(|a| axis(Some(a))), [None, Some(0), Some(1), Some(2), None]);
        assert_eq!(effect(4), AttributeEffect::Cluster);
        assert_eq!(effect(99), AttributeEffect::Unknown("99".to_owned()));
    }
}
