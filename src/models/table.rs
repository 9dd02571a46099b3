//! One table of functions that programs call and whose bodies are elsewhere: one row for each, or for each set of names of which the same
//! holds, with its attributes and which of the two engines models it.
//!
//! In: nothing. Out: rows, and the attributes of a name. What holds of a function is what its own row says and what the rows of patterns say
//! that its name fits. `tests/models/table.rs` holds what the rows say of the engines against what these have.

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
use super::row::{Attributes, Kind, On, Row};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// All rows, by family.
pub const FAMILIES: &[&[Row]] = &[
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

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}

/// Attributes of functions of the host and of intrinsics by their whole names.
static WHOLE: LazyLock<FxHashMap<&'static str, Attributes>> = LazyLock::new(|| {
    rows()
        .filter(|r| r.kind == Kind::Whole && r.on != On::Device)
        .flat_map(|r| r.names.iter().map(|n| (*n, r.attributes)))
        .collect()
});

/// Attributes by how names begin.
static STARTS: LazyLock<Vec<(&'static str, Attributes)>> = LazyLock::new(|| {
    rows()
        .filter(|r| r.kind == Kind::Start && r.on != On::Device && r.attributes != Attributes::default())
        .flat_map(|r| r.names.iter().map(|n| (*n, r.attributes)))
        .collect()
});

/// What the row of a function says, by its symbol.
pub(super) fn of(name: &str) -> Attributes {
    WHOLE.get(name).copied().unwrap_or_default()
}

/// Whether a pattern that a symbol fits says something.
pub(super) fn fits(name: &str, says: impl Fn(&Attributes) -> bool) -> bool {
    STARTS.iter().any(|(start, attributes)| name.starts_with(start) && says(attributes))
}

/// Functions that do not return, or may not.
pub fn not_returning() -> impl Iterator<Item = (&'static str, Returns)> {
    rows()
        .filter(|r| r.kind == Kind::Whole)
        .filter_map(|r| r.attributes.returns.map(|how| (r, how)))
        .flat_map(|(r, how)| r.names.iter().map(move |n| (*n, how)))
}
