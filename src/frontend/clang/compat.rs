//! The header that clang reads before every source.

/// Definitions of nvcc's language that clang 22 lacks.
pub(super) const COMPAT: &str = include_str!("compat.h");
