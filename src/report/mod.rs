//! Renderers of findings.
pub mod finding;
