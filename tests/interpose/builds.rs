//! Builds with CMake and Make, by the real nvcc.

use super::{Session, nvcc, plainly};
use scuba::nvcc::interpose::BuildOutcome;
use scuba::nvcc::request::LinkKind;
use std::path::PathBuf;

pub const KERNELS: &str = "__global__ void twice(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }\n\
                       void launch(int *a, int n) { twice<<<(n + 255) / 256, 256>>>(a, n); }\n";
pub const MAIN: &str = "void launch(int *, int);\nint main() { launch(nullptr, 0); return 0; }\n";
const CMAKE: &str = "cmake_minimum_required(VERSION 3.18)\nproject(app LANGUAGES CXX CUDA)\n\
                     add_library(kernels STATIC kernels.cu)\nadd_executable(app main.cu)\ntarget_link_libraries(app PRIVATE kernels)\n";

/// Where build tools worked, without what is gone.
fn tool_folders(outcome: &BuildOutcome) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = outcome.tool_folders.iter().filter_map(|f| f.canonicalize().ok()).collect();
    folders.dedup();
    folders
}

/// Configured by plain nvcc, then built in a session: the tree is not configured again, and every compile reaches the shim.
fn configured_before(generator: &str) {
    let session = Session::new();
    session.write("kernels.cu", KERNELS);
    session.write("main.cu", MAIN);
    session.write("CMakeLists.txt", CMAKE);
    let compiler = format!("-DCMAKE_CUDA_COMPILER={}", nvcc().display());
    plainly(
        "cmake",
        &["-G", generator, "-B", "build", &compiler, "-DCMAKE_CUDA_ARCHITECTURES=80"],
        session.folder.path(),
    );
    let build = session.path("build");
    let cache = std::fs::read(build.join("CMakeCache.txt")).unwrap();

    let outcome = session.run(&["cmake", "--build", build.to_str().unwrap(), "--parallel", "2"]);

    assert!(outcome.status.success());
    assert_eq!(outcome.notes, [""; 0]);
    assert_eq!(std::fs::read(build.join("CMakeCache.txt")).unwrap(), cache, "configured again");
    let mut sources: Vec<String> = session
        .calls()
        .iter()
        .filter_map(|call| call.split(' ').find(|w| w.ends_with(".cu")).map(str::to_owned))
        .collect();
    sources.sort();
    assert_eq!(
        sources,
        [session.path("kernels.cu").display().to_string(), session.path("main.cu").display().to_string()]
    );
    assert!(
        session.calls().iter().all(|call| call.starts_with(nvcc().to_str().unwrap())),
        "launcher mode: {:?}",
        session.calls()
    );
    assert_eq!(outcome.compiles.len(), 2);
    assert!(
        outcome.compiles.iter().all(|c| c.program == nvcc() && c.directory.starts_with(build.canonicalize().unwrap()))
    );

    let build = build.canonicalize().unwrap();
    let archive = outcome.links.iter().find(|l| l.kind == LinkKind::Archive).unwrap();
    assert_eq!(archive.output, build.join("libkernels.a"));
    assert_eq!(archive.inputs, [build.join("CMakeFiles/kernels.dir/kernels.cu.o")]);
    let program = outcome.links.iter().find(|l| l.kind == LinkKind::Executable).unwrap();
    assert_eq!(program.output, build.join("app"));
    assert_eq!(program.inputs[..2], [build.join("CMakeFiles/app.dir/main.cu.o"), build.join("libkernels.a")]);
    assert_eq!(outcome.links.len(), 2, "{:?}", outcome.links);

    // Nothing left to do: nothing is compiled, and nothing is told of.
    let again = session.run(&["cmake", "--build", build.to_str().unwrap()]);
    assert!(again.status.success() && again.compiles.is_empty() && again.links.is_empty());
    // But which folder it was about is known, also where CMake alone is told so.
    assert_eq!(tool_folders(&again), *std::slice::from_ref(&build));
    let named = build.to_str().unwrap();
    let tool = if generator == "Ninja" { "ninja" } else { "make" };
    assert_eq!(tool_folders(&session.run(&[tool, "-C", named])), *std::slice::from_ref(&build));
    assert_eq!(tool_folders(&session.sh(&format!("cd '{named}' && exec {tool}"))), *std::slice::from_ref(&build));
    assert_eq!(tool_folders(&session.sh(&format!("exec cmake --build '{named}'"))), [build]);
    assert!(tool_folders(&session.sh("true")).is_empty());
}

#[test]
fn a_ninja_tree_configured_before() {
    configured_before("Ninja");
}

#[test]
fn a_make_tree_configured_before() {
    configured_before("Unix Makefiles");
}

#[test]
fn a_makefile_that_names_nvcc_by_path() {
    let session = Session::new();
    session.write("kernels.cu", KERNELS);
    session.write("main.cu", MAIN);
    let makefile = format!(
        "NVCC := {}\nFLAGS := -arch=sm_80\napp: main.o kernels.o\n\t$(NVCC) $(FLAGS) $^ -o $@\n%.o: %.cu\n\t$(NVCC) $(FLAGS) -c $< -o $@\n",
        nvcc().display()
    );
    session.write("Makefile", &makefile);
    let outcome = session.run(&["make", "-j2", "-C", session.folder.path().to_str().unwrap()]);
    assert!(outcome.status.success());
    let mut calls = session.calls();
    calls.sort();
    let nvcc = nvcc();
    let nvcc = nvcc.display();
    assert_eq!(
        calls,
        [
            format!("{nvcc} -arch=sm_80 -c kernels.cu -o kernels.o"),
            format!("{nvcc} -arch=sm_80 -c main.cu -o main.o"),
            format!("{nvcc} -arch=sm_80 main.o kernels.o -o app"),
        ]
    );
    // The link is nvcc's: the shim sees it, and what nvcc runs for it is not told twice.
    assert_eq!(outcome.links, []);
    assert!(session.path("app").is_file());
}

#[test]
fn a_failing_build_keeps_its_own_status() {
    let session = Session::new();
    session.write("bad.cu", "this is not C++\n");
    let outcome =
        session.sh(&format!("{} -arch=sm_80 -c {} -o /dev/null", nvcc().display(), session.path("bad.cu").display()));
    let plain = std::process::Command::new(nvcc())
        .args(["-arch=sm_80", "-c"])
        .arg(session.path("bad.cu"))
        .args(["-o", "/dev/null"])
        .output();
    assert!(!outcome.status.success());
    assert_eq!(outcome.status.code(), plain.unwrap().status.code());
    assert_eq!(session.calls().len(), 1);
}
