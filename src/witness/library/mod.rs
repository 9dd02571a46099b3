//! Concrete models of the C and C++ libraries and of the CUDA runtime.

pub(in crate::witness) mod arguments;
mod containers;
pub(in crate::witness) mod cuda;
pub(in crate::witness) mod cxx;
pub(in crate::witness) mod format;
pub(in crate::witness) mod getopt;
pub(in crate::witness) mod heap;
mod intrinsics;
mod lanes;
pub(in crate::witness) mod libc;
pub(in crate::witness) mod math;
pub(in crate::witness) mod model;
pub(in crate::witness) mod modelled;
pub(in crate::witness) mod no_return;
pub(in crate::witness) mod numbers;
mod nvvm;
pub(in crate::witness) mod process;
pub(in crate::witness) mod random;
pub(in crate::witness) mod runtime;
pub(in crate::witness) mod simple;
mod std_string;
pub(in crate::witness) mod stdio;
pub(in crate::witness) mod streams;
pub(in crate::witness) mod string;
