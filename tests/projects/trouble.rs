//! Facts that are damaged, shims that are killed.

use super::support::{BAD, GOOD, Project, Way, nvcc, shim};
use rand::{RngExt, SeedableRng};
use std::process::Stdio;
use std::time::Duration;

#[test]
fn facts_that_cannot_be_used_cost_a_line_and_are_made_again() {
    let project = Project::new("filter");
    project.build(Way::Make, 2, "").status(0);
    let units = project.root().join(".scuba/units");
    let file = |name: &str| std::fs::read_dir(&units).unwrap().map(|e| e.unwrap().path()).find(|p| p.to_string_lossy().ends_with(name)).unwrap();
    let (cut, foreign) = (file("-wrapper.o"), file("-clear.o"));
    let bytes = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 3]).unwrap();
    std::fs::write(&foreign, "of somebody else").unwrap();
    let said = project.scuba(&["check"]);
    for (name, why) in [("-wrapper.o", "damaged or incomplete"), ("-clear.o", "no fact file")] {
        assert_eq!(said.err.lines().filter(|l| l.contains(name) && l.contains(why)).count(), 1, "{}", said.err);
    }
    // Compiled again, they are facts again.
    for source in ["wrapper/wrapper.cu", "kernels/clear.cu"] {
        project.replace(source, "#include \"kernels.h\"", "#include \"kernels.h\" // again");
    }
    project.build(Way::Make, 2, "").status(0).without_findings();
    let said = project.scuba(&["check"]).status(0);
    assert!(said.err.starts_with("scuba: no findings; 3 accesses"), "{}", said.err);
}

/// Kills the shims of a build at some moment; what is left must not lead to a wrong verdict. `SCUBA_TEST_KILLS` says how often.
#[test]
fn killed_shims_leave_nothing_wrong() {
    let kills: u64 = std::env::var("SCUBA_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let seed = std::env::var("SCUBA_TEST_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut random = rand_xorshift::XorShiftRng::seed_from_u64(seed);
    let project = Project::new("filter");
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
