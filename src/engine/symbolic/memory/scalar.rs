//! Scalars as the aliasing rules of the language distinguish them (C++ [basic.lval], C 6.5): which of them a store may
//! change.
//!
//! In: types and values. Out: whether a read of one scalar may see a store of another. Plain data.

use super::value::Value;
use ir::TypeKind;

/// Scalar that a load reads: its kind and its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Int(u64),
    Float(u64),
    Pointer,
    /// Bytes of any meaning.
    Bytes,
}

impl Scalar {
    pub(in crate::symbolic) fn of(kind: &TypeKind) -> Self {
        match kind {
            TypeKind::Int(bits) if *bits > 8 => Self::Int(u64::from(bits.div_ceil(8))),
            TypeKind::Float(bits) => Self::Float(u64::from(*bits / 8)),
            TypeKind::Ptr(_) => Self::Pointer,
            _ => Self::Bytes,
        }
    }

    /// Whether storing `v`, of `bytes` bytes, may change this scalar.
    pub(super) fn is_changed_by(self, bytes: u32, v: &Value) -> bool {
        let bytes = u64::from(bytes);
        if bytes == 1 || self == Self::Bytes {
            return true;
        }
        match (self, v) {
            (_, Value::Unknown(_) | Value::Aggregate(_)) => match self {
                Self::Int(n) | Self::Float(n) => n == bytes || bytes > 8,
                _ => bytes >= 8,
            },
            (Self::Int(n), Value::Int(_) | Value::Bool(_)) => n == bytes,
            (Self::Float(n), Value::Real(_)) => n == bytes,
            // The engine may represent an address as an integer, and a null pointer as 0.
            (Self::Pointer, Value::Ptr(_) | Value::Int(_)) => bytes == 8,
            (Self::Int(n), Value::Ptr(_)) => n == 8,
            _ => false,
        }
    }
}

/// Set of stored scalars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::symbolic) struct Scalars(u16);

impl Scalars {
    pub(in crate::symbolic) const ALL: Self = Self(u16::MAX);

    pub(in crate::symbolic) fn of(scalar: Option<Scalar>) -> Self {
        Self(match scalar {
            Some(Scalar::Int(2)) => 1,
            Some(Scalar::Int(4)) => 1 << 1,
            Some(Scalar::Int(8)) => 1 << 2,
            Some(Scalar::Float(2)) => 1 << 3,
            Some(Scalar::Float(4)) => 1 << 4,
            Some(Scalar::Float(8)) => 1 << 5,
            Some(Scalar::Pointer) => 1 << 6,
            _ => return Self::ALL,
        })
    }

    pub(in crate::symbolic) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(in crate::symbolic) fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether a read of this scalar may see one of the stored scalars.
    pub(in crate::symbolic) fn may_change(self, read: Scalar) -> bool {
        self.0 & Self::of(Some(read)).0 != 0
    }
}
