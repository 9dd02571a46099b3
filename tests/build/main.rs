//! The shim against the real nvcc: command lines, build systems, and analyses that pass, deny, crash or hang.
//!
//! nvcc is `SCUBA_NVCC`, else the one that `make setup` puts into `.deps`. The analysis is a script that stands beside a copy of
//! the shim under the name `scuba`, so that each test says what it answers.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod builds;
mod denied;
mod flags;
mod hostile;
mod jobserver;
mod links;
mod outcomes;
mod quoting;
mod same;
mod signals;
mod start;
mod support;
mod wrappers;
