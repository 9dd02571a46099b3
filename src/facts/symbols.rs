//! Symbols that a unit defines for the linker and needs from it.

use ir::tile::is_of_library;
use ir::{Linkage, Module, Side};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeMap;

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
                    (true, Linkage::Odr | Linkage::Weak) => SymbolBinding::Weak,
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
