//! The program that makes single launches.

use super::{here, nvcc};
use std::process::Command;

#[test]
fn it_compiles_with_nvcc_where_there_is_no_gpu_and_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("launch");
    let source = here().join("../../templates/launch.cpp");
    let done = Command::new(nvcc()).args(["-std=c++17", "-O1", "-cudart=none", "-Xcompiler", "-Wall,-Wextra,-Werror"]).arg(&source)
        .args(["-ldl", "-o"]).arg(&program).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let missing = folder.path().join("nothing.launch");
    let said = Command::new(&program).arg(&missing).output().unwrap();
    assert_eq!(said.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&said.stdout), format!("cannot open {}\n", missing.display()));
}
