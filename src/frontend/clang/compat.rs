//! The header that stands before every source that clang reads.

/// What clang 22 lacks of nvcc's language.
pub(super) const COMPAT: &str = include_str!("compat.h");
