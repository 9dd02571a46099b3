//! Effects of code that is not executed instruction by instruction: write sets of kernels (MOD sets), havoc of
//! unanalysed calls.
//!
//! In: a kernel's arguments, or a call. Out: the bytes that it may write, and the state in which these are unknown.
//! `write_set` and `shapes` are plain data below the executor.

pub mod havoc;
pub(in crate::symbolic) mod kernel_summary;
pub(in crate::symbolic) mod outside;
pub(in crate::symbolic) mod record_writes;
pub(in crate::symbolic) mod shapes;
pub(in crate::symbolic) mod skipped_code;
pub(in crate::symbolic) mod unanalysed_call;
pub mod write_set;
