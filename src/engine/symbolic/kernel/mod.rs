//! Execution of one kernel for an arbitrary thread of a launch, and the memory that its threads share.
//!
//! In: a launch event, or a kernel alone. Out: [`launch::KernelRun`], its accesses over symbols of one thread. The
//! facts about the kernel under execution are in [`context::KernelContext`], which is swapped as a whole. This module
//! must not depend on how the accesses of two threads are combined.

pub mod alignment;
mod collectives;
pub mod context;
pub mod launch;
pub mod recursive_launch;
pub mod shared_reads;
pub(in crate::symbolic) mod single_thread;
pub mod special_registers;
