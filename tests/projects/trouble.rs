//! Facts that are damaged, shims that are killed.

use super::support::{BAD, GOOD, Project, Said, Way, nvcc, shim};
use rand::{RngExt, SeedableRng};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

#[test]
fn facts_that_cannot_be_used_cost_a_line_and_are_made_again() {
    let project = Project::new("filter");
    project.build(Way::Make, 2, "").status(0);
    let units = project.root().join(".scuba/units");
    let file = |name: &str| {
        std::fs::read_dir(&units)
            .unwrap()
            .map(|e| e.unwrap().path())
            .find(|p| p.to_string_lossy().ends_with(name))
            .unwrap()
    };
    let (cut, foreign) = (file("-wrapper.o"), file("-clear.o"));
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 3]).unwrap();
    std::fs::write(&foreign, "of somebody else").unwrap();
    let said = project.scuba(&["check"]);
    for (name, why) in [("-wrapper.o", "damaged or incomplete"), ("-clear.o", "not a fact file")] {
        assert_eq!(said.err.lines().filter(|l| l.contains(name) && l.contains(why)).count(), 1, "{}", said.err);
    }
    // Compiled again, they are facts again.
    for source in ["wrapper/wrapper.cu", "kernels/clear.cu"] {
        project.replace(source, "#include \"kernels.h\"", "#include \"kernels.h\" // again");
    }
    project.build(Way::Make, 2, "").status(0).without_findings();
    let said = project.scuba(&["check"]).status(0);
    assert!(said.err.starts_with("scuba: no findings; 2 accesses"), "{}", said.err);
}

/// Kills the shims of a build at some moment; what is left must not lead to a wrong verdict. `SCUBA_TEST_KILLS` says how often.
#[test]
fn killed_shims_leave_nothing_wrong() {
    let kills: u64 = std::env::var("SCUBA_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let seed = std::env::var("SCUBA_TEST_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut random = rand_xorshift::XorShiftRng::seed_from_u64(seed);
    let project = Project::new("filter").cached();
    let fragment = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/make/scuba.mk");
    for kill in 0..kills {
        let bad = random.random_bool(0.5);
        let text = project.read("apps/two.cpp");
        let good = text.replace(BAD, GOOD);
        // Another text each time: everything that depends on it is compiled again.
        project.write("apps/two.cpp", &format!("{}// {kill}\n", if bad { good.replace(GOOD, BAD) } else { good }));
        project.write("include/kernels.h", &format!("{}// {kill}\n", project.read("include/kernels.h")));

        let mut make = project.command("make");
        make.args(["-j2", &format!("NVCC={}", nvcc().display()), &format!("SCUBA_MK={}", fragment.display())]);
        make.arg(format!("SCUBA_NVCC_PROGRAM={}", shim().display()));
        make.stdout(Stdio::null()).stderr(Stdio::null());
        // With all that it started: its process group.
        std::os::unix::process::CommandExt::process_group(&mut make, 0);
        let mut running = make.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(0..6000)));
        // Not by `kill -9 -GROUP`: procps takes a group's number for something else without `--`.
        let group = i32::try_from(running.id()).ok().and_then(rustix::process::Pid::from_raw).unwrap();
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        running.wait().unwrap();
        // What a killed nvcc leaves half written is make's business.
        let _ = project.command("sh").args(["-c", "rm -f build/*.o *.a"]).status();

        let said = project.build(Way::Make, 2, "");
        assert_eq!(said.status != 0, bad, "{kill} of seed {seed}: {}", said.all());
        assert_eq!(said.all().contains("error[oob-global]"), bad, "{kill} of seed {seed}: {}", said.all());
    }
}

/// The worker that reads one of the units is killed, hangs, or has too little memory: one line of the build tells of that
/// unit, nvcc's programs are built, and a check says that the unit is not read.
#[test]
fn a_worker_in_trouble_costs_one_line_of_the_build() {
    for (trouble, said) in [
        ("kill -KILL $$", "the front end crashed (signal 9)"),
        ("sleep 600", "the front end took longer than 30 s (limits.tu_seconds)"),
        ("ulimit -v 120000", "the front end crashed (exit status 127): "),
    ] {
        let project = Project::new("filter").cached();
        project.write("scuba.toml", "[limits]\ntu_seconds = 30\n");
        let programs = project.root().join("programs");
        std::fs::create_dir(&programs).unwrap();
        for program in [env!("CARGO_BIN_EXE_scuba").into(), shim()] {
            std::fs::copy(&program, programs.join(program.file_name().unwrap())).unwrap();
        }
        let worker = format!(
            "#!/bin/sh\nrequest=$(cat)\ncase \"$request\" in *smooth.cu*) {trouble} ;; esac\n\
             printf '%s' \"$request\" | {} \"$@\"\n",
            env!("CARGO_BIN_EXE_scuba-extract")
        );
        project.write("programs/scuba-extract", &worker);
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(programs.join("scuba-extract"), executable).unwrap();

        let fragment = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/make/scuba.mk");
        let mut make = project.command("make");
        make.args(["-j2", &format!("NVCC={}", nvcc().display()), &format!("SCUBA_MK={}", fragment.display())]);
        make.arg(format!("SCUBA_NVCC_PROGRAM={}", programs.join("scuba-nvcc").display()));
        let built = Said::from(make.output().unwrap()).status(0);
        // A machine with much else to do may take longer for other units, too.
        let lines: Vec<&str> = built.err.lines().filter(|l| l.contains("smooth.cu")).collect();
        assert!(
            matches!(lines.as_slice(), [one] if one.starts_with("scuba: kernels/smooth.cu: not analysed: ") && one.contains(said)),
            "{trouble}: {}",
            built.err
        );
        assert!(["one", "two"].iter().all(|program| project.built(Way::Make, program)), "{trouble}");
        // It is told until the unit is compiled again.
        let said = project.scuba(&["check"]).status(0);
        assert!(said.err.contains("scuba: kernels/smooth.cu: not analysed: "), "{trouble}: {}", said.err);
    }
}

/// A library that makes the disk full below a folder.
fn full_disk(project: &Project) -> PathBuf {
    let library = project.root().join("libfull.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/full.c");
    let said: Said = project
        .command("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .arg("-ldl")
        .output()
        .unwrap()
        .into();
    said.status(0);
    library
}

/// What lies below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (folders, mut all): (Vec<PathBuf>, Vec<PathBuf>) =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).partition(|p| p.is_dir());
    all.extend(folders.iter().flat_map(|f| files(f)));
    all
}

/// However much room is left for facts and verdicts: the build is nvcc's, what could not be kept is told, and nothing of it is
/// believed afterwards.
#[test]
fn a_full_disk_leaves_nothing_wrong() {
    let project = Project::new("filter");
    let library = full_disk(&project);
    let small = project.root().join("small");
    std::fs::create_dir(&small).unwrap();
    let fragment = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/make/scuba.mk");
    let build = |room: Option<u32>| -> Said {
        // Another text each time: everything is compiled again.
        project.write("include/kernels.h", &format!("{}// again\n", project.read("include/kernels.h")));
        project.write("include/padded.h", &format!("{}// again\n", project.read("include/padded.h")));
        let mut make = project.command("make");
        make.args(["-k", "-j2", &format!("NVCC={}", nvcc().display()), &format!("SCUBA_MK={}", fragment.display())]);
        make.arg(format!("SCUBA_NVCC_PROGRAM={}", shim().display()))
            .env("SCUBA_DIR", &small)
            .env("SCUBA_CACHE", small.join("cache"));
        if let Some(room) = room {
            make.env("LD_PRELOAD", &library).env("FULL_FOLDER", &small).env("FULL_ROOM", room.to_string());
        }
        make.output().unwrap().into()
    };
    for room in [0, 5_000, 30_000] {
        let said = build(Some(room)).status(0).without_findings();
        assert!(room > 0 || said.all().contains("cannot write"), "{room}: {}", said.all());
        assert!(project.built(Way::Make, "one") && project.built(Way::Make, "two"), "{room}");
        // What was cut short is not there, by whatever name.
        assert!(files(&small).iter().all(|f| !f.to_string_lossy().contains("writing")), "{room}: {:?}", files(&small));

        project.replace("apps/two.cpp", GOOD, BAD);
        let said = build(Some(room));
        assert!(
            said.status == 0 || said.all().contains("error[oob-global]: write past the end of `row`"),
            "{room}: {}",
            said.all()
        );
        let said = build(None);
        assert!(
            said.status != 0 && said.all().contains("error[oob-global]: write past the end of `row`"),
            "{room}: {}",
            said.all()
        );
        project.replace("apps/two.cpp", BAD, GOOD);
        build(None).status(0).without_findings();
        let said: Said =
            project.command(env!("CARGO_BIN_EXE_scuba")).arg("check").env("SCUBA_DIR", &small).output().unwrap().into();
        assert!(said.status(0).err.starts_with("scuba: no findings; 2 accesses in 2 kernels: 2 safe"), "{room}");
    }
}
