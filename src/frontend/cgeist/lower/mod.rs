//! MLIR as cgeist prints it → the analysis form.
//!
//! In: one module of MLIR, which holds both sides of a translation unit, and what is known of the unit. Out: a module
//! for each side, by the conventions of clang's reading: a launch is `__cudaPushCallConfiguration` and a call of the
//! kernel's stub, `threadIdx.x` a call of clang's wrapper, `cudaMalloc` a call. An operation that is not known becomes
//! an unknown that is named after it. It runs no process and knows nothing of findings.

mod body;
pub mod dialects;
mod names;
pub mod passes;
mod side;
mod types;

use super::mlir::{self, Op, Type};
use crate::ir;
use names::Names;
use side::SideBuilder;
use std::collections::{BTreeMap, BTreeSet};

/// What the text itself does not say.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Main source file as given to the compiler.
    pub source: String,
    /// Its text, for the names of variables, which MLIR does not keep; empty where it is not at hand.
    pub text: String,
    /// Texts of the user's headers, likewise.
    pub headers: Vec<String>,
    /// Where cgeist ran, absolute: relative paths start there.
    pub directory: std::path::PathBuf,
    /// Folders whose files are not the user's.
    pub system: Vec<std::path::PathBuf>,
    /// The architecture of the device side, `sm_60`.
    pub arch: String,
    /// `cgeist 17.0.6`.
    pub producer: String,
    /// See [`ir::Module::asserts_restored`].
    pub asserts_restored: bool,
}

/// Both sides.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub device: ir::Module,
    pub host: ir::Module,
    /// Operations that became unknowns, with how often.
    pub unknown: BTreeMap<String, u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    #[error("cgeist's output holds no module")]
    NoModule,
}

/// What all functions of a unit share.
struct Unit<'m> {
    pub about: &'m About,
    /// `func.func`, `llvm.func`, `memref.global` and `llvm.mlir.global` by symbol.
    pub symbols: BTreeMap<&'m str, &'m Op>,
    /// Where each stands in the text.
    pub order: BTreeMap<&'m str, usize>,
    /// Callees of launch stubs.
    pub kernels: BTreeSet<&'m str>,
    /// Kernels that use dynamic shared memory, or may.
    pub dynamic_shared: BTreeSet<&'m str>,
    /// Unmodified cgeist drops the third launch argument and marks neither kernels nor dynamic shared memory.
    pub stock: bool,
    /// A source declares dynamic shared memory, or may: a shared variable of one element may be that.
    pub names_dynamic_shared: bool,
    pub names: Names,
}

/// Lowers a module.
///
/// # Errors
/// Where there is none.
pub fn lower(module: &mlir::Module, about: &About) -> Result<Lowered, LowerError> {
    let top: Vec<&Op> = match module.ops.as_slice() {
        [m] if m.name == "builtin.module" => m.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.ops).collect(),
        [] => return Err(LowerError::NoModule),
        ops => ops.iter().collect(),
    };
    let unit = Unit::new(top, about);
    let mut unknown = BTreeMap::new();
    let device = SideBuilder::new(&unit, ir::Side::Device).build(&mut unknown);
    let host = SideBuilder::new(&unit, ir::Side::Host).build(&mut unknown);
    Ok(Lowered { device, host, unknown })
}

/// A source without comments and strings, and of preprocessor lines its macros only.
pub(super) fn with_macros(source: &str) -> String {
    names::plain(source, names::Macros::Kept)
}

/// Whether a source declares dynamic shared memory.
fn names_dynamic_shared(source: &str) -> bool {
    with_macros(source).split([';', '{', '}']).any(|s| {
        let mut words = s.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.clone().any(|w| w == "extern") && words.any(|w| w == "__shared__")
    })
}

/// The mark of a launch stub's symbol.
pub(super) const STUB: &str = "__device_stub__";

impl<'m> Unit<'m> {
    fn new(top: Vec<&'m Op>, about: &'m About) -> Self {
        let mut symbols = BTreeMap::new();
        let mut order = BTreeMap::new();
        for (i, o) in top.iter().enumerate() {
            if let Some(n) = o.text("sym_name") {
                symbols.insert(n, *o);
                order.insert(n, i);
            }
        }
        let mut unit = Self {
            about,
            symbols,
            order,
            kernels: BTreeSet::new(),
            dynamic_shared: BTreeSet::new(),
            stock: !top.iter().any(|o| o.attr("polygeist.cuda_global").is_some()),
            names_dynamic_shared: about.text.is_empty()
                || std::iter::once(&about.text).chain(&about.headers).any(|s| names_dynamic_shared(s)),
            names: Names::new(&about.text),
        };
        for (name, f) in &unit.symbols {
            if !name.contains(STUB) {
                continue;
            }
            f.walk(&mut |o| {
                if let Some(c) = o.text("callee")
                    && unit.symbols.contains_key(c)
                {
                    unit.kernels.insert(c);
                }
            });
        }
        for k in unit.kernels.clone() {
            let dynamic = unit.reachable([k]).into_iter().filter_map(|f| unit.symbols.get(f)).any(|f| {
                let mut found = false;
                f.walk(&mut |o| found |= dialects::memory::is_dynamic_shared(&unit, f, o));
                found
            });
            if dynamic {
                unit.dynamic_shared.insert(k);
            }
        }
        unit
    }

    /// Functions and globals that are named inside a function.
    fn named_in(f: &'m Op) -> BTreeSet<&'m str> {
        let mut out = BTreeSet::new();
        for r in &f.regions {
            for o in r.blocks.iter().flat_map(|b| &b.ops) {
                o.walk(&mut |o| {
                    for a in o.attrs.values() {
                        if let mlir::Attr::Symbol(s) = a {
                            out.insert(s.as_str());
                        }
                    }
                });
            }
        }
        out
    }

    /// Symbols that can be reached from some, these included.
    pub fn reachable(&self, from: impl IntoIterator<Item = &'m str>) -> BTreeSet<&'m str> {
        let mut seen = BTreeSet::new();
        let mut work: Vec<&str> = from.into_iter().collect();
        while let Some(n) = work.pop() {
            if !seen.insert(n) {
                continue;
            }
            if let Some(f) = self.symbols.get(n) {
                work.extend(Self::named_in(f));
            }
        }
        seen
    }

    /// `__global__` and `__device__` functions carry this mark.
    pub fn device_only(f: &Op) -> bool {
        f.attr("polygeist.device_only_func").is_some()
    }

    pub fn is_stub(name: &str) -> bool {
        name.contains(STUB)
    }

    /// The signature of a function by symbol.
    pub fn signature(&self, name: &str) -> Option<std::sync::Arc<mlir::Signature>> {
        match self.symbols.get(name)?.attr("function_type")? {
            mlir::Attr::Type(Type::Func(s)) => Some(s.clone()),
            _ => None,
        }
    }
}

fn has_body(f: &Op) -> bool {
    f.regions.iter().any(|r| !r.blocks.is_empty())
}

#[cfg(test)]
mod tests;
