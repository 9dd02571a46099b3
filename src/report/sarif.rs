//! Renders SARIF 2.1.0 (OASIS), for code scanning services and editors.

use super::assemble::Assembled;
use super::short::word;
use super::suppress::SuppressionReason;
use base::rules::{Level, Rule};
use finding::Finding;
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Renders the whole document; it includes accepted findings, marked as suppressed.
#[must_use]
pub fn document(assembled: &Assembled) -> Value {
    let report = &assembled.report;
    let accepted = assembled.suppressed.iter().map(|s| {
        let (kind, reason) = match &s.by {
            SuppressionReason::Comment { reason } => ("inSource", reason.as_str()),
            SuppressionReason::Path { reason } => ("external", reason.as_str()),
            SuppressionReason::Baseline => ("external", "in the baseline"),
        };
        let mut r = result(&s.finding);
        r["suppressions"] = json!([{"kind": kind, "justification": reason}]);
        r
    });
    let results: Vec<Value> = report.findings.iter().map(result).chain(accepted).collect();
    let notifications: Vec<Value> = report
        .not_analysed
        .iter()
        .map(|n| {
            json!({
                "level": "note",
                "message": {"text": format!("{} side not analysed: {}", n.side, n.reason)},
                "locations": [location(&n.file, 0, 0, None)],
            })
        })
        .chain(report.built_without_analysis.iter().map(|b| {
            json!({
                "level": "note",
                "message": {"text": "built without the analysis"},
                "locations": [location(&b.file, 0, 0, None)],
            })
        }))
        .chain(report.unseen.iter().map(|u| {
            json!({
                "level": "warning",
                "message": {"text": format!("{}: {} was linked without being read: {}", u.program, u.object, u.reason)},
            })
        }))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "SCuBA",
                "semanticVersion": report.tool.version,
                "rules": Rule::ALL.map(rule),
                "properties": {"z3": report.tool.z3, "frontend": report.tool.frontend,
                               "deviceMemory": report.tool.axioms.device_memory},
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notifications}],
            "results": results,
            "properties": {"summary": report.summary},
        }],
    })
}

fn rule(rule: Rule) -> Value {
    json!({
        "id": rule.name(),
        "shortDescription": {"text": rule.title()},
        "help": {"text": rule.info().page, "markdown": rule.info().page},
        "defaultConfiguration": {"level": word(rule.info().level)},
    })
}

fn result(f: &Finding) -> Value {
    let a = &f.access;
    let p = &a.position;
    let mut related = Vec::new();
    if let Some(al) = f.allocation.as_ref().filter(|al| !al.file.is_empty()) {
        related.push(location(&al.file, al.line, al.column, Some(format!("allocation of `{}` bytes", al.extent))));
    }
    if let Some(l) = f.launch.as_ref().filter(|l| !l.file.is_empty()) {
        related.push(location(
            &l.file,
            l.line,
            l.column,
            Some(format!("launch with grid `{}`, block `{}`", l.grid, l.block)),
        ));
    }
    related.extend(
        f.related.iter().map(|r| location(&r.position.file, r.position.line, r.position.column, Some(r.what.clone()))),
    );
    for (id, r) in related.iter_mut().enumerate() {
        r["id"] = json!(id + 1);
    }
    let mut place = location(&p.file, p.line, p.column, None);
    place["logicalLocations"] = json!([{"fullyQualifiedName": a.kernel, "kind": "function"}]);
    let mut result = json!({
        "ruleId": f.rule.name(),
        "ruleIndex": Rule::ALL.iter().position(|r| *r == f.rule),
        "level": if f.level == Level::Allow { "none" } else { word(f.level) },
        "message": {"text": f.message},
        "locations": [place],
        "relatedLocations": related,
        "partialFingerprints": {"scuba/v1": f.fingerprint},
        "occurrenceCount": f.occurrences,
        "properties": {"verdict": f.verdict, "degenerate": f.degenerate, "program": f.program, "root": f.root,
                       "array": a.array, "index": a.index, "witness": f.witness, "confirmation": f.confirmation,
                       "assumptions": f.assumptions, "unknowns": f.unknowns},
    });
    if let Some(fix) = &f.fix {
        let p = &fix.position;
        let inserted = json!({
            "deletedRegion": {"startLine": p.line, "startColumn": p.column, "endLine": p.line, "endColumn": p.column},
            "insertedContent": {"text": fix.text},
        });
        result["fixes"] = json!([{
            "description": {"text": format!("check it: `{}`", fix.text.trim())},
            "artifactChanges": [{"artifactLocation": {"uri": uri(&p.file)}, "replacements": [inserted]}],
        }]);
    }
    if let Some(why) = &f.confirmation_not_run {
        result["properties"]["confirmationNotRun"] = json!(why);
    }
    result
}

fn location(file: &str, line: u32, column: u32, message: Option<String>) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
    // SARIF counts from 1; 0 means "unknown" here.
    if line > 0 {
        physical["region"] = json!({"startLine": line});
        if column > 0 {
            physical["region"]["startColumn"] = json!(column);
        }
    }
    let mut location = json!({"physicalLocation": physical});
    if let Some(text) = message {
        location["message"] = json!({"text": text});
    }
    location
}

/// Formats a path as a URI reference (RFC 3986): relative to the project, or `file:///…`.
fn uri(path: &str) -> String {
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "" });
    for b in path.bytes() {
        if b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'.' | b'_' | b'~' | b'+' | b'@' | b',') {
            text.push(char::from(b));
        } else {
            text.push_str(&format!("%{b:02X}"));
        }
    }
    text
}
