//! `__float128` in device code (nvcc 13.0, sm_100 and newer), which clang 22 lacks for NVPTX: compat.h defines a type
//! of that size instead.
//!
//! In: clang's messages; then the modules of a unit. Out: whether to read the type this way; the modules with the
//! source names of functions. Kernels must have the names of their stubs, since the host side has the type itself.

use ir::{Module, Program, Side};
use std::collections::BTreeMap;

/// Flag that enables compat.h's type.
pub(super) const FLAG: &str = "-D__SCUBA_FLOAT128__";

/// The type's name in compat.h and in the source.
const OURS: &str = "scuba_float128";
const THEIRS: &str = "__float128";

/// Prefix of CUDA's functions on this type (crt/device_fp128_functions.h); nothing defines them.
const FUNCTIONS: &str = "__nv_fp128_";

/// Whether clang rejected the type (clang/Basic/DiagnosticSemaKinds.td, `err_target_unsupported_type`, LLVM 22).
pub(super) fn is_refused(stderr: &str) -> bool {
    let refuses = |l: &str| l.contains("type support, but target") && l.contains(&format!("'{THEIRS}'"));
    stderr.lines().any(refuses)
}

/// Restores the source names of functions in a unit's device code.
pub(super) fn rename(modules: &mut [Module]) {
    let device = |m: &&mut Module| m.side == Side::Device && m.functions.iter().any(|f| f.display.contains(OURS));
    if !modules.iter_mut().any(|m| device(&m)) {
        return;
    }
    let mut kernels: BTreeMap<String, String> = BTreeMap::new();
    for f in modules.iter().filter(|m| m.side == Side::Host).flat_map(|m| &m.functions) {
        if let Some(kernel) = Program::kernel_symbol_of_stub(&f.name) {
            kernels.insert(crate::names::demangle(&kernel), kernel);
        }
    }
    for m in modules.iter_mut().filter(device) {
        for f in m.functions.iter_mut().filter(|f| f.display.contains(OURS)) {
            f.display = f.display.replace(OURS, THEIRS);
            if let Some(own) = own_name(&f.name).filter(|_| f.is_declaration()) {
                f.name = own.to_owned();
            } else if let Some(symbol) = kernels.get(&f.display).filter(|_| f.kernel) {
                f.name.clone_from(symbol);
            }
        }
    }
}

/// Extracts the name of a CUDA function on this type from its symbol (Itanium C++ ABI, 5.1.2): `_Z15__nv_fp128_sqrt…`.
fn own_name(symbol: &str) -> Option<&str> {
    let rest = symbol.strip_prefix("_Z")?;
    let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let length = rest[..rest.len() - name.len()].parse().ok()?;
    name.get(..length).filter(|n| n.starts_with(FUNCTIONS))
}

#[cfg(test)]
mod tests {
    use super::{is_refused, own_name};

    #[test]
    fn functions_of_cuda_are_known_by_their_symbols() {
        assert_eq!(own_name("_Z15__nv_fp128_sqrt14scuba_float128"), Some("__nv_fp128_sqrt"));
        assert_eq!(own_name("_Z16__nv_fp128_frexp14scuba_float128Pi"), Some("__nv_fp128_frexp"));
        assert!(own_name("_Z4sqrt14scuba_float128").is_none() && own_name("__nv_fp128_sqrt").is_none());
        assert!(own_name("_Z99__nv_fp128_sqrt14scuba_float128").is_none());
    }

    #[test]
    fn refusals_name_the_type() {
        let line = "a.cu:2:52: error: 'x' requires 128 bit size '__float128' type support, but target 'nvptx64-nvidia-cuda' does not support it";
        assert!(is_refused(line) && !is_refused(&line.replace("'__float128'", "'__bf16'")) && !is_refused(""));
    }
}
