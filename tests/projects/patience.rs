//! What a build waits for, and what it leaves to `scuba check`.

use super::support::{Project, Said, nvcc, shim};

#[test]
fn a_build_does_not_wait_for_a_slow_check() {
    let project = Project::new("slow");
    project.write(".scuba/.gitignore", "*\n");
    let compile = || -> Said {
        project
            .command(shim())
            .arg(nvcc())
            .args(["-arch=sm_80", "-c", "slow.cu", "-o", "slow.o"])
            .output()
            .unwrap()
            .into()
    };
    let said = compile().status(0);
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(
        matches!(lines.as_slice(), [one] if one.starts_with("scuba: slow.cu: ") && one.ends_with(" undecided within the build's budget: run `scuba check` to finish")),
        "{}",
        said.err
    );
    // The same every time: what it waits for is counted, not timed.
    assert_eq!(compile().status(0).err, said.err);

    let said = project.scuba(&["check"]).status(0);
    assert!(
        said.err.contains("no findings; 1 access in 1 kernel: 1 safe (") && !said.err.contains("undecided"),
        "{}",
        said.err
    );
}

/// The link of a single unit has the program of its compile command, and takes that report.
#[test]
fn the_link_of_one_unit_is_not_checked_again() {
    let project = Project::new("slow").cached();
    project.write(".scuba/.gitignore", "*\n");
    let run = |words: &[&str]| -> Said {
        project.command(shim()).arg(nvcc()).arg("-arch=sm_80").args(words).output().unwrap().into()
    };
    let compiled = run(&["-c", "slow.cu", "-o", "slow.o"]).status(0);
    let linked = run(&["slow.o", "-o", "slow"]).status(0);
    assert_eq!(linked.err, compiled.err);
    let history = project.read(".scuba/history");
    let checks: Vec<serde_json::Value> = history
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .filter(|r: &serde_json::Value| r["kind"] == "analysis")
        .collect();
    let counts: Vec<(u64, u64)> = checks
        .iter()
        .map(|c| (c["counts"]["checked"].as_u64().unwrap(), c["counts"]["known"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [(1, 0), (0, 1)], "{history}");
}

/// Who waits for the end of a build need not ask for the check.
#[test]
fn the_end_of_a_build_goes_on_with_what_its_commands_left() {
    let project = Project::new("slow");
    let nvcc = nvcc();
    let words = ["build", "--", nvcc.to_str().unwrap(), "-arch=sm_80", "-c", "slow.cu", "-o", "slow.o"];
    let said = project.scuba(&words).status(0);
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(
        matches!(lines.as_slice(), [first, last]
            if *first == "scuba: slow.cu: 1 of 1 accesses undecided so far: the end of the build continues" && last.contains("1 access in 1 kernel: 1 safe (")),
        "{}",
        said.err
    );
}

/// Answers of the solver are kept; damaged ones are searched again, and nothing is said.
#[test]
fn damaged_answers_are_no_answers() {
    let project = Project::new("slow");
    let cache = project.root().join("cache");
    let check = || -> Said {
        project
            .command(env!("CARGO_BIN_EXE_scuba"))
            .env("SCUBA_CACHE", &cache)
            .args(["check", "slow.cu", "--", "-arch=sm_80"])
            .output()
            .unwrap()
            .into()
    };
    for change in ["int changed;\nint main(", "int main("] {
        let said = check().status(0);
        assert!(said.err.starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe ("), "{}", said.err);
        let folders: Vec<_> =
            std::fs::read_dir(cache.join("obligations")).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(!folders.is_empty());
        for entry in folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap()) {
            std::fs::write(entry.unwrap().path(), "of somebody else").unwrap();
        }
        project.replace("slow.cu", "int main(", change);
    }
}
