//! What changes between two builds: headers and flags that several units share, files that come, move and go.

use super::support::{Project, Way};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

/// The padding is part of what the main units allocate and of what the wrapper launches: units of before and after the change
/// are out of bounds together, and right each with its own.
fn never_mixed(way: Way, jobs: u32) {
    let project = Project::new("filter");
    project.build(way, jobs, "").status(0).without_findings();
    for (from, to) in [("PAD 4", "PAD 64"), ("PAD 64", "PAD 2")] {
        project.replace("include/padded.h", from, to);
        project.build(way, jobs, "").status(0).without_findings();
    }
    if way == Way::Make {
        // What is given on make's command line rebuilds nothing; what a makefile says does.
        project.replace("Makefile", "NVCCFLAGS := ", "DEFINES = -DPAD=100\nNVCCFLAGS := ");
        project.build(way, jobs, "").status(0).without_findings();
    } else {
        for defines in ["PAD=100", "PAD=1"] {
            project.build(way, jobs, defines).status(0).without_findings();
        }
    }
    // And still on watch.
    project.replace("apps/one.cu", "padded(n) * sizeof", "n * sizeof");
    let said = project.build(way, jobs, if way == Way::Make { "" } else { "PAD=1" });
    assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{}", said.all());
}

#[test]
fn versions_are_never_mixed_by_ninja() {
    never_mixed(Way::CMakeNinja, 1);
}

#[test]
fn versions_are_never_mixed_by_ninja_at_once() {
    never_mixed(Way::CMakeNinja, 8);
}

#[test]
fn versions_are_never_mixed_by_makefiles_of_cmake() {
    never_mixed(Way::CMakeMake, 1);
}

#[test]
fn versions_are_never_mixed_by_makefiles_of_cmake_at_once() {
    never_mixed(Way::CMakeMake, 8);
}

#[test]
fn versions_are_never_mixed_by_plain_make() {
    never_mixed(Way::Make, 1);
}

#[test]
fn versions_are_never_mixed_by_plain_make_at_once() {
    never_mixed(Way::Make, 8);
}

/// The files of facts with the time of each.
fn facts(folder: &Path) -> BTreeMap<String, SystemTime> {
    let files = ["units", "links"].map(|what| folder.join(".scuba").join(what));
    files
        .iter()
        .filter_map(|f| std::fs::read_dir(f).ok())
        .flatten()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            (name.split_once('-').unwrap().1.to_owned(), entry.metadata().unwrap().modified().unwrap())
        })
        .collect()
}

#[test]
fn one_changed_file_is_read_again_and_what_goes_leaves_nothing() {
    let project = Project::new("filter");
    let (way, folder) = (Way::CMakeNinja, project.build_folder(Way::CMakeNinja));
    let names = |facts: &BTreeMap<String, SystemTime>| facts.keys().cloned().collect::<Vec<_>>();
    project.build(way, 2, "").status(0);
    let before = facts(&folder);
    assert_eq!(
        names(&before),
        [
            "clear.cu.o",
            "libkernels.a",
            "libwrapper.a",
            "one",
            "one.cu.o",
            "smooth.cu.o",
            "two",
            "two.cpp.o",
            "wrapper.cu.o"
        ]
    );

    project.replace("kernels/smooth.cu", "0.5f", "0.25f");
    project.build(way, 2, "").status(0);
    let after = facts(&folder);
    let written: Vec<&str> =
        after.iter().filter(|(name, time)| before[*name] != **time).map(|(name, _)| name.as_str()).collect();
    assert_eq!(written, ["libkernels.a", "one", "smooth.cu.o", "two"]);

    // A file is renamed, a target goes.
    std::fs::rename(project.root().join("kernels/smooth.cu"), project.root().join("kernels/soft.cu")).unwrap();
    project.replace("kernels/CMakeLists.txt", "smooth.cu", "soft.cu");
    project.write("apps/CMakeLists.txt", "add_executable(two two.cpp)\ntarget_link_libraries(two PRIVATE wrapper)\n");
    project.replace("CMakeLists.txt", "scuba_check(one TEST)", "");
    project.build(way, 2, "").status(0);
    let said = project.scuba(&["check", "ninja"]).status(0);
    assert!(said.err.contains("no findings; 2 accesses in 2 kernels: 2 safe"), "{}", said.err);
    let left = names(&facts(&folder));
    assert_eq!(
        left,
        ["clear.cu.o", "libkernels.a", "libwrapper.a", "one", "soft.cu.o", "two", "two.cpp.o", "wrapper.cu.o"]
    );

    // Another folder is another build, also where it took facts along.
    std::fs::rename(&folder, project.root().join("moved")).unwrap();
    project.scuba(&["check", "moved"]).status(2);
    assert!(facts(&project.root().join("moved")).is_empty());
}

/// Sources that changed after the build are read as they are, by their commands.
#[test]
fn a_check_reads_what_has_changed_since_the_build() {
    let project = Project::new("filter");
    project.build(Way::Make, 2, "").status(0);
    project.replace("include/padded.h", "PAD 4", "PAD 8");
    project.scuba(&["check"]).status(0).without_findings();
    project.replace("apps/one.cu", "padded(n) * sizeof", "n * sizeof");
    let said = project.scuba(&["check"]).status(1);
    assert!(said.err.contains("launched here") && said.err.contains("reached from `main` of `one`"), "{}", said.err);
    project.replace("apps/one.cu", "n * sizeof", "padded(n) * sizeof");
    project.scuba(&["check"]).status(0).without_findings();
}
