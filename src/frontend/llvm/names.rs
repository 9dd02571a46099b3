//! Symbols as users know them.

use cpp_demangle::{DemangleOptions, Symbol};

/// The demangled symbol with its parameter types and without its return type; the symbol itself where it is not mangled.
pub(super) fn demangle(symbol: &str) -> String {
    if !symbol.starts_with("_Z") { return symbol.to_owned(); }
    Symbol::new(symbol).ok()
        .and_then(|s| s.demangle_with_options(&DemangleOptions::new().no_return_type()).ok())
        .unwrap_or_else(|| symbol.to_owned())
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[test]
    fn parameter_types_stay_and_return_types_go() {
        assert_eq!(demangle("_Z5scaleIfEvPT_i1P"), "scale<float>(float*, int, P)");
        assert_eq!(demangle("_Z3addiPfS_"), "add(int, float*, float*)");
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("_Z"), "_Z");
    }
}
