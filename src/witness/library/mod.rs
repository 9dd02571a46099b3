//! Concrete models of the C and C++ libraries, of mathematics, and of the CUDA runtime.
//!
//! In: a call by name with its arguments. Out: the function's result and writes, or poison with a reason if they are
//! not modelled. Each family has a table (`libc`, `stdio`, `string`, `cxx`, `math`, `intrinsics`, `nvvm`, `cuda`,
//! `driver`); `modelled` asks them in order, then for a body that was read with the unit (`templates/models`). The state
//! of a library between calls is in `process`, `streams` and `runtime`, below the machine. To add a function, add a row
//! to its family's table with the class of what skipping a call would lose, and a test in `tests/models` against the
//! real function.

pub(crate) mod arguments;
mod arrays;
mod batches;
mod copies;
pub(crate) mod cuda;
pub(crate) mod cxx;
pub(crate) mod device_wide;
pub(crate) mod devices;
mod driver;
mod entry_points;
mod exceptions;
pub(crate) mod format;
mod graphs;
pub(crate) mod heap;
mod host_threads;
mod intrinsics;
mod istreams;
mod lanes;
pub(crate) mod libc;
pub(crate) mod math;
pub(crate) mod model;
pub(crate) mod modelled;
pub(crate) mod no_return;
pub(crate) mod numbers;
mod nvvm;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod runtime;
pub(crate) mod simple;
pub(crate) mod stdio;
pub(crate) mod streams;
pub(crate) mod string;
mod tensors;
mod volumes;
mod work;
