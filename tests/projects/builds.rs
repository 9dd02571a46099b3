//! Every way of building the project, good and with its bug.

use super::support::{BAD, GOOD, Project, Said, Way, nvcc};

/// Builds the project as it should be, then with the bug (denied while compiling, whatever comes last), then corrected.
fn denied_until_corrected(way: Way, jobs: u32) {
    let project = Project::new("filter");
    project.build(way, jobs, "").status(0).without_findings();
    assert!(project.built(way, "one") && project.built(way, "two"));

    project.replace("apps/two.cpp", GOOD, BAD);
    for again in [false, true] {
        let said = project.build(way, jobs, "");
        assert_ne!(said.status, 0, "{}", said.all());
        let text = said.all();
        assert!(text.contains("error[oob-global]: write past the end of `row`"), "again {again}: {text}");
        assert!(
            text.contains("clear.cu:4:95")
                && text.contains("wrapper.cu:7:3")
                && text.contains("reached from `main` of `two`"),
            "{text}"
        );
    }

    project.replace("apps/two.cpp", BAD, GOOD);
    project.build(way, jobs, "").status(0).without_findings();
    assert!(project.built(way, "two"));
    let folder = project.build_folder(way);
    let said = project.scuba(&["check", folder.to_str().unwrap()]).status(0);
    assert!(said.err.contains("no findings; 2 accesses in 2 kernels: 2 safe"), "{}", said.err);
}

#[test]
fn plain_make_one_by_one() {
    denied_until_corrected(Way::Make, 1);
}

#[test]
fn plain_make_at_once() {
    denied_until_corrected(Way::Make, 8);
}

#[test]
fn cmake_with_ninja_one_by_one() {
    denied_until_corrected(Way::CMakeNinja, 1);
}

#[test]
fn cmake_with_ninja_at_once() {
    denied_until_corrected(Way::CMakeNinja, 8);
}

#[test]
fn cmake_with_make_one_by_one() {
    denied_until_corrected(Way::CMakeMake, 1);
}

#[test]
fn cmake_with_make_at_once() {
    denied_until_corrected(Way::CMakeMake, 8);
}

/// Everything is compiled at the same time, and whoever comes last tells.
#[test]
fn a_first_build_with_the_bug() {
    for way in [Way::Make, Way::CMakeNinja] {
        let project = Project::new("filter");
        project.replace("apps/two.cpp", GOOD, BAD);
        let said = project.build(way, 8, "");
        assert_ne!(said.status, 0, "{}", said.all());
        assert!(said.all().contains("error[oob-global]") && !project.built(way, "two"), "{}", said.all());
    }
}

/// Where compile commands do not wait, the link tells; where nothing waits, the check does.
#[test]
fn a_build_waits_where_it_is_told_to() {
    for (check, stops) in [("link", true), ("never", false)] {
        let project = Project::new("filter");
        project.replace("apps/two.cpp", GOOD, BAD);
        project.write("scuba.toml", &format!("[build]\ncheck = \"{check}\"\n"));
        let said = project.build(Way::CMakeNinja, 2, "");
        let text = said.all();
        assert_eq!(said.status != 0, stops, "{check}: {text}");
        assert_eq!(text.contains("error[oob-global]"), stops, "{check}: {text}");
        assert_eq!(project.built(Way::CMakeNinja, "two"), !stops, "{check}: {text}");
        let folder = project.build_folder(Way::CMakeNinja);
        let said = project.scuba(&["check", folder.to_str().unwrap()]).status(1);
        assert!(said.err.contains("error[oob-global]: write past the end of `row`"), "{check}: {}", said.err);
    }
}

/// Neither launchers nor a package: the C++ unit is known by what `scuba build` saw, and read for the join at the end.
#[test]
fn scuba_build_with_nothing_changed_in_the_project() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    let nvcc = format!("NVCC={}", nvcc().display());
    let build = || project.scuba(&["build", "--", "make", "-j2", &nvcc]);
    let said = build().status(1);
    assert!(
        said.err.contains("error[oob-global]: write past the end of `row`")
            && said.err.contains("reached from `main` of `two`"),
        "{}",
        said.all()
    );
    assert!(project.built(Way::Make, "two"), "the build itself went through");
    project.replace("apps/two.cpp", BAD, GOOD);
    build().status(0).without_findings();
    project.scuba(&["check"]).status(0).without_findings();
}

/// `scuba_check(TARGET TEST)`: one program alone, as a target and as a test.
#[test]
fn targets_of_cmake_that_check_one_program() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    project
        .build_with(Way::CMakeNinja, 2, &["-DSCUBA_ENABLE=ON", "-DSHARED_WRAPPER=ON"], &[("SCUBA_LEVELS", "warn=all")])
        .status(0);
    let folder = project.build_folder(Way::CMakeNinja);
    let target = |name: &str| -> Said {
        project.command("cmake").arg("--build").arg(&folder).args(["--target", name]).output().unwrap().into()
    };
    target("one-scuba").status(0).without_findings();
    let said = target("two-scuba");
    assert!(said.status != 0 && said.all().contains("clear.cu:4:95: error[oob-global]"), "{}", said.all());
    let said: Said = project.command("ctest").current_dir(&folder).output().unwrap().into();
    assert!(said.all().contains("scuba.one") && said.all().contains("1 tests failed out of 2"), "{}", said.all());
    // A library is checked in the programs that take it in, and a program that is none is named.
    let check = |program: &str| project.scuba(&["check", "ninja", "--program", program]);
    check("ninja/wrapper/libwrapper.so").status(1);
    check("one").status(0);
    let said = check("three").status(2);
    assert!(said.err.contains("`three`") && said.err.contains("one, two"), "{}", said.err);
}
