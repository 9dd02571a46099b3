//! Tests what each service reads, on the findings of `crate::tests`.

use super::job_summary::{SourceLinks, markdown};
use crate::assemble::Assembled;
use crate::render::{MessageFormat, Style, Verbosity, render};
use crate::tests::{assembled, rendered};
use base::rules::Level;
use finding::paths::ProjectRoot;
use finding::sources::SourceFiles;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Renders the findings after a change of them, for a project in the folder `gpu` of a repository.
fn changed(format: MessageFormat, change: impl FnOnce(&mut Assembled)) -> String {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    let project = dir.path().join("gpu");
    std::fs::create_dir(&project).unwrap();
    let sources = SourceFiles::new(ProjectRoot::new(project.clone()));
    let mut assembled = assembled(&project, &sources, true);
    change(&mut assembled);
    let mut out = Vec::new();
    render(&assembled, format, Style::default(), &sources, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn github_annotates_the_expression_with_what_goes_wrong() {
    let text = changed(MessageFormat::Github, |_| ());
    let commands: Vec<&str> = text.lines().collect();
    assert_eq!(commands.len(), 2, "{text}");
    assert_eq!(
        commands[0],
        "::error file=gpu/scale.cu,line=5,endLine=5,col=3,endColumn=6,\
         title=oob-global%3A access outside an allocation in device memory::\
         Write of `a` beyond its allocation.%0A\
         For example with argv[1] = \"1\": grid (1, 1, 1), thread (1, 0, 0) of block (0, 0, 0) accesses bytes 4 to 7 \
         of `a`, which has 4 bytes.%0A\
         Its extent is 4 * n bytes: gpu/scale.cu:12.%0A\
         It is launched with grid ((n + 255) / 256, 1, 1), block (256, 1, 1): gpu/scale.cu:13.%0A\
         `scuba explain oob-global` says more."
    );
    assert!(commands[1].starts_with("::warning file=gpu/tile.cuh,line=3,"), "{text}");
    let without_line = changed(MessageFormat::Github, |a| {
        let f = &mut a.report.findings[0];
        (f.access.position.line, f.access.position.column, f.level) = (0, 0, Level::Note);
    });
    assert!(without_line.starts_with("::notice file=gpu/scale.cu,title=oob-global%3A "), "{without_line}");
    let quiet = rendered(MessageFormat::Github, Verbosity::Quiet);
    assert!(quiet.starts_with("::error ") && quiet.lines().count() == 1, "{quiet}");
}

#[test]
fn gitlab_gets_the_properties_of_its_code_quality_report() {
    // "Code Quality report format" of GitLab's documentation.
    let schema = json!({"type": "array", "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^./]"},
                    "lines": {"type": "object", "required": ["begin"],
                              "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    }});
    let report: Value = serde_json::from_str(&changed(MessageFormat::Gitlab, |a| {
        a.report.findings[1].access.position.line = 0;
    }))
    .unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let entries = report.as_array().unwrap();
    assert_eq!((entries[0]["severity"].as_str(), entries[1]["severity"].as_str()), (Some("critical"), Some("major")));
    assert_eq!(entries[0]["location"], json!({"path": "gpu/scale.cu", "lines": {"begin": 5, "end": 5}}));
    assert_ne!(entries[0]["fingerprint"], entries[1]["fingerprint"]);
    assert_eq!(changed(MessageFormat::Gitlab, |a| a.report.findings.clear()), "[]\n");
}

/// Elements and attributes of `junit-10.xsd` of Jenkins' xUnit plug-in, as far as they are written here: name, parent,
/// required attributes, other attributes.
const JUNIT: [(&str, &str, &[&str], &[&str]); 5] = [
    ("testsuites", "", &[], &["name", "tests", "failures", "errors"]),
    ("testsuite", "testsuites", &["name", "tests", "failures", "errors"], &["file"]),
    ("testcase", "testsuite", &["name"], &["classname"]),
    ("failure", "testcase", &[], &["type", "message"]),
    ("system-out", "testcase", &[], &[]),
];

fn attributes(e: &BytesStart<'_>) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    e.attributes()
        .map(Result::unwrap)
        .map(|a| (text(a.key.as_ref()), a.unescape_value().unwrap().into_owned()))
        .collect()
}

/// Parses a document by the rules above; returns the elements with their attributes, in order.
fn parse_junit(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<String> = vec![];
    let mut found = vec![];
    loop {
        let event = reader.read_event().unwrap();
        match event {
            Event::Start(ref e) | Event::Empty(ref e) => {
                let name = String::from_utf8(e.name().as_ref().to_vec()).unwrap();
                let (_, parent, required, others) = JUNIT.iter().find(|(n, ..)| *n == name).unwrap();
                assert_eq!(open.last().map_or("", String::as_str), *parent, "{name}");
                let attributes = attributes(e);
                assert!(required.iter().all(|a| attributes.contains_key(*a)), "{name}: {attributes:?}");
                let allowed = |a: &str| required.contains(&a) || others.contains(&a);
                assert!(attributes.keys().all(|a| allowed(a)), "{name}: {attributes:?}");
                found.push((name.clone(), attributes));
                if matches!(event, Event::Start(_)) {
                    open.push(name);
                }
            }
            Event::End(e) => assert_eq!(open.pop().unwrap().as_bytes(), e.name().as_ref()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty());
    found
}

#[test]
fn junit_has_a_case_for_each_finding_and_failures_for_denied_ones() {
    let text = changed(MessageFormat::Junit, |a| {
        a.report.findings[1].message = "read of <tile> & \"more\" \u{1}".into();
    });
    let elements = parse_junit(&text);
    let named = |name: &str| elements.iter().filter(|(n, _)| n == name).map(|(_, a)| a).collect::<Vec<_>>();
    assert_eq!((named("testsuites")[0]["tests"].as_str(), named("testsuites")[0]["failures"].as_str()), ("2", "1"));
    let suites: Vec<&str> = named("testsuite").iter().map(|s| s["file"].as_str()).collect();
    assert_eq!(suites, ["gpu/scale.cu", "gpu/tile.cuh"]);
    let cases = named("testcase");
    assert!(cases[0]["name"].starts_with("oob-global: write of `a` beyond its allocation in scale(float*, int) ["));
    assert!(cases[1]["name"].starts_with("oob-shared: read of <tile> & \"more\" \u{FFFD} in smooth(float*) ["));
    let failures = named("failure");
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0]["message"], "gpu/scale.cu:5:3: Write of `a` beyond its allocation.");
    assert!(text.contains("of block (0, 0, 0) accesses bytes 4 to 7"), "{text}");
}

#[test]
fn a_run_without_findings_is_one_case_that_passes() {
    let elements = parse_junit(&changed(MessageFormat::Junit, |a| a.report.findings.clear()));
    assert_eq!(elements.iter().filter(|(name, _)| name == "testcase").count(), 1);
    assert!(elements.iter().all(|(name, _)| name != "failure"));
    assert_eq!(elements[0].1["tests"], "1");
}

#[test]
fn the_summary_of_a_job_has_counts_links_and_causes() {
    let dir = tempfile::tempdir().unwrap();
    let sources = SourceFiles::new(ProjectRoot::new(dir.path().to_owned()));
    let assembled = assembled(dir.path(), &sources, true);
    let links = SourceLinks::new("https://github.com", "owner/name", "c0ffee");
    insta::assert_snapshot!(markdown(
        &assembled,
        Some(&links),
        &["app: x.o was linked without being read".into()],
        &sources
    ));
    let without = markdown(&assembled, None, &[], &sources);
    assert!(without.contains("| `oob-global` | scale.cu:5 |"), "{without}");
}

#[test]
fn every_format_has_a_name_and_says_where_it_goes() {
    let all = <MessageFormat as clap::ValueEnum>::value_variants();
    for format in all {
        assert_eq!(format.name().parse::<MessageFormat>().as_ref(), Ok(format));
        assert!(format.is_for_machines() || !format.is_document());
    }
    assert_eq!(MessageFormat::names(), "human, short, json, sarif, github, gitlab or junit");
    let in_shims: Vec<&str> = all.iter().map(|f| f.of_one_command().name()).collect();
    assert_eq!(in_shims, ["human", "short", "json", "sarif", "github", "short", "short"]);
}
