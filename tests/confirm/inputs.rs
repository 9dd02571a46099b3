//! Input files of a run of the program itself.

use super::{Bench, Said};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Where the stand-in for Compute Sanitizer leaves what a run was given.
const KEPT: &str = "kept";

impl Bench {
    /// As [`Bench::sanitizer`], and every run leaves its working folder and its standard input in `kept`.
    fn sanitizer_that_keeps(&self) {
        self.sanitizer("clean.xml", "clean.xml", &self.project());
        let script = std::fs::read_to_string(self.tools().join("compute-sanitizer")).unwrap();
        let keep = format!("case $last in *.launch) ;; *) cp -r . {kept}; cat >{kept}.stdin;; esac\n", kept = self.kept().display());
        self.tool("compute-sanitizer", &script.replace("sed \"s|", &format!("{keep}sed \"s|")));
    }

    fn kept(&self) -> PathBuf { self.root().join(KEPT) }

    fn source(&self, name: &str, text: &str) { std::fs::write(self.project().join(name), text).unwrap(); }
}

/// A program whose kernel uses `n` and `order` as `read` fills them.
fn program(read: &str) -> String {
    format!(r#"#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
__global__ void gather(const int *order, float *to, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[order[i]] = 1.0f;
}}
int main(int argc, char **argv) {{
  int n = 0;
  int *order = nullptr;
  {read}
  int *d; float *to;
  cudaMalloc(&d, n * sizeof(int)); cudaMalloc(&to, n * sizeof(float));
  cudaMemcpy(d, order, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 127) / 128, 128>>>(d, to, n);
  return cudaDeviceSynchronize();
}}
"#)
}

const CHECKED: &str = "if (n < 1 || n > 1000) return 1; order = (int *)malloc(n * sizeof(int));";

fn manifest(bundle: &Path) -> Value { serde_json::from_slice(&std::fs::read(bundle.join("manifest.json")).unwrap()).unwrap() }

fn bytes(hex: &Value) -> Vec<u8> {
    let text = hex.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// Numbers of a text.
fn numbers(text: &[u8]) -> Vec<i64> { String::from_utf8_lossy(text).split_whitespace().map(|w| w.parse().unwrap()).collect() }

/// A count, so many indices, of which one is none of an array of so many elements.
#[track_caller]
fn assert_is_bad(numbers: &[i64]) {
    let (n, order) = numbers.split_first().unwrap();
    let order = &order[..usize::try_from(*n).unwrap()];
    assert!(order.iter().any(|i| !(0..*n).contains(i)), "{numbers:?}");
}

#[test]
fn a_run_finds_its_files_where_it_opens_them() {
    let words = format!("if (argc < 2) return 1; FILE *f = fopen(argv[1], \"r\"); if (!f || fscanf(f, \"%d\", &n) != 1) return 1; {CHECKED} for (int i = 0; i < n; i++) fscanf(f, \"%d\", &order[i]);");
    let structs = format!("FILE *f = fopen(\"data/order.bin\", \"rb\"); if (!f || fread(&n, 4, 1, f) != 1) return 1; {CHECKED} if (fread(order, 4, n, f) != (size_t)n) return 1;");
    let stream = format!("if (argc < 2) return 1; std::ifstream f(argv[1]); if (!f.is_open()) return 1; f >> n; if (!f) return 1; {CHECKED} for (int i = 0; i < n; i++) f >> order[i];");
    let scanf = format!("if (scanf(\"%d\", &n) != 1) return 1; {CHECKED} for (int i = 0; i < n; i++) scanf(\"%d\", &order[i]);");
    let cin = format!("std::cin >> n; if (!std::cin) return 1; {CHECKED} for (int i = 0; i < n; i++) std::cin >> order[i];");
    for (read, name, argument) in [(words, Some("input1"), true), (structs, Some("data/order.bin"), false), (stream, Some("input1"), true), (scanf, None, false), (cin, None, false)] {
        let bench = Bench::new("vector.cu");
        bench.source("read.cu", &program(&read));
        bench.sanitizer_that_keeps();
        // Any file does for a program that is not started: building this one takes longer than all else.
        let program = super::here().join("golden/clean.xml");
        let said = bench.scuba(["confirm", "read.cu", "-D", "all", "--exe", program.to_str().unwrap(), "--message-format", "json"]).status(1);
        let [finding] = said.findings().try_into().unwrap();
        assert_eq!((finding["rule"].as_str(), finding["verdict"].as_str()), (Some("data-index"), Some("proved")), "{finding}");
        // The stand-in reads nothing, so nothing was reproduced; the run itself is what is looked at.
        assert_eq!(bench.calls()[0].ends_with("/clean.xml input1"), argument, "{:?}", bench.calls());
        let numbers = match name {
            Some("input1") => numbers(&std::fs::read(bench.kept().join("input1")).unwrap()),
            Some(name) => std::fs::read(bench.kept().join(name)).unwrap().chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            None => numbers(&std::fs::read(bench.root().join(format!("{KEPT}.stdin"))).unwrap()),
        };
        assert_is_bad(&numbers);
        // The user's tree has what it had, and its facts.
        let mut there: Vec<String> = std::fs::read_dir(bench.project()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        there.sort();
        assert_eq!(there, [".scuba", "read.cu", "scuba.toml", "vector.cu"]);
    }
}

/// A bundle of a program that reads `graph.bin`, and its manifest.
fn bundle(bench: &Bench) -> (PathBuf, Value) {
    let read = format!("FILE *f = fopen(\"graph.bin\", \"rb\"); if (!f || fread(&n, 4, 1, f) != 1) return 1; {CHECKED} if (fread(order, 4, n, f) != (size_t)n) return 1;");
    bench.source("read.cu", &program(&read));
    bench.sanitizer_that_keeps();
    let folder = bench.root().join("bundle");
    bench.scuba(["confirm", "read.cu", "-D", "all", "--bundle", folder.to_str().unwrap()]).status(0);
    let manifest = manifest(&folder);
    (folder, manifest)
}

/// Runs a bundle whose manifest was changed; what became of its one finding.
fn run(bench: &Bench, folder: &Path, manifest: &Value) -> Value {
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    let said: Said = bench.scuba(["confirm", "--from", folder.to_str().unwrap(), "--message-format", "json"]);
    assert!((0..=1).contains(&said.status), "{said:?}");
    let outcomes: Value = serde_json::from_str(&said.out).unwrap();
    outcomes[0].clone()
}

fn files(manifest: &mut Value) -> &mut Value {
    let attempts = manifest["cases"][0]["attempts"].as_array_mut().unwrap();
    &mut attempts.iter_mut().find(|a| a["how"] == "program").unwrap()["files"]
}

#[test]
fn files_travel_with_the_bundle() {
    let bench = Bench::new("vector.cu");
    let (folder, mut manifest) = bundle(&bench);
    let expected = bytes(&files(&mut manifest)[0]["bytes"]);
    assert_eq!(files(&mut manifest)[0]["name"], "graph.bin");
    let outcome = run(&bench, &folder, &manifest);
    assert_eq!(std::fs::read(bench.kept().join("graph.bin")).unwrap(), expected);
    assert!(outcome["log"].as_str().unwrap().contains(&format!("with `graph.bin` of {} bytes in its folder", expected.len())), "{outcome}");
}

#[test]
fn a_bundle_of_the_form_before_is_run_without_files() {
    let bench = Bench::new("vector.cu");
    let (folder, mut manifest) = bundle(&bench);
    manifest["schema"] = "scuba-bundle/1".into();
    let attempts = manifest["cases"][0]["attempts"].as_array_mut().unwrap();
    attempts.iter_mut().find(|a| a["how"] == "program").unwrap().as_object_mut().unwrap().remove("files");
    run(&bench, &folder, &manifest);
    assert!(bench.kept().is_dir() && bench.kept().read_dir().unwrap().next().is_none());
}

#[test]
fn what_a_bundle_names_outside_the_runs_folder_is_not_written() {
    let bench = Bench::new("vector.cu");
    let (folder, mut manifest) = bundle(&bench);
    let precious = bench.root().join("precious");
    for (name, why) in [("../escaped", "which is not below the folder of the run"), (precious.to_str().unwrap(), "can only be made below the folder of the run"), ("", "which none can have")] {
        *files(&mut manifest) = json!([{"name": name, "bytes": "00"}]);
        let outcome = run(&bench, &folder, &manifest);
        let detail = outcome["confirmation"]["detail"].as_str().unwrap();
        assert_eq!(outcome["confirmation"]["status"], "inconclusive", "{outcome}");
        assert!(detail.contains("the program itself: it opens") && detail.contains(why), "{detail}");
        // Neither run nor built.
        assert!(!bench.kept().exists() && !precious.exists() && !bench.calls().iter().any(|c| c.contains("/program")));
    }
    *files(&mut manifest) = json!([{"name": "graph.bin", "bytes": "0"}]);
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    let said = bench.scuba(["confirm", "--from", folder.to_str().unwrap()]).status(2);
    assert!(said.err.contains("pairs of hexadecimal digits"), "{}", said.err);
}

#[test]
fn a_program_that_opens_an_absolute_path_is_told_so() {
    let bench = Bench::new("vector.cu");
    let read = format!("FILE *f = fopen(\"/nowhere/graph.bin\", \"rb\"); if (!f || fread(&n, 4, 1, f) != 1) return 1; {CHECKED} if (fread(order, 4, n, f) != (size_t)n) return 1;");
    bench.source("read.cu", &program(&read));
    bench.sanitizer_that_keeps();
    let said = bench.scuba(["confirm", "read.cu", "-D", "all", "--message-format", "json"]).status(1);
    let detail = said.findings()[0]["confirmation"]["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("the program itself: it opens `/nowhere/graph.bin`"), "{detail}");
    assert!(!bench.kept().exists());
}

#[test]
fn more_input_than_allowed_is_not_written() {
    let bench = Bench::new("vector.cu");
    let (folder, mut manifest) = bundle(&bench);
    manifest["limits"]["max_bytes"] = 4_000_000.into();
    *files(&mut manifest) = json!([{"name": "graph.bin", "bytes": "00".repeat(4_000_001)}]);
    let outcome = run(&bench, &folder, &manifest);
    let detail = outcome["confirmation"]["detail"].as_str().unwrap();
    assert!(detail.contains("its input has 4000001 bytes, and `[confirm] max_bytes` allows 4000000"), "{detail}");
    assert!(!bench.kept().exists());
}
