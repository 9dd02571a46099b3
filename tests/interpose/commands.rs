//! The real `scuba build`, with the real shim.

use super::{Session, lines, nvcc, plainly};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn scuba_build(session: &Session) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scuba"));
    command.arg("build").current_dir(session.folder.path()).stdin(Stdio::null());
    command
}

fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} did not appear", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A Makefile that names nvcc by its path and links with the host's compiler: facts of both units, and the link.
#[test]
fn a_makefile_is_analysed_by_the_real_shim() {
    let session = Session::new();
    session.write("kernels.cu", super::builds::KERNELS);
    session.write("main.cu", super::builds::MAIN);
    let toolkit = nvcc().parent().unwrap().parent().unwrap().display().to_string();
    let makefile = format!(
        "NVCC := {toolkit}/bin/nvcc\napp: main.o kernels.o\n\tg++ $^ -o $@ -L{toolkit}/lib64 -lcudart_static -ldl -lrt -lpthread\n\
         %.o: %.cu\n\t$(NVCC) -arch=sm_80 -c $< -o $@\n"
    );
    session.write("Makefile", &makefile);
    plainly("git", &["init", "-q"], session.folder.path());
    let output = scuba_build(&session).args(["--", "make", "-j2"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "escape sequences without a terminal: {stderr:?}");
    let units: Vec<_> = std::fs::read_dir(session.path(".scuba/units"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(units.len(), 2, "{units:?}");
    for object in ["main.o", "kernels.o"] {
        assert!(units.iter().any(|u| u.contains(object)), "{units:?}");
    }
    assert!(session.path("app").is_file());
}

#[test]
fn the_build_commands_own_failure_is_its_own() {
    let session = Session::new();
    assert_eq!(scuba_build(&session).args(["--", "sh", "-c", "exit 42"]).status().unwrap().code(), Some(42));
    let missing = scuba_build(&session).args(["--", "no-such-build-tool"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no-such-build-tool"));
}

#[test]
fn a_termination_reaches_the_build() {
    let session = Session::new();
    let (ready, told) = (session.path("ready"), session.path("told"));
    let script = format!(
        "trap 'echo told > \"{}\"; exit 3' TERM; : > '{}'; while :; do sleep 0.05; done",
        told.display(),
        ready.display()
    );
    let mut build = scuba_build(&session).args(["--", "sh", "-c", &script]).spawn().unwrap();
    wait_for(&ready);
    plainly("kill", &["-TERM", &build.id().to_string()], session.folder.path());
    assert_eq!(build.wait().unwrap().code(), Some(3));
    assert_eq!(lines(&told), ["told"]);
}

/// `nohup` and shells' background jobs: what is ignored stays so for the build.
#[test]
fn an_ignored_hangup_stays_ignored() {
    let session = Session::new();
    let (ready, go) = (session.path("ready"), session.path("go"));
    let script = format!(
        "trap '' HUP; exec '{}' build -- sh -c \": > '{}'; while [ ! -e '{}' ]; do sleep 0.05; done; exit 4\"",
        env!("CARGO_BIN_EXE_scuba"),
        ready.display(),
        go.display()
    );
    let mut build = Command::new("sh").args(["-c", &script]).current_dir(session.folder.path()).spawn().unwrap();
    wait_for(&ready);
    plainly("kill", &["-HUP", &build.id().to_string()], session.folder.path());
    std::thread::sleep(Duration::from_millis(200));
    std::fs::write(&go, "").unwrap();
    assert_eq!(build.wait().unwrap().code(), Some(4));
}
