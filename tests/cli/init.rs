//! `scuba init`: settings for the project that is found, and what to run next.

use super::{Project, SAFE};

#[test]
fn settings_are_written_for_the_project_that_is_found_and_never_over_others() {
    let p = Project::new();
    assert!(p.scuba(["init"]).status(2).err.contains("no CUDA source (.cu) under"));
    assert!(!p.root().join("scuba.toml").exists());
    p.write("src/main.cu", SAFE);
    p.write("third_party/lib/bad.cu", SAFE);
    p.write("Makefile", "app: src/main.cu\n\tnvcc -arch=sm_80 -o app src/main.cu\n");
    let said = p.scuba(["init"]).status(0);
    assert_eq!(
        (said.out.as_str(), said.err.as_str()),
        (
            format!(
                "{}/scuba.toml: a program, 1 CUDA source, Make\nall settings: {}/scuba.toml.example\nnext:\n    scuba build -- make\n",
                p.root().display(),
                env!("CARGO_MANIFEST_DIR")
            )
            .as_str(),
            ""
        )
    );
    let text = std::fs::read_to_string(p.root().join("scuba.toml")).unwrap();
    assert!(text.contains("path = \"third_party/**\"") && text.contains("# Next: scuba build -- make\n"), "{text}");

    // They are settings that the next command takes.
    p.write("scuba.toml", &text.replace("[baseline]", "[baseline]\nunknown = 1\n"));
    assert!(p.scuba(["check", "src/main.cu"]).status(2).err.contains("unknown"));
    let refused = p.scuba(["init"]).status(2);
    assert!(refused.err.contains("scuba.toml exists; --force overwrites it"), "{refused:?}");
    assert!(std::fs::read_to_string(p.root().join("scuba.toml")).unwrap().contains("unknown = 1"));
    p.scuba(["init", "--force"]).status(0);
    assert_eq!(std::fs::read_to_string(p.root().join("scuba.toml")).unwrap(), text);
    p.scuba(["check", "src/main.cu"]).status(0);
}

#[test]
fn a_library_gets_entry_points_and_an_extension_has_its_own() {
    const KERNEL: &str = "__global__ void k(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1.0f; }\n";
    let p = Project::new();
    p.write("scale.cu", KERNEL);
    p.write("CMakeLists.txt", "");
    let said = p.scuba(["init", "."]).status(0);
    assert!(said.out.contains("a library without `main`, 1 CUDA source, CMake\n"), "{said:?}");
    assert!(said.out.ends_with("    cmake -B build\n    scuba build -- cmake --build build\n"), "{said:?}");
    let text = std::fs::read_to_string(p.root().join("scuba.toml")).unwrap();
    assert!(text.contains("\nexports = true"), "{text}");

    p.write("ops.cpp", "#include <torch/extension.h>\nTORCH_LIBRARY(mine, m) {}\n");
    p.write("setup.py", "from torch.utils.cpp_extension import CUDAExtension\n");
    let said = p.scuba(["init", "--force"]).status(0);
    assert!(said.out.contains("an extension of PyTorch, 1 CUDA source, setuptools, CMake\n"), "{said:?}");
    assert!(said.out.ends_with("    scuba build -- pip install --no-build-isolation .\n"), "{said:?}");
    let text = std::fs::read_to_string(p.root().join("scuba.toml")).unwrap();
    assert!(!text.contains("\nexports = true"), "{text}");
    assert!(p.scuba(["init", "none"]).status(2).err.contains("none is not a folder"));
}
