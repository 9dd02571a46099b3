//! Front ends that eat memory or time, a hundred builds at once, processes that are killed, disks that are full, clocks that
//! jump.

use super::{Faults, SAFE, SCUBA, SHIM, Site};
use crate::outcomes::is_alive;
use crate::support::{install, run};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

const ENOSPC: i32 = 28;
const EIO: i32 = 5;

/// A front end that does as the script says instead of reading sources.
fn front_end(site: &Site, body: &str) {
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec clang++-22 --version\necho $$ >> {}\n{body}\n",
        site.at("pids").display()
    );
    std::fs::write(site.at("script"), script).unwrap();
    install(&site.at("script"), &site.at("clang"));
    let limits = "[limits]\ntu_seconds = 1\nmemory = \"1GiB\"\n";
    let settings = format!("[frontend]\nclang = \"{}\"\n{limits}", site.at("clang").display());
    std::fs::write(site.project().join("scuba.toml"), settings).unwrap();
}

#[track_caller]
fn all_gone(site: &Site) {
    let until = Instant::now() + Duration::from_secs(20);
    for pid in std::fs::read_to_string(site.at("pids")).unwrap().split_whitespace() {
        while is_alive(pid) {
            assert!(Instant::now() < until, "process {pid} is left behind");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn front_ends_without_measure() {
    let site = Site::new(SAFE);
    let eats = "exec python3 -c '[bytearray(500000000) for _ in range(100)]'";
    for body in [eats, "sleep 1000 & wait", "while :; do :; done", "exec yes error: nonsense >&2"] {
        front_end(&site, body);
        let line = site.compiles(&mut site.compilation());
        // Both limits may end what eats memory on a busy machine.
        let ended = line == "scuba: a.cu: not analysed: clang took too long (limits.tu_seconds)\n"
            || body == eats && line == "scuba: a.cu: not analysed: clang crashed (exit status 1)\n";
        assert!(ended, "{body}: {line}");
        all_gone(&site);
    }
}

/// Sources that clang itself works on forever.
#[test]
fn templates_without_end() {
    let site = Site::new(
        "template <int D, int I> struct B { static constexpr long v = B<D - 1, 2 * I>::v + B<D - 1, 2 * I + 1>::v; };\n\
         template <int I> struct B<0, I> { static constexpr long v = I; };\n\
         int main() { return B<24, 0>::v % 7; }\n",
    );
    std::fs::write(site.project().join("scuba.toml"), "[limits]\ntu_seconds = 2\nmemory = \"1GiB\"\n").unwrap();
    let line = site.compiles(&mut site.compilation());
    assert!(line.starts_with("scuba: a.cu: ") && line.contains("not analysed: "), "{line}");
}

/// A hundred shims in one folder: each fact is there, and no process is left.
#[test]
fn a_crowd() {
    const SHIMS: usize = 100;
    let site = Site::new(SAFE);
    for at in 0..SHIMS {
        std::fs::write(site.project().join(format!("f{at}.cpp")), format!("int f{at}() {{ return {at}; }}\n")).unwrap();
    }
    let shims: Vec<_> = (0..SHIMS)
        .map(|at| {
            let mut command = site.command(Path::new(SHIM));
            command.args(["-c", &format!("f{at}.cpp"), "-o", &format!("f{at}.o")]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for shim in shims {
        let ended = shim.wait_with_output().unwrap();
        assert!(ended.status.success() && ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let facts = std::fs::read_dir(site.project().join(".scuba/units")).unwrap().map(|entry| entry.unwrap().file_name());
    let facts: Vec<_> = facts.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(facts.iter().filter(|name| name.ends_with(".o")).count(), SHIMS);
    assert!(facts.iter().all(|name| !name.starts_with('.')), "{facts:?}");
    site.expect_nothing_left("a crowd");
}

/// What a killed shim leaves, the next one removes; what a running one uses, stays.
#[test]
fn leftovers_of_killed_shims() {
    let site = Site::new(SAFE);
    front_end(&site, "exec sleep 1000");
    std::fs::write(
        site.project().join("scuba.toml"),
        std::fs::read_to_string(site.project().join("scuba.toml")).unwrap().replace("= 1\n", "= 100\n"),
    )
    .unwrap();
    let folders =
        || -> Vec<PathBuf> { std::fs::read_dir(site.at("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect() };
    let start = |expected: usize| {
        let mut shim = site.compilation();
        let shim = shim.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while folders().len() < expected || !site.at("pids").exists() {
            assert!(Instant::now() < until, "{:?}", folders());
            std::thread::sleep(Duration::from_millis(10));
        }
        shim
    };
    let mut killed = start(1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    all_gone(&site);
    let mut running = start(2);
    for folder in folders() {
        let hour = SystemTime::now() - Duration::from_secs(3600);
        std::fs::File::open(folder).unwrap().set_modified(hour).unwrap();
    }
    std::fs::remove_file(site.project().join("scuba.toml")).unwrap();
    run(&mut site.compilation()).ok();
    assert_eq!(folders().len(), 1, "of the running one alone: {:?}", folders());
    rustix::process::kill_process(rustix::process::Pid::from_child(&running), rustix::process::Signal::TERM).unwrap();
    running.wait().unwrap();
    site.expect_nothing_left("the end of the running one");
    all_gone(&site);
}

/// Any call that writes fails, once: the build is nvcc's, and what could be kept is whole. `SCUBA_TEST_FAULTS=all` takes each
/// call of each program, otherwise a few of them are taken.
#[test]
fn a_disk_that_is_full_at_any_moment() {
    let (site, faults) = (Site::new(SAFE), Faults::new());
    let all = std::env::var_os("SCUBA_TEST_FAULTS").is_some_and(|set| set == "all");
    for (program, call, errno, step) in [
        ("scuba-nvcc", "open", ENOSPC, 1),
        ("scuba", "write", EIO, 3),
        ("scuba", "mkdir", ENOSPC, 8),
        ("scuba-extract", "open", ENOSPC, 9),
        ("scuba-extract", "write", EIO, 7),
    ] {
        let step = if all { 1 } else { step };
        let calls = faults.every(step, program, call, errno, |inject| {
            for kept in [site.project().join(".scuba"), site.at("cache")] {
                let _ = std::fs::remove_dir_all(kept);
            }
            let mut command = site.compilation();
            inject(command.env("SCUBA_CACHE", site.at("cache")));
            site.compiles(&mut command);
            if program == "scuba" {
                let said = run(site.command(Path::new(SCUBA)).arg("check").env("SCUBA_CACHE", site.at("cache"))).err();
                assert!(!said.contains("damaged") && !said.contains("incomplete"), "{call}: {said}");
            }
        });
        assert!(calls > 0, "{program} {call}");
    }
}

/// The clock of programs jumps by a year in mid-build, back or forth.
#[test]
fn clocks_that_jump() {
    let (site, faults) = (Site::new(SAFE), Faults::new());
    for seconds in [-31_000_000, 31_000_000] {
        for at in [1, 3] {
            let mut command = site.compilation();
            faults.from(&mut command, "scuba-nvcc:scuba:scuba-extract", "clock", seconds, at);
            assert_eq!(site.compiles(command.env("SCUBA_CACHE", site.at("cache"))), "", "{seconds} {at}");
            assert!(faults.fired());
        }
        let mut check = site.command(Path::new(SCUBA));
        faults.from(&mut check, "scuba", "clock", seconds, 2);
        let said = run(check.arg("check").env("SCUBA_CACHE", site.at("cache"))).ok().err();
        assert!(said.starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe"), "{said}");
    }
}
