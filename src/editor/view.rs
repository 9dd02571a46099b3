//! Marks of a text: what its reports say, at the places in the text as it is now.

use super::reports::FileReports;
use finding::counts::CountedPlace;
use finding::{Finding, Undecided};
use report::kept::KeptReport;
use report::span;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a mark says.
#[derive(Clone, Copy, Debug)]
pub enum MarkKind<'a> {
    Finding(&'a Finding),
    Undecided(&'a Undecided),
    Place(&'a CountedPlace),
}

/// A mark of a report.
#[derive(Clone, Debug)]
pub struct TextMark<'a> {
    pub kind: MarkKind<'a>,
    /// Report that the mark is from.
    pub report: &'a KeptReport,
    /// 0-based line now.
    pub line: u32,
    /// Bytes within the line.
    pub range: Range<usize>,
    /// Whether a later check of the file alone could not decide it.
    pub of_whole: bool,
}

/// Places of one file's positions in its present text.
#[derive(Debug)]
pub struct PresentLines<'a> {
    lines: Vec<&'a str>,
    moved: BTreeMap<u32, u32>,
    checked: Option<&'a report::kept::CheckedText>,
}

impl<'a> PresentLines<'a> {
    /// Finds the lines that a report mentions of a file.
    #[must_use]
    pub fn of(report: &'a KeptReport, file: &str, text: &'a str) -> Self {
        let checked = report.checked(file);
        let moved = checked.map(|c| c.lines_in(text)).unwrap_or_default();
        Self { lines: text.lines().collect(), moved, checked }
    }

    /// Returns the present 0-based line and the bytes of the expression at a checked position; `None` if the line was
    /// edited. A position without a line is at the start of the text.
    #[must_use]
    pub fn place(&self, line: u32, column: u32, array: Option<&str>) -> Option<(u32, Range<usize>)> {
        if line == 0 {
            return Some((0, 0..0));
        }
        let now = *self.moved.get(&line)?;
        let text = self.line(now)?;
        let before = self.checked?.line(line)?;
        let indent = |t: &str| t.len() - t.trim_start().len();
        // A formatter may have moved the whole line.
        let column = match (usize::try_from(column).ok()?, indent(before), indent(text)) {
            (0, _, _) => 0,
            (c, old, new) => (c + new).saturating_sub(old),
        };
        let range = span::expression(text, u32::try_from(column).unwrap_or(u32::MAX), array);
        Some((now - 1, range))
    }

    /// Returns a line of the present text by its 1-based number.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&'a str> {
        self.lines.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }
}

/// Returns the marks of a file, findings first.
#[must_use]
pub fn marks<'a>(reports: &FileReports<'a>, text: &'a str) -> Vec<TextMark<'a>> {
    let (report, file) = (reports.own.0, reports.own.1.as_str());
    let present = PresentLines::of(report, file, text);
    let mut all = Vec::new();
    let mut add = |present: &PresentLines<'a>, report, kind, at: (u32, u32), array: &str, of_whole| {
        if let Some((line, range)) = present.place(at.0, at.1, Some(array)) {
            all.push(TextMark { kind, report, line, range, of_whole });
        }
    };
    let found = &report.assembled.report;
    for f in found.findings.iter().filter(|f| f.access.position.file == file) {
        let p = &f.access.position;
        add(&present, report, MarkKind::Finding(f), (p.line, p.column), &f.access.array, false);
    }
    if let Some((whole, name, left)) = &reports.whole {
        let present = PresentLines::of(whole, name, text);
        for f in left {
            let p = &f.access.position;
            add(&present, whole, MarkKind::Finding(f), (p.line, p.column), &f.access.array, true);
        }
    }
    for u in found.undecided.iter().filter(|u| u.position.file == file) {
        add(&present, report, MarkKind::Undecided(u), (u.position.line, u.position.column), &u.array, false);
    }
    for place in report.assembled.places.iter().filter(|p| p.position.file == file) {
        let p = &place.position;
        add(&present, report, MarkKind::Place(place), (p.line, p.column), &place.array, false);
    }
    all
}
