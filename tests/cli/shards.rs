//! Shards of a check: several runs that check a part of the programs each, and `scuba merge`, which makes one report of
//! their documents.

use super::{Project, Said};
use serde_json::Value;

/// A kernel of all programs: safe in some, out of bounds in others, and a line whose comment accepts a finding of one.
const COMMON: &str = "\
#include <cuda_runtime.h>
static __global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}
static __global__ void last(int *a, int n) {
  a[n] = 1; // scuba: allow(oob-global) reason: tried below
}
";

/// A program with `count` elements and a loop to `bound`; `more` goes on.
fn program(count: &str, bound: &str, more: &str) -> String {
    format!(
        "#include \"common.cuh\"\n#include <cstdlib>\nint main(int argc, char **argv) {{\n  int n = 100;\n  int *a;\n  \
         cudaMalloc(&a, {count} * sizeof(int));\n  fill<<<4, 32>>>(a, {bound});\n  {more}\n  cudaFree(a);\n}}\n"
    )
}

/// Said of a contract whose function no program has.
const NOWHERE: &str = "matches no function that is defined or called here";

/// Five programs of one build, and settings with a contract that one of them has and one that none has.
pub(super) fn built() -> Project {
    let p = Project::new();
    p.write("build/CMakeCache.txt", "");
    p.write("src/common.cuh", COMMON);
    p.write("src/safe.cu", &program("n", "n", ""));
    p.write("src/wrong.cu", &program("n", "n + 1", ""));
    p.write("src/again.cu", &program("n", "n + 2", ""));
    p.write("src/accepted.cu", &program("n", "n", "last<<<1, 1>>>(a, n);"));
    p.write("src/unknown.cu", &program("n", "atoi(getenv(\"N\"))", "last<<<1, 1>>>(a, n - 1);"));
    p.write(
        "scuba.toml",
        "[[contract]]\nfunction = \"last\"\nrequires = [\"n >= 0\"]\n\n[[contract]]\nfunction = \"gone\"\nrequires = [\"n >= 0\"]\n",
    );
    for name in ["accepted", "again", "safe", "unknown", "wrong"] {
        p.compile(&format!("-c src/{name}.cu -o build/{name}.o"));
    }
    p
}

/// A document without the time that it took.
pub(super) fn timeless(text: &str) -> Value {
    let mut document: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    document["summary"]["seconds"] = Value::Null;
    document
}

/// Writes the documents of all shards into a folder; returns their names.
fn shards(p: &Project, folder: &str, of: usize) -> Vec<String> {
    let one = |i: usize| {
        let said = p.scuba(["check", "build", "--shard", &format!("{i}/{of}"), "--message-format", "json"]);
        assert!(said.status < 2 && !said.err.contains(NOWHERE), "{said:?}");
        let name = format!("{folder}/{i}-of-{of}.json");
        p.write(&name, &said.out);
        name
    };
    (1..=of).map(one).collect()
}

fn merge(p: &Project, names: &[String], more: &[&str]) -> Said {
    p.command().arg("merge").args(names).args(more).output().unwrap().into()
}

#[test]
fn merged_shards_are_the_report_of_one_run() {
    let p = built();
    let whole = p.scuba(["check", "build", "--message-format", "json"]).status(1);
    assert_eq!(whole.err.matches(NOWHERE).count(), 1, "{whole:?}");
    let expected = timeless(&whole.out);
    assert_eq!(expected["summary"]["programs"], 5);
    let text = p.scuba(["check", "build", "-v"]);
    for of in [1, 2, 3, 7] {
        let names = shards(&p, "all", of);
        let said = merge(&p, &names, &["--message-format", "json"]).status(1);
        assert_eq!(timeless(&said.out), expected, "{of} shards");
        assert_eq!(said.err.matches(NOWHERE).count(), 1, "{said:?}");
        // In any order, and in each format.
        let turned: Vec<String> = names.into_iter().rev().collect();
        let sarif =
            |said: Said| serde_json::from_str::<Value>(&said.status(1).out).unwrap()["runs"][0]["results"].clone();
        let expected = sarif(p.scuba(["check", "build", "--message-format", "sarif"]));
        assert_eq!(sarif(merge(&p, &turned, &["--message-format", "sarif"])), expected);
    }
    let said = merge(&p, &shards(&p, "all", 2), &["-v"]);
    let findings = |said: &Said| said.err[said.err.find("error[").unwrap()..said.err.rfind(" (").unwrap()].to_owned();
    assert_eq!(findings(&said), findings(&text));
}

#[test]
fn the_merged_report_is_the_last_one() {
    let p = built();
    merge(&p, &shards(&p, "all", 2), &[]).status(1);
    let said = p.scuba(["report", "--sarif", "out.sarif"]).status(0);
    let sarif: Value = serde_json::from_str(&std::fs::read_to_string(p.root().join("out.sarif")).unwrap()).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty(), "{said:?}");
}

#[test]
fn documents_that_are_not_all_shards_of_one_check_are_refused() {
    let p = built();
    let names = shards(&p, "all", 3);
    let refused = |names: &[String], with: &str| {
        let said = merge(&p, names, &[]).status(2);
        assert!(said.err.contains(with), "{with}: {said:?}");
    };
    refused(&names[..2], "no document of shard 3/3: `scuba check --shard 3/3` makes it");
    refused(&[&names[..], &names[..1]].concat(), "are both shard 1/3");
    let two = shards(&p, "all", 2);
    refused(&[&names[..2], &two[1..]].concat(), "divides its check into another number of shards");
    p.write("plain.json", &p.scuba(["check", "build", "--message-format", "json"]).out);
    refused(&["plain.json".to_owned()], "plain.json is no document of a shard");
    p.write("text.json", "no findings");
    refused(&["text.json".to_owned()], "text.json is no document of `scuba check`");
    refused(&["none.json".to_owned()], "cannot read none.json");
    p.write("scuba.toml", "");
    let other = shards(&p, "other", 3);
    refused(&[&names[..2], &other[2..]].concat(), "was made with other settings");
    std::fs::remove_file(p.root().join("src/safe.cu")).unwrap();
    let fewer = shards(&p, "fewer", 3);
    refused(&[&other[..2], &fewer[2..]].concat(), "is of a check with other programs");
}

#[test]
fn a_shard_is_a_part_of_a_whole_and_a_document() {
    let p = built();
    for wrong in ["0/2", "3/2", "1", "1/0", "a/b", "-1/2"] {
        let said = p.scuba(["check", "build", "--message-format", "json", &format!("--shard={wrong}")]).status(2);
        assert!(said.err.contains("use I/N"), "{wrong}: {said:?}");
    }
    let said = p.scuba(["check", "build", "--shard", "1/2"]).status(2);
    assert!(said.err.contains("--shard 1/2 needs `--message-format json`"), "{said:?}");
    // A shard without programs is no failure.
    let said = p.scuba(["check", "build", "--shard", "7/7", "--message-format", "json"]).status(0);
    assert_eq!(timeless(&said.out)["summary"]["programs"], 0);
}
