//! nvcc: parse a copy of the command line, run the real nvcc unchanged beside the analysis.
pub mod interpose;
pub mod request;
pub mod unit;
