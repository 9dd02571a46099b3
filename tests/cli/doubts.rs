//! What safe verdicts rest on: of each axiom that can be left out a program in which the accesses that say so (`//~`) rest on it and no others,
//! and a twin in which none does.
//!
//! `//@ flags:` and `//@ toml:` say how a program is checked, `//@ header: PATH: TEXT` what lies beside it.

use super::{Project, Said};
use scuba::axioms::{Axiom, AxiomKind};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/doubts")
}

/// What the values of a header of a program are.
fn headers<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!("//@ {name}: ");
    text.lines().filter_map(|l| l.strip_prefix(start.as_str())).collect()
}

/// What is said of a program, and what else the command says.
fn doubts(text: &str) -> (Value, Said) {
    let p = Project::new();
    p.write("k.cu", text);
    p.write("scuba.toml", &headers(text, "toml").join("\n"));
    for header in headers(text, "header") {
        let (path, code) = header.split_once(": ").unwrap();
        p.write(path, &format!("#pragma once\n{code}\n"));
    }
    let flags = headers(text, "flags").join(" ");
    let flags = flags.replace("INCLUDE", &format!("{}/tests/support/include", env!("CARGO_MANIFEST_DIR")));
    let mut c = p.command();
    c.args(["check", "k.cu", "--dump", "doubts", "--message-format", "json", "--"]).args(flags.split_whitespace());
    let said = Said::from(c.output().unwrap());
    let line = said.err.lines().find_map(|l| l.strip_prefix("doubts: ")).unwrap_or_else(|| panic!("{said:?}"));
    (serde_json::from_str(line).unwrap(), said)
}

/// The lines of the places that a list names by their numbers.
fn lines(all: &Value, numbers: &Value) -> BTreeSet<u64> {
    let safe = all["safe"].as_array().unwrap();
    numbers.as_array().unwrap().iter().map(|i| safe[i.as_u64().unwrap() as usize]["line"].as_u64().unwrap()).collect()
}

fn row(all: &Value, axiom: Axiom) -> &Value {
    all["axioms"].as_array().unwrap().iter().find(|r| r["axiom"] == axiom.name()).unwrap()
}

fn expect(axiom: Axiom, file: &str) {
    let text = std::fs::read_to_string(folder().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    let marked: BTreeSet<u64> = (1..).zip(text.lines()).filter(|(_, l)| l.contains("//~")).map(|(n, _)| n).collect();
    let (all, said) = doubts(&text);
    assert!(!all["safe"].as_array().unwrap().is_empty(), "{file}: nothing is safe: {said:?}");
    assert_eq!(all["open"], serde_json::json!([]), "{file}: {all}");
    assert_eq!(lines(&all, &row(&all, axiom)["places"]), marked, "{file}: {all}");
}

fn each(axioms: impl Iterator<Item = Axiom>) {
    for axiom in axioms {
        expect(axiom, &format!("{}.cu", axiom.name()));
        expect(axiom, &format!("{}.twin.cu", axiom.name()));
    }
}

fn left_out() -> impl Iterator<Item = Axiom> {
    Axiom::ALL.into_iter().filter(|a| a.can_be_left_out())
}

#[test]
fn leaving_an_axiom_out_changes_what_rests_on_it_of_every_third() {
    each(left_out().step_by(3));
}

#[test]
fn leaving_an_axiom_out_changes_what_rests_on_it_of_every_other_third() {
    each(left_out().skip(1).step_by(3));
}

#[test]
fn leaving_an_axiom_out_changes_what_rests_on_it_of_the_last_third() {
    each(left_out().skip(2).step_by(3));
}

#[test]
fn axioms_that_cannot_be_left_out_are_listed_with_what_they_could_concern() {
    let text = std::fs::read_to_string(folder().join("known-launches.twin.cu")).unwrap();
    let (all, _) = doubts(&text);
    for axiom in Axiom::ALL.into_iter().filter(|a| matches!(a.row().2, AxiomKind::BuiltIn(_))) {
        let row = row(&all, axiom);
        assert_eq!((row["how"].as_str(), lines(&all, &row["places"]).len()), (Some("built-in"), 1), "{row}");
    }
    // It holds under any launch of at most 1024 threads: without either axiom alone, not without both.
    assert_eq!((lines(&all, &all["several"]).len(), lines(&all, &all["none"]).len()), (1, 0), "{all}");
    let text = std::fs::read_to_string(folder().join("launch-limits.twin.cu")).unwrap();
    let (all, _) = doubts(&text);
    assert_eq!((lines(&all, &all["several"]).len(), lines(&all, &all["none"]).len()), (0, 1), "{all}");
}

#[test]
fn verdicts_are_those_of_a_check_that_nobody_doubts() {
    let text = std::fs::read_to_string(folder().join("device-allocation.cu")).unwrap();
    let p = Project::new();
    p.write("k.cu", &text);
    let usual = p.scuba(["check", "k.cu", "--message-format", "json"]);
    let (_, doubted) = doubts(&text);
    let without_time = |said: &Said| {
        let mut v: Value = serde_json::from_str(&said.out).unwrap();
        v["summary"]["seconds"] = Value::Null;
        v
    };
    assert_eq!(without_time(&usual), without_time(&doubted));
    assert!(usual.err.is_empty(), "{usual:?}");
}
