//! Odd names: of sources, outputs, projects, and of the folders that SCuBA itself writes to.

use super::{SAFE, SCUBA, SHIM, Site};
use crate::support::{Shim, clean, run};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A name of 255 bytes, the most that file systems take.
fn longest(end: &str) -> String {
    "x".repeat(255 - end.len()) + end
}

/// Builds `name.cu` in a folder of that name; returns what SCuBA says.
#[track_caller]
fn compiled(site: &Site, folder: &Path, source: &OsStr, output: &OsStr) -> String {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(source), SAFE).unwrap();
    let mut command = site.command(Path::new(SHIM));
    let result = run(command.current_dir(folder).arg("-c").arg(source).arg("-o").arg(output));
    assert_eq!(
        (result.status.code(), result.out().as_str()),
        (Some(0), "told by nvcc\n"),
        "{source:?}: {}",
        result.err()
    );
    assert!(folder.join(output).is_file(), "{output:?}");
    assert!(result.err().lines().count() <= 1, "{source:?}: {}", result.err());
    site.expect_nothing_left("odd names");
    result.err()
}

#[test]
fn names_of_sources_and_projects() {
    let site = Site::new(SAFE);
    let all = "a b'c\"d$HOME`e`\nf%s%n\\g#h;i&j|k*l?[m],n=o@p\u{1b}[31m\u{e4}\u{6f22}\u{1f600}";
    let folder = site.project().join(all);
    let named = |end: &str| OsString::from(format!("{all}{end}"));
    assert_eq!(compiled(&site, &folder, &named(".cu"), &named(".o")), "");
    let said = run(site.command(Path::new(SCUBA)).current_dir(&folder).arg("check")).ok();
    assert!(said.err().starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe"), "{}", said.err());
    let said = run(site.command(Path::new(SCUBA)).current_dir(&folder).arg("check").arg(named(".cu"))).ok();
    assert!(said.err().starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe"), "{}", said.err());

    let (source, output) = (longest(".cu"), longest(".o"));
    assert_eq!(compiled(&site, &site.at(&longest("")), source.as_ref(), output.as_ref()), "");
    // As deep as a path may be that a program is told: 4,096 bytes with its end.
    let mut deep = site.at("deep");
    while deep.as_os_str().len() < 3700 {
        deep.push("y".repeat(200));
    }
    assert_eq!(compiled(&site, &deep, "a.cu".as_ref(), "a.o".as_ref()), "");
}

/// What is not UTF-8 is not analysed, which one line says.
#[test]
fn names_that_are_not_utf_8() {
    let site = Site::new(SAFE);
    let odd = |end: &str| OsString::from_vec([b"caf\xe9".as_slice(), end.as_bytes()].concat());
    for (folder, source, output) in [
        (site.at("plain"), odd(".cu"), "a.o".into()),
        (site.at("plain"), "a.cu".into(), odd(".o")),
        (site.root.path().join(odd("")), "a.cu".into(), OsString::from("a.o")),
    ] {
        let line = compiled(&site, &folder, &source, &output);
        assert!(line.ends_with(" was not analysed: a path in its command line is not UTF-8\n"), "{line}");
    }
    let mut build = site.command(Path::new(SCUBA));
    build.args(["build", "--"]).arg(site.at("cuda/bin/nvcc")).arg("-c").arg(odd(".cu")).env("HOME", site.at("home"));
    std::fs::write(site.project().join(odd(".cu")), SAFE).unwrap();
    let said = run(&mut build);
    assert!(site.project().join("a.o").is_file());
    let last = said.err().lines().last().unwrap().to_owned();
    let why = "scuba: the build command succeeded, but none of the CUDA code that it compiled was analysed";
    assert!(said.status.code() == Some(2) && last.starts_with(why), "{}", said.err());
}

/// A line stays one line, whatever is in the name that it tells.
#[test]
fn a_message_about_an_odd_name() {
    let site = Site::new(SAFE);
    let without_analysis = Shim::alone();
    std::fs::write(site.project().join("a\nb\x1b[1m.cu"), SAFE).unwrap();
    let mut command = clean(&without_analysis.path(), &site.project());
    let said = run(command.args(["-c", "a\nb\x1b[1m.cu"]).env("SCUBA_NVCC", site.at("cuda/bin/nvcc"))).ok();
    assert!(said.err().starts_with("scuba: note: a b [1m.cu was not analysed: "), "{}", said.err());
    assert_eq!(said.err().lines().count(), 1, "{}", said.err());
    // The front end's own messages, too.
    std::fs::write(site.project().join("c\nd.cu"), "#include \"none\x1b.h\"\n").unwrap();
    let said = run(site.command(Path::new(SHIM)).args(["-c", "c\nd.cu"])).ok();
    assert!(said.err().contains("not analysed: ") && !said.err().contains('\x1b'), "{}", said.err());
    assert_eq!(said.err().lines().count(), 1, "{}", said.err());
}

/// Folders for temporary files, caches and facts. Where such a folder cannot be named to clang, another one serves, or
/// none.
#[test]
fn names_of_folders_that_scuba_writes_to() {
    let site = Site::new(SAFE);
    for name in [b"a b\"c'd$e%f:g,h\ni".as_slice(), b"caf\xe9"] {
        let folder: PathBuf = site.root.path().join(OsStr::from_bytes(name));
        std::fs::create_dir(&folder).unwrap();
        for variable in ["TMPDIR", "SCUBA_CACHE", "XDG_CACHE_HOME"] {
            // The second build reads what the first one kept, and precompiles headers.
            let keeps = variable != "TMPDIR" && name != b"caf\xe9";
            for again in [false, true].into_iter().take(1 + usize::from(keeps)) {
                let mut command = site.compilation();
                if variable == "XDG_CACHE_HOME" {
                    command.env_remove("SCUBA_CACHE");
                }
                let line = site.compiles(command.env(variable, &folder));
                assert_eq!(line, "", "{name:?} {variable} {again}");
            }
        }
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.as_bytes().starts_with(b"scuba-")), "{left:?}");
        let line = site.compiles(site.compilation().env("SCUBA_DIR", &folder));
        assert!(line.is_empty() || line.ends_with("is a path not UTF-8?\n"), "{line}");
    }
}
