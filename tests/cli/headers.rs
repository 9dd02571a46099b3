//! What headers that are nobody's own do is said of the line of the project that calls them, in whatever way one asks.

use super::Project;
use serde_json::Value;

/// A header of somebody else's, two calls deep.
const THEIRS: &str = "#pragma once
template <class T> __device__ T inside(const T *p) { return *p; }
template <class T> __device__ T get(const T *p) { return inside(p); }
__device__ inline float opaque(const float *p, int i) {
  int j; asm volatile(\"mov.u32 %0, %%clock; add.s32 %0, %0, %1;\" : \"=r\"(j) : \"r\"(i));
  return p[j];
}
";

const PROGRAM: &str = "#include <theirs.h>
#include <cuda_runtime.h>
template <int By> __global__ void k(float *a, float *b, int n) {
  int i = threadIdx.x;
  if (i <= n) b[0] = get(a + i) * By;
  b[0] = opaque(a, i);
}
int main(int argc, char **) {
  float *a, *b;
  if (argc > 8 || cudaMalloc(&a, argc * 4) || cudaMalloc(&b, 4)) return 1;
  k<1><<<1, 32>>>(a, b, argc);
  k<2><<<1, 32>>>(a, b, argc);
  return cudaDeviceSynchronize();
}
";

fn project() -> Project {
    let p = Project::new();
    p.write("vendored/theirs.h", THEIRS);
    p.write("a.cu", PROGRAM);
    p
}

/// What `check` says as JSON, and its status.
fn report(p: &Project, status: i32, include: &str) -> Value {
    let said = p.scuba(["check", "a.cu", "--message-format", "json", "--", include, "vendored"]).status(status);
    serde_json::from_str(&said.out).unwrap()
}

/// `file:line, what` of the places below the user's line.
fn below(place: &Value) -> Vec<String> {
    let text = |r: &Value| format!("{}:{}, {}", r["file"].as_str().unwrap(), r["line"], r["what"].as_str().unwrap());
    place["related"]
        .as_array()
        .map_or_else(Vec::new, |all| all.iter().inspect(|r| assert_eq!(r["inner"], true, "{r}")).map(text).collect())
}

#[test]
fn findings_and_open_places_stand_at_the_users_line_with_what_it_leads_to() {
    let p = project();
    let document = report(&p, 1, "-isystem");
    let [finding] = document["findings"].as_array().unwrap().as_slice() else { panic!("{document:#}") };
    let access = &finding["access"];
    assert_eq!((&access["file"], &access["line"], &access["array"]), (&"a.cu".into(), &5.into(), &"a".into()));
    assert_eq!((&access["index"], &finding["occurrences"]), (&"i".into(), &2.into()));
    assert_eq!(
        below(finding),
        ["vendored/theirs.h:3, called from here, in `get`", "vendored/theirs.h:2, the read itself, in `inside`"]
    );
    let [open] = document["undecided"].as_array().unwrap().as_slice() else { panic!("{document:#}") };
    assert_eq!((&open["file"], &open["line"], &open["array"]), (&"a.cu".into(), &6.into(), &"a".into()));
    assert_eq!(below(open), ["vendored/theirs.h:6, the read itself, in `opaque`"]);
    let s = &document["summary"];
    let sum: u64 =
        ["safe", "safe_if_no_wrap", "proved", "possible", "unknown"].iter().map(|c| s[c].as_u64().unwrap()).sum();
    assert_eq!((s["accesses"].as_u64(), s["proved"].as_u64(), s["unknown"].as_u64()), (Some(sum), Some(1), Some(1)));
}

#[test]
fn the_same_header_given_by_i_is_the_projects_own() {
    let document = report(&project(), 1, "-I");
    let [finding] = document["findings"].as_array().unwrap().as_slice() else { panic!("{document:#}") };
    assert_eq!((&finding["access"]["file"], &finding["access"]["line"]), (&"vendored/theirs.h".into(), &2.into()));
    assert!(below(finding).is_empty());
}

#[test]
fn comments_paths_and_explanations_go_by_the_users_line() {
    let p = project();
    let flags = ["--", "-isystem", "vendored"];
    let said = p.command().args(["check", "a.cu", "--explain", "a.cu:5"]).args(flags).output().unwrap();
    let said = super::Said::from(said).status(1).out;
    assert!(said.contains("counts as proved") && said.contains("vendored/theirs.h:3"), "{said}");

    p.write("scuba.toml", "[[allow]]\nrule = \"all\"\npath = \"vendored/**\"\nreason = \"theirs\"\n");
    report(&p, 1, "-isystem");
    p.write("scuba.toml", "[[allow]]\nrule = \"all\"\npath = \"a.cu\"\nreason = \"ours\"\n");
    report(&p, 0, "-isystem");
    p.write("scuba.toml", "");
    p.write("a.cu", &PROGRAM.replace("* By;", "* By; // scuba: allow(oob-global) meant"));
    assert_eq!(report(&p, 0, "-isystem")["findings"].as_array().unwrap().len(), 0);
}

#[test]
fn a_document_names_nothing_that_is_made_for_one_run() {
    let p = Project::new();
    // Clang has no `__stcs`: ours stands in for it.
    p.write(
        "a.cu",
        "__global__ void k(float *a) { __stcs(a + threadIdx.x, 1.0f); }
int main() {
  float *a;
  if (cudaMalloc(&a, 4)) return 1;
  k<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
",
    );
    let said = p.scuba(["check", "a.cu", "--message-format", "json"]).status(1);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(document["findings"][0]["access"]["line"], 1);
    assert!(!said.out.contains("scuba-compat"), "{}", said.out);
}
