//! Whether a cgeist that is installed reads anything: it is given one small program.

use super::process::Failure;
use super::{read, sources};
use crate::frontend::extraction::ExtractOptions;
use crate::nvcc::command::{Command, Environment};
use crate::nvcc::unit::TranslationUnit;
use std::path::Path;
use std::time::Instant;

const PROGRAM: &str = "__global__ void scuba_probe(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = i;
}
int main() {
  int *p;
  cudaMalloc(&p, 64 * sizeof(int));
  scuba_probe<<<1, 64>>>(p, 64);
  return cudaFree(p);
}
";

/// Reads the small program with the headers that units would be read with; `nvcc` is the real one, if there is any.
///
/// # Errors
/// What is wrong: see [`Failure`].
pub fn probe(nvcc: Option<&Path>, options: &ExtractOptions) -> Result<(), Failure> {
    let broken = |why: String| Failure::Probe { why };
    let folder = tempfile::tempdir().map_err(|e| broken(format!("no temporary folder: {e}")))?;
    std::fs::write(folder.path().join("probe.cu"), PROGRAM)
        .map_err(|e| broken(format!("it cannot be written: {e}")))?;
    let unit = unit(folder.path(), nvcc).ok_or_else(|| broken("nvcc's command for it is not understood".into()))?;
    let read = read(&unit, options, Instant::now() + options.time_limit, &sources::of(&unit, &[]))?;
    let has_kernel =
        read.lowered.device.functions.iter().any(|f| f.name.contains("scuba_probe") && !f.blocks.is_empty());
    if has_kernel { Ok(()) } else { Err(broken("its kernel is not in what was printed".into())) }
}

fn unit(folder: &Path, nvcc: Option<&Path>) -> Option<TranslationUnit> {
    let arguments = ["-c".into(), "probe.cu".into()];
    let plan = Command::read(&arguments, &Environment::default(), folder).plan(folder, nvcc, &Vec::new)?;
    plan.request.units.into_iter().next()
}
