//! Table of functions that programs call and that are defined elsewhere: a row for each function, or for each set of
//! functions with equal properties, with its attributes and which of the two engines models it.
//!
//! In: nothing. Out: rows, and the attributes of a name: those of its own row and of the patterns that it matches.
//! `tests/models/table.rs` compares what the rows claim about the engines with the engines' models.

mod cuda;
mod cxx;
mod device;
mod driver;
mod intrinsics;
mod libraries;
mod math;
mod memory;
mod process;
mod stdio;
mod system;
mod tensor_basis;
mod text;

use super::returns::Returns;
use super::row::{CallSide, FunctionAttributes, FunctionRow, MatchKind};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Rows, by family.
pub const FAMILIES: &[&[FunctionRow]] = &[
    memory::ROWS,
    text::ROWS,
    stdio::ROWS,
    process::ROWS,
    system::ROWS,
    math::ROWS,
    cuda::ROWS,
    driver::ROWS,
    libraries::ROWS,
    tensor_basis::ROWS,
    cxx::ROWS,
    device::ROWS,
    intrinsics::ROWS,
];

/// Iterates over all rows.
pub fn rows() -> impl Iterator<Item = &'static FunctionRow> {
    FAMILIES.iter().copied().flatten()
}

/// Attributes of host functions and intrinsics, by whole name.
static WHOLE: LazyLock<FxHashMap<&'static str, FunctionAttributes>> = LazyLock::new(|| {
    rows()
        .filter(|r| r.kind == MatchKind::Whole && r.on != CallSide::Device)
        .flat_map(|r| r.names.iter().map(|n| (*n, r.attributes)))
        .collect()
});

/// Attributes by name prefix.
static STARTS: LazyLock<Vec<(&'static str, FunctionAttributes)>> = LazyLock::new(|| {
    rows()
        .filter(|r| {
            r.kind == MatchKind::Start && r.on != CallSide::Device && r.attributes != FunctionAttributes::default()
        })
        .flat_map(|r| r.names.iter().map(|n| (*n, r.attributes)))
        .collect()
});

/// Returns the attributes in a function's own row, by its symbol.
pub(super) fn of(name: &str) -> FunctionAttributes {
    WHOLE.get(name).copied().unwrap_or_default()
}

/// Whether some pattern that matches a symbol has attributes for which `says` is true.
pub(super) fn fits(name: &str, says: impl Fn(&FunctionAttributes) -> bool) -> bool {
    STARTS.iter().any(|(start, attributes)| name.starts_with(start) && says(attributes))
}

/// Iterates over the functions that do not return, or may not.
pub fn not_returning() -> impl Iterator<Item = (&'static str, Returns)> {
    rows()
        .filter(|r| r.kind == MatchKind::Whole)
        .filter_map(|r| r.attributes.returns.map(|how| (r, how)))
        .flat_map(|(r, how)| r.names.iter().map(move |n| (*n, how)))
}
