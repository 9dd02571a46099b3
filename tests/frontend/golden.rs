//! The analysis form of small programs, as text.

use super::{Project, side};
use scuba::ir::{Module, Side};

/// The definitions of the user's own functions and globals; what headers bring depends on their versions.
fn own(module: &Module) -> String {
    let text = module.to_string();
    let mut out = String::new();
    let mut keep = false;
    for line in text.lines() {
        let head = !line.starts_with(' ');
        if head {
            let from_header = line.contains("_ZNSt") || line.contains(".h:") || line.contains(".hpp:") || line.contains("/c++/");
            keep = !from_header && !line.starts_with("declare") && !line.starts_with("module") && !line.contains("__cuda_builtin");
        }
        if keep { out.push_str(line); out.push('\n'); }
    }
    out
}

fn program(name: &str) -> Project {
    let path = format!("{}/tests/frontend/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    Project::new(&[(name, &std::fs::read_to_string(path).unwrap())])
}

#[test]
fn kernels() {
    let extraction = program("kernel.cu").extract("kernel.cu -arch=sm_80 -std=c++17");
    insta::assert_snapshot!(own(side(&extraction, Side::Device)));
}

#[test]
fn host_code() {
    let extraction = program("host.cu").extract("host.cu -arch=sm_80 -std=c++17");
    insta::assert_snapshot!(own(side(&extraction, Side::Host)));
}

#[test]
fn plain_c() {
    let extraction = program("plain.c").extract("plain.c");
    assert_eq!(extraction.modules.len(), 1, "a C source has a host side only");
    insta::assert_snapshot!(own(side(&extraction, Side::Host)));
}
