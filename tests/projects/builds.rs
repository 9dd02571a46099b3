//! Every way of building the project, good and with its bug.

use super::support::{BAD, GOOD, Project, Way};

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
        assert!(text.contains("clear.cu:4:95") && text.contains("wrapper.cu:7:3") && text.contains("reached from `main` of `two`"), "{text}");
    }

    project.replace("apps/two.cpp", BAD, GOOD);
    project.build(way, jobs, "").status(0).without_findings();
    assert!(project.built(way, "two"));
    let folder = project.build_folder(way);
    let said = project.scuba(&["check", folder.to_str().unwrap()]).status(0);
    assert!(said.err.contains("no findings; 3 accesses in 3 kernels: 3 safe"), "{}", said.err);
}

#[test]
fn plain_make_one_by_one() { denied_until_corrected(Way::Make, 1); }

#[test]
fn plain_make_at_once() { denied_until_corrected(Way::Make, 8); }

#[test]
fn cmake_with_ninja_one_by_one() { denied_until_corrected(Way::CMakeNinja, 1); }

#[test]
fn cmake_with_ninja_at_once() { denied_until_corrected(Way::CMakeNinja, 8); }

#[test]
fn cmake_with_make_at_once() { denied_until_corrected(Way::CMakeMake, 8); }

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
