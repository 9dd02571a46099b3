//! The last report, as it is kept for commands that come later: the page, SARIF, the editor.
//!
//! In: a report, and how it came about. Out: plain data with everything that a renderer needs but the sources' texts.

use crate::assemble::Assembled;
use finding::sources::SourceFiles;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Version of the form. A report of another version counts as missing.
const FORM: u32 = 1;

/// Origin of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportOrigin {
    /// Milliseconds since 1970.
    pub at: u64,
    /// Command line, the program's name first.
    pub command: Vec<String>,
    /// Folder in which the command ran.
    pub folder: PathBuf,
    /// Folder that paths are relative to.
    pub root: PathBuf,
    /// Commit of the sources, and whether files in the report differ from it.
    pub revision: Option<String>,
    /// Whether the report is about the facts of a build, from which it can be made again.
    pub of_facts: bool,
    /// Sources named on the command line, as it names them, and nvcc's flags for them.
    pub sources: Vec<String>,
    pub flags: Vec<String>,
}

/// A contract that the project states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedContract {
    /// Pattern of function names.
    pub function: String,
    pub requires: Vec<String>,
    /// File and line of the statement.
    pub origin: String,
}

/// A report with its origin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptReport {
    form: u32,
    pub origin: ReportOrigin,
    pub assembled: Assembled,
    pub contracts: Vec<StatedContract>,
    /// Hash of each source in the report at the time of the check, by its path as shown.
    texts: BTreeMap<String, String>,
}

impl KeptReport {
    #[must_use]
    pub fn new(
        origin: ReportOrigin,
        assembled: Assembled,
        contracts: Vec<StatedContract>,
        sources: &SourceFiles,
    ) -> Self {
        let texts = files(&assembled).into_iter().filter_map(|f| Some((f.to_owned(), hash(&sources.text(f)?))));
        let texts = texts.collect();
        Self { form: FORM, origin, assembled, contracts, texts }
    }

    /// Reads a kept report; `None` if it is of another version, or damaged.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(bytes).ok().filter(|k| k.form == FORM)
    }

    /// Whether a source's text differs from the one that was checked.
    #[must_use]
    pub fn has_changed(&self, file: &str, text: &str) -> bool {
        self.texts.get(file).is_some_and(|checked| *checked != hash(text))
    }
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Returns the files that a report mentions.
#[must_use]
pub fn files(assembled: &Assembled) -> BTreeSet<&str> {
    let report = &assembled.report;
    let found = report.findings.iter().flat_map(|f| {
        let related = f.related.iter().map(|r| r.position.file.as_str());
        let ends = [&f.allocation.as_ref().map(|a| &a.file), &f.launch.as_ref().map(|l| &l.file)];
        let ends = ends.into_iter().filter_map(|file| file.map(String::as_str)).collect::<Vec<_>>();
        related.chain(ends).chain([f.access.position.file.as_str()])
    });
    let undecided = report.undecided.iter().map(|u| u.position.file.as_str());
    let places = assembled.places.iter().map(|p| p.position.file.as_str());
    found.chain(undecided).chain(places).filter(|f| !f.is_empty()).collect()
}
