//! Byte sizes and element counts as separate types, so that neither is taken for the other.
//!
//! An element count becomes bytes through the element size: `Elements * Bytes`; `Bytes / Bytes` is a count. Terms of
//! the symbolic engine and memory of the interpreter count bytes as plain integers, obtained by [`Bytes::get`].

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Div, Mul};

/// A size or a distance in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A number of elements of an array, a vector or a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Elements(pub u64);

impl Bytes {
    /// Returns the size as a plain integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the size in bits, saturating at `u32::MAX`, which is no width of an integer in a program.
    pub fn bits(self) -> u32 {
        u32::try_from(self.0.saturating_mul(8)).unwrap_or(u32::MAX)
    }

    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    pub fn checked_mul(self, n: u64) -> Option<Self> {
        self.0.checked_mul(n).map(Self)
    }
}

impl Elements {
    /// Returns the count as a plain integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Iterates over the byte offsets of consecutive elements of size `each`, relative to the first.
    pub fn offsets(self, each: Bytes) -> impl Iterator<Item = u64> {
        (0..self.0).map(move |i| i * each.0)
    }
}

impl Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self(0), Add::add)
    }
}

/// Total size of the elements, saturating.
impl Mul<Bytes> for Elements {
    type Output = Bytes;

    fn mul(self, each: Bytes) -> Bytes {
        Bytes(self.0.saturating_mul(each.0))
    }
}

/// Number of elements of size `each` that fit.
impl Div for Bytes {
    type Output = Elements;

    fn div(self, each: Self) -> Elements {
        Elements(self.0 / each.0)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Conversion into a term of the symbolic engine, which counts bytes.
impl From<Bytes> for i128 {
    fn from(b: Bytes) -> Self {
        Self::from(b.0)
    }
}
