//! Folders that are missing, no folders, not writable, or that vanish while the build runs.

use super::{Faults, SAFE, SCUBA, SHIM, Site};
use crate::support::{install, nvcc, run};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

const ENOSPC: i32 = 28;

#[test]
fn folders_that_are_none() {
    let site = Site::new(SAFE);
    let (file, none) = (site.project().join("a.cu"), site.at("none"));
    for place in [&file, &none] {
        for variables in [&["TMPDIR"][..], &["SCUBA_CACHE"], &["HOME", "XDG_CACHE_HOME"]] {
            let mut command = site.compilation();
            if variables[0] == "HOME" {
                command.env_remove("SCUBA_CACHE");
            }
            for variable in variables {
                command.env(variable, place);
            }
            assert_eq!(site.compiles(&mut command), "", "{variables:?} {}", place.display());
        }
    }
    let mut command = site.compilation();
    assert_eq!(site.compiles(command.env_remove("HOME").env_remove("XDG_CACHE_HOME").env_remove("SCUBA_CACHE")), "");
    let line = site.compiles(site.compilation().env("SCUBA_DIR", &file));
    assert!(line.starts_with("scuba: cannot write ") && line.contains("set SCUBA_DIR"), "{line}");
    // Beside facts that cannot be kept, nothing is wrong.
    std::fs::remove_dir_all(site.project().join(".scuba")).unwrap();
    std::fs::write(site.project().join(".scuba"), "").unwrap();
    let line = site.compiles(&mut site.compilation());
    assert!(line.starts_with("scuba: cannot write ") && line.contains("set SCUBA_DIR"), "{line}");
}

/// As another user where this one may write everywhere.
#[test]
fn folders_of_another_user() {
    let site = Site::new(SAFE);
    let is_root = site.project().metadata().unwrap().uid() == 0;
    let closed = |path: &Path| {
        std::fs::create_dir_all(path).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o555)).unwrap();
    };
    let as_another_user = |words: &[&str]| {
        let mut command = site.command(Path::new("setpriv"));
        command.args(["--reuid", "4242", "--regid", "4242", "--clear-groups"]).args(words);
        command
    };
    // A checkout below a home of root is closed to all others.
    let reaches = |file: &Path| run(&mut as_another_user(&["test", "-x", file.to_str().unwrap()])).status.success();
    if is_root && !(reaches(Path::new(SHIM)) && reaches(&nvcc())) {
        eprintln!("another user does not reach {SHIM}: not tried");
        return;
    }
    let compilation = || if is_root { as_another_user(&[SHIM, "-c", "a.cu"]) } else { site.compilation() };
    closed(&site.at("closed"));
    for variable in ["TMPDIR", "SCUBA_CACHE"] {
        assert_eq!(site.compiles(compilation().env(variable, site.at("closed"))), "", "{variable}");
    }
    std::fs::remove_dir_all(site.project().join(".scuba")).unwrap();
    closed(&site.project().join(".scuba"));
    let line = site.compiles(&mut compilation());
    assert!(line.starts_with("scuba: cannot write ") && line.contains("Permission denied"), "{line}");
}

/// nvcc removes all that SCuBA has made so far, again and again.
#[test]
fn folders_that_vanish() {
    let site = Site::new(SAFE);
    let body = "#!/bin/sh\necho 'told by nvcc'\nfor i in 1 2 3 4 5 6 7 8 9 10; do\n  \
                rm -rf \"$TMPDIR\"/scuba-* .scuba \"$SCUBA_CACHE\"; sleep 0.1\ndone 2>/dev/null\necho 'made by nvcc' > a.o\n";
    std::fs::write(site.at("script"), body).unwrap();
    install(&site.at("script"), &site.at("cuda/bin/nvcc"));
    for _ in 0..2 {
        site.compiles(site.compilation().env("SCUBA_CACHE", site.at("cache")));
    }
}

/// A build that cannot be watched is run all the same, unless it is strict. It was asked to analyse, so its status tells.
#[test]
fn a_build_that_cannot_be_watched() {
    let (site, faults) = (Site::new(SAFE), Faults::new());
    for strict in [false, true] {
        let _ = std::fs::remove_file(site.project().join("a.o"));
        let mut build = site.command(Path::new(SCUBA));
        build
            .arg("build")
            .args(strict.then_some("--strict"))
            .arg("--")
            .arg(site.at("cuda/bin/nvcc"))
            .args(["-c", "a.cu"]);
        faults.all(&mut build, "scuba", "mkdir", ENOSPC);
        let said = run(build.env("XDG_CACHE_HOME", site.at("none")));
        assert_eq!((said.status.code(), site.project().join("a.o").is_file()), (Some(2), !strict), "{}", said.err());
        let line = said.err();
        assert!(line.lines().count() == 1 && line.contains("the library to preload could not be written"), "{line}");
        site.expect_nothing_left("scuba build");
    }
}
