//! Tells the linker where Z3 lies.
fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let z3 = format!("{root}/.deps/cuda/z3/lib");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-search=native={z3}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{z3}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib");
}
