//! Changes since a revision, and which findings they concern (`--diff-base`).
//!
//! In: a revision of the project's git repository, findings. Out: the findings that are new: a line of their path has
//! changed ([`path`] says when exactly), or git does not track a file of it. The others are counted.

mod git;
mod patch;
mod path;

use anyhow::Result;
use finding::DiffBase;
use finding::sources::SourceFiles;
use git::Repository;
use patch::ChangedFiles;
use path::FindingPath;
use report::assemble::Assembled;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Environment variable that carries the commit to the shims of a build.
const COMMIT_VARIABLE: &str = "SCUBA_DIFF_BASE";
/// Environment variable that carries the repository's folder to them.
const REPOSITORY_VARIABLE: &str = "SCUBA_DIFF_REPOSITORY";

/// Changes of a working tree since a revision.
#[derive(Debug)]
pub struct ChangesSince {
    revision: String,
    /// Last common ancestor of the revision and the present commit.
    commit: String,
    folder: PathBuf,
    changed: ChangedFiles,
    /// Paths in the repository that git tracks.
    tracked: BTreeSet<String>,
}

impl ChangesSince {
    /// Compares the working tree of the repository that holds `folder` with a revision: with its last common ancestor
    /// with the present commit, as services of code review do.
    ///
    /// # Errors
    /// If git cannot be run, the folder is in no repository, or the revision or a common ancestor is not in it.
    pub fn of(revision: &str, folder: &Path) -> Result<Self> {
        let repository = Repository::of(folder, revision)?;
        let commit = repository.ancestor(revision)?;
        let changed = patch::parse(&repository.diff(&commit)?);
        let tracked = repository.tracked()?;
        Ok(Self { revision: revision.to_owned(), commit, folder: repository.folder().to_owned(), changed, tracked })
    }

    /// Compares with the revision that the environment names, for a shim.
    ///
    /// # Errors
    /// Git cannot be run, or the revision is not one, as for [`Self::of`].
    pub fn inherited(folder: &Path) -> Result<Option<Self>> {
        let set = |name| std::env::var(name).ok().filter(|v| !v.is_empty());
        let Some(revision) = set(COMMIT_VARIABLE) else { return Ok(None) };
        let folder = set(REPOSITORY_VARIABLE).map_or_else(|| folder.to_owned(), PathBuf::from);
        Self::of(&revision, &folder).map(Some)
    }

    /// Environment variables by which the shims of a build compare with the same commit.
    #[must_use]
    pub fn environment(&self) -> [(OsString, OsString); 2] {
        [(COMMIT_VARIABLE.into(), self.commit.clone().into()), (REPOSITORY_VARIABLE.into(), self.folder.clone().into())]
    }

    /// Removes findings that are not new from a report, and counts them in it.
    pub fn keep_new(&self, assembled: &mut Assembled, sources: &SourceFiles) {
        let before = assembled.report.findings.len();
        assembled.report.findings.retain(|f| FindingPath::new(self, f, sources).is_new());
        let left_out = u32::try_from(before - assembled.report.findings.len()).unwrap_or(u32::MAX);
        let (revision, commit) = (self.revision.clone(), self.commit.clone());
        assembled.report.diff_base = Some(DiffBase { revision, commit, left_out });
    }

    /// Returns the path of a file in the repository; `None` outside it.
    fn in_repository(&self, file: &Path) -> Option<String> {
        let within = |file: &Path| file.strip_prefix(&self.folder).ok().map(|p| p.to_string_lossy().into_owned());
        within(file).or_else(|| within(&file.canonicalize().ok()?))
    }
}
