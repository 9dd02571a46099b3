//! What code may write that is not executed instruction by instruction: write sets of kernels, havoc of unanalysed calls.

pub(crate) mod havoc;
pub(in crate::symbolic) mod kernel_summary;
pub(in crate::symbolic) mod record_writes;
pub(in crate::symbolic) mod shapes;
pub(in crate::symbolic) mod skipped_code;
pub(in crate::symbolic) mod unanalysed_call;
pub mod write_set;
