//! A front end that crashes, hangs or is missing costs one line, and leaves nothing running.

use super::{Project, options};
use scuba::cpu_time::TimeLimit;
use scuba::frontend::{ExtractError, ExtractOptions, extract};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const SOURCE: &[(&str, &str)] = &[("a.cu", "int main() {}\n")];

fn script(p: &Project, name: &str, text: &str) -> PathBuf {
    let path = p.path().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn reasons(p: &Project, options: &ExtractOptions) -> Vec<String> {
    let e = extract(&p.unit("a.cu"), options).unwrap();
    assert!(e.modules.is_empty());
    e.not_analysed.into_iter().map(|n| n.reason).collect()
}

/// Waits for a process to be gone; it may need a moment after it was killed.
fn gone(pid: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    let alive = || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "));
    while alive() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    !alive()
}

#[test]
fn a_clang_that_crashes_is_said_for_each_side() {
    let p = Project::new(SOURCE);
    let clang = script(&p, "clang", "kill -SEGV $$");
    let r = reasons(&p, &ExtractOptions { clang, ..options() });
    assert_eq!(r, ["clang crashed (signal 11)", "clang crashed (signal 11)"]);
}

#[test]
fn a_clang_that_fails_without_a_word_is_said() {
    let p = Project::new(SOURCE);
    let clang = script(&p, "clang", "exit 70");
    assert_eq!(reasons(&p, &ExtractOptions { clang, ..options() })[0], "clang crashed (exit status 70)");
}

#[test]
fn a_clang_that_is_missing_is_said_with_the_remedy() {
    let p = Project::new(SOURCE);
    let r = reasons(&p, &ExtractOptions { clang: "/no/such/clang".into(), ..options() });
    assert_eq!(r.len(), 2);
    assert!(r[0].starts_with("cannot run /no/such/clang: ") && r[0].ends_with("under [frontend] clang"), "{}", r[0]);
}

#[test]
fn a_clang_that_hangs_is_ended_in_time() {
    let two = Duration::from_secs(2);
    for (hang, time_limit) in [
        ("while :; do :; done", TimeLimit::of(two)),
        ("exec sleep 600", TimeLimit::of(two / 2)),
        ("exec sleep 600", TimeLimit::of(Duration::from_secs(60)).within(two)),
    ] {
        let p = Project::new(SOURCE);
        let clang = script(&p, "clang", &format!("[ \"$1\" = --version ] && exit 0\necho $$ > pid.$$\n{hang}"));
        let start = Instant::now();
        let r = reasons(&p, &ExtractOptions { clang, time_limit, ..options() });
        assert!(start.elapsed() < Duration::from_secs(20));
        assert_eq!(r, ["clang took too long (limits.tu_seconds)", "clang took too long (limits.tu_seconds)"]);
        let pids: Vec<String> = std::fs::read_dir(p.path())
            .unwrap()
            .filter_map(|f| Some(f.unwrap().file_name().to_str()?.strip_prefix("pid.")?.to_owned()))
            .collect();
        assert_eq!(pids.len(), 2, "one clang a side");
        for pid in pids {
            assert!(gone(&pid), "{pid} still runs");
        }
    }
}

#[test]
fn a_clang_that_waits_longer_than_its_time_is_not_ended() {
    let p = Project::new(SOURCE);
    let real = ExtractOptions::default().clang;
    let script = script(&p, "clang", &format!("[ \"$1\" = --version ] || sleep 4\nexec {} \"$@\"", real.display()));
    let time_limit = TimeLimit::of(Duration::from_secs(3));
    let e = extract(&p.unit("a.cu"), &ExtractOptions { clang: script, time_limit, ..options() }).unwrap();
    assert_eq!((e.modules.len(), e.not_analysed.len()), (2, 0));
}

#[test]
fn a_worker_that_hangs_is_ended_with_all_it_started() {
    let two = Duration::from_secs(2);
    for (hang, wall) in [("sleep 600", Some(two)), ("sh -c 'while :; do :; done'", None)] {
        let p = Project::new(SOURCE);
        let pid = p.path().join("pid");
        let worker = script(&p, "worker", &format!("{hang} &\necho $! > {}\nwait", pid.display()));
        let options = ExtractOptions { worker: Some(worker), time_limit: TimeLimit { cpu: two, wall }, ..options() };
        let e = extract(&p.unit("a.cu"), &options).unwrap_err();
        assert!(matches!(e, ExtractError::TimedOut { seconds: 2, .. }), "{e}");
        assert!(e.to_string().ends_with("a.cu: the front end took longer than 2 s (limits.tu_seconds)"), "{e}");
        assert!(gone(std::fs::read_to_string(pid).unwrap().trim()));
    }
}

#[test]
fn a_worker_that_crashes_is_one_line() {
    let p = Project::new(SOURCE);
    let worker = script(&p, "worker", "echo LLVM ERROR: out of memory >&2\nkill -ABRT $$");
    let e = extract(&p.unit("a.cu"), &ExtractOptions { worker: Some(worker), ..options() }).unwrap_err().to_string();
    assert!(e.ends_with("a.cu: the front end crashed (signal 6): LLVM ERROR: out of memory"), "{e}");
    assert_eq!(e.lines().count(), 1);
}

#[test]
fn a_worker_of_another_version_is_said() {
    let p = Project::new(SOURCE);
    let worker = script(&p, "worker", "cat > /dev/null; printf '\\377\\377'");
    let e = extract(&p.unit("a.cu"), &ExtractOptions { worker: Some(worker), ..options() }).unwrap_err();
    assert!(matches!(e, ExtractError::Answer { .. }), "{e}");
}

#[test]
fn a_worker_that_is_missing_is_said() {
    let p = Project::new(SOURCE);
    let options = ExtractOptions { worker: Some("/no/such/scuba-extract".into()), ..options() };
    let e = extract(&p.unit("a.cu"), &options).unwrap_err();
    assert!(matches!(e, ExtractError::Spawn { .. }), "{e}");
}

#[test]
fn memory_is_bounded() {
    let p = Project::new(SOURCE);
    let clang = script(
        &p,
        "clang",
        "[ \"$1\" = --version ] && exit 0\necho \"a.cu:1:1: error: limit $(ulimit -v)\" >&2; exit 1",
    );
    let r = reasons(&p, &ExtractOptions { clang, memory_limit: 3 << 30, ..options() });
    assert_eq!(r[0], format!("a.cu:1:1: error: limit {}", 3 << 20), "clang runs under the limit, in KiB");
}

#[test]
fn search_paths_of_the_environment_count_as_they_do_for_nvcc() {
    let p = Project::new(&[
        ("a.cu", "#include <there.h>\nint main() { return THERE; }\n"),
        ("inc/there.h", "#define THERE 0\n"),
    ]);
    let real = env!("CARGO_BIN_EXE_scuba-extract");
    let worker = script(&p, "worker", &format!("CPATH={} exec {real} \"$@\"", p.path().join("inc").display()));
    let e = extract(&p.unit("a.cu"), &ExtractOptions { worker: Some(worker), ..options() }).unwrap();
    assert_eq!(e.modules.len(), 2, "{:?}", e.not_analysed);
}

/// The shim starts in milliseconds because it loads no LLVM; only the worker does.
#[test]
fn only_the_worker_loads_llvm() {
    let needs_llvm = |binary: &str| {
        let out = std::process::Command::new("readelf").args(["-d", binary]).output().unwrap();
        assert!(out.status.success());
        String::from_utf8_lossy(&out.stdout).lines().any(|l| l.contains("(NEEDED)") && l.contains("libLLVM"))
    };
    assert!(needs_llvm(env!("CARGO_BIN_EXE_scuba-extract")));
    assert!(!needs_llvm(env!("CARGO_BIN_EXE_scuba-nvcc")));
    assert!(!needs_llvm(env!("CARGO_BIN_EXE_scuba")));
}
