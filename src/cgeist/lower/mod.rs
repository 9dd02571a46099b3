//! Lowers MLIR as cgeist prints it to the analysis form.
//!
//! In: one module of MLIR, which holds both sides of a translation unit, and facts about the unit. Out: a module for
//! each side, by the conventions of clang's reading: a launch is `__cudaPushCallConfiguration` and a call of the
//! kernel's stub, `threadIdx.x` a call of clang's wrapper, `cudaMalloc` a call. An unknown operation becomes an unknown
//! that is named after it. It runs no process and knows nothing of findings.

mod body;
pub mod dialects;
mod forwarder;
pub mod module;
mod names;
pub mod passes;
mod side;
mod types;
pub mod unit;
mod variables;

#[cfg(test)]
mod tests;
