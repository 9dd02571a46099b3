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

/// `a` has the bug, `b` and `c` do not: what there is to say of `a` is no business of a build of `b`.
#[test]
fn a_build_with_nothing_to_do_tells_of_its_own_folder() {
    let project = project();
    configure(&project, "a", "Ninja", &["-DDEFINES=TIGHT"]);
    configure(&project, "b", "Ninja", &[]);
    configure(&project, "c", "Unix Makefiles", &[]);
    assert!(findings(&build(&project, &["cmake", "--build", "a"])) > 0);
    for folder in ["b", "c"] {
        assert_eq!(findings(&build(&project, &["cmake", "--build", folder])), 0, "{folder} compiles");
    }
    project.write(
        "CMakePresets.json",
        r#"{"version": 2, "configurePresets": [{"name": "b", "generator": "Ninja", "binaryDir": "${sourceDir}/b"}],
            "buildPresets": [{"name": "again", "configurePreset": "b"}]}"#,
    );
    let (root, here) = (project.root(), |name: &str| project.root().join(name).display().to_string());
    for command in [
        &["cmake", "--build", "b"][..],
        &["cmake", "--build", "c"],
        &["cmake", "--build", "--preset", "again"],
        &["ninja", "-C", "b"],
        &["ninja", &format!("-C{}", here("b"))],
        &["make", "-C", "c"],
        &["make", "--directory=.", "-C", "c", "one"],
        &["sh", "-c", "cd b && exec ninja"],
    ] {
        let document = build(&project, command);
        assert_eq!((findings(&document), &document["summary"]["programs"]), (0, &2.into()), "{command:?}: {document}");
    }
    // Of several all are told, whichever of them compiles.
    std::fs::remove_file(root.join("b/apps/CMakeFiles/one.dir/one.cu.o")).unwrap();
    let document = build(&project, &["sh", "-c", "ninja -C a && ninja -C b"]);
    assert!(findings(&document) > 0, "{document}");
    assert_eq!(document["summary"]["programs"], 4, "{document}");
    // A build that is about none of them tells of none.
    let said = project.scuba(&["build", "--", "true"]).status(2);
    assert!(said.err.contains("no facts under") && said.err.contains("but nothing was analysed"), "{}", said.err);
    let said: Said = project
        .command(env!("CARGO_BIN_EXE_scuba"))
        .args(["build", "--", "true"])
        .current_dir(here("b"))
        .output()
        .unwrap()
        .into();
    said.status(0).without_findings();
}

/// Two configurations that a makefile builds in folders of its own: of the one that has the bug a build of the other says nothing, and a
/// build of the first does, also where it compiles little.
#[test]
fn a_makefiles_other_configuration_is_no_business_of_a_build() {
    let project = Project::new("stale");
    project.write(
        "Makefile",
        "O ?= out\n$(O)/app: $(O)/main.o $(O)/k.o\n\tnvcc -arch=sm_80 $^ -o $@\n\
         $(O)/%.o: %.cu size.h reach.h\n\t@mkdir -p $(O)\n\tnvcc -arch=sm_80 $(DEFINES) -c $< -o $@\n",
    );
    let path = format!("{}:/usr/bin:/bin", super::support::nvcc().parent().unwrap().display());
    let make = |words: &[&str]| {
        let mut scuba = project.command(env!("CARGO_BIN_EXE_scuba"));
        Said::from(scuba.args(["build", "--", "make"]).args(words).env("PATH", &path).output().unwrap())
    };
    let bad = make(&["O=bad", "DEFINES=-DREACH=65"]);
    assert!(bad.status != 0 && bad.all().contains("error[oob-global]"), "{}", bad.all());
    make(&["O=good"]).status(0).without_findings();
    std::fs::remove_file(project.root().join("good/main.o")).unwrap();
    make(&["O=good"]).status(0).without_findings();
    std::fs::remove_file(project.root().join("bad/main.o")).unwrap();
    let bad = make(&["O=bad", "DEFINES=-DREACH=65"]);
    assert!(bad.status != 0 && bad.all().contains("error[oob-global]"), "{}", bad.all());
}
