//! Amounts of memory and numbers of elements, so that one is never taken for the other.
//!
//! A count of elements becomes bytes by the size of one: `Elements * Bytes`; how many fit into something: `Bytes / Bytes`.
//! What leaves for the terms of the symbolic engine or the memory of the interpreter says [`Bytes::get`], and counts bytes there.

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
    /// As a plain number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// As many bits; what no integer of the program has where it does not fit.
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
    /// As a plain number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Where each of so many elements of that size begins, in bytes from the first.
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

/// So many elements of that size; the largest number where that is more.
impl Mul<Bytes> for Elements {
    type Output = Bytes;

    fn mul(self, each: Bytes) -> Bytes {
        Bytes(self.0.saturating_mul(each.0))
    }
}

/// How many of that size fit.
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

/// Into a term of the symbolic engine, which counts bytes there.
impl From<Bytes> for i128 {
    fn from(b: Bytes) -> Self {
        Self::from(b.0)
    }
}
