//! Facts about library functions by their names alone: one table with a row for each, and queries on it. Memory
//! accesses of device instructions, by the text of inline assembly (`ptx`) and by the names of intrinsics (`tiles`).
//!
//! In: a name. Out: whether the function retains addresses, calls, launches, throws or returns, and which of the two
//! engines models it. Both engines use this crate, which depends on neither.

pub mod access;
pub mod attributes;
pub mod cuda_arrays;
pub mod cuda_names;
pub mod device_wide;
pub mod devices;
pub mod dlpack;
pub mod entry_points;
pub mod launches;
pub mod no_return;
pub mod ptx;
pub mod returns;
pub mod row;
pub mod table;
pub mod tensors;
#[cfg(test)]
mod tests;
pub mod tiles;
pub mod views;
