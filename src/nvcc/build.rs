//! Compiles the library that `scuba build` preloads.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    preload_library(&PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")));
}

/// Compiles `interpose/preload.c` to `$OUT_DIR/libscuba-interpose.so`, which the crate embeds.
fn preload_library(out: &Path) {
    let source = "interpose/preload.c";
    println!("cargo:rerun-if-changed={source}");
    let mut build = cc::Build::new();
    // The `cc` crate makes objects and archives only; the compiler that it chose links the shared library.
    build
        .file(source)
        .pic(true)
        .opt_level(2)
        .debug(false)
        .warnings(true)
        .extra_warnings(true)
        .flag("-fvisibility=hidden");
    let objects = build.try_compile_intermediates().unwrap_or_else(|e| panic!("{source} does not compile: {e}"));
    let library = out.join("libscuba-interpose.so");
    let mut link: Command = build.get_compiler().to_command();
    // Bound at load time: a lazy binding would take the loader's lock in the child of a vfork.
    link.args(["-shared", "-fPIC", "-Wl,-z,now", "-Wl,-soname,libscuba-interpose.so", "-o"])
        .arg(&library)
        .args(&objects);
    match link.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{link:?} failed: {status}"),
        Err(e) => panic!("{link:?} could not be run: {e}"),
    }
}
