//! Tools and programs that misbehave, builds that are interrupted, bundles of other versions.

use super::auto::{assert_all_are_gone, bench_of, hangs, shim_command};
use super::{Bench, here};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What becomes of `vector.cu`'s finding where Compute Sanitizer does this after it was asked for its version; `$save` is the file that it
/// should write, `$text` what the real one printed, `$xml` what it wrote.
fn outcome(bench: &Bench, does: &str) -> (String, String) {
    let golden = |name: &str| format!("<(sed 's|/project|{}|g' {})", bench.project().display(), here().join("golden").join(name).display());
    bench.tool("compute-sanitizer", &format!("[ \"$1\" = --version ] && exit 0\nfor word; do [ \"$previous\" = --save ] && save=$word; previous=$word; done\n{}",
        does.replace("$text", &golden("vector.txt")).replace("$xml", &golden("vector.xml"))));
    // Nothing of this one is started.
    let program = here().join("golden/clean.xml");
    let said = bench.scuba(["confirm", "vector.cu", "--exe", program.to_str().unwrap(), "--message-format", "json"]).status(1);
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
    for does in ["exit 0", "head -c 300 $xml >\"$save\"", "echo '<Other/>' >\"$save\"; exit 0", "head -c 100000 /dev/urandom >\"$save\"; exit 0", "mkdir \"$save\"; exit 0"] {
        let (status, detail) = outcome(&bench, does);
        assert_eq!(status, "inconclusive", "{does}: {detail}");
    }
}

#[test]
fn a_run_may_write_into_its_folder_and_leave_processes_there() {
    let bench = Bench::new("vector.cu");
    let does = format!("mkdir out; echo x >out/result; echo x >../beside; setsid sleep 300 >/dev/null 2>&1 & echo $! >>{}; cat $xml >\"$save\"; exit 77", bench.root().join("pids").display());
    let (status, detail) = outcome(&bench, &does);
    assert_eq!(status, "confirmed", "{detail}");
    for pid in std::fs::read_to_string(bench.root().join("pids")).unwrap().lines() { assert!(!std::path::Path::new("/proc").join(pid).join("exe").exists(), "process {pid} is left"); }
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
        assert!(begun.elapsed() < Duration::from_secs(100) && running.try_wait().unwrap().is_none(), "Compute Sanitizer was never run");
        std::thread::sleep(Duration::from_millis(50));
    }
    let ours = || std::fs::read_dir(&temporary).unwrap().map(|e| e.unwrap().file_name()).filter(|n| n.to_string_lossy().starts_with("scuba-confirm-")).count();
    assert!(ours() > 0);
    let pid = i32::try_from(running.id()).ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
    assert!(!running.wait().unwrap().success());
    // What has been ended may take a moment to be gone.
    std::thread::sleep(Duration::from_secs(3));
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
    for (results, why) in [(r#"{"schema": "scuba-results/9", "outcomes": []}"#, "has the form `scuba-results/9`"), (r#"{"outcomes": []}"#, "has the form `nothing`"), ("[", "holds no results")] {
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
