//! make's jobserver: with N jobs at most N processes compile or analyse at once, tokens come back, and nvcc's descriptors are
//! what make gave.

use crate::support::{Output, Shim, clean, run, write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes `+` on its start and `-` on its end to a common log: the greatest balance is how many ran at once. A recursive make
/// hands its jobserver to the recipes (`+`).
fn project(units: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sources: Vec<String> = (0..units).map(|number| format!("k{number}.cu")).collect();
    let makefile =
        "OBJECTS := $(patsubst %.cu,%.o,$(wildcard *.cu))\nall: $(OBJECTS)\n%.o: %.cu\n\t+$(SHIM) -c $< -o $@\n";
    write(folder.path(), &[("Makefile", makefile)]);
    for source in &sources {
        write(folder.path(), &[(source, "")]);
    }
    let nvcc = folder.path().join("nvcc");
    std::fs::write(
        &nvcc,
        "#!/bin/bash\necho + >> log\nls -l /proc/self/fd > \"fds.$$\"; echo \"$MAKEFLAGS\" >> \"fds.$$\"\nsleep 0.2\n: > \"${@: -1}\"\necho - >> log\n",
    )
    .unwrap();
    std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

const ANALYSIS: &str = "cat > /dev/null; echo + >> log; sleep 0.2; echo - >> log; exit 0";

fn make(shim: &Shim, folder: &Path, jobs: &str) -> Output {
    let mut command = clean(Path::new("make"), folder);
    command.arg(jobs).arg(format!("SHIM={}", shim.path().display())).env("SCUBA_NVCC", folder.join("nvcc"));
    run(&mut command).ok()
}

/// How many ran, and how many at once.
fn count(folder: &Path) -> (usize, i32) {
    let log = std::fs::read_to_string(folder.join("log")).unwrap();
    let (mut now, mut most) = (0, 0);
    for line in log.lines() {
        now += if line == "+" { 1 } else { -1 };
        most = most.max(now);
    }
    assert_eq!(now, 0, "{log}");
    (log.lines().filter(|line| *line == "+").count(), most)
}

#[test]
fn no_more_at_once_than_make_allows() {
    let shim = Shim::new(ANALYSIS);
    for (jobs, allowed) in [("-j1", 1), ("-j2", 2), ("-j4", 4)] {
        let folder = project(8);
        make(&shim, folder.path(), jobs);
        let (ran, most) = count(folder.path());
        assert_eq!(ran, 16, "{jobs}");
        // `-j1` has no jobserver: one process more than make counts.
        assert!(most <= allowed.max(2), "{jobs}: {most} at once");
        assert!(jobs == "-j1" || most == allowed, "{jobs}: only {most} at once");
    }
}

/// A token that is not given back makes `make` complain at its end, or hang.
#[test]
fn tokens_come_back() {
    let shim = Shim::new("cat > /dev/null; kill -SEGV $$");
    let folder = project(6);
    let output = make(&shim, folder.path(), "-j3");
    assert!(!output.err().contains("INTERNAL"), "{}", output.err());
    assert_eq!(output.err().matches("was not analysed").count(), 6);
}

#[test]
fn nvcc_inherits_what_make_gave() {
    let shim = Shim::new(ANALYSIS);
    let folder = project(1);
    make(&shim, folder.path(), "-j2");
    let seen = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("fds."))
        .unwrap();
    let seen = std::fs::read_to_string(seen).unwrap();
    let auth = seen.split("--jobserver-auth=").nth(1).unwrap().split_whitespace().next().unwrap();
    if let Some((read, write)) = auth.split_once(',') {
        assert!([read, write].iter().all(|fd| seen.contains(&format!(" {fd} -> pipe:"))), "{seen}");
    } else {
        assert!(auth.starts_with("fifo:"), "{auth}");
    }
}

/// A descriptor that MAKEFLAGS names but make has closed (recipes without `+` under make 4.3), or that is something else.
#[test]
fn a_jobserver_that_is_not_there() {
    let shim = Shim::new(ANALYSIS);
    let folder = project(1);
    for flags in [
        "-j4 --jobserver-auth=3,4",
        "-j4 --jobserver-auth=1,2",
        "-j4 --jobserver-auth=fifo:/no/such",
        "-j --jobserver-auth=-2,-2",
    ] {
        let mut command = shim.command(folder.path());
        command
            .args(["-c", "k0.cu", "-o", "k0.o"])
            .env("SCUBA_NVCC", folder.path().join("nvcc"))
            .env("MAKEFLAGS", flags);
        run(&mut command).ok();
    }
    assert_eq!(count(folder.path()).0, 8);
}
