//! Bundles: folders that another machine can run, with manifest, sources, flags and a runner.
//!
//! The user's files are under `sources/` at their own absolute paths, so that includes find each other as in the
//! original tree.

use super::commands::{FileLocations, is_system};
use super::manifest::{self, CommandWord, Manifest};
use super::prepare::Generated;
use super::store::RecordedOutcome;
use files::normalise;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Folder of the user's files in a bundle, each at its own absolute path.
pub(super) const SOURCES: &str = "sources";
/// Source file of the launcher in a bundle.
pub const LAUNCHER: &str = "launch.cpp";
/// Source file of the wrappers that inspect host calls.
pub const CALLS: &str = "calls.cpp";
const RUNNER: &str = "run.sh";
const RESULTS: &str = "results.json";
const RESULTS_SCHEMA: &str = "scuba-results/1";

/// Locations of files in a bundle; records which files were requested.
#[derive(Debug, Default)]
pub struct BundledFiles {
    toolkit: Vec<PathBuf>,
    files: RefCell<BTreeSet<PathBuf>>,
    folders: RefCell<BTreeSet<PathBuf>>,
}

impl BundledFiles {
    /// `toolkit` lists the names of the CUDA toolkit's folder, which every machine has itself. `sources` are all
    /// files that the units read.
    #[must_use]
    pub fn new(toolkit: Vec<PathBuf>, sources: impl IntoIterator<Item = PathBuf>) -> Self {
        let new = Self { toolkit, ..Self::default() };
        for path in sources {
            new.file(&path);
        }
        new
    }

    fn place(&self, path: &Path, kept: &RefCell<BTreeSet<PathBuf>>) -> CommandWord {
        let path = normalise(Path::new("/"), path);
        if is_system(&path, &self.toolkit) {
            return CommandWord::text(path.to_string_lossy());
        }
        let word = CommandWord::Bundle(below(&path).to_string_lossy().into_owned());
        kept.borrow_mut().insert(path);
        word
    }
}

impl FileLocations for BundledFiles {
    fn file(&self, path: &Path) -> CommandWord {
        self.place(path, &self.files)
    }
    fn folder(&self, path: &Path) -> CommandWord {
        self.place(path, &self.folders)
    }
}

fn below(path: &Path) -> PathBuf {
    Path::new(SOURCES).join(path.strip_prefix("/").unwrap_or(path))
}

#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("{} is not empty: name a folder that is, or one that does not exist yet", .0.display())]
    NotEmpty(PathBuf),
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} has no results: {source}", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("{} has the form `{found}`, and this version reads `{RESULTS_SCHEMA}`: run the bundle again with this version", path.display())]
    Schema { path: PathBuf, found: String },
}

impl BundleError {
    /// Replaces the prefix `from` of paths by `to`.
    fn moved(self, from: &Path, to: &Path) -> Self {
        match self {
            Self::Write { path, source } => {
                Self::Write { path: path.strip_prefix(from).map_or(path.clone(), |p| to.join(p)), source }
            }
            other => other,
        }
    }
}

/// Writes a bundle into an empty or new folder, completely or not at all. Returns the files that could not be read
/// and are missing from it.
///
/// # Errors
/// If the folder is not empty, or a file cannot be written.
pub fn write(
    folder: &Path,
    manifest: &Manifest,
    copied: &BundledFiles,
    generated: &[Generated],
) -> Result<Vec<PathBuf>, BundleError> {
    let failed = |source| BundleError::Write { path: folder.to_owned(), source };
    if folder.read_dir().is_ok_and(|mut d| d.next().is_some()) {
        return Err(BundleError::NotEmpty(folder.to_owned()));
    }
    // An existing folder may be a mount point, a link or the working folder, so it is not replaced.
    let there = folder.is_dir();
    let parent = if there { folder } else { folder.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new(".")) };
    std::fs::create_dir_all(parent).map_err(failed)?;
    let mode = std::fs::Permissions::from_mode(0o777);
    let part =
        tempfile::Builder::new().prefix(".scuba-bundle-").permissions(mode).tempdir_in(parent).map_err(failed)?;
    let unread = fill(part.path(), manifest, copied, generated).map_err(|e| e.moved(part.path(), folder))?;
    let put = |name: &Path| match there {
        true => std::fs::rename(part.path().join(name), folder.join(name)),
        false => std::fs::rename(part.path(), folder),
    };
    if there {
        let entries = part.path().read_dir().map_err(failed)?.collect::<io::Result<Vec<_>>>().map_err(failed)?;
        let names = entries.iter().map(std::fs::DirEntry::file_name).filter(|n| n != manifest::FILE);
        // Without a manifest a folder is no bundle.
        for name in names.chain([manifest::FILE.into()]) {
            put(Path::new(&name)).map_err(failed)?;
        }
    } else {
        put(Path::new("")).map_err(failed)?;
    }
    Ok(unread)
}

/// Writes the files of a bundle into a new folder. Returns the files that cannot be read.
fn fill(
    folder: &Path,
    manifest: &Manifest,
    copied: &BundledFiles,
    generated: &[Generated],
) -> Result<Vec<PathBuf>, BundleError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| BundleError::Write { path, source }
    };
    let mut unread = Vec::new();
    for dir in copied.folders.borrow().iter() {
        let to = folder.join(below(dir));
        std::fs::create_dir_all(&to).map_err(failed(&to))?;
    }
    for file in copied.files.borrow().iter() {
        let to = folder.join(below(file));
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent).map_err(failed(parent))?;
        }
        let Ok(bytes) = std::fs::read(file) else {
            unread.push(file.clone());
            continue;
        };
        std::fs::write(&to, bytes).map_err(failed(&to))?;
        // Executable files stay executable.
        if let Ok(meta) = file.metadata() {
            let _ = std::fs::set_permissions(&to, meta.permissions());
        }
    }
    write_generated(folder, generated)?;
    let put = |name: &str, text: &str| {
        let to = folder.join(name);
        std::fs::write(&to, text).map_err(failed(&to))
    };
    put(LAUNCHER, super::prepare::TEMPLATE)?;
    put(CALLS, super::prepare::CALLS)?;
    put(
        RUNNER,
        "#!/bin/sh\n# Runs these counterexamples on the GPU of this machine; needs the CUDA toolkit and `scuba` (in PATH, or named by SCUBA).\n\
        exec \"${SCUBA:-scuba}\" confirm --from \"$(dirname \"$0\")\" \"$@\"\n",
    )?;
    let runner = folder.join(RUNNER);
    std::fs::set_permissions(&runner, std::fs::Permissions::from_mode(0o755)).map_err(failed(&runner))?;
    let text =
        manifest.render().map_err(|e| BundleError::Write { path: folder.join(manifest::FILE), source: e.into() })?;
    put(manifest::FILE, &text)?;
    Ok(unread)
}

/// Writes the files that accompany a manifest.
///
/// # Errors
/// If a file cannot be written.
pub fn write_generated(folder: &Path, generated: &[Generated]) -> Result<(), BundleError> {
    for g in generated {
        let path = folder.join(&g.name);
        let written =
            path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, &g.text));
        written.map_err(|source| BundleError::Write { path, source })?;
    }
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Results {
    schema: String,
    outcomes: Vec<RecordedOutcome>,
}

/// Writes the outcomes of a run of the bundle into the bundle.
///
/// # Errors
/// If the file cannot be written.
pub fn write_results(folder: &Path, outcomes: &[RecordedOutcome]) -> Result<(), BundleError> {
    let path = folder.join(RESULTS);
    let results = Results { schema: RESULTS_SCHEMA.into(), outcomes: outcomes.to_vec() };
    let text = serde_json::to_string_pretty(&results)
        .map_err(|e| BundleError::Write { path: path.clone(), source: e.into() })?;
    std::fs::write(&path, text + "\n").map_err(|source| BundleError::Write { path, source })
}

/// Outcomes of a run of the bundle; `None` if it has not been run.
///
/// # Errors
/// If the results cannot be read.
pub fn results(folder: &Path) -> Result<Option<Vec<RecordedOutcome>>, BundleError> {
    let path = folder.join(RESULTS);
    match std::fs::read(&path) {
        Ok(bytes) => read_results(&bytes, path).map(Some),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(BundleError::Read { path, source }),
    }
}

fn read_results(bytes: &[u8], path: PathBuf) -> Result<Vec<RecordedOutcome>, BundleError> {
    let failed = |source| BundleError::Parse { path: path.clone(), source };
    // Checks the schema first, as with a manifest.
    let form: serde_json::Value = serde_json::from_slice(bytes).map_err(failed)?;
    let found = form.get("schema").and_then(serde_json::Value::as_str).unwrap_or("nothing");
    if found != RESULTS_SCHEMA {
        return Err(BundleError::Schema { found: found.into(), path: path.clone() });
    }
    serde_json::from_value::<Results>(form).map(|r| r.outcomes).map_err(failed)
}
