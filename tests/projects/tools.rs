//! Whatever tool builds: where it had nothing or little to do, it is asked for the commands that made what lies there.

use super::seen::{four_units, with_toolkit};
use super::support::{Project, Said, nvcc, shim};

fn build(project: &Project, command: &[&str]) -> Said {
    with_toolkit(project, env!("CARGO_BIN_EXE_scuba"), &[&["build", "--"], command].concat())
}

#[track_caller]
fn denied(said: &Said) {
    assert!(said.status == 1 && said.all().contains("error[oob-global]"), "{}", said.all());
}

/// The four units in two folders, each with a makefile of its own, and objects in a third. Nothing marks a root of the build.
fn in_two_folders() -> Project {
    let project = four_units();
    for (folder, name) in [("lib", "make.cu"), ("lib", "run.cu"), ("app", "main.cpp"), ("app", "size.cpp")] {
        project.write(&format!("{folder}/{name}"), &project.read(name));
        std::fs::remove_file(project.root().join(name)).unwrap();
    }
    project.write("Makefile", "all: app\napp: lib\nlib app:\n\t+$(MAKE) -C $@\n.PHONY: all lib app\n");
    let lib = "../o/libx.a: ../o/make.o ../o/run.o\n\t$(AR) rcsT $@ $^\n../o/%.o: %.cu\n\t@mkdir -p ../o\n\tnvcc -I.. -arch=sm_80 -c $< -o $@\n";
    let app = "app: main.o size.o ../o/libx.a\n\t$(CXX) -o $@ $^ $(LIBS)\n%.o: %.cpp\n\t$(CXX) -I.. -c $< -o $@\n";
    project.write("lib/Makefile", lib);
    project.write("app/Makefile", app);
    project
}

#[test]
fn folders_of_one_build_are_one_project() {
    denied(&build(&in_two_folders(), &["make", "-j2"]));
}

#[test]
fn makes_that_make_starts_tell_of_what_they_made_before() {
    let project = in_two_folders();
    with_toolkit(&project, "make", &["-j2"]).status(0);
    project.write("lib/run.cu", &(project.read("lib/run.cu") + "// more\n"));
    denied(&build(&project, &["make", "-j2"]));
}

#[test]
fn ninja_tells_of_what_it_made_before() {
    let project = four_units();
    let text = "rule cu\n  command = nvcc -arch=sm_80 -c $in -o $out\nrule cc\n  command = g++ -c $in -o $out\n\
                rule ld\n  command = g++ -o $out $in $$LIBS\nbuild o/make.o: cu make.cu\nbuild o/run.o: cu run.cu\n\
                build o/size.o: cc size.cpp\nbuild o/main.o: cc main.cpp\nbuild app: ld o/main.o o/size.o o/make.o o/run.o\n";
    project.write("build.ninja", text);
    with_toolkit(&project, "ninja", &["-j2"]).status(0);
    denied(&build(&project, &["sh", "-c", "ninja -j2"]));
}

/// Each configuration has a file of its own, of which `build.ninja` takes in one.
#[test]
fn each_configuration_of_ninja_is_asked_by_its_own_file() {
    let project = four_units();
    let text = "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES CXX CUDA)\nadd_library(x SHARED make.cu run.cu)\n\
                add_executable(app main.cpp size.cpp)\ntarget_link_libraries(app x)\n";
    project.write("CMakeLists.txt", text);
    let presets = r#"{"version": 3,
        "configurePresets": [{"name": "p", "generator": "Ninja Multi-Config", "binaryDir": "${sourceDir}/b_$env{WHO}_${presetName}",
            "environment": {"WHO": "me"}, "cacheVariables": {"CMAKE_CUDA_COMPILER": "NVCC", "CMAKE_CUDA_ARCHITECTURES": "80"}}],
        "buildPresets": [{"name": "p", "configurePreset": "p", "configuration": "Release"}]}"#;
    project.write("CMakePresets.json", &presets.replace("NVCC", &nvcc().display().to_string()));
    with_toolkit(&project, "cmake", &["--preset", "p"]).status(0);
    with_toolkit(&project, "cmake", &["--build", "--preset", "p"]).status(0);
    denied(&build(&project, &["cmake", "--build", "--preset", "p"]));
}

/// A build of which nothing tells how its objects were made names them.
#[test]
fn objects_of_a_tool_that_tells_nothing_are_named() {
    let project = four_units();
    let units = "for u in make run; do nvcc -arch=sm_80 -c $u.cu; done; for u in main size; do g++ -c $u.cpp; done";
    with_toolkit(&project, "sh", &["-ec", units]).status(0);
    let said = build(&project, &["sh", "-c", "g++ -o app main.o size.o make.o run.o $LIBS"]);
    assert!(said.all().contains("make.o, run.o") && said.all().contains("without being read"), "{}", said.all());
}

/// ccache looks at what nvcc compiles for the first architecture. The build may have no name: the line is said once all the same.
#[test]
fn a_cache_that_hashes_one_pass_is_told_of_once() {
    let project = four_units();
    let script = "printf '#!/bin/sh\\nexec \"$@\"' >ccache; chmod +x ccache
        $SHIM ./ccache $NVCC -arch=sm_80 -c make.cu 2>one
        for u in make run; do $SHIM ./ccache $NVCC -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -c $u.cu; done";
    let mut sh = project.command("sh");
    let said = Said::from(sh.args(["-ec", script]).env("SHIM", shim()).env("NVCC", nvcc()).output().unwrap()).status(0);
    let told = |text: &str| text.matches("ccache hashes only the code of the first architecture").count();
    assert_eq!(told(&said.all()), 1, "{}", said.all());
    assert_eq!(told(&std::fs::read_to_string(project.root().join("one")).unwrap()), 0);
}
