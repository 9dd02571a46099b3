//! A mistake in scuba.toml: said once for a build, and the analysis goes on.

use super::support::{BAD, GOOD, Project, Said, Way, nvcc, shim};

const SLIP: &str = "[limits]\nwork = 100\n[levls]\nall = \"warn\"\n";
const NOTE: &str = "scuba: note: scuba.toml:3: unknown key `levls` (did you mean `levels`?); it is ignored";

fn notes(said: &Said) -> usize {
    said.all().lines().filter(|l| l.starts_with(NOTE)).count()
}

#[test]
fn a_slip_is_one_line_of_a_build_whose_bug_is_denied() {
    for way in [Way::Make, Way::CMakeNinja] {
        let project = Project::new("filter");
        project.replace("apps/two.cpp", GOOD, BAD);
        project.write("scuba.toml", SLIP);
        let said = project.build(way, 8, "");
        let text = said.all();
        assert!(said.status != 0 && text.contains("error[oob-global]") && !project.built(way, "two"), "{text}");
        assert_eq!(notes(&said), 1, "{text}");
        // What is denied without them says so each time.
        let said = project.build(way, 1, "");
        assert!(notes(&said) == 0 && said.all().contains(" was checked without scuba.toml:3: "), "{}", said.all());
        let folder = project.build_folder(way);
        let said = project.scuba(&["check", folder.to_str().unwrap()]).status(2);
        assert!(said.err.contains("scuba.toml:3:2: unknown key `levls`, expected one of `nvcc`"), "{}", said.err);
    }
}

#[test]
fn a_strict_build_fails_for_it() {
    let project = Project::new("filter");
    project.write("scuba.toml", SLIP);
    let said = project.build_with(Way::CMakeNinja, 2, &[], &[("SCUBA_STRICT", "1")]);
    let lines = said.all().lines().filter(|l| l.contains("scuba.toml:3:2: unknown key `levls`")).count();
    assert!(said.status != 0 && lines > 1 && !project.built(Way::CMakeNinja, "one"), "{}", said.all());
}

#[test]
fn scuba_build_refuses_before_it_builds() {
    let project = Project::new("filter");
    project.write("scuba.toml", SLIP);
    let said = project.scuba(&["build", "--", "make", &format!("NVCC={}", nvcc().display())]).status(2);
    assert!(
        said.err.contains("scuba.toml:3:2: unknown key `levls`") && !project.built(Way::Make, "one"),
        "{}",
        said.err
    );
}

/// The folder of the build has settings without mistakes; those of the sources have one. Each build says it once.
#[test]
fn each_scuba_build_says_it_once() {
    let project = Project::new("filter");
    project.write("scuba.toml", SLIP);
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("scuba.toml"), "").unwrap();
    for _ in 0..2 {
        let nvcc = format!("NVCC={}", nvcc().display());
        let mut build = project.command(env!("CARGO_BIN_EXE_scuba"));
        build.current_dir(&other).args(["build", "--", "make", "-B", "-j4", "-C"]).arg(project.root()).arg(nvcc);
        let said = Said::from(build.output().unwrap()).status(0);
        assert_eq!(notes(&said), 1, "{}", said.all());
    }
}

/// Nothing of ours is printed where nvcc fails: then the next command says it.
#[test]
fn a_line_that_nobody_saw_is_said_later() {
    let project = Project::new("filter");
    project.write("scuba.toml", SLIP);
    project.write("bad.cu", "int x = missing;\n");
    project.write("good.cu", "int x;\n");
    let compile = |name: &str| {
        Said::from(project.command(shim()).args(["-arch=sm_80", "-c", name, "-o", "x.o"]).output().unwrap())
    };
    let said = compile("bad.cu");
    assert!(said.status != 0 && notes(&said) == 0, "{}", said.all());
    assert_eq!(notes(&compile("good.cu").status(0)), 1);
    assert_eq!(notes(&compile("good.cu").status(0)), 0);
    project.write("scuba.toml", &format!("{SLIP}# changed\n"));
    assert_eq!(notes(&compile("good.cu").status(0)), 1);
}
