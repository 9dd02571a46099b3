//! A small program with both sides, which tests whether the installed tools can read anything.

use super::client::extract;
use super::extraction::{ExtractOptions, Extraction};
use base::temporary;
use nvcc::command::{Environment, NvccCommand};
use nvcc::unit::TranslationUnit;
use std::path::Path;
use std::process::Command;

/// A kernel and the host code that launches it.
pub(super) const PROGRAM: &str = "__global__ void scuba_probe(int *p, int n) {
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

/// Reads the small program as a build reads its units; `nvcc` is the real one, if there is any.
///
/// # Errors
/// Reason why a side was not read.
pub fn probe(nvcc: Option<&Path>, options: &ExtractOptions) -> Result<(), String> {
    let folder = temporary::folder("scuba-work-").map_err(|e| format!("cannot make a temporary folder: {e}"))?;
    let unit = write_probe(folder.path(), nvcc)?;
    let Extraction { not_analysed, .. } = extract(&unit, options).map_err(|e| e.to_string())?;
    not_analysed.into_iter().next().map_or(Ok(()), |n| Err(n.reason))
}

/// Writes the small program into a folder, and returns nvcc's command that compiles it there.
///
/// # Errors
/// Reason why the program cannot be written.
pub fn compile_command(nvcc: &Path, folder: &Path) -> Result<Command, String> {
    std::fs::write(folder.join("probe.cu"), PROGRAM).map_err(|e| format!("it cannot be written: {e}"))?;
    let mut command = Command::new(nvcc);
    command.args(["-c", "probe.cu", "-o", "probe.o"]).current_dir(folder);
    Ok(command)
}

/// Returns the line of a compiler's output that says what is wrong, if there is any output.
#[must_use]
pub fn first_error(output: &str) -> Option<&str> {
    let mut lines = output.lines().map(str::trim);
    lines.clone().find(|l| l.contains("fatal") || l.contains("error")).or_else(|| lines.find(|l| !l.is_empty()))
}

/// Writes the program into a folder, and returns the unit that nvcc would compile from it.
///
/// # Errors
/// Reason why the program cannot be written, or nvcc's command for it is not understood.
pub fn write_probe(folder: &Path, nvcc: Option<&Path>) -> Result<TranslationUnit, String> {
    std::fs::write(folder.join("probe.cu"), PROGRAM).map_err(|e| format!("it cannot be written: {e}"))?;
    let arguments = ["-c".into(), "probe.cu".into()];
    let plan = NvccCommand::read(&arguments, &Environment::default(), folder).plan(folder, nvcc, &Vec::new);
    let unit = plan.and_then(|p| p.request.units.into_iter().next());
    unit.ok_or_else(|| "nvcc's command for it is not understood".into())
}
