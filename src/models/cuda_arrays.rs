//! Formats of the arrays of CUDA's driver (`CUarray_format` in `cuda.h` of CUDA 13.0), and the rows that copies take.

/// Distances that CUDA takes: from row to row no less than a row, from slice to slice no less than its rows, or what a rule says
/// (measured on an H200 with CUDA 13.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PitchRule {
    /// A single row may have the distance 0, and so may a single slice.
    Runtime,
    /// A distance of 0 is that of what is copied.
    Driver,
    /// A single row has no use for its distance.
    Fill,
}

/// Returns the number of bytes of a component; `None` for packed formats and for numbers that are none of them.
#[must_use]
pub const fn bytes_of_component(format: i128) -> Option<u8> {
    match format {
        // 8, 16 and 32 bits, unsigned; the same, signed; floating point of 16 and 32 bits.
        0x01 | 0x08 => Some(1),
        0x02 | 0x09 | 0x10 => Some(2),
        0x03 | 0x0a | 0x20 => Some(4),
        _ => None,
    }
}

/// Most elements of an array in a row, rows, and slices or layers (CUDA C++ Programming Guide 13.0, Technical Specifications per Compute
/// Capability, the most of any kind of array).
pub const MOST_ELEMENTS: [u64; 3] = [131_072, 65_536, 16_384];
