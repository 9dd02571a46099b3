//! Concrete models of the C and C++ libraries, of mathematics, and of the CUDA runtime.
//!
//! In: a call by name with its arguments. Out: what the function gives and writes, or poison with a reason where that is not followed. One
//! table for each family (`libc`, `stdio`, `string`, `cxx`, `math`, `intrinsics`, `nvvm`, `cuda`); `modelled` asks them in order. What a library
//! remembers between calls is in `process`, `streams` and `runtime`, below the machine. To add a function: a row in its family's table with the
//! class that says what skipping a call would lose, and a test in `tests/models` against the function itself.

pub(in crate::witness) mod arguments;
mod batches;
mod containers;
pub(in crate::witness) mod cuda;
pub(in crate::witness) mod cxx;
mod devices;
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
mod tensors;
