//! What an instruction of a device accesses, as plain data: for inline PTX ([`super::ptx`]) and for intrinsics ([`super::tiles`]).
//!
//! Which object an address leads to, and whether it holds so many bytes, is for the engines.

use ir::Bytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Read,
    Write,
    /// A read and a write at once.
    Atomic,
}

/// What kind of address is given (PTX ISA 9.0, 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Generic,
    Global,
    /// An offset in the window of shared memory, in 32 or 64 bits.
    Shared,
    /// Local and constant memory.
    Other,
}

/// An argument plus bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub argument: usize,
    pub offset: i64,
}

/// The lines of a matrix: so many, of so many bytes each, the leading dimension apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub lines: u32,
    pub line_bytes: Bytes,
    /// Of an element, in which the leading dimension is counted.
    pub bits: u32,
    pub leading: Leading,
}

/// The distance of two lines in elements, an unsigned number of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leading {
    Argument(usize),
    LastArgument,
    /// Lines follow each other.
    Packed,
}

/// How many bytes from the address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Bytes(u64),
    /// As many as an argument says, an unsigned number of 32 bits.
    Argument(usize),
    Tile(Tile),
}

/// When it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Always,
    /// Where an integer argument is other than 0, or is 0.
    Argument {
        argument: usize,
        set: bool,
    },
}

/// Where and how much, as far as that stands in the text or the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub space: Space,
    pub address: Address,
    pub extent: Extent,
    pub guard: Guard,
    /// Lanes of a warp below this number take part.
    pub lanes: u32,
}

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub kind: Kind,
    /// `None`: it counts, and is not decided.
    pub place: Option<Place>,
}

/// Lanes of a warp.
pub const WARP: u32 = 32;

impl Access {
    pub const fn open(kind: Kind) -> Self {
        Self { kind, place: None }
    }

    /// What every lane does, always.
    pub const fn plain(kind: Kind, space: Space, argument: usize, extent: Extent) -> Self {
        let address = Address { argument, offset: 0 };
        Self { kind, place: Some(Place { space, address, extent, guard: Guard::Always, lanes: WARP }) }
    }

    pub const fn writes(&self) -> bool {
        !matches!(self.kind, Kind::Read)
    }
}
