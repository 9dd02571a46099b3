//! What is to be built and run: all that [`super::execute`] knows.

use base::rules::Rule;
use finding::{Direction, RunFile};
use frontend::own::Own;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Changes when a reader of an older one would misunderstand it.
pub const SCHEMA: &str = "scuba-bundle/2";
/// Forms of older versions that are read as well. The first knew no input files.
const OLDER: [&str; 1] = ["scuba-bundle/1"];
/// In the place of a function of the runtime: the program's own code accesses memory.
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
    /// The tool's version.
    pub version: String,
    pub limits: Limits,
    /// What attempts refer to by name; each is built when it is first needed.
    pub builds: Vec<Build>,
    pub cases: Vec<Case>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes between allocations.
    pub padding: u32,
    /// Bytes of device memory that a run may ask for.
    pub max_bytes: u64,
    /// Seconds for one run.
    pub timeout_s: u32,
    /// Bytes of host memory for one process.
    pub memory: u64,
}

impl Limits {
    /// For one run.
    #[must_use]
    pub fn time(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout_s))
    }
}

/// A word of a command, with the places that are not known beforehand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    Text(String),
    /// A path below the folder that is made for one execution.
    Scratch(String),
    /// A path below the bundle's folder.
    Bundle(String),
    /// `sm_90`, for the device at hand.
    Architecture,
}

impl Word {
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    Nvcc,
    Nvlink,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Where it runs.
    pub directory: Word,
    pub tool: Tool,
    pub words: Vec<Word>,
}

/// Something to be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    pub name: String,
    /// What the last step leaves, below the scratch folder.
    pub output: String,
    pub steps: Vec<Step>,
}

/// What the tool on the device must say before a finding is called confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub fingerprint: String,
    /// [`super::store::key`] of the finding.
    pub witness: String,
    pub rule: Rule,
    /// Whether a replay reached it; what is merely possible may need what its witness does not say. Bundles of older versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<bool>,
    /// The finding in one line, for people.
    pub summary: String,
    /// Demangled, with parameter types.
    pub kernel: String,
    /// Absolute, or below the bundle's folder.
    pub file: String,
    pub line: u32,
    /// Where the access itself is in a header that is nobody's own, `name.hpp:12`: the line is what calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<String>,
    /// What is the user's in the unit, by the paths that it was read from. Bundles of older versions do not say.
    #[serde(default)]
    pub own: Own,
    pub direction: Direction,
    /// Width in bytes.
    pub bytes: u64,
    pub block: [u64; 3],
    pub thread: [u64; 3],
    /// The function of the CUDA runtime that must fail, where it is a call of the host's that is wrong; [`HOST_ACCESS`] where the host itself
    /// accesses what it may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Of such a call: where in which extent the bytes begin that the witness says are wrong. Bundles of older versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// One side of a copy or a fill, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    pub offset: i64,
    pub extent: i64,
}

/// A way to see a finding on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum Attempt {
    /// The program itself.
    Program {
        executable: Executable,
        directory: Word,
        argv: Vec<String>,
        stdin: String,
        /// What it reads, by the names under which it opens them, from its working folder.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<RunFile>,
        /// Where launches of other kernels are left out, the symbol of the one that is not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<String>,
        /// Bytes of device memory that the replay saw allocated at the launch.
        device_bytes: u64,
    },
    /// One launch of the kernel by `templates/launch.cpp`.
    Launch {
        /// A build whose output is the cubin.
        cubin: String,
        /// The kernel's mangled name as clang has it; nvcc's differs for what is local to a unit.
        kernel: String,
        /// The launch but for its module and its kernel.
        description: String,
        /// The object that the access is meant for, by its name in the description, and its offset and extent in bytes.
        target: Option<(String, i64, i64)>,
        device_bytes: u64,
    },
    /// The same launch of code in which the access is checked, without Compute Sanitizer.
    Check {
        /// PTX, in the bundle.
        code: Word,
        /// The kernel's name in it.
        kernel: String,
        /// The launch but for its module and its kernel.
        description: String,
        /// The access's row in what the check records.
        row: usize,
        /// Bytes of the array.
        extent: i64,
        device_bytes: u64,
        /// Where all other accesses are guarded, the row that counts what was left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guard: Option<usize>,
    },
}

impl Attempt {
    /// Bytes of device memory that it asks for.
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
    /// A build's output.
    Built(String),
    /// A file that exists.
    At(Word),
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    pub expected: Expected,
    /// The `.scuba` folder that its outcome belongs to, where the program was checked.
    pub store: PathBuf,
    /// In this order, until one confirms it.
    pub attempts: Vec<Attempt>,
    /// Why some ways could not be prepared.
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("cannot read {}: {source}; a bundle is a folder that `scuba confirm --bundle` wrote", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} is no manifest of a bundle: {source}", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("{} has the form `{found}`, and this version reads `{SCHEMA}` and older ones: make the bundle again with this version, or run it with the one that made it", path.display())]
    Schema { path: PathBuf, found: String },
}

impl Manifest {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { schema: SCHEMA.into(), version: env!("CARGO_PKG_VERSION").into(), limits, builds: vec![], cases: vec![] }
    }

    /// The manifest of the bundle in a folder.
    ///
    /// # Errors
    /// When there is none, or it is of another form.
    pub fn load(bundle: &Path) -> Result<Self, ManifestError> {
        let path = bundle.join(FILE);
        let text =
            std::fs::read_to_string(&path).map_err(|source| ManifestError::Read { path: path.clone(), source })?;
        // The form first: another one may not parse as this one.
        let form: serde_json::Value =
            serde_json::from_str(&text).map_err(|source| ManifestError::Parse { path: path.clone(), source })?;
        let found = form.get("schema").and_then(serde_json::Value::as_str).unwrap_or("nothing");
        if found != SCHEMA && !OLDER.contains(&found) {
            return Err(ManifestError::Schema { path, found: found.into() });
        }
        serde_json::from_str(&text).map_err(|source| ManifestError::Parse { path, source })
    }

    /// The text of its file.
    ///
    /// # Errors
    /// When it cannot be rendered (`serde_json` knows no such case for our types).
    pub fn render(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|t| t + "\n")
    }
}
