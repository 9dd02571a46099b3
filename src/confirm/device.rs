//! Detects the GPU, the CUDA toolkit and Compute Sanitizer of this machine.

use super::process;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Time limit for a tool to print its version: with a hanging driver a tool does not return.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Environment variable that selects the GPUs visible to programs.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// Whether the list selects no device: a list ends at its first invalid entry.
fn hides_all(visible: &str) -> bool {
    let first = visible.split(',').next().unwrap_or_default().trim();
    first.is_empty() || first.starts_with('-') || first == "NoDevFiles"
}

/// A GPU as reported by `nvidia-smi`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    pub name: String,
    pub driver: String,
    /// `90` for compute capability 9.0.
    pub capability: u32,
}

/// Everything that a run needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    pub device: Gpu,
    pub nvcc: PathBuf,
    pub compute_sanitizer: PathBuf,
    /// CUDA version, such as `13.0.88`.
    pub cuda: String,
    /// Compute Sanitizer version, such as `2025.3.1.0`.
    pub sanitizer_version: String,
}

impl Toolchain {
    /// Names of the toolkit's folder: as in nvcc's path, and with links resolved.
    #[must_use]
    pub fn toolkit(&self) -> Vec<PathBuf> {
        let folder = |nvcc: &Path| Some(nvcc.parent()?.parent()?.to_owned()).filter(|f| f.is_absolute());
        folder(&self.nvcc).into_iter().chain(self.nvcc.canonicalize().ok().as_deref().and_then(folder)).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    #[error(
        "there is no NVIDIA GPU here ({0}): make a bundle with `scuba confirm --bundle DIR` and run it where there is one with `scuba confirm --from DIR`"
    )]
    NoDevice(String),
    #[error("there is no nvcc: set SCUBA_NVCC or `[nvcc] path` in scuba.toml")]
    NoNvcc,
    #[error("{} cannot be run: {why}; set SCUBA_NVCC or `[nvcc] path` in scuba.toml", nvcc.display())]
    Nvcc { nvcc: PathBuf, why: String },
    #[error("there is no compute-sanitizer beside {} or in PATH: set `[confirm] compute_sanitizer` in scuba.toml; it comes with the CUDA toolkit", nvcc.display())]
    NoSanitizer { nvcc: PathBuf },
    #[error("{} cannot be run: {why}; set `[confirm] compute_sanitizer` in scuba.toml", path.display())]
    Sanitizer { path: PathBuf, why: String },
}

impl Gpu {
    /// Finds the first GPU of this machine.
    ///
    /// # Errors
    /// If there is none, or the driver does not answer within `patience`.
    pub fn find(patience: Duration) -> Result<Self, DeviceError> {
        let failed = |why: &str| DeviceError::NoDevice(why.to_owned());
        // nvidia-smi ignores this variable, but all CUDA programs obey it.
        if std::env::var(VISIBLE).is_ok_and(|v| hides_all(&v)) {
            return Err(failed("CUDA_VISIBLE_DEVICES hides them all"));
        }
        let text = output(
            Path::new("nvidia-smi"),
            &["--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"],
            patience,
        )
        .map_err(|e| failed(&format!("nvidia-smi: {e}")))?;
        Self::parse(&text)
            .ok_or_else(|| failed(&format!("nvidia-smi says `{}`", text.lines().next().unwrap_or_default())))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.lines().next()?.split(',').map(str::trim);
        let (name, driver, capability) = (fields.next()?, fields.next()?, fields.next()?);
        let (major, minor) = capability.split_once('.')?;
        let capability = major.parse::<u32>().ok()?.checked_mul(10)?.checked_add(minor.parse().ok()?)?;
        Some(Self { name: name.into(), driver: driver.into(), capability })
    }

    /// Whether code that nvcc compiles for this device may lack what the code for an architecture has: the architecture
    /// is newer, or has features of its own (`sm_90a`, `sm_100f`; CUDA C++ Programming Guide 13.0, 5.1).
    #[must_use]
    pub fn lacks_code_of(&self, architecture: &str) -> bool {
        let name = architecture.trim_start_matches(|c: char| !c.is_ascii_digit());
        let number = name.trim_end_matches(|c: char| !c.is_ascii_digit());
        number != name || number.parse().is_ok_and(|n: u32| n > self.capability)
    }

    /// Architecture name, such as `sm_90`.
    #[must_use]
    pub fn architecture(&self) -> String {
        format!("sm_{}", self.capability)
    }
}

impl Toolchain {
    /// Finds the tools. `nvcc` is the real compiler. `sanitizer` is scuba.toml's setting; without it, the one next to
    /// nvcc or in `PATH` is used. `patience` limits the time for each tool to print its version.
    ///
    /// # Errors
    /// If something is missing; the message says what to do.
    pub fn find(nvcc: Option<&Path>, sanitizer: Option<&Path>, patience: Duration) -> Result<Self, DeviceError> {
        let device = Gpu::find(patience)?;
        let nvcc = nvcc.ok_or(DeviceError::NoNvcc)?.to_owned();
        let version =
            output(&nvcc, &["--version"], patience).map_err(|why| DeviceError::Nvcc { nvcc: nvcc.clone(), why })?;
        let compute_sanitizer =
            self::sanitizer(Some(&nvcc), sanitizer).ok_or_else(|| DeviceError::NoSanitizer { nvcc: nvcc.clone() })?;
        let says = output(&compute_sanitizer, &["--version"], patience)
            .map_err(|why| DeviceError::Sanitizer { path: compute_sanitizer.clone(), why })?;
        Ok(Self {
            device,
            nvcc,
            compute_sanitizer,
            cuda: after(&version, ", V"),
            sanitizer_version: after(&says, "Version "),
        })
    }

    /// Versions that the evidence depends on, for people.
    #[must_use]
    pub fn versions(&self) -> String {
        format!("driver {}, CUDA {}, Compute Sanitizer {}", self.device.driver, self.cuda, self.sanitizer_version)
    }
}

/// Path of Compute Sanitizer: the named one, otherwise the one next to nvcc, otherwise the first in `PATH`.
#[must_use]
pub fn sanitizer(nvcc: Option<&Path>, named: Option<&Path>) -> Option<PathBuf> {
    let beside = || nvcc?.canonicalize().ok().map(|p| p.with_file_name("compute-sanitizer")).filter(|p| p.is_file());
    named.map(Path::to_owned).or_else(beside).or_else(|| which::which("compute-sanitizer").ok())
}

/// Text after a mark, up to white space.
fn after(text: &str, mark: &str) -> String {
    text.split_once(mark)
        .and_then(|(_, rest)| rest.split_whitespace().next())
        .unwrap_or("of unknown version")
        .to_owned()
}

fn output(program: &Path, arguments: &[&str], patience: Duration) -> Result<String, String> {
    let done = process::run(Command::new(program).args(arguments), "", patience, None).map_err(|e| e.to_string())?;
    if done.success() { Ok(done.output) } else { Err(format!("it {}", done.how())) }
}

#[cfg(test)]
mod tests {
    use super::{Gpu, after, hides_all};

    #[test]
    fn devices_may_be_hidden() {
        for text in ["", " ", "-1", "-1,0", "NoDevFiles"] {
            assert!(hides_all(text), "{text}");
        }
        for text in ["0", "1,-1", "GPU-8932f937-d72c", "MIG-1/0/0"] {
            assert!(!hides_all(text), "{text}");
        }
    }

    #[test]
    fn devices_and_versions_are_read_from_what_the_tools_print() {
        let d = Gpu::parse("NVIDIA H200, 580.159.04, 9.0\nNVIDIA L4, 580.159.04, 8.9\n").unwrap();
        assert_eq!(
            (d.name.as_str(), d.driver.as_str(), d.capability, d.architecture().as_str()),
            ("NVIDIA H200", "580.159.04", 90, "sm_90")
        );
        assert_eq!(Gpu::parse("RTX, 595.1, 12.0").map(|d| d.capability), Some(120));
        let lacks = ["sm_80", "sm_90", "sm_90a", "sm_100", "sm_100f"].map(|a| d.lacks_code_of(a));
        assert_eq!(lacks, [false, false, true, true, true]);
        assert_eq!(Gpu::parse("No devices were found"), None);
        assert_eq!(Gpu::parse(""), None);
        assert_eq!(after("Cuda compilation tools, release 13.0, V13.0.88\nBuild …", ", V"), "13.0.88");
        assert_eq!(after("Version 2025.3.1.0 (build 36400806)", "Version "), "2025.3.1.0");
    }
}
