//! One kernel executed for an arbitrary thread of a launch, and what its threads share.
//!
//! In: a launch event, or a kernel alone. Out: [`launch::KernelRun`], its accesses over symbols of one thread. What is noted of the kernel under
//! execution is in [`context::KernelContext`], which is swapped whole. It must not know what an access of two threads means together.

pub mod alignment;
pub mod context;
pub mod launch;
pub mod shared_reads;
pub(in crate::symbolic) mod single_thread;
