//! Findings as diagnostics, with the steps from the input to the byte as related information.

use super::EditorTools;
use super::text::{ColumnUnit, column};
use super::uri;
use super::view::{MarkKind, PresentLines, TextMark};
use base::rules::Level;
use finding::{Finding, SAME_CHECK};
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position,
    Range,
};
use report::explained;
use report::kept::KeptReport;
use serde_json::json;
use std::path::Path;

/// Name that editors show beside a diagnostic.
const SOURCE: &str = "scuba";

/// Data for diagnostics beside the marks.
pub struct DiagnosticContext<'a> {
    pub tools: &'a EditorTools,
    pub unit: ColumnUnit,
    /// Present text of a file, open or not.
    pub text_of: &'a dyn Fn(&Path) -> Option<String>,
}

impl DiagnosticContext<'_> {
    /// Returns the diagnostics of a text, in the order of its lines.
    #[must_use]
    pub fn of(&self, marks: &[TextMark<'_>], text: &str) -> Vec<Diagnostic> {
        let lines: Vec<&str> = text.lines().collect();
        let mut all: Vec<Diagnostic> = marks
            .iter()
            .filter_map(|m| match m.kind {
                MarkKind::Finding(f) => Some(self.diagnostic(f, m, range_of(m, &lines, self.unit))),
                MarkKind::Undecided(_) | MarkKind::Place(_) => None,
            })
            .collect();
        all.sort_by_key(|d| (d.range.start.line, d.range.start.character));
        all
    }

    fn diagnostic(&self, f: &Finding, mark: &TextMark<'_>, range: Range) -> Diagnostic {
        let mut message = f.message.clone();
        let notes = explained::notes(f);
        // The first note is the counterexample.
        if let Some(first) = notes.first().filter(|_| f.witness.is_some()) {
            message.push('\n');
            message.push_str(first);
        }
        if mark.of_whole {
            message.push_str("\nfound in the last build; the file alone does not decide it");
        }
        let page = (self.tools.rule_page)(f.rule).and_then(|path| uri::of_path(&path));
        Diagnostic {
            range,
            severity: Some(match f.level {
                Level::Deny => DiagnosticSeverity::ERROR,
                Level::Warn => DiagnosticSeverity::WARNING,
                Level::Note | Level::Allow => DiagnosticSeverity::INFORMATION,
            }),
            code: Some(NumberOrString::String(f.rule.to_string())),
            code_description: page.map(|href| CodeDescription { href }),
            source: Some(SOURCE.into()),
            message,
            related_information: Some(self.related(f, mark.report)).filter(|all| !all.is_empty()),
            tags: None,
            data: Some(json!({ "fingerprint": f.fingerprint })),
        }
    }

    /// Returns the places of a finding: those of its steps, else its allocation, its launch and what is passed between.
    fn related(&self, f: &Finding, report: &KeptReport) -> Vec<DiagnosticRelatedInformation> {
        let mut places: Vec<(&str, u32, u32, String)> = Vec::new();
        for s in &f.steps {
            let Some(p) = &s.position else { continue };
            places.push((&p.file, p.line, p.column, s.message.clone()));
        }
        if places.is_empty() {
            if let Some(a) = &f.allocation {
                places.push((&a.file, a.line, a.column, format!("allocation: {} bytes", a.extent)));
            }
            for r in f.related.iter().filter(|r| r.what != SAME_CHECK) {
                places.push((&r.position.file, r.position.line, r.position.column, r.what.clone()));
            }
            if let Some(l) = &f.launch {
                places.push((&l.file, l.line, l.column, format!("launch: grid {}, block {}", l.grid, l.block)));
            }
        }
        let known = places.into_iter().filter(|(file, line, ..)| !file.is_empty() && *line > 0);
        known
            .filter_map(|(file, line, column, message)| self.information(report, file, (line, column), message))
            .collect()
    }

    fn information(
        &self,
        report: &KeptReport,
        file: &str,
        (line, column_now): (u32, u32),
        message: String,
    ) -> Option<DiagnosticRelatedInformation> {
        let path = report.origin.root.join(file);
        let text = (self.text_of)(&path)?;
        let present = PresentLines::of(report, file, &text);
        let (now, bytes) = present.place(line, column_now, None)?;
        let text = present.line(now + 1).unwrap_or_default();
        let at = |byte| Position { line: now, character: column(text, byte, self.unit) };
        let range = Range { start: at(bytes.start), end: at(bytes.end) };
        Some(DiagnosticRelatedInformation { location: Location { uri: uri::of_path(&path)?, range }, message })
    }
}

/// Returns the range of a mark for the client.
#[must_use]
pub fn range_of(mark: &TextMark<'_>, lines: &[&str], unit: ColumnUnit) -> Range {
    range_in(lines.get(mark.line as usize).copied().unwrap_or_default(), mark.line, &mark.range, unit)
}

/// Returns the range of some bytes of a line for the client.
#[must_use]
pub fn range_in(line: &str, number: u32, bytes: &std::ops::Range<usize>, unit: ColumnUnit) -> Range {
    let at = |byte| Position { line: number, character: column(line, byte, unit) };
    Range { start: at(bytes.start), end: at(bytes.end) }
}
