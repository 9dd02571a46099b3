//! The last report: kept by every check, found again by the page, SARIF and the editor.
//!
//! In: a report, and the sources or the `.scuba` folders that it is about. Out: a file in each of these folders that
//! exists; else a file in the user's cache, under the folder that would hold `.scuba`. A report that cannot be kept does
//! not stop the check.

use crate::history::{self, HistoryRecord};
use crate::programs::stored::StoredFacts;
use crate::session::Session;
use base::paths;
use files::store::{self, Readers};
use finding::sources::SourceFiles;
use nvcc::history::{BuildHistory, now};
use report::assemble::Assembled;
use report::kept::{self, KeptReport, ReportOrigin, StatedContract};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the file in a `.scuba` folder.
const FILE: &str = "last-report";
/// Folder in the user's cache.
const CACHE: &str = "reports";

/// Subject of a check: facts, or sources with their flags.
#[derive(Clone, Debug, Default)]
pub struct CheckSubject {
    /// `.scuba` folders of the facts, or the one for outcomes of sources. The first keeps the history.
    pub folders: Vec<PathBuf>,
    /// Whether the folders hold the facts that were checked.
    pub of_facts: bool,
    /// Sources named on the command line, and nvcc's flags for them.
    pub sources: Vec<PathBuf>,
    pub flags: Vec<OsString>,
    /// Contracts that the sources state.
    pub contracts: Vec<StatedContract>,
    /// File that gets the report instead.
    pub file: Option<PathBuf>,
}

/// Keeps a report.
pub fn keep(session: &Session, assembled: &Assembled, sources: &SourceFiles, subject: &CheckSubject) {
    let Ok(folder) = std::env::current_dir() else { return };
    let kept = of(session, assembled.clone(), sources, subject, folder.clone());
    let Ok(text) = serde_json::to_vec(&kept) else { return };
    let targets = subject.file.as_ref().map_or_else(
        || targets(&subject.folders, &folder),
        |file| vec![(file.parent().unwrap_or(Path::new("/")).to_owned(), file.clone())],
    );
    for (root, path) in targets {
        let readers = if root.file_name().is_some_and(|n| n == paths::NAME) { Readers::Umask } else { Readers::Owner };
        // A full disk, or a folder of another user.
        let _ = store::replace(&root, &path, readers, &text);
    }
}

/// Makes what is kept of a report.
#[must_use]
pub fn of(
    session: &Session,
    assembled: Assembled,
    sources: &SourceFiles,
    subject: &CheckSubject,
    folder: PathBuf,
) -> KeptReport {
    let text = |words: &[OsString]| words.iter().map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let root = session.root.folder().to_owned();
    let origin = ReportOrigin {
        at: now(),
        command: command_line(),
        revision: revision(&root, &kept::files(&assembled).into_iter().map(str::to_owned).collect::<Vec<_>>()),
        folder,
        root,
        beyond_diff_base: None,
        of_facts: subject.of_facts,
        sources: subject.sources.iter().map(|p| p.to_string_lossy().into_owned()).collect(),
        flags: text(&subject.flags),
    };
    let contracts = session.config.contracts.iter().filter(|c| !c.requires.is_empty()).map(|c| StatedContract {
        function: c.function.clone(),
        requires: c.requires.iter().map(|r| r.text.clone()).collect(),
        origin: c.requires.first().map(|r| session.root.show(&r.origin)).unwrap_or_default(),
    });
    let contracts = contracts.chain(subject.contracts.iter().cloned()).collect();
    KeptReport::new(origin, assembled, contracts, sources)
}

/// Returns this process's command line, the program by its name alone.
fn command_line() -> Vec<String> {
    let mut words: Vec<String> = std::env::args_os().map(|w| w.to_string_lossy().into_owned()).collect();
    if let Some(name) = words.first_mut()
        && let Some(last) = Path::new(name.as_str()).file_name()
    {
        *name = last.to_string_lossy().into_owned();
    }
    words
}

/// Returns the files that keep a report, each with its root: in the folders that exist, and where a later command in
/// the working folder searches.
fn targets(folders: &[PathBuf], working: &Path) -> Vec<(PathBuf, PathBuf)> {
    let here = paths::of_this_process(None, working);
    let mut all: Vec<(PathBuf, PathBuf)> =
        folders.iter().filter(|f| f.is_dir()).map(|f| (f.clone(), f.join(FILE))).collect();
    if here.is_dir() {
        all.push((here.clone(), here.join(FILE)));
    } else {
        all.extend(in_cache(&here));
    }
    all.sort();
    all.dedup();
    all
}

/// Returns the file in the user's cache for a `.scuba` folder that does not exist, with its root.
fn in_cache(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let root = paths::cache()?;
    let name = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    let path = root.join(CACHE).join(&name.as_str()[..32]);
    Some((root, path))
}

/// Returns the files that may hold the last report about a folder.
#[must_use]
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let here = paths::of_this_process(None, dir);
    let folders = StoredFacts::folders_of(dir);
    folders.iter().chain([&here]).map(|f| f.join(FILE)).chain(in_cache(&here).map(|(_, path)| path)).collect()
}

/// Returns the files that change with each build or check about a folder.
#[must_use]
pub fn watched(dir: &Path) -> Vec<PathBuf> {
    let histories = StoredFacts::folders_of(dir).into_iter().map(|f| BuildHistory::of(&f).file().to_owned());
    files(dir).into_iter().chain(histories).collect()
}

/// Whether something was built about a folder since its last report: commands of a build without `scuba build` keep
/// none.
#[must_use]
pub fn is_behind(dir: &Path) -> bool {
    let at = find(dir).map_or(0, |kept| kept.origin.at);
    is_built_since(dir, at)
}

fn is_built_since(dir: &Path, at: u64) -> bool {
    let built = history::records(&StoredFacts::folders_of(dir));
    built.iter().any(|r| !matches!(r, HistoryRecord::Check(_)) && r.at() > at)
}

/// Returns the last report about a folder, if one was kept.
#[must_use]
pub fn find(dir: &Path) -> Option<KeptReport> {
    files(dir).into_iter().filter_map(|file| read(&file)).max_by_key(|kept| kept.origin.at)
}

/// Reads a kept report.
#[must_use]
pub fn read(file: &Path) -> Option<KeptReport> {
    KeptReport::read(&store::bytes(file)?)
}

/// Returns the last report about a folder if no facts can give it again, and nothing was built there since.
#[must_use]
pub fn without_facts(dir: &Path) -> Option<KeptReport> {
    let kept = find(dir).filter(|kept| !kept.origin.of_facts)?;
    (!is_built_since(dir, kept.origin.at)).then_some(kept)
}

/// Returns the commit of a folder's repository, and whether some of these files differ from it.
fn revision(root: &Path, files: &[String]) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(root).args(["--no-optional-locks", "-c", "core.fsmonitor=false"]).args(arguments);
        command.output().ok()
    };
    let head = git(&["rev-parse", "--short=12", "HEAD"]).filter(|out| out.status.success())?;
    let commit = String::from_utf8(head.stdout).ok()?.trim().to_owned();
    let mut arguments = vec!["diff", "--quiet", "HEAD", "--"];
    let inside: Vec<&str> = files.iter().map(String::as_str).filter(|f| Path::new(f).is_relative()).collect();
    arguments.extend(&inside);
    let changed = !inside.is_empty() && git(&arguments).is_some_and(|out| out.status.code() == Some(1));
    Some(if changed { format!("{commit}, with changes") } else { commit })
}
