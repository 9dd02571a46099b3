//! The `tool` of a SARIF document: SCuBA, its rules, and the kinds of its notifications.

use crate::sentences::sentence;
use crate::short::word;
use base::rules::{Level, Rule};
use finding::ReportTool;
use serde_json::{Value, json};

pub(super) fn driver(tool: &ReportTool, notifications: &[Value]) -> Value {
    let mut driver = json!({
        "name": "SCuBA",
        "fullName": "SCuBA: Static CUda Bounds Analyzer",
        "semanticVersion": tool.version,
        "version": tool.version,
        "rules": Rule::ALL.map(rule),
        "properties": {"z3": tool.z3, "frontend": tool.frontend, "deviceMemory": tool.axioms.device_memory},
    });
    // An empty list would say that the kinds are known to be none.
    if !notifications.is_empty() {
        driver["notifications"] = json!(notifications);
    }
    // The manifest's homepage, once there is one.
    if !env!("CARGO_PKG_HOMEPAGE").is_empty() {
        driver["informationUri"] = json!(env!("CARGO_PKG_HOMEPAGE"));
    }
    driver
}

/// Returns the description of a rule. GitHub reads severity and precision from its properties, and shows its help.
fn rule(rule: Rule) -> Value {
    let info = rule.info();
    let cwe = info.weakness.cwe;
    let tags: Vec<String> = ["security", "correctness", "cuda"]
        .map(str::to_owned)
        .into_iter()
        .chain(cwe.iter().map(|n| format!("external/cwe/cwe-{n:03}")))
        .collect();
    let mut described = json!({
        "id": rule.name(),
        "name": pascal_case(rule.title()),
        "shortDescription": {"text": sentence(rule.title())},
        "fullDescription": {"text": rule.summary()},
        "help": {"text": info.page, "markdown": info.page},
        "defaultConfiguration": {"level": word(info.level)},
        "properties": {
            "tags": tags,
            "precision": precision(info.level),
            "problem.severity": word(info.level),
            "security-severity": info.weakness.severity,
        },
    });
    if let Some(n) = cwe.first() {
        described["helpUri"] = json!(format!("https://cwe.mitre.org/data/definitions/{n}.html"));
    }
    described
}

/// Returns GitHub's word for how often findings of a rule are right. A denied finding was reached by a replay; the rules
/// that warn report what the program relies on without a check, which its users may know to hold.
const fn precision(level: Level) -> &'static str {
    match level {
        Level::Deny => "very-high",
        Level::Warn => "high",
        Level::Note | Level::Allow => "medium",
    }
}

/// Formats `copy beyond an allocation` as `CopyBeyondAnAllocation`.
fn pascal_case(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}
