//! `scuba warm`: headers that are precompiled ahead change no document, and whoever starts it waits for nothing.

use super::{Project, SAFE, Said};
use std::path::Path;
use std::time::{Duration, Instant};

/// Programs with headers of the C++ library, of the C library and of Thrust, with findings and without.
const PROGRAMS: [&str; 6] = [
    "clean/texts_read.cu",
    "data-index/ifstream.cu",
    "oob-global/device_wide.cu",
    "oob-global/row_starts.cu",
    "oob-global/vectors_by_iterators.cu",
    "undecided/part_of_a_text.cu",
];

/// Number of precompiled headers in a cache.
fn headers(cache: &Path) -> usize {
    let folders = std::fs::read_dir(cache.join("headers")).into_iter().flatten().flatten();
    folders.filter(|f| f.path().join("header.pch").is_file()).count()
}

#[test]
fn documents_are_the_same_with_and_without() {
    let project = Project::new();
    let cache = project.root().join("cache");
    let warm = || -> Said {
        let mut command = project.command();
        command.env("SCUBA_CACHE", &cache).args(["warm", "--", "-arch=sm_80", "-std=c++17"]).output().unwrap().into()
    };
    let said = warm().status(0);
    let made = headers(&cache);
    assert!(said.out.starts_with("headers are precompiled: ") && said.err.is_empty(), "{said:?}");
    assert!(made > 10, "{made}");
    let again = warm().status(0);
    assert!(again.out.starts_with("precompiled headers are up to date: "), "{again:?}");
    assert_eq!(headers(&cache), made);

    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    for program in PROGRAMS {
        let document = |cache: &Path| {
            let said: Said = project
                .command()
                .env("SCUBA_CACHE", cache)
                .args(["check", "--message-format", "json"])
                .arg(programs.join(program))
                .args(["--", "-arch=sm_80", "-std=c++17"])
                .output()
                .unwrap()
                .into();
            let mut document: serde_json::Value =
                serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
            document["summary"]["seconds"] = 0.into();
            assert_eq!(document["summary"]["not_analysed"], 0, "{said:?}");
            serde_json::to_string_pretty(&document).unwrap()
        };
        assert_eq!(document(Path::new("off")), document(&cache), "{program}");
    }
}

#[test]
fn what_is_missing_is_told() {
    let project = Project::new();
    let warm = |name: &str, value: &str, flags: &[&str]| -> Said {
        project.command().env(name, value).arg("warm").args(flags).output().unwrap().into()
    };
    let off = warm("SCUBA_CACHE", "off", &[]).status(2);
    assert!(off.err.contains("there is no cache to fill: SCUBA_CACHE is `off`"), "{off:?}");
    let nowhere = warm("SCUBA_NVCC", "/none/nvcc", &[]).status(2);
    assert!(nowhere.err.contains("no headers are precompiled: ") || nowhere.err.contains("no nvcc"), "{nowhere:?}");
}

/// It has no part in the command that starts it: that one ends at once, and its streams are closed.
#[test]
fn init_starts_it_in_the_background() {
    let project = Project::new();
    project.write("main.cu", SAFE);
    // The process may outlive this test, so its cache is none that goes with the project; its headers are its own.
    let cache = super::cache::fresh();
    std::fs::remove_file(cache.join("headers")).unwrap();
    let said: Said = project.command().env("SCUBA_CACHE", &cache).arg("init").output().unwrap().into();
    said.status(0);
    let end = Instant::now() + Duration::from_secs(120);
    while headers(&cache) == 0 {
        assert!(Instant::now() < end, "no header was made");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What a command printed, without the seconds that it took.
fn without_times(said: &Said) -> Vec<String> {
    let lines = said.out.lines().chain(said.err.lines());
    lines.map(|l| l.rsplit_once(" (").filter(|(_, t)| t.ends_with(" s)")).map_or(l, |(l, _)| l).to_owned()).collect()
}

/// A source with a header of a tree of another project.
const LACKING: &str = "#include <vector>\n#include <other/kept.h>\n\
    __global__ void k(int *p) { p[threadIdx.x] = OTHER; }\n\
    int main() { std::vector<int> v(32); int *p; cudaMalloc(&p, v.size() * sizeof *p); k<<<1, 32>>>(p); }\n";

/// Headers that a build lacked are made when it is over, if its settings ask for that: it waits for nothing, and prints
/// the same.
#[test]
fn headers_that_a_build_lacked_are_made_after_it() {
    let project = Project::new();
    project.write("main.cu", LACKING);
    project.write("ext/other/kept.h", "#pragma once\n#define OTHER 3\n");
    let nvcc = super::nvcc();
    let build = |settings: &str, cache: &Path| -> Said {
        project.write("scuba.toml", settings);
        let line = format!("rm -rf .scuba && {} -isystem ext main.cu -o main", nvcc.display());
        let mut command = project.command();
        command.env("SCUBA_CACHE", cache).args(["build", "--", "sh", "-c", &line]).output().unwrap().into()
    };
    let wanted = |cache: &Path| std::fs::read_dir(cache.join("headers/wanted")).map_or(0, Iterator::count);
    let [cold, warm] = ["cold", "warm"].map(|name| project.root().join(name));
    let without = build("", &cold).status(0);
    assert_eq!((headers(&cold), wanted(&cold)), (2, 0), "the base for each side: {without:?}");
    let with = build("[build]\nwarm = true\n", &warm).status(0);
    assert_eq!(without_times(&with), without_times(&without));
    let end = Instant::now() + Duration::from_secs(300);
    while headers(&warm) < 6 {
        assert!(Instant::now() < end, "no header was made; {} requests wait", wanted(&warm));
        std::thread::sleep(Duration::from_millis(100));
    }
    std::fs::remove_dir_all(warm.join("readings")).unwrap();
    let again = build("", &warm).status(0);
    assert_eq!(without_times(&again), without_times(&without));
    assert_eq!(headers(&warm), 8, "only the source's own are made, on top of them");
}
