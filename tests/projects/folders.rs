//! Several build folders of one project: what is said of them together, and which of them a build is about.

use super::support::{GOOD, Project, Said, nvcc};
use serde_json::Value;

/// `filter`, whose second program has its bug where `TIGHT` is defined.
fn project() -> Project {
    let project = Project::new("filter");
    project.replace(
        "apps/two.cpp",
        "int main(",
        "#ifdef TIGHT\n#define ROOM(n) (n)\n#else\n#define ROOM(n) padded(n)\n#endif\n\nint main(",
    );
    project.replace("apps/two.cpp", GOOD, "allocate(ROOM(n))");
    project
}

fn configure(project: &Project, folder: &str, generator: &str, options: &[&str]) {
    let mut command = project.command("cmake");
    command.args(["-G", generator, "-S", ".", "-B", folder, "-DCMAKE_CUDA_ARCHITECTURES=80"]);
    command.arg(format!("-DCMAKE_CUDA_COMPILER={}", nvcc().display())).args(options);
    Said::from(command.output().unwrap()).status(0);
}

/// The end of a build that lets everything through, with what it says as a document.
fn build(project: &Project, command: &[&str]) -> Value {
    let said = project.scuba(&[&["build", "-W", "all", "--message-format", "json", "--"], command].concat()).status(0);
    serde_json::from_str(&said.out).unwrap()
}

fn findings(document: &Value) -> usize {
    document["findings"].as_array().unwrap().len()
}

const CLASSES: [&str; 5] = ["safe", "safe_if_no_wrap", "proved", "possible", "unknown"];

#[test]
fn places_of_several_build_folders_count_once() {
    let project = project();
    for (folder, generator, options) in [
        ("debug", "Ninja", ["-DCMAKE_BUILD_TYPE=Debug", "-DDEFINES=TIGHT"]),
        ("release", "Unix Makefiles", ["-DCMAKE_BUILD_TYPE=Release", "-DDEFINES="]),
        ("relaxed", "Ninja", ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DDEFINES=RELAXED"]),
    ] {
        configure(&project, folder, generator, &options);
        build(&project, &["cmake", "--build", folder]);
    }
    let summary = |folder: &str| -> Value {
        let said = project.scuba(&["check", "-W", "all", "--message-format", "json", folder]).status(0);
        let document: Value = serde_json::from_str(&said.out).unwrap();
        let sum: u64 = CLASSES.iter().map(|class| document["summary"][class].as_u64().unwrap()).sum();
        assert_eq!(document["summary"]["accesses"], sum, "{folder}");
        assert_eq!(document["summary"]["unknown"], document["undecided"].as_array().unwrap().len(), "{folder}");
        document["summary"].clone()
    };
    let (all, one, good) = (summary("."), summary("debug"), summary("release"));
    assert_eq!((&all["programs"], &one["programs"]), (&6.into(), &2.into()));
    for count in CLASSES.iter().chain(&["accesses", "safe_assuming", "kernels"]) {
        assert_eq!(all[count], one[count], "{count}: {all} {one}");
    }
    // Both programs run `smooth`; the bug is in two of the three folders' places, and the worst counts.
    assert_eq!((&good["accesses"], &good["kernels"], &good["safe"]), (&2.into(), &2.into(), &2.into()), "{good}");
    assert_ne!(all["proved"], good["proved"], "{all}");
}
