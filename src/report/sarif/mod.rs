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
use super::human::notes;
use super::short::word;
use super::suppress::SuppressionReason;
use base::rules::{Level, Rule};
use finding::sources::SourceFiles;
use finding::{Finding, Verdict};
use place::{Places, Spot};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tool::sentence;

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
            "properties": {"summary": report.summary},
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
        let spot = Spot { array: Some(&a.array), ..Spot::new(&p.file, p.line.max(1), p.column) };
        let mut place = places.location(spot, None);
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
        if let Some(hash) = self.line_hash(&p.file, p.line.max(1)) {
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

    fn line_hash(&mut self, file: &str, line: u32) -> Option<String> {
        if !self.hashes.contains_key(file) {
            let hashes = self.places.text(file).map(|text| line_hash::of_lines(&text)).unwrap_or_default();
            self.hashes.insert(file.to_owned(), hashes);
        }
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
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
        let location = places.location(Spot::new(&al.file, al.line, al.column), Some(&text));
        all.push(RelatedPlace { location, link: Some("allocation") });
    }
    if let Some(l) = f.launch.as_ref().filter(|l| !l.file.is_empty()) {
        let text = sentence(&format!("launch with grid `{}`, block `{}`", l.grid, l.block));
        let location = places.location(Spot::new(&l.file, l.line, l.column), Some(&text));
        all.push(RelatedPlace { location, link: Some("launch") });
    }
    all.extend(f.related.iter().map(|r| {
        let p = &r.position;
        let location = places.location(Spot::new(&p.file, p.line, p.column), Some(&sentence(&r.what)));
        RelatedPlace { location, link: None }
    }));
    for (id, r) in all.iter_mut().enumerate() {
        r.location["id"] = json!(id + 1);
    }
    all
}

/// Returns what goes wrong, for which input, and links to the places that GitHub then shows. The first sentence stands
/// alone in lists.
fn message(f: &Finding, related: &[RelatedPlace]) -> String {
    // `](` would make a link of an expression.
    let plain = |text: &str| text.replace("](", "] (").replace('\n', " ");
    let mut sentences = vec![sentence(&plain(&f.message))];
    if f.access.position.line == 0 {
        sentences.push(sentence(&format!(
            "it is `{}[{}]` in `{}`",
            f.access.array,
            plain(&f.access.index),
            f.access.kernel
        )));
    }
    // The first note of a finding with a witness is its counterexample.
    if let Some(counterexample) = f.witness.as_ref().and_then(|_| notes(f).into_iter().next()) {
        sentences.push(sentence(&plain(&counterexample)));
    }
    if f.verdict == Verdict::Possible {
        sentences.push("This is possible, not proved.".into());
    }
    let links = related.iter().enumerate().filter_map(|(i, r)| Some(format!("[{}]({})", r.link?, i + 1)));
    let links = links.collect::<Vec<_>>().join(" and ");
    if !links.is_empty() {
        sentences.push(format!("See its {links}."));
    }
    sentences.join(" ")
}
