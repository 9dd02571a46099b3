//! `[confirm] when = "auto"`: in a shim that denies, and at the end of `scuba build`.

use super::{Bench, Said, nvcc};
use std::path::Path;
use std::process::Command;

/// The shim in place of nvcc.
fn shim(bench: &Bench, arguments: &[&str]) -> Said {
    let mut c = Command::new(assert_cmd::cargo::cargo_bin!("scuba-nvcc"));
    for (name, _) in std::env::vars_os() { if name.to_string_lossy().starts_with("SCUBA_") { c.env_remove(name); } }
    c.args(arguments).current_dir(bench.project()).env("SCUBA_NVCC", nvcc())
        .env("PATH", format!("{}:{}", bench.tools().display(), std::env::var("PATH").unwrap()));
    c.output().unwrap().into()
}

fn bench() -> Bench {
    let bench = Bench::new("vector.cu");
    bench.sanitizer("vector.xml", "vector.xml", &bench.project());
    bench.settings(&format!("[confirm]\ncompute_sanitizer = \"{}\"\n", bench.tools().join("compute-sanitizer").display()));
    bench
}

#[test]
fn a_shim_that_denies_confirms_by_the_launch_alone() {
    let bench = bench();
    let said = shim(&bench, &["-c", "vector.cu", "-o", "vector.o"]).status(1);
    assert!(said.err.contains("confirmed by compute-sanitizer on NVIDIA H200"), "{}", said.err);
    assert!(!bench.project().join("vector.o").exists());
    let [call] = bench.calls().try_into().unwrap();
    assert!(call.ends_with(".launch"), "{call}");
    let later = bench.scuba(["check"]).status(1);
    assert!(later.err.contains("confirmed by compute-sanitizer on NVIDIA H200"), "{}", later.err);
}

#[test]
fn never_means_never() {
    let bench = bench();
    bench.settings(&format!("[confirm]\nwhen = \"never\"\ncompute_sanitizer = \"{}\"\n", bench.tools().join("compute-sanitizer").display()));
    let said = shim(&bench, &["-c", "vector.cu", "-o", "vector.o"]).status(1);
    assert!(!said.err.contains("confirm") && bench.calls().is_empty(), "{}", said.err);
}

#[test]
fn without_a_gpu_nothing_runs_and_the_builds_report_says_so() {
    let bench = bench();
    bench.tool("nvidia-smi", "exit 9");
    let build = format!("{} -c vector.cu -o vector.o", nvcc().display());
    let said = bench.scuba(["build", "--", "sh", "-c", &build]).status(1);
    assert!(said.err.contains("scuba: hardware confirmation was not run: there is no NVIDIA GPU here"), "{}", said.err);
    assert!(bench.calls().is_empty());
    let log = std::fs::read_to_string(Path::new(&bench.project()).join(".scuba/log")).unwrap();
    assert!(log.contains("hardware confirmation was not run"), "{log}");
}

#[test]
fn a_build_of_several_units_is_confirmed_from_its_facts() {
    let bench = bench();
    for file in ["main.cu", "part.cu"] { std::fs::copy(super::here().join("programs/units").join(file), bench.project().join(file)).unwrap(); }
    bench.sanitizer("clean.xml", "vector.xml", &bench.project());
    let script = std::fs::read_to_string(bench.tools().join("compute-sanitizer")).unwrap();
    bench.tool("compute-sanitizer", &script.replace("sed \"s|", "sed \"s|vector.cu|part.cu|;s|"));
    bench.settings(&format!("[confirm]\nwhen = \"never\"\ncompute_sanitizer = \"{}\"\n", bench.tools().join("compute-sanitizer").display()));
    let nvcc = nvcc().display().to_string();
    let build = format!("{nvcc} -O1 -dc main.cu -o main.o && {nvcc} -O1 -dc part.cu -o part.o && {nvcc} main.o part.o -o app");
    bench.scuba(["build", "-q", "--", "sh", "-c", &build]).status(1);
    assert!(bench.calls().is_empty());

    let said = bench.scuba(["confirm", "--message-format", "json"]).status(1);
    let [finding] = said.findings().try_into().unwrap();
    assert_eq!(finding["confirmation"]["status"], "confirmed", "{finding}");
    // The program was built of both units, its device code linked, and so was the launch's.
    let [program, launch] = bench.calls().try_into().unwrap();
    assert!(program.ends_with("/program") && launch.ends_with(".launch"), "{program}\n{launch}");
    let shown = bench.scuba(["report", "--sarif", "report.sarif"]).status(0);
    assert!(std::fs::read_to_string(bench.project().join("report.sarif")).unwrap().contains("running this launch alone"), "{shown:?}");
}

#[test]
fn programs_of_one_name_are_not_taken_for_each_other() {
    let bench = bench();
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    bench.settings(&format!("[confirm]\nwhen = \"never\"\ncompute_sanitizer = \"{}\"\n", bench.tools().join("compute-sanitizer").display()));
    for (folder, program) in [("a", "clean.cu"), ("b", "vector.cu"), ("c", "shared_static.cu")] {
        std::fs::create_dir(bench.project().join(folder)).unwrap();
        std::fs::copy(super::here().join("programs").join(program), bench.project().join(folder).join("main.cu")).unwrap();
    }
    let nvcc = nvcc().display().to_string();
    let build = format!("for d in a b c; do {nvcc} -c $d/main.cu -o $d/main.o; done");
    bench.scuba(["build", "-q", "--", "sh", "-c", &build]).status(1);
    let said = bench.scuba(["confirm", "--message-format", "json"]).status(1);
    assert_eq!(said.findings().len(), 2);
    let kept = std::fs::read_dir(bench.project().join(".scuba/confirmations")).unwrap().map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap());
    for log in kept {
        // Each was built of its own source.
        assert_eq!(log.matches("/b/main.cu").count() > 0, log.matches("/c/main.cu").count() == 0, "{log}");
        assert!(!log.contains("/a/main.cu"), "{log}");
    }
}
