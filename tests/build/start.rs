//! The shim starts in milliseconds: it loads neither LLVM nor Z3.

use crate::support::{Shim, clean, run};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn links_nothing_heavy() {
    let output = run(clean(Path::new("readelf"), Path::new("/")).args(["-d", env!("CARGO_BIN_EXE_scuba-nvcc")])).ok();
    let needed: Vec<String> =
        output.out().lines().filter(|line| line.contains("(NEEDED)")).map(str::to_owned).collect();
    assert!(needed.iter().any(|line| line.contains("libc.so")), "{}", output.out());
    for library in needed {
        let name = library.to_lowercase();
        assert!(["z3", "llvm", "clang", "stdc++"].iter().all(|heavy| !name.contains(heavy)), "{library}");
    }
}

#[test]
fn starts_in_milliseconds() {
    let shim = Shim::alone();
    // The real work of this command is the shim's alone: finding nvcc and taking its place.
    let started = |_| {
        let mut command = clean(&shim.path(), shim.folder());
        command.args(["-arch=sm_80", "--version"]).env("SCUBA_NVCC", "/bin/true");
        let started = Instant::now();
        assert!(command.status().unwrap().success());
        started.elapsed()
    };
    let fastest = (0..20).map(started).min().unwrap();
    assert!(fastest < Duration::from_millis(20), "{fastest:?}");
}

#[test]
fn nvcc_runs_where_the_working_directory_is_gone() {
    let shim = Shim::alone();
    for (words, said) in [("--version", 0), ("-c /nowhere/a.cu -o /nowhere/a.o", 1)] {
        let script = format!("mkdir gone && cd gone && rmdir ../gone && exec {} {words}", shim.path().display());
        let output =
            run(clean(Path::new("sh"), shim.folder()).args(["-c", &script]).env("SCUBA_NVCC", "/bin/true")).ok();
        let lines = output.err().lines().filter(|l| l.contains("scuba")).count();
        assert_eq!(lines, said, "{words}: {}", output.err());
    }
}
