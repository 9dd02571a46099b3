//! One kernel executed for an arbitrary thread of a launch, and what its threads share.

pub mod alignment;
pub mod context;
pub(crate) mod launch;
pub mod shared_reads;
pub(in crate::symbolic) mod single_thread;
