//! Reports that the server knows: the last one of each folder, and those of files that it had checked since.

use finding::Finding;
use finding::paths::ProjectRoot;
use report::kept::KeptReport;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Reports by what they are about.
#[derive(Debug, Default)]
pub struct KnownReports {
    /// Last reports of folders.
    last: BTreeMap<PathBuf, KeptReport>,
    /// Reports of single sources, by absolute path.
    checked: BTreeMap<PathBuf, KeptReport>,
}

/// The reports that speak for a file.
#[derive(Debug)]
pub struct FileReports<'a> {
    /// The newest report about the file, and the file's name in it.
    pub own: (&'a KeptReport, String),
    /// Findings of a whole build in the file that a later check of the file alone left undecided.
    pub whole: Option<(&'a KeptReport, String, Vec<&'a Finding>)>,
}

impl KnownReports {
    /// Takes the last report of a folder, unless a newer one is known; it replaces older reports of single sources.
    pub fn take_last(&mut self, folder: &Path, report: KeptReport) {
        if self.last.get(folder).is_some_and(|known| known.origin.at > report.origin.at) {
            return;
        }
        self.checked.retain(|_, checked| checked.origin.at > report.origin.at);
        self.last.insert(folder.to_owned(), report);
    }

    /// Takes the report of a source that was checked alone.
    pub fn take_checked(&mut self, source: PathBuf, report: KeptReport) {
        self.checked.insert(source, report);
    }

    fn all(&self) -> impl Iterator<Item = &KeptReport> {
        self.checked.values().chain(self.last.values())
    }

    /// Returns the absolute paths of the files that some report mentions.
    #[must_use]
    pub fn files(&self) -> BTreeSet<PathBuf> {
        self.all().flat_map(|r| r.files().map(|f| r.origin.root.join(f))).collect()
    }

    /// Returns the newest report about the project that a file lies in.
    #[must_use]
    pub fn newest_around(&self, path: &Path) -> Option<&KeptReport> {
        self.all().filter(|r| path.starts_with(&r.origin.root)).max_by_key(|r| r.origin.at)
    }

    /// Returns the reports that speak for a file: the one about it as a source, else the newest that mentions it.
    #[must_use]
    pub fn of(&self, path: &Path) -> Option<FileReports<'_>> {
        let named = |r: &KeptReport| name_in(r, path);
        let by_source = self.checked.get(path).and_then(|r| Some((r, named(r)?)));
        let newest = || self.all().filter_map(|r| Some((r, named(r)?))).max_by_key(|(r, _)| r.origin.at);
        let own = by_source.or_else(newest)?;
        let whole = self
            .last
            .values()
            .filter(|r| !std::ptr::eq(*r, own.0) && own.0.origin.at >= r.origin.at)
            .filter_map(|r| Some((r, named(r)?)))
            .max_by_key(|(r, _)| r.origin.at)
            .map(|(r, name)| {
                let left =
                    r.assembled.report.findings.iter().filter(|f| f.access.position.file == name && is_open(f, own.0));
                let left = left.collect();
                (r, name, left)
            });
        Some(FileReports { own, whole })
    }
}

/// Returns a file's name in a report that mentions it.
fn name_in(report: &KeptReport, path: &Path) -> Option<String> {
    let shown = ProjectRoot::new(report.origin.root.clone()).show(&path.to_string_lossy());
    report.checked(&shown).is_some().then_some(shown)
}

/// Whether a check of fewer files could not decide the access of a finding.
fn is_open(f: &Finding, report: &KeptReport) -> bool {
    let a = &f.access;
    report.assembled.report.undecided.iter().any(|u| u.kernel == a.kernel && u.array == a.array)
}
