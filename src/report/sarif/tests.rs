//! Tests the SARIF document against its schema, and what GitHub reads of it.

use super::document;
use crate::assemble::Assembled;
use crate::render::{MessageFormat, Verbosity};
use crate::tests::{assembled, rendered};
use base::rules::Rule;
use finding::paths::ProjectRoot;
use finding::sources::SourceFiles;
use finding::steps::{Step, StepKind};
use finding::{Fix, Position};
use serde_json::{Value, json};
use std::path::Path;

/// The schema of OASIS, errata 01, from `sarif-2.1/schema/` of github.com/oasis-tcs/sarif-spec at e0583813964e.
const SCHEMA: &str = include_str!("../../../tests/schemas/sarif-2.1.0.json");

/// Checks a document against the official schema.
#[track_caller]
fn assert_valid(document: &Value) {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(document["$schema"], schema["id"]);
    let validator = jsonschema::draft4::new(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    // The schema does refuse something.
    let mut wrong = document.clone();
    wrong["runs"][0]["columnKind"] = json!("bytes");
    assert!(!validator.is_valid(&wrong));
}

/// Returns the document of the findings of `crate::tests`, after a change of them.
fn changed(change: impl FnOnce(&mut Assembled, &Path)) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let sources = SourceFiles::new(ProjectRoot::new(dir.path().to_owned()));
    let mut assembled = assembled(dir.path(), &sources, true);
    change(&mut assembled, dir.path());
    let document = document(&assembled, false, &sources);
    assert_valid(&document);
    document
}

fn at(line: u32, column: u32) -> Position {
    Position { file: "scale.cu".into(), line, column }
}

/// Compares a whole document with its snapshot, in which the rules' pages, texts of their own, stand by their titles.
#[test]
fn sarif() {
    let mut text = rendered(MessageFormat::Sarif, Verbosity::Normal).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    for rule in Rule::ALL {
        let title = format!("The page of {rule}.");
        text = text.replace(&json!(rule.info().page).to_string(), &json!(title).to_string());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn every_rule_has_what_github_shows_and_sorts_by() {
    let document = changed(|_, _| ());
    let rules = document["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), Rule::ALL.len());
    for (rule, described) in Rule::ALL.into_iter().zip(rules) {
        assert_eq!(described["id"], rule.name());
        for text in ["shortDescription", "fullDescription"] {
            let text = described[text]["text"].as_str().unwrap();
            assert!(text.ends_with('.') && text.len() < 1024, "{rule}: {text}");
        }
        assert_eq!(described["help"], json!({"text": rule.info().page, "markdown": rule.info().page}));
        assert!(rule.info().page.contains("## Silencing"), "{rule}");
        assert!(described["helpUri"].as_str().unwrap().starts_with("https://"), "{rule}");
        let properties = &described["properties"];
        let tags: Vec<&str> = properties["tags"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
        assert!(tags.contains(&"security") && tags.iter().any(|t| t.starts_with("external/cwe/cwe-")), "{rule}");
        assert!(["very-high", "high"].contains(&properties["precision"].as_str().unwrap()), "{rule}");
        // GitHub wants the number as a string.
        assert!(properties["security-severity"].as_str().unwrap().parse::<f64>().unwrap() > 0.0, "{rule}");
    }
    assert_eq!(rules[0]["name"], "AccessOutsideAnAllocationInDeviceMemory");
}

#[test]
fn results_point_from_the_first_character_to_the_last_and_tell_the_counterexample() {
    let document = changed(|_, _| ());
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let first = &results[0];
    let physical = &first["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"], json!({"uri": "scale.cu", "uriBaseId": "%SRCROOT%"}));
    // `  a[i] *= 2.0f;`
    assert_eq!(physical["region"], json!({"startLine": 5, "startColumn": 3, "endLine": 5, "endColumn": 7}));
    assert_eq!(
        first["message"]["text"],
        "Write of `a` beyond its allocation. For example with argv[1] = \"1\": grid (1, 1, 1), thread (1, 0, 0) of \
         block (0, 0, 0) accesses bytes 4 to 7 of `a`, which has 4 bytes. See its [allocation](1) and [launch](2)."
    );
    assert_eq!(first["relatedLocations"][1]["id"], 2);
    assert_eq!(first["relatedLocations"][1]["physicalLocation"]["region"]["startLine"], 13);
    let prints = &first["partialFingerprints"];
    assert_eq!(prints["scuba/v1"].as_str().unwrap().len(), 16);
    assert!(prints["primaryLocationLineHash"].as_str().unwrap().ends_with(":1"));
    // A possible finding says so.
    assert!(results[1]["message"]["text"].as_str().unwrap().contains("This is possible, not proved."));
    for r in results {
        let index = usize::try_from(r["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(document["runs"][0]["tool"]["driver"]["rules"][index]["id"], r["ruleId"]);
    }
}

#[test]
fn accepted_findings_are_written_only_for_those_who_ask_since_github_shows_them_as_open() {
    let results = |verbosity| {
        let document: Value = serde_json::from_str(&rendered(MessageFormat::Sarif, verbosity)).unwrap();
        assert_valid(&document);
        document["runs"][0]["results"].as_array().unwrap().clone()
    };
    assert_eq!(results(Verbosity::Normal).len(), 2);
    let all = results(Verbosity::Verbose);
    let suppressed: Vec<&Value> = all.iter().filter_map(|r| r.get("suppressions")).collect();
    assert_eq!(all.len(), 3);
    assert_eq!(suppressed, [&json!([{"kind": "inSource", "justification": "as above"}])]);
}

#[test]
fn steps_are_a_code_flow_in_which_every_location_has_a_place() {
    let step = |kind, message: &str, value: Option<&str>, position| Step {
        kind,
        message: message.into(),
        value: value.map(str::to_owned),
        position,
    };
    let document = changed(|assembled, _| {
        assembled.report.findings[0].steps = vec![
            step(StepKind::Input, "`argv[1]` is the first argument", Some("\"1\""), None),
            step(StepKind::Size, "`n` is `atoi(argv[1])`", Some("1"), Some(at(10, 7))),
            step(StepKind::Allocation, "`a` has `4 * n` bytes", Some("4"), Some(at(12, 3))),
            step(StepKind::Launch, "`scale` is launched with 1 block of 256 threads", None, Some(at(13, 3))),
            step(StepKind::Thread, "thread 1 of block 0", None, None),
            step(StepKind::Index, "`i` is `blockIdx.x * 256 + threadIdx.x`", Some("1"), Some(at(5, 3))),
            step(StepKind::Offset, "byte 4 of 4", None, None),
        ];
    });
    let flow = &document["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let told: Vec<(u64, &str, u64)> = flow
        .as_array()
        .unwrap()
        .iter()
        .map(|l| {
            let location = &l["location"];
            let region = &location["physicalLocation"]["region"];
            (
                l["executionOrder"].as_u64().unwrap(),
                location["message"]["text"].as_str().unwrap(),
                region["startLine"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (1, "`argv[1]` is the first argument; `n` is `atoi(argv[1])`", 10),
            (2, "`a` has `4 * n` bytes", 12),
            (3, "`scale` is launched with 1 block of 256 threads", 13),
            (4, "thread 1 of block 0; `i` is `blockIdx.x * 256 + threadIdx.x`; byte 4 of 4", 5),
        ]
    );
    // `a[i]` of the last one, by its array.
    assert_eq!(flow[3]["location"]["physicalLocation"]["region"]["endColumn"], 7);
    assert!(document["runs"][0]["results"][1].get("codeFlows").is_none());
}

#[test]
fn steps_without_any_place_are_no_code_flow() {
    let document = changed(|assembled, _| {
        let message = "whatever the input".to_owned();
        assembled.report.findings[0].steps = vec![Step { kind: StepKind::Input, message, value: None, position: None }];
    });
    assert!(document["runs"][0]["results"][0].get("codeFlows").is_none());
}

#[test]
fn a_missing_check_is_a_fix_that_inserts_it() {
    let document = changed(|assembled, _| {
        assembled.report.findings[0].fix = Some(Fix { position: at(3, 41), text: "\n  if (n < 1) return;".into() });
    });
    let fix = &document["runs"][0]["results"][0]["fixes"][0];
    assert_eq!(fix["description"]["text"], "Check it: `if (n < 1) return;`.");
    let change = &fix["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "scale.cu");
    let replacement = &change["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "\n  if (n < 1) return;");
    assert_eq!(replacement["deletedRegion"], json!({"startLine": 3, "startColumn": 41, "endLine": 3, "endColumn": 41}));
}

#[test]
fn what_was_not_analysed_is_a_notification_of_a_described_kind() {
    let document = changed(|_, _| ());
    let run = &document["runs"][0];
    let told: Vec<(&str, &str)> = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| (n["descriptor"]["id"].as_str().unwrap(), n["message"]["text"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("not-analysed", "The host side was not analysed: no member named `x`."),
            ("built-without-analysis", "It was built without the analysis."),
            ("unseen", "app: options.cpp.o was linked without being read: its compile command is not known."),
            ("excluded", "It is outside of `[scope]`."),
            ("undecided", "Accesses that are neither safe nor wrong for sure: 1."),
        ]
    );
    let described = run["tool"]["driver"]["notifications"].as_array().unwrap();
    assert!(told.iter().all(|(id, _)| described.iter().any(|d| d["id"] == *id)));
    // Microsoft's validator wants these of every description (GH2012).
    for text in ["shortDescription", "fullDescription", "help"] {
        assert!(described.iter().all(|d| d[text]["text"].as_str().is_some_and(|t| !t.is_empty())), "{text}");
    }
}

#[test]
fn a_finding_without_a_line_or_outside_the_repository_has_a_place() {
    let document = changed(|assembled, _| {
        let findings = &mut assembled.report.findings;
        (findings[0].access.position.line, findings[0].access.position.column) = (0, 0);
        findings[1].access.position = Position { file: "/usr/share/my lib/x.h".into(), line: 7, column: 2 };
    });
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    let message = results[0]["message"]["text"].as_str().unwrap();
    assert!(message.contains("It is `a[blockIdx.x * 256 + threadIdx.x]` in `scale(float*, int)`."), "{message}");
    let outside = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(outside["artifactLocation"], json!({"uri": "file:///usr/share/my%20lib/x.h"}));
}

#[test]
fn columns_count_characters_and_paths_start_at_the_repository() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    let project = dir.path().join("gpu");
    std::fs::create_dir(&project).unwrap();
    let sources = SourceFiles::new(ProjectRoot::new(project.clone()));
    let mut assembled = assembled(&project, &sources, true);
    std::fs::write(project.join("umlaut.cu"), "/* größer */ a[i] = 1;\n").unwrap();
    // Byte 16, character 14.
    assembled.report.findings[0].access.position = Position { file: "umlaut.cu".into(), line: 1, column: 16 };
    let document = document(&assembled, false, &sources);
    assert_valid(&document);
    let physical = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "gpu/umlaut.cu");
    assert_eq!(physical["region"], json!({"startLine": 1, "startColumn": 14, "endLine": 1, "endColumn": 18}));
    assert_eq!(document["runs"][0]["originalUriBaseIds"]["%SRCROOT%"].get("uri"), None);
}
