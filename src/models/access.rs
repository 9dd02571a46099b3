//! Memory accesses of a device instruction, as plain data: for inline PTX ([`super::ptx`]) and for intrinsics
//! ([`super::tiles`]).
//!
//! The engines decide which object an address points to, and whether it has enough bytes.

use ir::Bytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessMode {
    Read,
    Write,
    /// An atomic read and write.
    Atomic,
}

/// State space of an address (PTX ISA 9.0, 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateSpace {
    Generic,
    Global,
    /// An offset in the shared memory window, in 32 or 64 bits.
    Shared,
    /// Local and constant memory.
    Other,
}

/// An address: an argument plus an offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub argument: usize,
    pub offset: i64,
}

/// The lines of a matrix: their number, their length in bytes, and the leading dimension between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub lines: u32,
    pub line_bytes: Bytes,
    /// Width in bits of an element, the unit of the leading dimension.
    pub bits: u32,
    pub leading: LeadingDimension,
}

/// Distance of two lines in elements, an unsigned 32-bit integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadingDimension {
    Argument(usize),
    LastArgument,
    /// Adjacent lines.
    Packed,
}

/// Number of bytes accessed from the address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessExtent {
    Bytes(u64),
    /// The value of an argument, an unsigned 32-bit integer.
    Argument(usize),
    Tile(Tile),
}

/// Condition under which an access happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Always,
    /// An integer argument is nonzero (`set`) or zero.
    Argument {
        argument: usize,
        set: bool,
    },
}

/// Address and size of an access, as far as the assembly or the intrinsic's name gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    pub space: StateSpace,
    pub address: Address,
    pub extent: AccessExtent,
    pub guard: Guard,
    /// Number of active lanes of a warp, counted from lane 0.
    pub lanes: u32,
}

/// An access through a texture or surface (PTX ISA 9.0, 9.7.10 and 9.7.11); numbers of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageAccess {
    pub handle: usize,
    /// Coordinates of a surface: the offset in a row in bytes, the row, and the slice or layer, signed integers of 32 bits.
    pub coordinates: [Option<usize>; 3],
    /// Bytes that an access of a surface has in a row.
    pub bytes: u64,
    /// Whether coordinates that are out of bounds end the kernel.
    pub traps: bool,
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelledAccess {
    pub kind: AccessMode,
    /// `None`: the access counts as undecided, unless it is one through a known `image`.
    pub place: Option<AddressRange>,
    pub image: Option<ImageAccess>,
}

/// Number of lanes of a warp.
pub const WARP: u32 = 32;

impl ModelledAccess {
    pub const fn open(kind: AccessMode) -> Self {
        Self { kind, place: None, image: None }
    }

    pub const fn of_image(kind: AccessMode, image: ImageAccess) -> Self {
        Self { kind, place: None, image: Some(image) }
    }

    /// Returns an unconditional access of every lane.
    pub const fn plain(kind: AccessMode, space: StateSpace, argument: usize, extent: AccessExtent) -> Self {
        let address = Address { argument, offset: 0 };
        let place = AddressRange { space, address, extent, guard: Guard::Always, lanes: WARP };
        Self { kind, place: Some(place), image: None }
    }

    pub const fn writes(&self) -> bool {
        !matches!(self.kind, AccessMode::Read)
    }
}
