//! Functions that a program finds by their names while it runs (`dlsym`, `cudaGetDriverEntryPoint`, `cuGetProcAddress`).
//!
//! In: modules of the host. Out: the module with a declaration of each function of CUDA whose name it holds as a text, so that a pointer to it can
//! be named as one to any other function; of a linked program, which functions these are.

use super::{
    Bytes, Const, FuncId, FuncRef, Function, GlobalId, GlobalRef, LaunchShape, Linkage, LocId, Module, ModuleId, Param,
    Program, Side, TypeDef, TypeId, TypeKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Suffixes of driver symbols beside the name that is looked up: later versions of the interface (`cuda.h` of CUDA 13.0).
const VERSIONS: [&str; 4] = ["", "_v2", "_v3", "_v4"];

/// Bytes of the longest name that is looked at; those of CUDA 13.0 have 58 at most.
const MAX_BYTES: usize = 80;

impl Module {
    /// Declares the functions of CUDA that its constant texts name.
    pub fn declare_entry_points(&mut self) {
        if self.side != Side::Host {
            return;
        }
        let named: BTreeSet<String> = self.globals.iter().filter_map(|g| g.init.as_ref()).flat_map(names_in).collect();
        let known: FxHashSet<&str> = self.functions.iter().map(|f| f.name.as_str()).collect();
        let with_versions = named.iter().flat_map(|name| VERSIONS.map(|v| format!("{name}{v}")));
        let missing: Vec<String> = with_versions.filter(|name| !known.contains(name.as_str())).collect();
        if missing.is_empty() {
            return;
        }
        let code = self.type_of(&TypeKind::Int(32), 4);
        let pointer = self.type_of(&TypeKind::Ptr(0), 8);
        let type_of = |letter: char| if letter == 'p' { pointer } else { code };
        self.functions.extend(missing.into_iter().map(|name| declaration(name, code, type_of)));
    }

    /// Returns the type of this kind, with a size and an alignment in bytes.
    fn type_of(&mut self, kind: &TypeKind, size: u32) -> TypeId {
        let at = self.types.iter().position(|t| t.kind == *kind).unwrap_or_else(|| {
            self.types.push(TypeDef { kind: kind.clone(), size: Bytes(size.into()), align: size, source: None });
            self.types.len() - 1
        });
        TypeId(u32::try_from(at).unwrap_or(u32::MAX))
    }
}

/// Driver functions that launch or call back, with the types of their parameters: pointers (`p`) and integers of 32 bits
/// (`i`) (`cuda.h` of CUDA 13.5). Other functions are declared with any arguments.
const LAUNCHES: [(&str, &str); 6] = [
    ("cuLaunchKernel", "piiiiiiippp"),
    ("cuLaunchKernelEx", "pppp"),
    ("cuLaunchCooperativeKernel", "piiiiiiipp"),
    ("cuLaunchHostFunc", "ppp"),
    ("cuGraphLaunch", "pp"),
    ("cuStreamAddCallback", "pppi"),
];

/// Functions that look others up by their names.
const LOOK_UPS: [&str; 8] = [
    "dlsym",
    "dlvsym",
    "cudaGetDriverEntryPoint",
    "cudaGetDriverEntryPoint_ptsz",
    "cudaGetDriverEntryPointByVersion",
    "cudaGetDriverEntryPointByVersion_ptsz",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
];

/// The functions of CUDA that a program may look up.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryPoints {
    looks_up: bool,
    by_name: FxHashMap<String, FuncRef>,
    by_text: FxHashMap<GlobalRef, Vec<FuncRef>>,
}

impl EntryPoints {
    /// Collects the functions that a linked program may look up; none if it looks nothing up.
    pub(super) fn of(program: &Program) -> Self {
        let mut all = Self::default();
        let host = || (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Host);
        if !host().any(|(_, m)| m.functions.iter().any(|f| LOOK_UPS.contains(&f.name.as_str()))) {
            return all;
        }
        all.looks_up = true;
        for (mi, m) in host() {
            for (fi, f) in (0u32..).zip(&m.functions).filter(|(_, f)| f.name.starts_with("cu")) {
                // One that the program defines itself may be meant, or the library's.
                if program.find_func(Side::Host, &f.name).is_none() {
                    let own = FuncRef { module: ModuleId(mi), func: FuncId(fi) };
                    all.by_name.entry(f.name.clone()).or_insert(own);
                }
            }
        }
        for (mi, m) in host() {
            for (gi, g) in (0u32..).zip(&m.globals) {
                let names = g.init.as_ref().map(names_in).unwrap_or_default();
                let symbols = names.iter().flat_map(|name| VERSIONS.map(|v| format!("{name}{v}")));
                let meant: Vec<FuncRef> = symbols.filter_map(|s| all.by_name.get(&s).copied()).collect();
                if !meant.is_empty() {
                    all.by_text.insert(GlobalRef { module: ModuleId(mi), global: GlobalId(gi) }, meant);
                }
            }
        }
        all
    }
}

impl Program {
    /// Whether the program itself looks functions up by their names.
    #[must_use]
    pub fn looks_up(&self) -> bool {
        self.entry_points.looks_up
    }

    /// The function of a library that a look-up finds by its symbol: one that a module of the host declares, and none defines.
    #[must_use]
    pub fn entry_point(&self, symbol: &str) -> Option<FuncRef> {
        self.entry_points.by_name.get(symbol).copied()
    }

    /// The functions that whoever has this text may look up by it.
    #[must_use]
    pub fn named_by_text(&self, text: GlobalRef) -> &[FuncRef] {
        self.entry_points.by_text.get(&text).map_or(&[], Vec::as_slice)
    }
}

/// Returns the names of functions of CUDA in the strings of a constant, which may be an array of strings.
fn names_in(init: &Const) -> Vec<String> {
    match init {
        Const::Bytes { data, .. } => data.split(|b| *b == 0).filter_map(name_in).collect(),
        Const::Aggregate { elems, .. } => elems.iter().flat_map(names_in).collect(),
        _ => vec![],
    }
}

/// Returns the name of a function of CUDA that a string is.
fn name_in(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok().filter(|t| t.len() <= MAX_BYTES)?;
    let rest = text.strip_prefix("cuda").or_else(|| text.strip_prefix("cu"))?;
    let is_name = rest.starts_with(|c: char| c.is_ascii_uppercase())
        && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then(|| text.to_owned())
}

fn declaration(name: String, ret: TypeId, type_of: impl Fn(char) -> TypeId) -> Function {
    let base = VERSIONS.iter().rev().find_map(|v| name.strip_suffix(v)).unwrap_or(&name);
    let parameters = LAUNCHES.iter().find(|(launch, _)| *launch == base).map(|(_, types)| *types);
    let params = parameters.unwrap_or_default().chars().map(|letter| Param {
        name: String::new(),
        ty: type_of(letter),
        byval: None,
        sret: None,
        dereferenceable: 0,
        align: 0,
        class: None,
        of_class: None,
    });
    Function {
        display: name.clone(),
        name,
        linkage: Linkage::External,
        kernel: false,
        variadic: parameters.is_none(),
        noreturn: false,
        ret,
        params: params.collect(),
        blocks: vec![],
        values: 0,
        requires: vec![],
        max_threads: None,
        shape: LaunchShape::default(),
        tile: None,
        loc: LocId(0),
    }
}
