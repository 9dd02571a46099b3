//! Tools and programs that misbehave, builds that are interrupted, bundles of other versions.

use super::auto::{all_are_gone, assert_all_are_gone, bench_of, hangs, shim_command};
use super::{Bench, Said, here};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What becomes of `vector.cu`'s finding where Compute Sanitizer does this after it was asked for its version; `$save` is the file that it
/// should write, `$text` what the real one printed, `$xml` what it wrote.
fn outcome(bench: &Bench, does: &str) -> (String, String) {
    let golden = |name: &str| {
        format!("<(sed 's|/project|{}|g' {})", bench.project().display(), here().join("golden").join(name).display())
    };
    bench.tool("compute-sanitizer", &format!("[ \"$1\" = --version ] && exit 0\nfor word; do [ \"$previous\" = --save ] && save=$word; previous=$word; done\n{}",
        does.replace("$text", &golden("vector.txt")).replace("$xml", &golden("vector.xml"))));
    // Nothing of this one is started.
    let program = here().join("golden/clean.xml");
    let said =
        bench.scuba(["confirm", "vector.cu", "--exe", program.to_str().unwrap(), "--message-format", "json"]).status(1);
    let confirmation = said.findings()[0]["confirmation"].clone();
    (confirmation["status"].as_str().unwrap().to_owned(), confirmation["detail"].as_str().unwrap().to_owned())
}

#[test]
fn what_was_printed_before_the_tool_was_killed_counts() {
    let bench = Bench::new("vector.cu");
    // As where its memory is used up: the file is not written, or not to its end.
    for does in ["cat $text; kill -9 $$", "cat $text; head -c 300 $xml >\"$save\"; kill -9 $$"] {
        let (status, detail) = outcome(&bench, does);
        assert_eq!(status, "confirmed", "{does}: {detail}");
    }
}

#[test]
fn a_broken_file_is_inconclusive_and_never_silence() {
    let bench = Bench::new("vector.cu");
    for does in [
        "exit 0",
        "head -c 300 $xml >\"$save\"",
        "echo '<Other/>' >\"$save\"; exit 0",
        "head -c 100000 /dev/urandom >\"$save\"; exit 0",
        "mkdir \"$save\"; exit 0",
    ] {
        let (status, detail) = outcome(&bench, does);
        assert_eq!(status, "inconclusive", "{does}: {detail}");
    }
}

#[test]
fn a_run_may_write_into_its_folder_and_leave_processes_there() {
    let bench = Bench::new("vector.cu");
    let does = format!(
        "mkdir out; echo x >out/result; echo x >../beside; setsid sleep 300 >/dev/null 2>&1 & echo $! >>{}; cat $xml >\"$save\"; exit 77",
        bench.root().join("pids").display()
    );
    let (status, detail) = outcome(&bench, &does);
    assert_eq!(status, "confirmed", "{detail}");
    for pid in std::fs::read_to_string(bench.root().join("pids")).unwrap().lines() {
        assert!(!std::path::Path::new("/proc").join(pid).join("exe").exists(), "process {pid} is left");
    }
    assert!(!bench.project().join("out").exists());
}

/// Ends a command by a signal while Compute Sanitizer hangs; whatever it put into its folder for temporary files must be gone.
#[track_caller]
fn interrupt(bench: &Bench, mut command: Command, signal: rustix::process::Signal) {
    hangs(bench, "compute-sanitizer", " --tool ", "echo Version 1");
    let temporary = bench.root().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let mut running = command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pids = bench.root().join("pids");
    let begun = Instant::now();
    while std::fs::read_to_string(&pids).unwrap_or_default().lines().count() < 2 {
        assert!(
            begun.elapsed() < Duration::from_secs(100) && running.try_wait().unwrap().is_none(),
            "Compute Sanitizer was never run"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    // The shim gives its analysis a folder of its own in there.
    let entries = |folder: &std::path::Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect()
    };
    let ours = || {
        let all = entries(&temporary).into_iter().flat_map(|e| [entries(&e), vec![e]].concat());
        all.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("scuba-confirm-"))).count()
    };
    assert!(ours() > 0);
    let pid = i32::try_from(running.id()).ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
    assert!(!running.wait().unwrap().success());
    // What has been ended may take a moment to be gone.
    let ended = Instant::now();
    while ended.elapsed() < Duration::from_secs(60) && (ours() > 0 || !all_are_gone(bench)) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_all_are_gone(bench);
    assert_eq!(ours(), 0);
    assert!(!bench.project().join(".scuba/confirmations").exists(), "what was interrupted says nothing");
}

#[test]
fn an_interrupted_shim_leaves_nothing_running() {
    let bench = bench_of("vector.cu", "clean.xml", "");
    interrupt(&bench, shim_command(&bench, &["-c", "vector.cu", "-o", "a.o"], &[]), rustix::process::Signal::TERM);
}

#[test]
fn a_shim_that_is_killed_leaves_nothing_running() {
    let bench = bench_of("vector.cu", "clean.xml", "");
    interrupt(&bench, shim_command(&bench, &["-c", "vector.cu", "-o", "a.o"], &[]), rustix::process::Signal::KILL);
}

#[test]
fn an_interrupted_confirmation_leaves_nothing_running() {
    let bench = bench_of("vector.cu", "clean.xml", "");
    let program = here().join("golden/clean.xml");
    let mut command = bench.command();
    command.args(["confirm", "vector.cu", "--exe"]).arg(program);
    // SIGINT comes to the same, but is ignored by all that a shell started in the background, this suite perhaps.
    interrupt(&bench, command, rustix::process::Signal::TERM);
}

#[test]
fn results_of_another_version_are_refused() {
    let bench = Bench::new("vector.cu");
    bench.tool("nvidia-smi", "exit 9");
    let bundle = bench.root().join("bundle");
    bench.scuba(["confirm", "vector.cu", "--bundle", bundle.to_str().unwrap()]).status(0);
    for (results, why) in [
        (r#"{"schema": "scuba-results/9", "outcomes": []}"#, "has the form `scuba-results/9`"),
        (r#"{"outcomes": []}"#, "has the form `nothing`"),
        ("[", "has no results"),
    ] {
        std::fs::write(bundle.join("results.json"), results).unwrap();
        let said = bench.scuba(["confirm", "--from", bundle.to_str().unwrap()]).status(2);
        assert!(said.err.contains(why), "{}", said.err);
    }
    // The same form from a newer tool, with things that this one does not know, is read.
    let path = bundle.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["version"] = "99.0.0".into();
    manifest["novelty"] = true.into();
    std::fs::write(&path, manifest.to_string()).unwrap();
    std::fs::write(bundle.join("results.json"), r#"{"schema": "scuba-results/1", "outcomes": []}"#).unwrap();
    let said = bench.scuba(["confirm", "--from", bundle.to_str().unwrap()]).status(0);
    assert!(said.err.contains("0 of 0 findings confirmed"), "{}", said.err);
}

#[test]
fn a_tool_that_is_missing_costs_one_line_and_no_verdict() {
    let bench = bench_of("vector.cu", "clean.xml", "");
    bench.settings("[confirm]\ncompute_sanitizer = \"/no/such/tool\"\n");
    let said = Said::from(shim_command(&bench, &["-c", "vector.cu", "-o", "a.o"], &[]).output().unwrap()).status(1);
    let notes: Vec<&str> = said.err.lines().filter(|l| l.contains("/no/such/tool")).collect();
    assert!(
        matches!(notes[..], [note] if note.contains("= note: hardware confirmation was not run: /no/such/tool cannot be run: No such file")),
        "{}",
        said.err
    );
    assert!(said.err.contains("error[oob-global]") && !bench.project().join("a.o").exists());
    let said = bench.scuba(["confirm", "vector.cu"]).status(2);
    assert!(
        said.err.lines().count() == 1 && said.err.contains("set `[confirm] compute_sanitizer` in scuba.toml"),
        "{}",
        said.err
    );
}

#[test]
fn a_driver_that_cannot_be_opened_is_named() {
    let bench = bench_of("shared_neighbour.cu", "clean.xml", "");
    std::fs::write(bench.tools().join("libcuda.so.1"), "no library").unwrap();
    let said =
        Said::from(shim_command(&bench, &["-c", "shared_neighbour.cu", "-o", "a.o"], &[]).output().unwrap()).status(1);
    assert!(
        said.err.contains("error[oob-shared]")
            && said.err.contains("inconclusive by a check compiled into the program on NVIDIA H200"),
        "{}",
        said.err
    );
    assert_eq!(
        said.err.matches("cannot open libcuda.so.1: no NVIDIA driver is installed here").count(),
        1,
        "{}",
        said.err
    );
}

/// A library that makes the disk full below a folder.
fn full_disk(bench: &Bench, below: &std::path::Path) -> [(&'static str, String); 2] {
    let library = bench.root().join("libfull.so");
    let source = here().join("../projects/full.c");
    let made =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status().unwrap();
    assert!(made.success());
    [("LD_PRELOAD", library.display().to_string()), ("FULL_FOLDER", below.display().to_string())]
}

#[test]
fn a_full_disk_costs_one_line_and_no_verdict() {
    let bench = bench_of("vector.cu", "vector.xml", "");
    let temporary = bench.root().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let full = full_disk(&bench, &temporary);
    let mut shim = shim_command(&bench, &["-c", "vector.cu", "-o", "a.o"], &[]);
    let said =
        Said::from(shim.envs(full).env("FULL_PART", "/scuba-confirm-").env("TMPDIR", &temporary).output().unwrap())
            .status(1);
    assert!(said.err.contains("error[oob-global]") && !bench.project().join("a.o").exists(), "{}", said.err);
    assert_eq!(said.err.matches("No space left on device").count(), 1, "{}", said.err);
    assert!(said.err.contains("= note: hardware confirmation was not run: cannot write "), "{}", said.err);

    // What was seen is told though it cannot be kept.
    let bundle = bench.root().join("bundle");
    bench.scuba(["confirm", "vector.cu", "--bundle", bundle.to_str().unwrap()]).status(0);
    bench.sanitizer("vector.xml", "vector.xml", &bundle.join(format!("sources{}", bench.project().display())));
    let said =
        bench.command().args(["confirm", "--from"]).arg(&bundle).envs(full_disk(&bench, &bundle)).output().unwrap();
    let said = Said::from(said).status(2);
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(
        matches!(lines[..], [seen, kept] if seen.starts_with("scuba: confirmed: vector.cu:") && kept.contains("results.json: No space left on device")),
        "{}",
        said.err
    );
}

#[test]
fn a_bundle_that_is_not_whole_is_refused_in_one_line() {
    let bench = Bench::new("shared_neighbour.cu");
    bench.sanitizer("clean.xml", "clean.xml", &bench.project());
    let bundle = bench.root().join("bundle");
    bench.scuba(["confirm", "shared_neighbour.cu", "--bundle", bundle.to_str().unwrap()]).status(0);
    let from =
        |bench: &Bench| bench.command().args(["confirm", "--from"]).arg(&bundle).env("RECORD", "1").output().unwrap();
    let manifest = bundle.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    // Of the code with checks nothing is there: what is left is run.
    std::fs::remove_dir_all(bundle.join("checks")).unwrap();
    let said = Said::from(from(&bench)).status(0);
    assert!(
        said.err.contains("scuba: inconclusive: shared_neighbour.cu:")
            && said.err.contains("0-unit-0.ptx: No such file"),
        "{}",
        said.err
    );
    std::fs::write(&manifest, &text[..text.len() / 2]).unwrap();
    let said = Said::from(from(&bench)).status(2);
    assert!(
        said.err.lines().count() == 1 && said.err.contains("manifest.json is not a bundle's manifest: EOF"),
        "{}",
        said.err
    );
    std::fs::remove_file(&manifest).unwrap();
    std::fs::create_dir(&manifest).unwrap();
    let said = Said::from(from(&bench)).status(2);
    assert!(
        said.err.lines().count() == 1 && said.err.contains("cannot read ") && said.err.contains("manifest.json"),
        "{}",
        said.err
    );
}
