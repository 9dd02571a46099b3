//! Properties of devices that programs ask for: what every device of the supported capabilities has, within which range
//! the others lie, and which values devices have together.
//!
//! Source: CUDA programming guide 13.0, "Technical Specifications per Compute Capability"; `cudaDeviceAttr` and
//! `cudaDeviceProp` of CUDA 13.0. The analysis is about capabilities 7.5 to 12.1.

use ir::Program;

/// A property of a device.
#[derive(Debug)]
pub struct DeviceProperty {
    /// Number in `cudaDeviceAttr` and `CUdevice_attribute`.
    attribute: Option<i64>,
    /// Member of `cudaDeviceProp`, and the index in it if it is an array.
    pub member: Option<(&'static str, u64)>,
    /// Name for users.
    pub name: &'static str,
    /// Least and greatest value.
    pub range: (i64, i64),
    values: Values,
}

/// Values of a property that some device has.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// The only one in the range.
    Same,
    /// Depends on the capability.
    Of(fn(&Capability) -> i64),
    /// Multiples of the first number, from the second to the third; and the value of the usual device.
    Multiples(i64, i64, i64, i64),
}

/// Compute capability, and what depends on it.
#[derive(Debug)]
pub struct Capability {
    major: i64,
    minor: i64,
    threads_of_multiprocessor: i64,
    blocks_of_multiprocessor: i64,
    shared_of_multiprocessor: i64,
    shared_of_block: i64,
}

impl Capability {
    /// Whether devices run code for an architecture (`major * 10 + minor`).
    const fn runs(&self, architecture: i64) -> bool {
        self.major * 10 + self.minor >= architecture
    }
}

/// Returns the least architecture (`major * 10 + minor`) of the code of a program; 0 for one without device code.
#[must_use]
pub fn architecture(program: &Program) -> i64 {
    let number = |arch: &str| arch.strip_prefix("sm_")?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    program.modules.iter().filter_map(|m| number(&m.arch)).min().unwrap_or(0)
}

const fn capability(major: i64, minor: i64, threads: i64, blocks: i64, shared_kib: i64) -> Capability {
    Capability {
        major,
        minor,
        threads_of_multiprocessor: threads,
        blocks_of_multiprocessor: blocks,
        shared_of_multiprocessor: shared_kib << 10,
        // The system keeps 1 KiB of each block since capability 8.0.
        shared_of_block: (if major == 7 { shared_kib } else { shared_kib - 1 }) << 10,
    }
}

/// The usual device's is the first one.
const CAPABILITIES: [Capability; 10] = [
    capability(9, 0, 2048, 32, 228),
    capability(8, 0, 2048, 32, 164),
    capability(10, 0, 2048, 32, 228),
    capability(8, 6, 1536, 16, 100),
    capability(8, 9, 1536, 24, 100),
    capability(12, 0, 1536, 24, 100),
    capability(7, 5, 1024, 16, 64),
    capability(8, 7, 1536, 16, 164),
    capability(10, 3, 2048, 32, 228),
    capability(12, 1, 1536, 24, 100),
];

/// Devices have 4 multiprocessors (Jetson Orin Nano) to 224; a program that shares its device (MPS, "Volta MPS Execution
/// Resource Provisioning") is given as few as 2.
const MULTIPROCESSORS: Values = Values::Multiples(1, 2, 224, 132);
/// Devices have 2 to 288 GiB of memory; it is counted in units of 64 KiB.
const MEMORY: Values = Values::Multiples(64 << 10, 2 << 30, 288 << 30, 80 << 30);
const FREE: Values = Values::Multiples(64 << 10, 0, 288 << 30, 78 << 30);

/// Returns a property that is the same on all devices.
const fn same(attribute: i64, member: &'static str, at: u64, name: &'static str, value: i64) -> DeviceProperty {
    DeviceProperty {
        attribute: Some(attribute),
        member: Some((member, at)),
        name,
        range: (value, value),
        values: Values::Same,
    }
}

const fn of(
    attribute: i64,
    member: &'static str,
    name: &'static str,
    range: (i64, i64),
    values: fn(&Capability) -> i64,
) -> DeviceProperty {
    DeviceProperty { attribute: Some(attribute), member: Some((member, 0)), name, range, values: Values::Of(values) }
}

pub const PROPERTIES: [DeviceProperty; 22] = [
    same(1, "maxThreadsPerBlock", 0, "threads per block", 1024),
    same(2, "maxThreadsDim", 0, "threads per block in x", 1024),
    same(3, "maxThreadsDim", 1, "threads per block in y", 1024),
    same(4, "maxThreadsDim", 2, "threads per block in z", 64),
    same(5, "maxGridSize", 0, "blocks in x", 0x7fff_ffff),
    same(6, "maxGridSize", 1, "blocks in y", 65_535),
    same(7, "maxGridSize", 2, "blocks in z", 65_535),
    same(8, "sharedMemPerBlock", 0, "bytes of shared memory per block", 48 << 10),
    same(9, "totalConstMem", 0, "bytes of constant memory", 64 << 10),
    same(10, "warpSize", 0, "threads per warp", 32),
    same(11, "memPitch", 0, "bytes of a pitch", 0x7fff_ffff),
    same(12, "regsPerBlock", 0, "registers per block", 64 << 10),
    same(82, "regsPerMultiprocessor", 0, "registers per multiprocessor", 64 << 10),
    DeviceProperty {
        attribute: Some(16),
        member: Some(("multiProcessorCount", 0)),
        name: "multiprocessors",
        range: (1, 1024),
        values: MULTIPROCESSORS,
    },
    of(39, "maxThreadsPerMultiProcessor", "threads per multiprocessor", (1024, 2048), |c| c.threads_of_multiprocessor),
    of(75, "major", "major capability", (7, 12), |c| c.major),
    of(76, "minor", "minor capability", (0, 9), |c| c.minor),
    of(81, "sharedMemPerMultiprocessor", "bytes of shared memory per multiprocessor", (64 << 10, 228 << 10), |c| {
        c.shared_of_multiprocessor
    }),
    of(97, "sharedMemPerBlockOptin", "bytes of shared memory per block at most", (64 << 10, 227 << 10), |c| {
        c.shared_of_block
    }),
    of(106, "maxBlocksPerMultiProcessor", "blocks per multiprocessor", (16, 32), |c| c.blocks_of_multiprocessor),
    DeviceProperty {
        attribute: None,
        member: Some(("totalGlobalMem", 0)),
        name: "bytes of memory",
        range: (2 << 30, 1 << 40),
        values: MEMORY,
    },
    DeviceProperty { attribute: None, member: None, name: "free bytes of memory", range: (0, 1 << 40), values: FREE },
];

/// Numbers of properties that functions of their own return.
pub const TOTAL_MEMORY: usize = PROPERTIES.len() - 2;
pub const FREE_MEMORY: usize = PROPERTIES.len() - 1;

/// Name of the structure of all properties.
pub const STRUCTURE: &str = "cudaDeviceProp";

/// Greatest number of blocks that any multiprocessor holds at a time, and of threads.
pub const RESIDENT_BLOCKS: i64 = 32;
pub const RESIDENT_THREADS: i64 = 2048;

impl DeviceProperty {
    /// Returns the value that all devices have.
    #[must_use]
    pub const fn constant(&self) -> Option<i64> {
        if self.range.0 == self.range.1 { Some(self.range.0) } else { None }
    }

    /// Returns the least value that some device has and that is not below `v`; else the greatest one.
    #[must_use]
    pub fn attained(&self, v: i64) -> i64 {
        match self.values {
            Values::Same => self.range.0,
            Values::Of(value) => {
                let all = || CAPABILITIES.iter().map(value);
                all().filter(|x| *x >= v).min().or_else(|| all().max()).unwrap_or(v)
            }
            Values::Multiples(unit, least, most, _) => {
                v.saturating_add(unit - 1).div_euclid(unit).saturating_mul(unit).clamp(least, most)
            }
        }
    }
}

/// Returns what the known devices that run code for an architecture (`major * 10 + minor`) have of a property that depends on their
/// capability, one value for each capability in the same order.
#[must_use]
pub fn by_capability(property: usize, architecture: i64) -> Option<Vec<i64>> {
    match PROPERTIES.get(property)?.values {
        Values::Of(value) => Some(CAPABILITIES.iter().filter(|c| c.runs(architecture)).map(value).collect()),
        Values::Same | Values::Multiples(..) => None,
    }
}

/// Returns the number of the property that an attribute names.
#[must_use]
pub fn of_attribute(attribute: i64) -> Option<usize> {
    PROPERTIES.iter().position(|p| p.attribute == Some(attribute))
}

/// Returns the properties of a device that has these values, by the number of the property, and that runs code for an
/// architecture (`major * 10 + minor`); `None` if no device has them together.
#[must_use]
pub fn device_with(given: impl Fn(usize) -> Option<i64>, architecture: i64) -> Option<[i64; PROPERTIES.len()]> {
    CAPABILITIES.iter().filter(|c| c.runs(architecture)).find_map(|c| {
        let mut out = [0; PROPERTIES.len()];
        for (i, p) in PROPERTIES.iter().enumerate() {
            let (own, free) = match p.values {
                Values::Same => (p.range.0, false),
                Values::Of(value) => (value(c), false),
                Values::Multiples(.., usual) => (usual, true),
            };
            out[i] = match given(i) {
                Some(v) if free => p.attained(v),
                Some(v) if v != own => return None,
                _ => own,
            };
        }
        // A larger device has more memory, a smaller one no more free memory than it has.
        if given(TOTAL_MEMORY).is_none() {
            out[TOTAL_MEMORY] = out[TOTAL_MEMORY].max(out[FREE_MEMORY]);
        }
        if given(FREE_MEMORY).is_none() {
            out[FREE_MEMORY] = out[FREE_MEMORY].min(out[TOTAL_MEMORY]);
        }
        (out[FREE_MEMORY] <= out[TOTAL_MEMORY]).then_some(out)
    })
}

/// Describes a device for users by the properties in which devices differ.
#[must_use]
pub fn described(device: &[i64; PROPERTIES.len()]) -> String {
    let of = |attribute| of_attribute(attribute).map_or(0, |i| device[i]);
    format!(
        "of capability {}.{} with {} multiprocessors, {} MiB of memory and {} MiB of them free",
        of(75),
        of(76),
        of(16),
        device[TOTAL_MEMORY] >> 20,
        device[FREE_MEMORY] >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::{CAPABILITIES, FREE_MEMORY, PROPERTIES, TOTAL_MEMORY, Values, device_with, of_attribute};

    #[test]
    fn every_device_lies_in_the_ranges() {
        let all = CAPABILITIES.iter().map(|c| {
            let major = of_attribute(75).unwrap();
            let minor = of_attribute(76).unwrap();
            device_with(|i| (i == major).then_some(c.major).or((i == minor).then_some(c.minor)), 75).unwrap()
        });
        for device in all {
            for (v, p) in device.iter().zip(&PROPERTIES) {
                assert!((p.range.0..=p.range.1).contains(v), "{}: {v}", p.name);
            }
        }
        for p in &PROPERTIES {
            if let Values::Multiples(_, least, most, usual) = p.values {
                assert!(p.range.0 <= least && least <= usual && usual <= most && most <= p.range.1, "{}", p.name);
            }
        }
    }

    #[test]
    fn values_that_no_device_has_together_are_refused() {
        let (threads, shared, count) =
            (of_attribute(39).unwrap(), of_attribute(97).unwrap(), of_attribute(16).unwrap());
        let with =
            |pairs: &[(usize, i64)], arch| device_with(|i| pairs.iter().find(|(p, _)| *p == i).map(|(_, v)| *v), arch);
        assert!(with(&[(threads, 1024), (shared, 64 << 10)], 75).is_some());
        assert!(with(&[(threads, 1024), (shared, 227 << 10)], 75).is_none());
        // That device does not run code for a later architecture.
        assert!(with(&[(threads, 1024)], 80).is_none());
        assert_eq!(with(&[(count, 1)], 75).unwrap()[count], 2);
        assert_eq!(PROPERTIES[shared].attained(100 << 10), 163 << 10);
        assert_eq!(with(&[(count, 65)], 75).unwrap()[count], 65);
        assert!(with(&[(TOTAL_MEMORY, 2 << 30), (FREE_MEMORY, 3 << 30)], 75).is_none());
        assert_eq!(with(&[(FREE_MEMORY, 7)], 75).unwrap()[FREE_MEMORY], 64 << 10);
    }
}
