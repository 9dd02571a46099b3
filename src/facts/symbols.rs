//! Symbols that a unit defines for the linker and needs from it.

use ir::tile::is_of_library;
use ir::{Linkage, Module, Side};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::{BTreeMap, HashSet};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LinkSymbol {
    pub device: bool,
    /// Mangled name.
    pub name: String,
}

/// External symbols of one unit, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbols {
    /// Defined once in a program.
    pub strong: Vec<LinkSymbol>,
    /// Defined here and perhaps elsewhere too: inline functions, template instances, weak definitions.
    pub weak: Vec<LinkSymbol>,
    /// Used and not defined here.
    pub needed: Vec<LinkSymbol>,
}

impl Symbols {
    /// Whether no symbols are known: every object with code has some.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.strong.is_empty() && self.weak.is_empty() && self.needed.is_empty()
    }

    /// Whether units with these symbols need a C++ function or variable that none of them defines, and that is not one of
    /// the language's own library: another unit or a library has it.
    #[must_use]
    pub fn lack_one<'s>(all: impl Iterator<Item = &'s Self> + Clone) -> bool {
        /// Mangled names of the C++ library and its runtime (Itanium C++ ABI, 5.1.10).
        const OF_LANGUAGE: [&str; 9] =
            ["_ZS", "_ZNS", "_ZNKS", "_ZTI", "_ZTV", "_ZN9__gnu_cxx", "_ZN10__cxxabiv1", "_Zn", "_Zd"];
        let defined: HashSet<&LinkSymbol> = all.clone().flat_map(|s| s.strong.iter().chain(&s.weak)).collect();
        let mut needed = all.flat_map(|s| &s.needed);
        needed.any(|s| {
            s.name.starts_with("_Z") && !OF_LANGUAGE.iter().any(|p| s.name.starts_with(p)) && !defined.contains(s)
        })
    }

    #[must_use]
    pub fn of<M: Borrow<Module>>(modules: &[M]) -> Self {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum SymbolBinding {
            Needed,
            Weak,
            Strong,
        }
        let mut found: BTreeMap<LinkSymbol, SymbolBinding> = BTreeMap::new();
        for module in modules {
            let module: &Module = module.borrow();
            let device = module.side == Side::Device;
            // The compiler itself provides the tile library.
            let functions = module.functions.iter().filter(|f| !is_of_library(&f.name) || !f.is_declaration());
            let functions = functions.map(|f| (&f.name, f.linkage, !f.is_declaration() || f.tile.is_some()));
            let globals = module.globals.iter().map(|g| (&g.name, g.linkage, g.defined));
            for (name, linkage, defined) in functions.chain(globals) {
                let state = match (defined, linkage) {
                    (_, Linkage::Internal) => continue,
                    // LLVM's intrinsics are no symbols.
                    (false, _) if name.starts_with("llvm.") => continue,
                    (false, _) | (true, Linkage::Available) => SymbolBinding::Needed,
                    (true, Linkage::External) => SymbolBinding::Strong,
                    (true, Linkage::Odr | Linkage::Instance | Linkage::Weak) => SymbolBinding::Weak,
                };
                // In nvcc's object, a launch stub has the name of its kernel.
                let kernel = if device { None } else { ir::Program::kernel_symbol_of_stub(name) };
                for name in [Some(name.clone()), kernel].into_iter().flatten() {
                    let known = found.entry(LinkSymbol { device, name }).or_insert(SymbolBinding::Needed);
                    *known = state.max(*known);
                }
            }
        }
        let mut symbols = Self::default();
        for (symbol, state) in found {
            match state {
                SymbolBinding::Strong => symbols.strong.push(symbol),
                SymbolBinding::Weak => symbols.weak.push(symbol),
                SymbolBinding::Needed => symbols.needed.push(symbol),
            }
        }
        symbols
    }

    /// Whether the host side defines `main`.
    #[must_use]
    pub fn has_main(&self) -> bool {
        self.strong.iter().any(|s| !s.device && s.name == "main")
    }
}

#[cfg(test)]
mod tests {
    use super::{LinkSymbol, Symbols};

    fn symbols(strong: &[&str], needed: &[&str]) -> Symbols {
        let all =
            |names: &[&str]| names.iter().map(|name| LinkSymbol { device: false, name: (*name).to_owned() }).collect();
        Symbols { strong: all(strong), weak: vec![], needed: all(needed) }
    }

    #[test]
    fn a_function_that_no_unit_defines_is_lacking() {
        let main = symbols(&["main"], &["_Z4sizei", "cudaMalloc", "_ZNSt6vectorIiE", "_Znwm", "_ZSt4cout"]);
        let other = symbols(&["_Z4sizei"], &["printf"]);
        assert!(Symbols::lack_one([&main].into_iter()));
        assert!(!Symbols::lack_one([&main, &other].into_iter()));
        assert!(!Symbols::lack_one([&other].into_iter()));
    }
}
