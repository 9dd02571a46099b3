//! Tests whether an installed cgeist can read anything, with one small program.

use super::process::CgeistError;
use super::{read, sources};
use frontend::ExtractOptions;
use frontend::write_probe;
use nvcc::processes::TimeAllowance;
use std::path::Path;

/// Reads the small program with the headers that units would be read with; `nvcc` is the real one, if there is any.
///
/// # Errors
/// The problem: see [`CgeistError`].
pub fn probe(nvcc: Option<&Path>, options: &ExtractOptions) -> Result<(), CgeistError> {
    let broken = |why: String| CgeistError::Probe { why };
    let folder = tempfile::tempdir().map_err(|e| broken(format!("cannot make a temporary folder: {e}")))?;
    let unit = write_probe(folder.path(), nvcc).map_err(broken)?;
    let read = read(&unit, options, &TimeAllowance::new(options.time_limit, 1), &sources::of(&unit, &[]))?;
    let has_kernel =
        read.lowered.device.functions.iter().any(|f| f.name.contains("scuba_probe") && !f.blocks.is_empty());
    if has_kernel { Ok(()) } else { Err(broken("its kernel is not in what was printed".into())) }
}
