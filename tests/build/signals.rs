//! Signals reach nvcc, what it started, and the analysis; the shim then ends as nvcc did, and nothing is left behind.

use crate::outcomes::is_alive;
use crate::support::{KERNEL, Shim, clean, write};
use rustix::process::{Pid, Signal};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// An nvcc that writes its process number and its child's, then does as it is told.
fn fake_nvcc(folder: &Path, body: &str) {
    let file = folder.join("nvcc");
    std::fs::write(
        &file,
        format!("#!/bin/bash\nsleep 1000 & echo $$ $! > nvcc.pids.new; mv nvcc.pids.new nvcc.pids\n{body}\n"),
    )
    .unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

const ANALYSIS: &str = "sleep 1000 & echo $$ $! > scuba.pids.new; mv scuba.pids.new scuba.pids; cat > /dev/null; wait";

struct Running {
    folder: tempfile::TempDir,
    _shim: Shim,
    child: Child,
}

impl Running {
    fn start(nvcc: &str, analysis: &str) -> Running {
        Running::start_ignoring(nvcc, analysis, "")
    }

    /// `ignored` is a signal's name for the shell's `trap`.
    fn start_ignoring(nvcc: &str, analysis: &str, ignored: &str) -> Running {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[("a.cu", KERNEL)]);
        fake_nvcc(folder.path(), nvcc);
        let shim = Shim::new(analysis);
        let trap = if ignored.is_empty() { String::new() } else { format!("trap '' {ignored}; ") };
        // The tests themselves may run where signals are ignored: under nohup, or as a shell's background job.
        let mut command = clean(Path::new("/usr/bin/env"), folder.path());
        command
            .args(["--default-signal", "/bin/bash", "-c", &format!("{trap}exec '{}' -c a.cu", shim.path().display())])
            .env("SCUBA_NVCC", folder.path().join("nvcc"));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Running { folder, _shim: shim, child }
    }

    /// Process numbers that a script wrote, once they are there.
    fn pids(&self, file: &str) -> Vec<String> {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Ok(text) = std::fs::read_to_string(self.folder.path().join(file)) {
                return text.split_whitespace().map(str::to_owned).collect();
            }
            assert!(Instant::now() < deadline, "{file} does not appear");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn send(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the shim does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[track_caller]
fn all_gone(pids: &[String]) {
    let deadline = Instant::now() + Duration::from_secs(20);
    for pid in pids {
        while is_alive(pid) {
            assert!(Instant::now() < deadline, "process {pid} is left behind");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn forwarded_while_nvcc_runs() {
    for (signal, number) in [(Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1), (Signal::QUIT, 3)] {
        // The background child of a shell script ignores SIGINT and SIGQUIT; give it back its default.
        let mut running = Running::start(
            "kill %1; exec perl -e '$SIG{INT}=\"DEFAULT\"; $SIG{QUIT}=\"DEFAULT\"; open F, \">ready\"; sleep 1000'",
            ANALYSIS,
        );
        let pids = [running.pids("nvcc.pids"), running.pids("scuba.pids")].concat();
        running.pids("ready");
        running.send(signal);
        assert_eq!(running.end().signal(), Some(number));
        all_gone(&pids);
    }
}

/// What nvcc started gets the signal too: nvcc itself leaves its compilers behind when it alone is told to end.
#[test]
fn what_nvcc_started_ends_as_well() {
    let mut running = Running::start("wait", ANALYSIS);
    let pids = [running.pids("nvcc.pids"), running.pids("scuba.pids")].concat();
    running.send(Signal::TERM);
    assert_eq!(running.end().signal(), Some(15));
    all_gone(&pids);
}

/// An nvcc that catches the signal and ends with a status of its own has the last word.
#[test]
fn nvccs_own_way_to_end_is_kept() {
    let mut running = Running::start("trap 'kill $!; exit 7' TERM; : > ready; wait", ANALYSIS);
    let pids = [running.pids("nvcc.pids"), running.pids("scuba.pids")].concat();
    running.pids("ready");
    running.send(Signal::TERM);
    assert_eq!(running.end().code(), Some(7));
    all_gone(&pids);
}

#[test]
fn forwarded_to_the_analysis_when_nvcc_is_done() {
    let mut running = Running::start("kill $!; exit 0", ANALYSIS);
    let pids = running.pids("scuba.pids");
    std::thread::sleep(Duration::from_millis(300));
    running.send(Signal::TERM);
    assert_eq!(running.end().signal(), Some(15));
    all_gone(&pids);
}

#[test]
fn an_nvcc_that_dies_of_a_signal() {
    for (name, number) in [("SEGV", 11), ("KILL", 9), ("ABRT", 6), ("USR1", 10)] {
        let mut running = Running::start(&format!("kill $!; kill -{name} $$"), ANALYSIS);
        assert_eq!(running.end().signal(), Some(number), "{name}");
        if running.folder.path().join("scuba.pids").exists() {
            all_gone(&running.pids("scuba.pids"));
        }
    }
}

/// Under nohup nvcc must go on as well: it inherits what is ignored.
#[test]
fn an_ignored_signal_stays_ignored() {
    let mut running = Running::start_ignoring("sleep 1; kill $!; exit 5", ANALYSIS, "HUP");
    running.pids("nvcc.pids");
    running.send(Signal::HUP);
    assert_eq!(running.end().code(), Some(5));
}

/// A shim that cannot clean up: the kernel ends its children.
#[test]
fn killed_outright() {
    // What the fake nvcc started is no child of the shim's: it is gone before "ready".
    let mut running = Running::start(
        "kill $!; : > ready; exec sleep 1000",
        "cat > /dev/null; echo $$ > scuba.pids.new; mv scuba.pids.new scuba.pids; exec sleep 1000",
    );
    let pids = [running.pids("nvcc.pids"), running.pids("scuba.pids")].concat();
    running.pids("ready");
    running.send(Signal::KILL);
    assert_eq!(running.end().signal(), Some(9));
    all_gone(&pids);
}
