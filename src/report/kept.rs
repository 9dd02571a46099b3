//! The last report, as it is kept for commands that come later: the page, SARIF, the editor.
//!
//! In: a report, and how it came about. Out: plain data with everything that a renderer needs but the sources' texts.

use crate::assemble::Assembled;
use finding::sources::SourceFiles;
use finding::{Finding, Position};
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
    /// Revision of `--diff-base` of the build, if this report has the findings too that the build left out.
    #[serde(default)]
    pub beyond_diff_base: Option<String>,
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

impl StatedContract {
    /// Returns the file and the line of the statement, if they are known.
    #[must_use]
    pub fn place(&self) -> Option<(&str, u32)> {
        let (file, line) = self.origin.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }
}

/// A report with its origin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptReport {
    form: u32,
    pub origin: ReportOrigin,
    pub assembled: Assembled,
    pub contracts: Vec<StatedContract>,
    /// Each source in the report as it was checked, by its path as shown.
    texts: BTreeMap<String, CheckedText>,
}

impl KeptReport {
    #[must_use]
    pub fn new(
        origin: ReportOrigin,
        assembled: Assembled,
        contracts: Vec<StatedContract>,
        sources: &SourceFiles,
    ) -> Self {
        let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for (file, line) in positions(&assembled).filter(|(file, _)| !file.is_empty()) {
            wanted.entry(file).or_default().insert(line);
        }
        let texts = wanted
            .iter()
            .filter_map(|(file, lines)| Some(((*file).to_owned(), CheckedText::of(&sources.text(file)?, lines))))
            .collect();
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
        self.texts.get(file).is_some_and(|checked| !checked.is_of(text))
    }

    /// Returns a source as it was checked; `None` if the report does not mention it.
    #[must_use]
    pub fn checked(&self, file: &str) -> Option<&CheckedText> {
        self.texts.get(file)
    }

    /// Iterates over the sources in the report.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }
}

/// A source at the time of its check: enough to find its positions again after edits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedText {
    hash: String,
    /// Number of lines.
    count: u32,
    /// Lines that the report mentions.
    lines: BTreeMap<u32, String>,
}

impl CheckedText {
    /// Takes the wanted lines of a text.
    #[must_use]
    pub fn of(text: &str, wanted: &BTreeSet<u32>) -> Self {
        let lines = (1..).zip(text.lines()).filter(|(n, _)| wanted.contains(n)).map(|(n, l)| (n, l.to_owned()));
        Self { hash: hash(text), count: count(text), lines: lines.collect() }
    }

    fn is_of(&self, text: &str) -> bool {
        self.hash == hash(text)
    }

    /// Returns the text of a line that the report mentions.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&str> {
        self.lines.get(&number).map(String::as_str)
    }

    /// Finds the lines in a later text: by number before the first edit and after the last one, else the nearest equal
    /// line in between. A line that was edited is missing. Indentation makes no difference.
    #[must_use]
    pub fn lines_in(&self, text: &str) -> BTreeMap<u32, u32> {
        let now: Vec<&str> = text.lines().map(str::trim).collect();
        let there = |n: i64| usize::try_from(n - 1).ok().and_then(|i| now.get(i)).copied();
        let is_at = |(checked, n): (&str, i64)| there(n) == Some(checked.trim());
        let shift = i64::from(count(text)) - i64::from(self.count);
        let all: Vec<(u32, &str)> = self.lines.iter().map(|(n, l)| (*n, l.as_str())).collect();
        let before = all.iter().take_while(|(n, l)| is_at((l, i64::from(*n)))).count();
        let after = all[before..].iter().rev().take_while(|(n, l)| is_at((l, i64::from(*n) + shift))).count();
        let mut found: BTreeMap<u32, u32> = all[..before].iter().map(|(n, _)| (*n, *n)).collect();
        let moved = |n: u32| u32::try_from(i64::from(n) + shift).unwrap_or(n);
        found.extend(all[all.len() - after..].iter().map(|(n, _)| (*n, moved(*n))));
        let first = before.checked_sub(1).map_or(0, |i| all[i].0);
        let last = all.get(all.len() - after).map_or(u32::MAX, |(n, _)| moved(*n));
        // The nearest line to where the lines before it lead, and behind these.
        let (mut least, mut by) = (first, 0_i64);
        for &(n, line) in &all[before..all.len() - after] {
            let wanted = i64::from(n) + by;
            let equal = (1_u32..).zip(&now).filter(|(i, l)| *i > least && *i < last && **l == line.trim());
            if let Some((i, _)) = equal.min_by_key(|(i, _)| (i64::from(*i) - wanted).abs()) {
                found.insert(n, i);
                (least, by) = (i, i64::from(i) - i64::from(n));
            }
        }
        found
    }
}

fn count(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Returns the files that a report mentions.
#[must_use]
pub fn files(assembled: &Assembled) -> BTreeSet<&str> {
    positions(assembled).map(|(file, _)| file).filter(|f| !f.is_empty()).collect()
}

/// Iterates over the files and lines that a report mentions.
fn positions(assembled: &Assembled) -> impl Iterator<Item = (&str, u32)> {
    let report = &assembled.report;
    let found = report.findings.iter().chain(assembled.suppressed.iter().map(|s| &s.finding)).flat_map(positions_of);
    let undecided = report.undecided.iter().map(|u| at(&u.position));
    found.chain(undecided).chain(assembled.places.iter().map(|p| at(&p.position)))
}

/// Iterates over the files and lines that a finding mentions.
pub fn positions_of(f: &Finding) -> impl Iterator<Item = (&str, u32)> {
    let allocation = f.allocation.iter().map(|a| (a.file.as_str(), a.line));
    let launch = f.launch.iter().map(|l| (l.file.as_str(), l.line));
    let steps = f.steps.iter().filter_map(|s| s.position.as_ref()).map(at);
    let related = f.related.iter().map(|r| at(&r.position));
    let fix = f.fix.iter().map(|x| at(&x.position));
    let all = std::iter::once(at(&f.access.position)).chain(allocation).chain(launch).chain(related).chain(steps);
    all.chain(fix).filter(|(file, _)| !file.is_empty())
}

fn at(p: &Position) -> (&str, u32) {
    (p.file.as_str(), p.line)
}

#[cfg(test)]
mod tests {
    use super::CheckedText;

    const TEXT: &str = "a\nx = 1;\nb\n  x = 2;\nx = 1;\nc\n";

    /// Lines 2, 4 and 5 of the text above, in another text; 0: gone.
    fn found(text: &str) -> [u32; 3] {
        let checked = CheckedText::of(TEXT, &[2, 4, 5].into());
        let now = checked.lines_in(text);
        [2, 4, 5].map(|n| now.get(&n).copied().unwrap_or(0))
    }

    #[test]
    fn lines_are_found_again_after_edits() {
        assert_eq!(found(TEXT), [2, 4, 5]);
        assert_eq!(found(&format!("new\n{TEXT}")), [3, 5, 6]);
        assert_eq!(found(&format!("{TEXT}new\n")), [2, 4, 5]);
        assert_eq!(found("a\nx = 1;\nb\nnew\nnew\n  x = 2;\nx = 1;\nc\n"), [2, 6, 7]);
        assert_eq!(found("a\nx = 1;\nx = 2;\nx = 1;\nc\n"), [2, 3, 4]);
        assert_eq!(found("a\nx = 1;\nb\nif (c) {\n  x = 2;\n  x = 1;\n}\nc\n"), [2, 5, 6]);
    }

    #[test]
    fn an_edited_line_is_gone_and_no_equal_line_takes_its_place() {
        assert_eq!(found("a\nx = 9;\nb\n  x = 2;\nx = 1;\nc\n"), [0, 4, 5]);
        assert_eq!(found("a\nx = 1;\nb\n  x = 3;\nx = 1;\nc\n"), [2, 0, 5]);
        assert_eq!(found("a\nx = 1;\nb\n  x = 2;\nc\n"), [2, 4, 0]);
        assert_eq!(found(""), [0, 0, 0]);
    }
}
