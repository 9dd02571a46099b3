//! Renders the code quality report of GitLab, which merge requests show beside changed lines.
//!
//! Source of its properties: "Code Quality report format" of GitLab's documentation. The report is an array; its entries
//! are those of the Code Climate specification, of which GitLab ignores all but five.

use crate::repository::RepositoryPaths;
use crate::sentences;
use base::rules::Level;
use finding::sources::SourceFiles;
use finding::{Finding, Report};
use serde_json::{Value, json};

/// Renders the whole report.
pub(crate) fn report(report: &Report, sources: &SourceFiles) -> Value {
    let paths = RepositoryPaths::of(sources.root());
    report.findings.iter().map(|f| entry(f, &paths)).collect()
}

fn entry(f: &Finding, paths: &RepositoryPaths) -> Value {
    let line = f.access.position.line.max(1);
    json!({
        "type": "issue",
        "categories": ["Bug Risk", "Security"],
        "check_name": f.rule.name(),
        "description": sentences::of(f).join(" "),
        "content": {"body": f.rule.info().page},
        "fingerprint": f.fingerprint,
        "severity": severity(f.level),
        "location": {"path": paths.show(&f.access.position.file), "lines": {"begin": line, "end": line}},
    })
}

/// Returns GitLab's word for a level: of `info`, `minor`, `major`, `critical` and `blocker`.
const fn severity(level: Level) -> &'static str {
    match level {
        Level::Deny => "critical",
        Level::Warn => "major",
        Level::Note => "minor",
        Level::Allow => "info",
    }
}
