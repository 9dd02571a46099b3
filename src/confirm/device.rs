//! The GPU, the CUDA toolkit and Compute Sanitizer of this machine.

use super::process;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a tool may take to say its version: drivers in trouble do not answer at all.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The variable that says which GPUs programs see.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// A list of devices ends at the first that there cannot be.
fn hides_all(visible: &str) -> bool {
    let first = visible.split(',').next().unwrap_or_default().trim();
    first.is_empty() || first.starts_with('-') || first == "NoDevFiles"
}

/// A GPU as `nvidia-smi` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub name: String,
    pub driver: String,
    /// `90` for compute capability 9.0.
    pub capability: u32,
}

/// Everything a run needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    pub device: Device,
    pub nvcc: PathBuf,
    pub compute_sanitizer: PathBuf,
    /// `13.0.88`
    pub cuda: String,
    /// `2025.3.1.0`
    pub sanitizer_version: String,
}

impl Toolchain {
    /// The names of the toolkit's folder: as nvcc is called, and with links resolved.
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

impl Device {
    /// The first GPU of this machine.
    ///
    /// # Errors
    /// When there is none, or the driver does not answer in `patience`.
    pub fn find(patience: Duration) -> Result<Self, DeviceError> {
        let failed = |why: &str| DeviceError::NoDevice(why.to_owned());
        // nvidia-smi does not look at it, all that CUDA runs does.
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

    /// `sm_90`
    #[must_use]
    pub fn architecture(&self) -> String {
        format!("sm_{}", self.capability)
    }
}

impl Toolchain {
    /// `nvcc` is the real one; `sanitizer` is scuba.toml's, else the one beside nvcc or in `PATH`. `patience`: for each tool to say
    /// what it is.
    ///
    /// # Errors
    /// When something is missing; the message says what to do.
    pub fn find(nvcc: Option<&Path>, sanitizer: Option<&Path>, patience: Duration) -> Result<Self, DeviceError> {
        let device = Device::find(patience)?;
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

    /// What evidence rests on, for people.
    #[must_use]
    pub fn versions(&self) -> String {
        format!("driver {}, CUDA {}, Compute Sanitizer {}", self.device.driver, self.cuda, self.sanitizer_version)
    }
}

/// The Compute Sanitizer to run: the one that is named, else the one beside nvcc, else the first in `PATH`.
#[must_use]
pub fn sanitizer(nvcc: Option<&Path>, named: Option<&Path>) -> Option<PathBuf> {
    let beside = || nvcc?.canonicalize().ok().map(|p| p.with_file_name("compute-sanitizer")).filter(|p| p.is_file());
    named.map(Path::to_owned).or_else(beside).or_else(|| which::which("compute-sanitizer").ok())
}

/// What follows a mark, up to white space.
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
    use super::{Device, after, hides_all};

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
        let d = Device::parse("NVIDIA H200, 580.159.04, 9.0\nNVIDIA L4, 580.159.04, 8.9\n").unwrap();
        assert_eq!(
            (d.name.as_str(), d.driver.as_str(), d.capability, d.architecture().as_str()),
            ("NVIDIA H200", "580.159.04", 90, "sm_90")
        );
        assert_eq!(Device::parse("RTX, 595.1, 12.0").map(|d| d.capability), Some(120));
        assert_eq!(Device::parse("No devices were found"), None);
        assert_eq!(Device::parse(""), None);
        assert_eq!(after("Cuda compilation tools, release 13.0, V13.0.88\nBuild …", ", V"), "13.0.88");
        assert_eq!(after("Version 2025.3.1.0 (build 36400806)", "Version "), "2025.3.1.0");
    }
}
