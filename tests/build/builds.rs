//! Real CMake and Make projects through the shim: they configure, build, have nothing to do afterwards, and their objects are
//! nvcc's own.

use crate::support::{KERNEL, Output, Shim, clean, normal, nvcc, run, tree, write};
use scuba::nvcc::unit::PreprocessorFlag;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const LISTS: &str = "cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES CXX CUDA)\n\
    add_library(kernels STATIC scale.cu shift.cu)\n\
    add_executable(app main.cu host.cpp)\ntarget_link_libraries(app PRIVATE kernels)\n\
    target_compile_definitions(app PRIVATE \"NAME=\\\"a b\\\"\")\n\
    set_target_properties(kernels app PROPERTIES CUDA_SEPARABLE_COMPILATION ${SEPARABLE})\n";

const SHIFT: &str = "#include \"shift.h\"\n__global__ void shift(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += 1; }\n\
    void shift_all(int *a, int n) { shift<<<(n + 31) / 32, 32>>>(a, n); }\n";
const CMAKE_MAIN: &str = "#include \"shift.h\"\nvoid run(float *, int);\nint host();\nint main() { run(nullptr, 0); shift_all(nullptr, host()); return 0; }\n";

fn sources() -> Vec<(&'static str, &'static str)> {
    vec![
        ("CMakeLists.txt", LISTS),
        ("scale.cu", KERNEL),
        ("shift.cu", SHIFT),
        ("shift.h", "void shift_all(int *, int);\n"),
        ("main.cu", CMAKE_MAIN),
        ("host.cpp", "int host() { return 0; }\n"),
    ]
}

/// How a configuration names its CUDA compiler.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Through {
    Nvcc,
    Compiler,
    Launcher,
}

struct Built {
    objects: BTreeMap<String, Vec<u8>>,
    again: Output,
}

/// Configures and builds in `folder/build`, which must not exist.
fn cmake(folder: &Path, shim: &Shim, generator: &str, separable: bool, through: Through) -> Built {
    let mut configure = clean(Path::new("cmake"), folder);
    configure.args([
        "-S",
        ".",
        "-B",
        "build",
        "-G",
        generator,
        "-DCMAKE_CUDA_ARCHITECTURES=80",
        "-DCMAKE_BUILD_TYPE=Release",
    ]);
    configure.arg(format!("-DSEPARABLE={}", if separable { "ON" } else { "OFF" })).env("SCUBA_NVCC", nvcc());
    let compiler = if through == Through::Compiler { shim.path() } else { nvcc() };
    configure.arg(format!("-DCMAKE_CUDA_COMPILER={}", compiler.display()));
    if through == Through::Launcher {
        configure.arg(format!("-DCMAKE_CUDA_COMPILER_LAUNCHER={}", shim.path().display()));
    }
    run(&mut configure).ok();
    let build = || {
        let mut build = clean(Path::new("cmake"), folder);
        build.args(["--build", "build", "-j2"]).env("SCUBA_NVCC", nvcc());
        run(&mut build).ok()
    };
    build();
    let again = build();
    run(&mut clean(&folder.join("build/app"), folder)).ok();
    let objects = tree(&folder.join("build"))
        .into_iter()
        .filter(|(name, _)| name.ends_with(".o") && !name.contains("CompilerId"));
    Built { objects: objects.map(|(name, bytes)| (name, normal(&bytes))).collect(), again }
}

fn cmake_project(generator: &str, separable: bool) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    write(&folder, &sources());
    let fresh = || drop(std::fs::remove_dir_all(folder.join("build")));
    let plain = cmake(&folder, &Shim::alone(), generator, separable, Through::Nvcc);
    assert!(plain.objects.len() >= if separable { 5 } else { 4 }, "{:?}", plain.objects.keys());
    for through in [Through::Compiler, Through::Launcher] {
        fresh();
        let shim = Shim::recording("exit 0");
        let built = cmake(&folder, &shim, generator, separable, through);
        let name = format!("{generator}, separable {separable}, {through:?}");
        assert_eq!(built.objects.keys().collect::<Vec<_>>(), plain.objects.keys().collect::<Vec<_>>(), "{name}");
        for (object, bytes) in &built.objects {
            assert!(plain.objects[object] == *bytes, "{name}: {object} is not nvcc's own");
        }
        assert!(!built.again.out().contains("Building CUDA"), "{name}: {}", built.again.out());

        // Asked once per translation unit, for the object that the build names; not about CMake's own tests of the compiler.
        let mut asked: Vec<PathBuf> = shim
            .requests()
            .iter()
            .flat_map(|request| &request.units)
            .map(|unit| unit.output.clone().unwrap())
            .collect();
        asked.sort();
        let objects =
            |names: &[&str]| names.iter().map(|name| folder.join("build/CMakeFiles").join(name)).collect::<Vec<_>>();
        assert_eq!(
            asked,
            objects(&["app.dir/main.cu.o", "kernels.dir/scale.cu.o", "kernels.dir/shift.cu.o"]),
            "{name}"
        );
        for unit in shim.requests().iter().flat_map(|request| &request.units) {
            assert_eq!((unit.relocatable, unit.architectures.as_slice()), (separable, [80].as_slice()), "{name}");
            let named = unit.preprocessor.contains(&PreprocessorFlag::Define("NAME=\"a b\"".into()));
            assert_eq!(named, unit.source.ends_with("main.cu"), "{name}: {:?}", unit.command);
        }
    }
}

#[test]
fn cmake_with_ninja() {
    cmake_project("Ninja", false);
}

#[test]
fn cmake_with_ninja_separable() {
    cmake_project("Ninja", true);
}

#[test]
fn cmake_with_make() {
    cmake_project("Unix Makefiles", false);
}

#[test]
fn cmake_with_make_separable() {
    cmake_project("Unix Makefiles", true);
}

const MAKEFILE: &str = "NVCC ?= nvcc\nNVCCFLAGS := -arch=sm_80 -std=c++17 -O2 -rdc=true\n\
    all: app libshift.so\n\
    app: main.o libkernels.a\n\t$(NVCC) $(NVCCFLAGS) $^ -o $@\n\
    libkernels.a: scale.o shift.o host.o\n\t$(NVCC) -lib $^ -o $@\n\
    libshift.so: shift.cu\n\t$(NVCC) -arch=sm_80 -shared -Xcompiler -fPIC $< -o $@\n\
    %.o: %.cu\n\t$(NVCC) $(NVCCFLAGS) -MMD -c $< -o $@\n\
    %.o: %.cpp\n\t$(NVCC) -Xcompiler -Wall,-Wextra -c $< -o $@\n\
    clean:\n\trm -f app *.o *.a *.so *.d\n-include $(wildcard *.d)\n";

#[test]
fn plain_make() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    write(&folder, &sources());
    write(&folder, &[("Makefile", MAKEFILE)]);
    let make = |compiler: &Path, target: &str| {
        let mut make = clean(Path::new("make"), &folder);
        make.args(["-j4", target]).arg(format!("NVCC={}", compiler.display())).env("SCUBA_NVCC", nvcc());
        run(&mut make).ok()
    };
    let written = || -> BTreeMap<String, Vec<u8>> {
        tree(&folder).into_iter().map(|(name, bytes)| (name, normal(&bytes))).collect()
    };
    make(&nvcc(), "all");
    let plain = written();
    make(&nvcc(), "clean");
    let shim = Shim::recording("exit 0");
    make(&shim.path(), "all");
    run(&mut clean(&folder.join("app"), &folder)).ok();
    let shimmed = written();
    assert_eq!(shimmed.keys().collect::<Vec<_>>(), plain.keys().collect::<Vec<_>>());
    for (name, bytes) in &shimmed {
        // ar writes the time of day.
        assert!(name == "libkernels.a" || plain[name] == *bytes, "{name} is not nvcc's own");
    }
    let output = make(&shim.path(), "all");
    assert!(output.out().contains("Nothing to be done"), "{}", output.out());

    let mut links: Vec<String> = shim
        .requests()
        .iter()
        .filter_map(|request| request.link.as_ref())
        .map(|link| {
            let name = |path: &Path| path.strip_prefix(&folder).unwrap().display().to_string();
            format!(
                "{:?} {} <- {}",
                link.kind,
                name(&link.output),
                link.inputs.iter().map(|path| name(path)).collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    links.sort();
    assert_eq!(
        links,
        [
            "Archive libkernels.a <- scale.o shift.o host.o",
            "Executable app <- main.o libkernels.a",
            "SharedLibrary libshift.so <- ",
        ]
    );
    let units: usize = shim.requests().iter().map(|request| request.units.len()).sum();
    assert_eq!(units, 5);
}
