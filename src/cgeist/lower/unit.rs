//! State shared by all functions of a unit: its symbols, its kernels, and which of them use dynamic shared memory.
//!
//! In: the operations of the module, facts about the unit. Out: [`LoweringUnit`]. It lowers nothing.

use super::names::{MacroTreatment, StrippedSource, plain};
use crate::mlir::{Attr, FunctionType, MemRef, MlirOp, MlirValue, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Facts about a unit that the MLIR text lacks.
#[derive(Clone, Debug, Default)]
pub struct SourceFacts {
    /// Main source file as given to the compiler.
    pub source: String,
    /// Text of the source, for the names of variables, which MLIR drops; empty if not available.
    pub text: String,
    /// Texts of the user's headers, for the same purpose.
    pub headers: Vec<String>,
    /// Absolute working directory of cgeist: relative paths start there.
    pub directory: std::path::PathBuf,
    /// Classifier of the user's files.
    pub own: frontend::own::UserFolders,
    /// Architecture of the device side, e.g. `sm_60`.
    pub arch: String,
    /// Front end and version, e.g. `cgeist 17.0.6`.
    pub producer: String,
    /// See [`ir::Module::asserts_restored`].
    pub asserts_restored: bool,
    /// See [`ir::Module::relocatable`].
    pub relocatable: bool,
}

/// State shared by all functions of a unit.
pub(super) struct LoweringUnit<'m> {
    pub about: &'m SourceFacts,
    /// `func.func`, `llvm.func`, `memref.global` and `llvm.mlir.global` by symbol.
    pub symbols: BTreeMap<&'m str, &'m MlirOp>,
    /// Position of each symbol in the text.
    pub order: BTreeMap<&'m str, usize>,
    /// Callees of launch stubs.
    pub kernels: BTreeSet<&'m str>,
    /// Kernels that use dynamic shared memory, or may.
    pub dynamic_shared: BTreeSet<&'m str>,
    /// True for unmodified cgeist, which drops the third launch argument and marks neither kernels nor dynamic shared
    /// memory.
    pub stock: bool,
    /// True where a source declares dynamic shared memory, or may: a shared variable with one element is then
    /// ambiguous.
    pub names_dynamic_shared: bool,
    pub names: StrippedSource,
}

/// Removes comments, strings and preprocessor lines other than macros from a source.
pub(crate) fn with_macros(source: &str) -> String {
    plain(source, MacroTreatment::Kept)
}

/// Whether a source declares dynamic shared memory.
fn names_dynamic_shared(source: &str) -> bool {
    with_macros(source).split([';', '{', '}']).any(|s| {
        let mut words = s.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.clone().any(|w| w == "extern") && words.any(|w| w == "__shared__")
    })
}

/// Mark in a launch stub's symbol.
pub(crate) const STUB: &str = "__device_stub__";

impl<'m> LoweringUnit<'m> {
    pub fn new(top: Vec<&'m MlirOp>, about: &'m SourceFacts) -> Self {
        let mut symbols = BTreeMap::new();
        let mut order = BTreeMap::new();
        for (i, o) in top.iter().enumerate() {
            if let Some(n) = o.text("sym_name") {
                symbols.insert(n, *o);
                order.insert(n, i);
            }
        }
        let texts: Vec<&str> = std::iter::once(&about.text).chain(&about.headers).map(String::as_str).collect();
        let mut unit = Self {
            about,
            symbols,
            order,
            kernels: BTreeSet::new(),
            dynamic_shared: BTreeSet::new(),
            stock: !top.iter().any(|o| o.attr("polygeist.cuda_global").is_some()),
            names_dynamic_shared: about.text.is_empty() || texts.iter().any(|s| names_dynamic_shared(s)),
            // Headers follow the source's own text, whose positions do not change.
            names: StrippedSource::new(&texts.join("\n")),
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
                f.walk(&mut |o| found |= unit.is_dynamic_shared(f, o));
                found
            });
            if dynamic {
                unit.dynamic_shared.insert(k);
            }
        }
        unit
    }

    /// Returns the functions and globals that a function names.
    fn named_in(f: &'m MlirOp) -> BTreeSet<&'m str> {
        let mut out = BTreeSet::new();
        for r in &f.regions {
            for o in r.blocks.iter().flat_map(|b| &b.ops) {
                o.walk(&mut |o| {
                    for a in o.attrs.values() {
                        if let Attr::Symbol(s) = a {
                            out.insert(s.as_str());
                        }
                    }
                });
            }
        }
        out
    }

    /// Returns the symbols reachable from some, these included.
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

    /// Whether a function has the mark of `__global__` and `__device__` functions.
    pub fn device_only(f: &MlirOp) -> bool {
        f.attr("polygeist.device_only_func").is_some()
    }

    pub fn is_stub(name: &str) -> bool {
        name.contains(STUB)
    }

    /// Returns the signature of a function by symbol.
    pub fn signature(&self, name: &str) -> Option<Arc<FunctionType>> {
        match self.symbols.get(name)?.attr("function_type")? {
            Attr::Type(Type::Func(s)) => Some(s.clone()),
            _ => None,
        }
    }

    /// Whether an operation of a function refers to dynamic shared memory, or may. Unmodified cgeist prints
    /// `__shared__ int s` and `extern __shared__ int s[]` alike: a variable accessed only at its start is a scalar if
    /// no source names dynamic shared memory.
    pub fn is_dynamic_shared(&self, f: &MlirOp, o: &MlirOp) -> bool {
        match (o.name.as_str(), o.result_types.first()) {
            ("memref.alloca", Some(Type::MemRef(m))) if is_shared(m) => {
                o.attr("polygeist.dyn_shared").is_some()
                    || self.stock && is_single(m) && (self.names_dynamic_shared || !only_at_start(f, o))
            }
            ("memref.get_global", _) => {
                o.text("name").and_then(|n| self.symbols.get(n)).is_some_and(|g| self.is_dynamic_global(g))
            }
            _ => false,
        }
    }

    /// Whether a global is `extern __shared__`: shared and without a definition. Unmodified cgeist omits the kind of
    /// variable.
    pub fn is_dynamic_global(&self, g: &MlirOp) -> bool {
        if g.attr("initial_value").is_some() {
            return false;
        }
        let Some(Attr::Type(Type::MemRef(m))) = g.attr("type") else { return false };
        let marked = |n: &str| g.attr(n).is_some();
        marked("polygeist.cuda_shared")
            || self.stock && is_single(m) && !marked("polygeist.cuda_constant") && !marked("polygeist.cuda_device")
    }
}

/// Whether a function or global has a body.
pub(super) fn has_body(f: &MlirOp) -> bool {
    f.regions.iter().any(|r| !r.blocks.is_empty())
}

/// Whether a memory reference is to shared memory, which is space 5 for cgeist and 3 for NVPTX.
pub(super) fn is_shared(m: &MemRef) -> bool {
    matches!(m.space, 3 | 5)
}

/// Whether a shape has one element, as cgeist prints arrays of unknown length.
fn is_single(m: &MemRef) -> bool {
    m.shape.first().is_none_or(|d| *d == Some(1))
}

/// Whether a variable is only read and written at its start, which makes it a scalar.
fn only_at_start(f: &MlirOp, alloca: &MlirOp) -> bool {
    let mut same: BTreeSet<MlirValue> = alloca.results.iter().copied().collect();
    let mut zero: BTreeSet<MlirValue> = BTreeSet::new();
    let mut scalar = true;
    f.walk(&mut |o| {
        if o.name == "arith.constant" && o.int("value") == Some(0) {
            zero.extend(&o.results);
        }
        let uses = o.operands.iter().any(|v| same.contains(v));
        if !uses {
            return;
        }
        let at_start = |from: usize| o.operands.iter().skip(from).all(|v| zero.contains(v));
        match o.name.as_str() {
            "memref.cast" | "polygeist.memref2pointer" | "polygeist.pointer2memref" => same.extend(&o.results),
            "polygeist.subindex" if at_start(1) => same.extend(&o.results),
            "memref.load" if at_start(1) => {}
            "memref.store" | "memref.atomic_rmw" if !same.contains(&o.operands[0]) && at_start(2) => {}
            _ => scalar = false,
        }
    });
    scalar
}
