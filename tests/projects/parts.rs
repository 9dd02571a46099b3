//! What C++ and CUDA let several units share: device functions and constants of another unit, virtual functions, template
//! instances of which the linker keeps one.

use super::support::{Project, Said};

fn check(project: &Project, format: &str) -> Said {
    project.scuba(&[
        "check",
        "main.cu",
        "stage.cu",
        "sample.cu",
        "--message-format",
        format,
        "--",
        "-rdc=true",
        "-arch=sm_80",
    ])
}

#[test]
fn accesses_are_followed_into_other_units() {
    let project = Project::new("parts");
    let said = check(&project, "human").status(0);
    assert!(said.err.contains("no findings") && said.err.contains("5 accesses in 2 kernels: 5 safe"), "{}", said.err);

    // Only the device function's unit knows that it reads one more.
    project.replace("main.cu", "(n + 1) * sizeof", "n * sizeof");
    let said = check(&project, "short").status(1);
    assert!(said.err.contains("sample.cu:6:76: error[oob-global]: read past the end of `values`"), "{}", said.err);
    assert_eq!(said.err.matches("error[").count(), 1, "{}", said.err);

    // What a virtual function launches, and a template that two units instantiate.
    project.replace(
        "main.cu",
        "n * sizeof(float));\n  cudaMalloc(&out, n *",
        "(n + 1) * sizeof(float));\n  cudaMalloc(&out, (n - 1) *",
    );
    let said = check(&project, "short").status(1);
    for place in [
        "stage.cu:5:14: error[oob-global]: write past the end of `out`",
        "sample.cuh:10:14: error[oob-global]: write past the end of `out`",
    ] {
        assert!(said.err.contains(place), "{}", said.err);
    }
}
