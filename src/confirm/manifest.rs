//! Manifests: what to build and run, all that [`super::execute`] knows.

use base::rules::Rule;
use finding::{Direction, RunFile};
use frontend::own::UserFolders;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Schema version; changes if a reader of an older version would misunderstand the manifest.
pub const SCHEMA: &str = "scuba-bundle/2";
/// Schemas of older versions that are accepted, too. The first one had no input files.
const OLDER: [&str; 1] = ["scuba-bundle/1"];
/// Value of [`Expected::call`] if the program's own code accesses memory, instead of a runtime function.
pub const HOST_ACCESS: &str = "access";
/// Name of the manifest in a bundle.
pub const FILE: &str = "manifest.json";

/// Whether a folder is a bundle, of whichever version.
#[must_use]
pub fn is_bundle(folder: &Path) -> bool {
    let form = std::fs::read(folder.join(FILE)).ok().and_then(|t| serde_json::from_slice::<serde_json::Value>(&t).ok());
    let schema = form.as_ref().and_then(|f| f.get("schema")).and_then(serde_json::Value::as_str);
    schema.is_some_and(|s| s.starts_with("scuba-bundle/"))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub schema: String,
    /// Version of the tool.
    pub version: String,
    pub limits: RunLimits,
    /// Builds that attempts refer to by name; each is run when it is first needed.
    pub builds: Vec<ManifestBuild>,
    pub cases: Vec<ConfirmCase>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Bytes between allocations.
    pub padding: u32,
    /// Bytes of device memory that a run may allocate.
    pub max_bytes: u64,
    /// Time limit of a run in seconds.
    pub timeout_s: u32,
    /// Bytes of host memory of one process.
    pub memory: u64,
}

impl RunLimits {
    /// Time limit of a run.
    #[must_use]
    pub fn time(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout_s))
    }
}

/// A word of a command, or a placeholder for one that is known only at execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandWord {
    Text(String),
    /// A path below the scratch folder of an execution.
    Scratch(String),
    /// A path below the bundle's folder.
    Bundle(String),
    /// Architecture of the current device, such as `sm_90`.
    Architecture,
}

impl CommandWord {
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildTool {
    Nvcc,
    Nvlink,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildStep {
    /// Working folder.
    pub directory: CommandWord,
    pub tool: BuildTool,
    pub words: Vec<CommandWord>,
}

/// A build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestBuild {
    pub name: String,
    /// Output of the last step, below the scratch folder.
    pub output: String,
    pub steps: Vec<BuildStep>,
}

/// Report of the tool on the device that confirms a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub fingerprint: String,
    /// [`super::store::key`] of the finding.
    pub witness: String,
    pub rule: Rule,
    /// True if a replay reached the access; a possible finding may need more than its witness says. Absent in bundles
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<bool>,
    /// The finding in one line, for people.
    pub summary: String,
    /// Architecture whose device code has the finding, such as `sm_100f`. Absent in bundles of older versions, and for
    /// findings about host calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    /// Demangled name with parameter types.
    pub kernel: String,
    /// Absolute path, or path below the bundle's folder.
    pub file: String,
    pub line: u32,
    /// Position of the access itself, `name.hpp:12`, if it is in a header outside the user's code; `line` is then the
    /// line that calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<String>,
    /// The user's own paths in the unit, as they were read. Absent in bundles of older versions.
    #[serde(default)]
    pub own: UserFolders,
    pub direction: Direction,
    /// Width in bytes.
    pub bytes: u64,
    pub block: [u64; 3],
    pub thread: [u64; 3],
    /// Function of the CUDA runtime that must fail, if the fault is in a host call; [`HOST_ACCESS`] if host code
    /// makes an illegal access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Offset of the wrong bytes and extent of the memory in such a call, from the witness. Absent in bundles of
    /// older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<CopySide>,
}

/// Side of a copy or a fill, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopySide {
    pub offset: i64,
    pub extent: i64,
}

/// A method to observe a finding on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum Attempt {
    /// Runs the program itself.
    Program {
        executable: Executable,
        directory: CommandWord,
        argv: Vec<String>,
        stdin: String,
        /// Input files in the working folder, by the names under which the program opens them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<RunFile>,
        /// Symbol of the only kernel to launch, if launches of other kernels are left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<String>,
        /// Bytes of device memory that the replay had allocated at the launch.
        device_bytes: u64,
    },
    /// Launches the kernel once with `templates/launch.cpp`.
    Launch {
        /// Build whose output is the cubin.
        cubin: String,
        /// Mangled name of the kernel in clang's code; nvcc's name differs for symbols local to a unit.
        kernel: String,
        /// Description of the launch without module and kernel.
        description: String,
        /// Name of the access's object in the description, and its offset and extent in bytes.
        target: Option<(String, i64, i64)>,
        device_bytes: u64,
    },
    /// Makes the same launch of code with a check at the access, without Compute Sanitizer.
    Check {
        /// PTX in the bundle.
        code: CommandWord,
        /// Name of the kernel in the PTX.
        kernel: String,
        /// Description of the launch without module and kernel.
        description: String,
        /// Row of the access in the check's records.
        row: usize,
        /// Size of the array in bytes.
        extent: i64,
        device_bytes: u64,
        /// Row that counts the skipped accesses, if all other accesses are guarded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guard: Option<usize>,
    },
}

impl Attempt {
    /// Bytes of device memory that the attempt allocates.
    #[must_use]
    pub fn device_bytes(&self) -> u64 {
        let (Self::Program { device_bytes, .. } | Self::Launch { device_bytes, .. } | Self::Check { device_bytes, .. }) =
            self;
        *device_bytes
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Executable {
    /// Output of a build.
    Built(String),
    /// An existing file.
    At(CommandWord),
}

/// A finding to confirm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmCase {
    pub expected: Expected,
    /// The `.scuba` folder to which the outcome belongs, where the program was checked.
    pub store: PathBuf,
    /// Attempts in order, until one confirms the finding.
    pub attempts: Vec<Attempt>,
    /// Reasons why some attempts could not be prepared.
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("cannot read {}: {source}; a bundle is a folder that `scuba confirm --bundle` wrote", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} is not a bundle's manifest: {source}", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("{} has the form `{found}`, and this version reads `{SCHEMA}` and older ones: make the bundle again with this version, or run it with the one that made it", path.display())]
    Schema { path: PathBuf, found: String },
}

impl Manifest {
    #[must_use]
    pub fn new(limits: RunLimits) -> Self {
        Self { schema: SCHEMA.into(), version: env!("CARGO_PKG_VERSION").into(), limits, builds: vec![], cases: vec![] }
    }

    /// Loads the manifest of a bundle from its folder.
    ///
    /// # Errors
    /// If there is none, or it has another schema.
    pub fn load(bundle: &Path) -> Result<Self, ManifestError> {
        let path = bundle.join(FILE);
        let text =
            std::fs::read_to_string(&path).map_err(|source| ManifestError::Read { path: path.clone(), source })?;
        // Checks the schema first: a manifest with another one may not parse.
        let form: serde_json::Value =
            serde_json::from_str(&text).map_err(|source| ManifestError::Parse { path: path.clone(), source })?;
        let found = form.get("schema").and_then(serde_json::Value::as_str).unwrap_or("nothing");
        if found != SCHEMA && !OLDER.contains(&found) {
            return Err(ManifestError::Schema { path, found: found.into() });
        }
        serde_json::from_str(&text).map_err(|source| ManifestError::Parse { path, source })
    }

    /// Text of the manifest file.
    ///
    /// # Errors
    /// If it cannot be rendered (`serde_json` has no such case for our types).
    pub fn render(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|t| t + "\n")
    }
}
