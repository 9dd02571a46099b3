//! The cgeist front end: runs cgeist, reads the MLIR that it prints, and lowers it to the analysis form.

pub mod mlir;
