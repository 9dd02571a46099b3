//! Bundles of counterexamples, made after a build by CMake with separable compilation: what its device link makes, a denied
//! build never made or removed.

use super::support::{Project, Said, Way, nvcc};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One kernel writes one element too far.
fn wrong() -> Project {
    let project = Project::new("separable");
    project.replace("lib/kernels.cu", "if (i < n)", "if (i <= n)");
    project
}

fn bundle(project: &Project, way: Way) -> (Said, PathBuf) {
    let (folder, bundle) = (project.build_folder(way), project.root().join("bundle"));
    let said = project.scuba(&["confirm", folder.to_str().unwrap(), "--bundle", bundle.to_str().unwrap()]);
    (said, bundle)
}

fn manifest(bundle: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(bundle.join("manifest.json")).unwrap()).unwrap()
}

fn attempts(manifest: &Value) -> Vec<String> {
    let [case] = manifest["cases"].as_array().unwrap().as_slice() else { panic!("{manifest}") };
    case["attempts"].as_array().unwrap().iter().map(|a| a["how"].as_str().unwrap().to_owned()).collect()
}

fn below(folder: &Path, files: &mut Vec<String>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, files);
        } else {
            files.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
}

/// Runs the commands that make the program, as a machine with a GPU would.
fn build_program(bundle: &Path) {
    let scratch = tempfile::tempdir().unwrap();
    let manifest = manifest(bundle);
    let builds = manifest["builds"].as_array().unwrap();
    let program = builds.iter().find(|b| b["name"].as_str().unwrap().ends_with("program")).unwrap();
    std::fs::create_dir(scratch.path().join(program["name"].as_str().unwrap())).unwrap();
    let word = |w: &Value| -> String {
        let Some(w) = w.as_object() else { return "sm_80".into() };
        let (kind, text) = w.iter().next().unwrap();
        let text = text.as_str().unwrap();
        match kind.as_str() {
            "scratch" => scratch.path().join(text).to_str().unwrap().to_owned(),
            "bundle" => bundle.join(text).to_str().unwrap().to_owned(),
            _ => text.to_owned(),
        }
    };
    for step in program["steps"].as_array().unwrap() {
        let words: Vec<String> = step["words"].as_array().unwrap().iter().map(word).collect();
        let folder = PathBuf::from(word(&step["directory"]));
        let done = Command::new(nvcc()).args(&words).current_dir(folder).output().unwrap();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
    assert!(scratch.path().join(program["output"].as_str().unwrap()).is_file());
}

fn is_whole(project: &Project, bundle: &Path) {
    let mut files = Vec::new();
    below(bundle, &mut files);
    assert!(
        ["kernels.cu", "helper.cu", "main.cpp", "manifest.json"].iter().all(|n| files.iter().any(|f| f == n)),
        "{files:?}"
    );
    assert!(!files.iter().any(|f| f.ends_with(".o") || f.ends_with(".a")), "the build's own are made again: {files:?}");
    let beside = project.root().read_dir().unwrap().map(|e| e.unwrap().file_name());
    assert!(beside.into_iter().all(|n| !n.to_string_lossy().starts_with(".scuba-bundle")));
    build_program(bundle);
}

#[test]
fn a_bundle_after_a_denied_build_is_whole() {
    for way in [Way::CMakeNinja, Way::CMakeMake] {
        let project = wrong();
        let said = project.build_with(way, 1, &[], &[]);
        assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{}", said.all());
        assert!(!project.build_folder(way).join("CMakeFiles/app.dir/cmake_device_link.o").exists());
        let (said, bundle) = bundle(&project, way);
        assert!(said.status == 0 && said.err.contains("1 counterexample is in "), "{}", said.all());
        assert_eq!(attempts(&manifest(&bundle))[0], "program");
        is_whole(&project, &bundle);
    }
}

/// The object of the device link and the archive are there, and would define everything twice.
#[test]
fn a_bundle_after_a_build_that_went_through_is_whole() {
    let project = wrong();
    project.build_with(Way::CMakeNinja, 1, &[], &[("SCUBA_LEVELS", "warn=all")]).status(0);
    assert!(project.build_folder(Way::CMakeNinja).join("CMakeFiles/app.dir/cmake_device_link.o").is_file());
    let (said, bundle) = bundle(&project, Way::CMakeNinja);
    assert!(said.status == 0, "{}", said.all());
    is_whole(&project, &bundle);
}

#[test]
fn what_the_link_lacks_costs_the_program_and_not_the_bundle() {
    let project = wrong();
    project.write("extra.cpp", "int extra;\n");
    let run = |program: &str, words: &[&str]| assert!(project.command(program).args(words).status().unwrap().success());
    run("g++", &["-c", "extra.cpp"]);
    run("ar", &["rcs", "libextra.a", "extra.o"]);
    assert_ne!(project.build_with(Way::CMakeNinja, 1, &[], &[]).status, 0);
    std::fs::remove_file(project.root().join("libextra.a")).unwrap();
    let (said, bundle) = bundle(&project, Way::CMakeNinja);
    let said = said.status(0);
    let line = said.err.lines().find(|l| l.contains("libextra.a")).unwrap_or_default();
    assert!(
        line.starts_with("scuba: not in the bundle: the program itself: ") && line.contains("SCUBA_OFF=1"),
        "{}",
        said.err
    );
    assert_eq!(attempts(&manifest(&bundle)), ["launch", "check", "check"]);

    // Where it cannot be written nothing is left, and one that is there is not touched.
    let folder = project.build_folder(Way::CMakeNinja);
    let to = |place: &Path| project.scuba(&["confirm", folder.to_str().unwrap(), "--bundle", place.to_str().unwrap()]);
    project.write("file", "");
    assert!(to(&project.root().join("file/b")).status(2).err.contains("cannot write"));
    assert!(to(&bundle).status(2).err.contains("is not empty"));
    // An empty folder stays the same folder.
    let empty = project.root().join("empty");
    std::fs::create_dir(&empty).unwrap();
    to(&empty).status(0);
    let names: Vec<_> = empty.read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().any(|n| n == "manifest.json") && names.iter().all(|n| !n.to_string_lossy().starts_with('.')));
}
