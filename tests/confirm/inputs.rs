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
        let keep = format!(
            "case $last in *.launch) ;; *) cp -r . {kept}; cat >{kept}.stdin;; esac\n",
            kept = self.kept().display()
        );
        self.tool("compute-sanitizer", &script.replace("sed \"s|", &format!("{keep}sed \"s|")));
    }

    fn kept(&self) -> PathBuf {
        self.root().join(KEPT)
    }
}

fn manifest(bundle: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(bundle.join("manifest.json")).unwrap()).unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let text = hex.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// The numbers of items, and of those there is room for.
fn numbers(text: &[u8]) -> Vec<i32> {
    String::from_utf8_lossy(text).split_whitespace().map(|w| w.parse().unwrap()).collect()
}

#[test]
fn a_run_finds_its_input_where_it_reads_it() {
    let header = |bytes: &[u8]| bytes[..8].chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect();
    type Read = fn(&[u8]) -> Vec<i32>;
    for (program, place, read, arguments) in [
        ("reads_struct.cu", "kept/input1", header as Read, " input1"),
        ("reads_stream.cu", "kept/data/sizes.txt", numbers as Read, ""),
        ("reads_scanf.cu", "kept.stdin", numbers, ""),
        ("reads_cin.cu", "kept.stdin", numbers, ""),
    ] {
        let bench = Bench::new(program);
        bench.sanitizer_that_keeps();
        // Any file does for a program that is not started: building this one takes longer than all else.
        let started = super::here().join("golden/clean.xml");
        let said =
            bench.scuba(["confirm", program, "--exe", started.to_str().unwrap(), "--message-format", "json"]).status(1);
        let [finding] = said.findings().try_into().unwrap();
        assert_eq!(
            (finding["rule"].as_str(), finding["verdict"].as_str()),
            (Some("oob-global"), Some("proved")),
            "{finding}"
        );
        assert!(bench.calls()[0].ends_with(&format!("/clean.xml{arguments}")), "{:?}", bench.calls());
        let [items, room, ..] = read(&std::fs::read(bench.root().join(place)).unwrap())[..] else {
            panic!("{program}")
        };
        assert!(items > room && room >= 1, "{program}: {items}, {room}");
        // The user's tree has what it had, and its facts.
        let mut there: Vec<String> = std::fs::read_dir(bench.project())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        there.sort();
        assert_eq!(there, [".scuba", program, "scuba.toml"]);
    }
}

/// A bundle of a program that reads what its argument names, and its manifest.
fn bundle() -> (Bench, PathBuf, Value) {
    let bench = Bench::new("reads_struct.cu");
    bench.sanitizer_that_keeps();
    let folder = bench.root().join("bundle");
    bench.scuba(["confirm", "reads_struct.cu", "--bundle", folder.to_str().unwrap()]).status(0);
    let manifest = manifest(&folder);
    (bench, folder, manifest)
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
    let (bench, folder, mut manifest) = bundle();
    let expected = bytes(&files(&mut manifest)[0]["bytes"]);
    assert_eq!(files(&mut manifest)[0]["name"], "input1");
    let outcome = run(&bench, &folder, &manifest);
    assert_eq!(std::fs::read(bench.kept().join("input1")).unwrap(), expected);
    assert!(
        outcome["log"].as_str().unwrap().contains(&format!("with `input1` of {} bytes in its folder", expected.len())),
        "{outcome}"
    );
}

#[test]
fn a_bundle_of_the_form_before_is_run_without_files() {
    let (bench, folder, mut manifest) = bundle();
    manifest["schema"] = "scuba-bundle/1".into();
    let attempts = manifest["cases"][0]["attempts"].as_array_mut().unwrap();
    attempts.iter_mut().find(|a| a["how"] == "program").unwrap().as_object_mut().unwrap().remove("files");
    run(&bench, &folder, &manifest);
    assert!(bench.kept().is_dir() && bench.kept().read_dir().unwrap().next().is_none());
}

#[test]
fn what_a_bundle_names_outside_the_runs_folder_is_not_written() {
    let (bench, folder, mut manifest) = bundle();
    let precious = bench.root().join("precious");
    for (name, why) in [
        ("../escaped", "which is not below the run's folder"),
        (precious.to_str().unwrap(), "can only be made below the run's folder"),
        ("", "with the impossible name"),
    ] {
        *files(&mut manifest) = json!([{"name": name, "bytes": "00"}]);
        let outcome = run(&bench, &folder, &manifest);
        let detail = outcome["confirmation"]["detail"].as_str().unwrap();
        assert_eq!(outcome["confirmation"]["status"], "inconclusive", "{outcome}");
        assert!(detail.contains("the program itself: it opens") && detail.contains(why), "{detail}");
        // Neither run nor built.
        assert!(!bench.kept().exists() && !precious.exists() && !bench.calls().iter().any(|c| c.contains("/program")));
    }
    *files(&mut manifest) = json!([{"name": "input1", "bytes": "0"}]);
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    let said = bench.scuba(["confirm", "--from", folder.to_str().unwrap()]).status(2);
    assert!(said.err.contains("pairs of hexadecimal digits"), "{}", said.err);
}

#[test]
fn a_program_that_opens_an_absolute_path_is_told_so() {
    let bench = Bench::new("reads_stream.cu");
    let source = bench.project().join("reads_stream.cu");
    std::fs::write(&source, std::fs::read_to_string(&source).unwrap().replace("data/sizes.txt", "/nowhere/sizes.txt"))
        .unwrap();
    bench.sanitizer_that_keeps();
    let said = bench.scuba(["confirm", "reads_stream.cu", "--message-format", "json"]).status(1);
    let detail = said.findings()[0]["confirmation"]["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("the program itself: it opens `/nowhere/sizes.txt`"), "{detail}");
    assert!(!bench.kept().exists());
}

#[test]
fn more_input_than_allowed_is_not_written() {
    let (bench, folder, mut manifest) = bundle();
    manifest["limits"]["max_bytes"] = 4_000_000.into();
    *files(&mut manifest) = json!([{"name": "input1", "bytes": "00".repeat(4_000_001)}]);
    let outcome = run(&bench, &folder, &manifest);
    let detail = outcome["confirmation"]["detail"].as_str().unwrap();
    assert!(detail.contains("its input has 4000001 bytes, and `[confirm] max_bytes` allows 4000000"), "{detail}");
    assert!(!bench.kept().exists());
}

#[test]
fn the_program_itself_accepts_what_it_is_given() {
    for program in ["reads_struct.cu", "reads_cin.cu"] {
        let bench = Bench::new(program);
        bench.sanitizer("clean.xml", "clean.xml", &bench.project());
        // The program as nvcc built it is started, with whatever its calls of the runtime come to here.
        let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
        let start = "case $last in *.launch) ;; */program) \"$last\"; echo \"it says $?\";; *) shift $(($# - 2)); \"$@\"; echo \"it says $?\";; esac\n";
        bench.tool("compute-sanitizer", &script.replace("sed \"s|", &format!("{start}sed \"s|")));
        bench.scuba(["confirm", program]).status(1);
        let [kept] = std::fs::read_dir(bench.project().join(".scuba/confirmations"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        let kept: Value = serde_json::from_slice(&std::fs::read(kept).unwrap()).unwrap();
        let log = kept["log"].as_str().unwrap();
        // What it does not accept it refuses with 1.
        assert!(log.contains("it says ") && !log.contains("it says 1\n"), "{program}: {log}");
    }
}
