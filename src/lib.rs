//! SCuBA: static bounds analysis of CUDA programs at build time. `ARCHITECTURE.md` is the map.

pub mod assume;
pub mod axioms;
pub mod check;
pub mod config;
pub mod confirm;
pub mod contracts;
pub mod driver;
pub mod facts;
pub mod files;
pub mod frontend;
pub mod host;
pub mod inside;
pub mod ir;
pub mod kernel;
pub mod models;
pub mod nets;
pub mod nvcc;
pub mod paths;
pub mod reasons;
pub mod report;
pub mod rules;
pub mod statements;
pub mod symbolic;
pub mod witness;
pub mod work;
