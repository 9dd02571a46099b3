//! What a process is started with: streams, signals, variables, the file systems that it sees.

use super::{Faults, SAFE, SCUBA, SHIM, Site};
use crate::support::{Shim, clean, run};
use std::path::Path;

const ENOENT: i32 = 2;

/// A parent that ignores SIGCHLD (a daemon that never waits): the system then drops the statuses of children.
#[test]
fn statuses_of_children_are_kept_where_the_parent_drops_its_own() {
    let site = Site::new(SAFE);
    let ignoring = |program: &Path, words: &[&str]| {
        let mut command = site.command(Path::new("perl"));
        command.args(["-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV or die"]).arg(program).args(words);
        command
    };
    assert_eq!(site.compiles(&mut ignoring(Path::new(SHIM), &["-c", "a.cu"])), "");
    let said = run(&mut ignoring(Path::new(SCUBA), &["check"])).ok();
    assert!(said.err().starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe"), "{}", said.err());

    // nvcc starts as it would without the shim.
    // Shells and perl make SIGCHLD their own.
    let nvcc = "#!/usr/bin/env python3\nimport signal\nprint(signal.getsignal(signal.SIGCHLD).name)\n";
    std::fs::write(site.project().join("script"), nvcc).unwrap();
    crate::support::install(&site.project().join("script"), &site.at("cuda/bin/nvcc"));
    assert_eq!(run(&mut ignoring(Path::new(SHIM), &["-c", "a.cu"])).ok().out(), "SIG_IGN\n");
    let keeping = run(clean(Path::new("env"), &site.project())
        .arg("--default-signal=CHLD")
        .arg(SHIM)
        .args(["-c", "a.cu"])
        .env("SCUBA_NVCC", site.at("cuda/bin/nvcc")));
    assert_eq!(keeping.ok().out(), "SIG_DFL\n");
}

/// A container or a chroot without `/proc`: the programs find themselves and each other all the same.
#[test]
fn without_proc() {
    let (site, faults) = (Site::new(SAFE), Faults::new());
    let without = |mut command: std::process::Command| {
        faults.all(&mut command, "scuba-nvcc:scuba:scuba-extract", "proc", ENOENT);
        command
    };
    assert_eq!(site.compiles(&mut without(site.compilation())), "");
    assert!(faults.fired(), "none of the programs asks /proc");
    let mut check = site.command(Path::new(SCUBA));
    check.arg("check");
    let said = run(&mut without(check)).ok();
    assert!(said.err().starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe"), "{}", said.err());
    let mut build = site.command(Path::new(SCUBA));
    build
        .args(["build", "--"])
        .arg(site.at("cuda/bin/nvcc"))
        .args(["-c", "a.cu"])
        .env("XDG_CACHE_HOME", site.at("user"));
    let said = run(&mut without(build)).ok();
    assert!(said.err().starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe"), "{}", said.err());
    site.expect_nothing_left("scuba build");
}

/// Streams that are closed, or that nobody reads.
#[test]
fn closed_streams() {
    let site = Site::new(SAFE);
    for closed in ["<&-", ">&-", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"] {
        let mut command = site.command(Path::new("sh"));
        command.args(["-c", &format!("exec \"$0\" -c a.cu {closed}")]).arg(SHIM);
        let output = run(&mut command);
        assert_eq!((output.status.code(), output.err().as_str()), (Some(0), ""), "{closed}");
        assert_eq!(output.out().is_empty(), closed.contains(">&- ") || closed == ">&-", "{closed}");
        site.expect_nothing_left(closed);
    }
    // SCuBA has something to say, and nobody listens; no signal must end it (SIGPIPE).
    let without_analysis = Shim::alone();
    let script = "\"$0\" -c a.cu 2>&1 >/dev/null | :; echo ${PIPESTATUS[0]}";
    let output = run(site.command(Path::new("bash")).args(["-c", script]).arg(without_analysis.path()));
    assert_eq!(output.out(), "0\n");
}

/// No variable but the one that names nvcc.
#[test]
fn an_empty_environment() {
    let site = Site::new(SAFE);
    let mut command = clean(Path::new(SHIM), &site.project());
    command.env_clear().args(["-c", "a.cu"]).env("SCUBA_NVCC", site.at("cuda/bin/nvcc")).env("TMPDIR", site.at("tmp"));
    let output = run(&mut command);
    let line = site.expect_own_result(&output, "an empty environment");
    // clang is found on PATH alone.
    assert!(line.is_empty() || line.contains("clang"), "{line}");
}

/// Files that their owner cannot read, and files that everybody can write.
#[test]
fn odd_umasks() {
    let site = Site::new(SAFE);
    for umask in ["0", "777", "277", "077"] {
        let mut command = site.command(Path::new("sh"));
        command.args(["-c", &format!("umask {umask}; exec \"$0\" -c a.cu")]).arg(SHIM);
        let _ = std::fs::remove_file(site.project().join("a.o"));
        let output = run(&mut command);
        assert_eq!(
            (output.status.code(), output.out().as_str()),
            (Some(0), "told by nvcc\n"),
            "{umask}: {}",
            output.err()
        );
        assert!(output.err().lines().count() <= 1, "{umask}: {}", output.err());
        site.expect_nothing_left(umask);
        run(site.command(Path::new("sh")).args(["-c", "chmod -R u+rwX .scuba && rm -r .scuba"])).ok();
    }
}
