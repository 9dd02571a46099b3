//! Names of symbols for users.

use cpp_demangle::{DemangleOptions, Symbol};

/// Prefix of the names of shared variables that clang reads without their constructors; the LLVM reader removes it.
pub(crate) const SHARED_PREFIX: &str = "scuba_shared_";

/// Demangles a symbol, with its parameter types and without its return type; returns it unchanged if it is not mangled.
pub fn demangle(symbol: &str) -> String {
    if !symbol.starts_with("_Z") {
        return symbol.to_owned();
    }
    Symbol::new(symbol)
        .ok()
        .and_then(|s| s.demangle_with_options(&DemangleOptions::new().no_return_type()).ok())
        .unwrap_or_else(|| symbol.to_owned())
}

/// Whether the symbol has internal linkage in the source (`static`, an unnamed namespace).
///
/// clang gives such device symbols external linkage, so that the runtime finds them; two units may use the same name.
/// Derived from the mangling (Itanium C++ ABI, 5.1.2): `L` before a name's length, `_GLOBAL__N_` for the unnamed
/// namespace.
pub fn is_internal(symbol: &str) -> bool {
    if symbol.contains("_GLOBAL__N_") || symbol.contains("IZL") {
        return true;
    }
    let Some(rest) = symbol.strip_prefix("_Z") else { return false };
    let mut rest = rest.strip_prefix('N').unwrap_or(rest).as_bytes();
    loop {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        match rest.first() {
            Some(b'L') => return true,
            Some(_) if digits > 0 => {
                let length: usize = std::str::from_utf8(&rest[..digits]).ok().and_then(|d| d.parse().ok()).unwrap_or(0);
                match rest.get(digits.saturating_add(length)..) {
                    Some(r) if length > 0 => rest = r,
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{demangle, is_internal};

    #[test]
    fn internal_linkage_is_read_off_the_symbol() {
        for s in ["_ZL2k3Pf", "_ZN12_GLOBAL__N_12k4EPf", "_ZN2nsL2k6EPf", "_ZL1c", "_Z1kIZL3foovEUlvE_EvT_"] {
            assert!(is_internal(s), "{s}");
        }
        for s in ["_Z2k1iPi", "_ZN2ns2k6EPf", "main", "_Z5scaleIfEvPT_i", "_ZN99", "_Z18446744073709551615k", ""] {
            assert!(!is_internal(s), "{s}");
        }
    }

    #[test]
    fn parameter_types_stay_and_return_types_go() {
        assert_eq!(demangle("_Z5scaleIfEvPT_i1P"), "scale<float>(float*, int, P)");
        assert_eq!(demangle("_Z3addiPfS_"), "add(int, float*, float*)");
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("_Z"), "_Z");
    }
}
