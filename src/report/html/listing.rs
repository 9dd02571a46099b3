//! Sources with every checked access marked by its verdict.

use super::excerpt::{AROUND, LineMark, SourceRow, spans};
use super::{class_of, id_of_line};
use crate::kept::{self, KeptReport, StatedContract};
use finding::counts::PlaceClass;
use finding::sources::SourceFiles;
use finding::{Finding, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Number of files that are shown unfolded.
const OPEN: usize = 1;

/// A source as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedSource {
    pub name: String,
    /// Numbers of accesses by verdict, in words.
    pub tally: String,
    pub open: bool,
    pub changed: bool,
    pub rows: Vec<SourceRow>,
}

/// Marks by file and line.
type FileMarks = BTreeMap<String, BTreeMap<u32, Vec<LineMark>>>;

/// Returns the sources with accesses, those with findings first.
#[must_use]
pub fn sources(kept: &KeptReport, texts: &SourceFiles) -> Vec<MarkedSource> {
    let mut all: Vec<(bool, MarkedSource)> = marks(kept)
        .into_iter()
        .filter_map(|(file, lines)| {
            let text = texts.text(&file)?;
            let found = kept.assembled.report.findings.iter().any(|f| f.access.position.file == file);
            let changed = kept.has_changed(&file, &text);
            Some((
                found,
                MarkedSource {
                    tally: tally(&lines),
                    open: false,
                    changed,
                    rows: rows(&file, &text, &lines),
                    name: file,
                },
            ))
        })
        .filter(|(_, source)| !source.rows.is_empty())
        .collect();
    all.sort_by_key(|(found, _)| !found);
    let mut all: Vec<MarkedSource> = all.into_iter().map(|(_, source)| source).collect();
    all.iter_mut().take(OPEN).for_each(|s| s.open = true);
    all
}

/// Collects the marks of findings and undecided accesses, and of other accesses where there is neither.
fn marks(kept: &KeptReport) -> FileMarks {
    let report = &kept.assembled.report;
    let mut all = FileMarks::new();
    // Lines that findings lead to, so that their links lead somewhere.
    for (file, line) in report.findings.iter().flat_map(kept::positions_of).filter(|(_, line)| *line > 0) {
        all.entry(file.to_owned()).or_default().entry(line).or_default();
    }
    for (file, line) in kept.contracts.iter().filter_map(StatedContract::place) {
        if let Some(lines) = all.get_mut(file) {
            lines.entry(line).or_default();
        }
    }
    let mut add = |file: &str, line: u32, mark: LineMark| {
        if line > 0 {
            all.entry(file.to_owned()).or_default().entry(line).or_default().push(mark);
        }
    };
    for f in &report.findings {
        let p = &f.access.position;
        add(&p.file, p.line, of_finding(f));
    }
    for (i, u) in report.undecided.iter().enumerate() {
        let mark = LineMark {
            column: u.position.column,
            array: Some(u.array.clone()),
            class: "unknown",
            title: format!("undecided: {}", u.reason),
            link: super::id_of_undecided(i),
            weight: 1,
        };
        add(&u.position.file, u.position.line, mark);
    }
    let told: BTreeSet<(&str, u32)> = report
        .findings
        .iter()
        .map(|f| &f.access.position)
        .chain(report.undecided.iter().map(|u| &u.position))
        .map(|p| (p.file.as_str(), p.line))
        .collect();
    for place in &kept.assembled.places {
        let p = &place.position;
        // Findings stand at the expression that they are about, not at the operator; places count both.
        if !matches!(place.class, PlaceClass::Safe { .. }) && told.contains(&(p.file.as_str(), p.line)) {
            continue;
        }
        let (class, title, weight) = match place.class {
            PlaceClass::Safe { if_no_wrap: true, .. } => ("safe", "safe unless an index wraps", 0),
            PlaceClass::Safe { assuming: true, .. } => ("safe", "safe under an assumption", 0),
            PlaceClass::Safe { .. } => ("safe", "safe for every input", 0),
            PlaceClass::Unknown => ("unknown", "undecided", 1),
            PlaceClass::Possible => ("possible", "possibly wrong", 2),
            PlaceClass::Proved => ("proved", "wrong", 3),
        };
        let array = Some(place.array.clone());
        add(
            &p.file,
            p.line,
            LineMark { column: p.column, array, class, title: title.into(), link: String::new(), weight },
        );
    }
    all
}

fn of_finding(f: &Finding) -> LineMark {
    LineMark {
        column: f.access.position.column,
        array: Some(f.access.array.clone()),
        class: class_of(f.verdict),
        title: f.message.clone(),
        link: super::id_of_finding(f),
        weight: if f.verdict == Verdict::Proved { 3 } else { 2 },
    }
}

fn tally(lines: &BTreeMap<u32, Vec<LineMark>>) -> String {
    let count = |class| lines.values().flatten().filter(|m| m.class == class).count();
    let words =
        [("proved", "proved wrong"), ("possible", "possibly wrong"), ("unknown", "undecided"), ("safe", "safe")];
    let parts = words.map(|(class, word)| (count(class), word));
    parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect::<Vec<_>>().join(", ")
}

/// Returns the lines near marks, and a row without a number for those left out in between.
fn rows(file: &str, text: &str, lines: &BTreeMap<u32, Vec<LineMark>>) -> Vec<SourceRow> {
    let mut rows: Vec<SourceRow> = Vec::new();
    let near = |n: u32| lines.range(n.saturating_sub(AROUND)..=n.saturating_add(AROUND)).next().is_some();
    let gap = || SourceRow { number: 0, id: String::new(), here: false, spans: vec![] };
    for (number, line) in (1..).zip(text.lines()) {
        if near(number) {
            let marks = lines.get(&number).map(Vec::as_slice).unwrap_or_default();
            rows.push(SourceRow { number, id: id_of_line(file, number), here: false, spans: spans(line, marks) });
        } else if rows.last().is_some_and(|r| r.number > 0) {
            rows.push(gap());
        }
    }
    rows.pop_if(|last| last.number == 0);
    rows
}
