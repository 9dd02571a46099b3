//! What a build waits for, and what it leaves to `scuba check`.

use super::support::{Project, Said, nvcc, shim};

/// Seconds in a text that says `after N s`.
fn seconds(text: &str) -> u64 {
    let after = text.split_once(" after ").map(|(_, rest)| rest).unwrap();
    after.split_once(" s").unwrap().0.parse().unwrap()
}

#[test]
fn a_build_does_not_wait_for_a_slow_check() {
    let project = Project::new("slow");
    project.write("scuba.toml", "[limits]\ntu_seconds = 12\n");
    project.write(".scuba/.gitignore", "*\n");
    let compile = || -> Said { project.command(shim()).arg(nvcc()).args(["-arch=sm_80", "-c", "slow.cu", "-o", "slow.o"]).output().unwrap().into() };
    let said = compile().status(0);
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(matches!(lines.as_slice(), [one] if one.starts_with("scuba: slow.cu: ") && one.ends_with(": `scuba check` goes on")), "{}", said.err);
    // A second, or as long as reading took on this machine; never the limit.
    assert!(seconds(&said.err) < 9, "{}", said.err);

    project.write("longer.toml", "[limits]\ntu_seconds = 240\n");
    let said = project.scuba(&["check", "--config", "longer.toml"]).status(0);
    assert!(said.err.contains("no findings; 1 access in 1 kernel: 1 safe unless an index wraps") && !said.err.contains("goes on"), "{}", said.err);
}

/// Answers of the solver are kept; damaged ones are searched again, and nothing is said.
#[test]
fn damaged_answers_are_no_answers() {
    let project = Project::new("slow");
    let cache = project.root().join("cache");
    let check = || -> Said { project.command(env!("CARGO_BIN_EXE_scuba")).env("SCUBA_CACHE", &cache).args(["check", "slow.cu", "--", "-arch=sm_80"]).output().unwrap().into() };
    project.write("scuba.toml", "[limits]\ntu_seconds = 240\n");
    for change in ["int changed;\nint main(", "int main("] {
        let said = check().status(0);
        assert!(said.err.starts_with("scuba: no findings; 1 access in 1 kernel: 1 safe unless an index wraps"), "{}", said.err);
        let folders: Vec<_> = std::fs::read_dir(cache.join("obligations")).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(!folders.is_empty());
        for entry in folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap()) { std::fs::write(entry.unwrap().path(), "of somebody else").unwrap(); }
        project.replace("slow.cu", "int main(", change);
    }
}
