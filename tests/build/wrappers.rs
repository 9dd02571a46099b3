//! Scripts that stand between a build and nvcc.

use crate::support::{KERNEL, Shim, install, nvcc, run, write};

/// Kokkos' nvcc_wrapper, as CMake's C++ compiler behind the launcher, rewrites its arguments and calls nvcc.
#[test]
fn a_script_behind_the_launcher_is_run_as_it_is_and_its_nvcc_analysed() {
    let shim = Shim::recording("exit 0");
    let folder = tempfile::tempdir().unwrap();
    let script = format!("#!/bin/sh\necho \"wrapped $2\"\nexec '{}' -x cu -arch=sm_80 \"$@\"\n", nvcc().display());
    write(folder.path(), &[("scale.cpp", KERNEL), ("script", &script)]);
    install(&folder.path().join("script"), &folder.path().join("wrapper"));

    let mut command = shim.command(folder.path());
    let output = run(command.env_remove("SCUBA_NVCC").args(["./wrapper", "-c", "scale.cpp", "-o", "scale.o"])).ok();
    assert_eq!(output.out(), "wrapped scale.cpp\n");
    assert!(folder.path().join("scale.o").is_file());
    let requests = shim.requests();
    let sources: Vec<_> = requests.iter().flat_map(|r| &r.units).map(|u| u.source.to_str().unwrap()).collect();
    assert_eq!(sources, ["scale.cpp"]);

    // The status is the script's own.
    let mut command = shim.command(folder.path());
    assert_eq!(run(command.args(["./wrapper", "-c", "missing.cpp"])).status.code(), Some(1));
}
