//! Tells the linker where Z3 lies; of each crate that links it.

use std::path::Path;

fn main() {
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let root = Path::new(&package).ancestors().find(|a| a.join("Cargo.lock").exists()).unwrap_or(Path::new(&package));
    let z3 = root.join(".deps/cuda/z3/lib").display().to_string();
    println!("cargo:rerun-if-changed={}", root.join("build.rs").display());
    println!("cargo:rustc-link-search=native={z3}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{z3}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib");
}
