//! Renders SARIF 2.1.0 (OASIS), for code scanning services and editors.
//!
//! The properties are those that GitHub's code scanning asks for ("SARIF support for code scanning" in its
//! documentation), and Microsoft's validator finds no error in them. The run has no `automationDetails`: GitHub takes
//! its identifier for the category of an upload, which belongs to the workflow.

mod flow;
mod line_hash;
mod notifications;
mod place;
#[cfg(test)]
mod tests;
mod tool;

use super::assemble::Assembled;
use super::sentences::{self, sentence};
use super::short::word;
use super::suppress::SuppressionReason;
use base::rules::{Level, Rule};
use finding::sources::SourceFiles;
use finding::{Finding, Position};
use place::{Places, at};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Renders the whole document. With `accepted` it includes accepted findings, marked as suppressed; GitHub would show
/// them as open alerts.
#[must_use]
pub fn document(assembled: &Assembled, accepted: bool, sources: &SourceFiles) -> Value {
    let report = &assembled.report;
    let places = Places::new(sources);
    let mut results = ResultWriter { places: &places, hashes: FxHashMap::default() };
    let mut all: Vec<Value> = report.findings.iter().map(|f| results.result(f)).collect();
    for s in assembled.suppressed.iter().filter(|_| accepted) {
        let (kind, reason) = match &s.by {
            SuppressionReason::Comment { reason } => ("inSource", reason.as_str()),
            SuppressionReason::Path { reason } => ("external", reason.as_str()),
            SuppressionReason::Baseline => ("external", "in the baseline"),
        };
        let mut result = results.result(&s.finding);
        result["suppressions"] = json!([{"kind": kind, "justification": reason}]);
        all.push(result);
    }
    let execution = notifications::of_execution(assembled, &places);
    let configuration = notifications::of_configuration(assembled, &places);
    let kinds = notifications::kinds(&[execution.as_slice(), configuration.as_slice()].concat());
    let mut base = serde_json::Map::new();
    base.insert(place::TOP.into(), json!({"description": {"text": "The folder of the repository."}}));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": tool::driver(&report.tool, &kinds)},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": base,
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": execution,
                "toolConfigurationNotifications": configuration,
            }],
            "results": all,
            "properties": {"summary": report.summary, "diffBase": report.diff_base},
        }],
    })
}

/// Writer of results.
struct ResultWriter<'a> {
    places: &'a Places<'a>,
    /// Fingerprints of the lines of files.
    hashes: FxHashMap<String, Vec<String>>,
}

impl ResultWriter<'_> {
    fn result(&mut self, f: &Finding) -> Value {
        let places = self.places;
        let a = &f.access;
        let p = &a.position;
        let related = related(f, places);
        // GitHub wants a line: a finding without one belongs to the first.
        let lined = Position { line: p.line.max(1), ..p.clone() };
        let mut place = places.location(&lined, Some(&a.array), None);
        place["logicalLocations"] = json!([{"fullyQualifiedName": a.kernel, "kind": "function"}]);
        let mut result = json!({
            "ruleId": f.rule.name(),
            "ruleIndex": Rule::ALL.iter().position(|r| *r == f.rule),
            "level": if f.level == Level::Allow { "none" } else { word(f.level) },
            "message": {"text": message(f, &related)},
            "locations": [place],
            "relatedLocations": related.iter().map(|r| &r.location).collect::<Vec<_>>(),
            "partialFingerprints": {"scuba/v1": f.fingerprint},
            "occurrenceCount": f.occurrences,
            "properties": {"verdict": f.verdict, "degenerate": f.degenerate, "program": f.program, "root": f.root,
                           "array": a.array, "index": a.index, "witness": f.witness, "confirmation": f.confirmation,
                           "assumptions": f.assumptions, "unknowns": f.unknowns},
        });
        if let Some(hash) = self.line_hash(&lined) {
            result["partialFingerprints"]["primaryLocationLineHash"] = json!(hash);
        }
        if let Some(flow) = flow::of(f, places) {
            result["codeFlows"] = flow;
        }
        if let Some(fix) = &f.fix {
            let p = &fix.position;
            let inserted = json!({
                "deletedRegion": {"startLine": p.line, "startColumn": p.column, "endLine": p.line, "endColumn": p.column},
                "insertedContent": {"text": fix.text},
            });
            result["fixes"] = json!([{
                "description": {"text": format!("Check it: `{}`.", fix.text.trim())},
                "artifactChanges": [{"artifactLocation": places.artifact(&p.file), "replacements": [inserted]}],
            }]);
        }
        if let Some(why) = &f.confirmation_not_run {
            result["properties"]["confirmationNotRun"] = json!(why);
        }
        result
    }

    fn line_hash(&mut self, at: &Position) -> Option<String> {
        let file = at.file.as_str();
        if !self.hashes.contains_key(file) {
            let hashes = self.places.text(file).map(|text| line_hash::of_lines(&text)).unwrap_or_default();
            self.hashes.insert(file.to_owned(), hashes);
        }
        let index = usize::try_from(at.line).ok()?.checked_sub(1)?;
        self.hashes.get(file)?.get(index).cloned()
    }
}

/// A location beside that of a result, and the words by which the result's message refers to it, if it does.
struct RelatedPlace {
    location: Value,
    link: Option<&'static str>,
}

fn related(f: &Finding, places: &Places<'_>) -> Vec<RelatedPlace> {
    let mut all = vec![];
    if let Some(al) = f.allocation.as_ref().filter(|al| !al.file.is_empty()) {
        let text = sentence(&format!("allocation of `{}` bytes", al.extent));
        let location = places.location(&at(&al.file, al.line, al.column), None, Some(&text));
        all.push(RelatedPlace { location, link: Some("allocation") });
    }
    if let Some(l) = f.launch.as_ref().filter(|l| !l.file.is_empty()) {
        let text = sentence(&format!("launch with grid `{}`, block `{}`", l.grid, l.block));
        let location = places.location(&at(&l.file, l.line, l.column), None, Some(&text));
        all.push(RelatedPlace { location, link: Some("launch") });
    }
    all.extend(f.related.iter().map(|r| {
        let location = places.location(&r.position, None, Some(&sentence(&r.what)));
        RelatedPlace { location, link: None }
    }));
    for (id, r) in all.iter_mut().enumerate() {
        r.location["id"] = json!(id + 1);
    }
    all
}

/// Returns what goes wrong, for which input, and links to the places that GitHub then shows.
fn message(f: &Finding, related: &[RelatedPlace]) -> String {
    // `](` would make a link of an expression.
    let mut sentences: Vec<String> = sentences::of(f).iter().map(|s| s.replace("](", "] (")).collect();
    let links = related.iter().enumerate().filter_map(|(i, r)| Some(format!("[{}]({})", r.link?, i + 1)));
    let links = links.collect::<Vec<_>>().join(" and ");
    if !links.is_empty() {
        sentences.push(format!("See its {links}."));
    }
    sentences.join(" ")
}
