//! Converts LLVM bitcode to an [`ir::Module`](ir::Module).
//!
//! In: a bitcode file that clang wrote without running any pass, and facts about its unit. Out: one module of the
//! analysis form, with everything reachable from kernels, exported definitions and static constructors. It knows no
//! command lines, and runs no pass: passes delete and merge the accesses that users count.
//!
//! Only the worker process `scuba-extract` may use this module, because it loads libLLVM.

mod alignment;
pub(crate) mod bindings;
pub mod checks;
pub(crate) mod constants;
mod debug;
pub(crate) mod function;
pub(crate) mod inline_ptx;
pub(crate) mod instruction;
mod library_models;
mod members;
mod order;
mod passed;
pub(crate) mod reachable;
mod shapes;
mod stated;
mod tiles;
mod types;

use self::bindings::{Bitcode, LlvmLinkage as L, LlvmTypeKind, Value, ValueKind};
use crate::names::SHARED_PREFIX;
use crate::own::UserFolders;
use alignment::StructureAlignments;
use bindings::demangle;
use debug::DebugTables;
use ir::{Const, Doubt, FuncId, Function, Global, GlobalId, Linkage, LocId, Module, Param, Side};
use library_models::{CONCRETE, LibraryModels, MODEL};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use types::LlvmTypeTable;

/// Prefix of the names of functions that initialise one variable of the unit (clang 22).
pub(crate) const INITIALISER: &str = "__cxx_global_var_init";

/// Prefix of the name of a pointer to a variable with a second name.
const ALIASED: &str = "scuba.alias ";

/// Facts about a unit that are not in the bitcode.
#[derive(Clone, Debug)]
pub struct CompileFacts {
    pub side: Side,
    /// Main source file as given to the compiler.
    pub source: String,
    /// Absolute working directory of the compiler: relative paths of the debug information start there.
    pub directory: PathBuf,
    /// Classifier of the user's files.
    pub own: UserFolders,
    /// Architecture, e.g. `sm_80`; empty on the host side.
    pub arch: String,
    /// Front end and version, e.g. `clang 22.1.8`.
    pub producer: String,
    /// True where the unit was read without its command's `NDEBUG`.
    pub asserts_restored: bool,
    /// See [`Module::relocatable`].
    pub relocatable: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum BitcodeError {
    #[error("cannot read the bitcode {path}: {message}")]
    Bitcode { path: PathBuf, message: String },
}

/// Reads a bitcode file, with models of the libraries that it uses, which may depend on the functions that it declares.
///
/// # Errors
/// Fails where LLVM cannot parse a file, or link them.
pub fn read_bitcode(
    path: &Path,
    models: impl FnOnce(&dyn Fn(&str) -> bool) -> Vec<PathBuf>,
    about: CompileFacts,
) -> Result<Module, BitcodeError> {
    let context = inkwell::context::Context::create();
    let parse = |path: &Path| {
        inkwell::module::Module::parse_bitcode_from_path(path, &context)
            .map_err(|e| BitcodeError::Bitcode { path: path.to_owned(), message: e.to_string() })
    };
    let module = parse(path)?;
    for model in models(&|name| module.get_function(name).is_some()) {
        module
            .link_in_module(parse(&model)?)
            .map_err(|e| BitcodeError::Bitcode { path: model, message: e.to_string() })?;
    }
    Ok(ModuleReader::new(Bitcode::new(&module), about).read())
}

/// Tables that grow while a module is read.
struct ModuleReader<'m> {
    bitcode: Bitcode<'m>,
    about: CompileFacts,
    types: LlvmTypeTable<'m>,
    debug: DebugTables<'m>,
    functions: FxHashMap<Value<'m>, FuncId>,
    globals: FxHashMap<Value<'m>, GlobalId>,
    /// Alignments of structures of device code.
    aligned: StructureAlignments<'m>,
}

impl<'m> ModuleReader<'m> {
    fn new(bitcode: Bitcode<'m>, about: CompileFacts) -> Self {
        let debug = DebugTables::new(bitcode, about.own.clone(), about.directory.clone());
        let is_device = about.side == Side::Device;
        Self {
            bitcode,
            types: LlvmTypeTable::new(bitcode),
            aligned: if is_device { alignment::of_structures(&bitcode, &debug) } else { FxHashMap::default() },
            debug,
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            about,
        }
    }

    /// Returns a doubt for assembly outside functions, which may define, alias and change any symbol
    /// (`asm("other = _ZL1n")`) and is not analysed.
    fn file_level_assembly(&self) -> Option<Doubt> {
        let text = self.bitcode.file_level_assembly();
        let line = text.lines().find(|l| !self.changes_nothing(l))?;
        let words = format!("assembly outside functions (`{}`) is not followed", line.trim());
        Some(Doubt { words, file: None, certain: false })
    }

    /// Whether a line of assembly is empty, or makes only symbols global that the module does not define. Headers of
    /// libstdc++ 13 and later refer so to what initialises `std::cout` (`.globl _ZSt21ios_base_library_initv`).
    fn changes_nothing(&self, line: &str) -> bool {
        let line = line.trim();
        let Some((".globl" | ".global", symbol)) = line.split_once(char::is_whitespace) else { return line.is_empty() };
        let symbol = symbol.trim();
        let plain = symbol.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'));
        let is_alias = || self.bitcode.aliases().iter().any(|a| a.name() == symbol);
        plain && self.bitcode.named(symbol).is_none_or(bindings::Value::is_declaration) && !is_alias()
    }

    fn read(mut self) -> Module {
        self.bitcode.restore_names();
        let models = LibraryModels::find(&self.bitcode);
        let reachable = reachable::reachable(&self.bitcode, &models);
        // clang makes the source the file of each initialiser.
        let is_own = |f: Value<'m>| {
            !f.name().starts_with(INITIALISER) && f.subprogram().is_some_and(|s| !self.debug.is_system(s))
        };
        let (functions, globals) = order::ordered(&self.bitcode, is_own);
        let functions: Vec<Value<'m>> = functions
            .into_iter()
            .filter(|f| reachable.contains(f) && instruction::Intrinsic::of(&f.name()).is_none())
            .filter(|f| !models.have(*f) || models.is_of_many(*f))
            .collect();
        let globals: Vec<Value<'m>> = globals.into_iter().filter(|g| reachable.contains(g)).collect();
        self.functions = functions.iter().copied().zip((0..).map(FuncId)).collect();
        for (f, model) in models.all() {
            if !models.is_of_many(f)
                && let Some(id) = self.functions.get(&model).copied()
            {
                self.functions.insert(f, id);
            }
        }
        self.globals = globals.iter().copied().zip((0..).map(GlobalId)).collect();
        let mut globals: Vec<Global> = globals.into_iter().map(|g| self.global(g)).collect();
        globals.extend(self.aliased_variables());
        let mut lowered: Vec<Function> = functions
            .into_iter()
            .map(|f| match models.instead_of(f) {
                own if own == f => self.function(f),
                // A model for many functions, under the name of this one.
                model => {
                    let display = crate::names::demangle(&f.name());
                    Function { name: format!("{MODEL}{display}"), display, ..self.function(model) }
                }
            })
            .collect();
        lowered.extend(self.aliases(&reachable));
        self.debug.describe_fields(&mut self.types.defs);
        self.debug.add_passed(&mut self.types);
        let mut doubts: Vec<Doubt> = self.file_level_assembly().into_iter().collect();
        if self.about.side == Side::Device {
            doubts.extend(self.debug.layout_doubts());
        }
        let mut module = Module {
            asserts_restored: self.about.asserts_restored,
            relocatable: self.about.relocatable,
            doubts,
            side: self.about.side,
            source: self.about.source,
            producer: self.about.producer,
            arch: self.about.arch,
            types: self.types.defs,
            files: self.debug.files,
            locs: self.debug.locs,
            globals,
            functions: lowered,
        };
        stated::lift(&mut module);
        shapes::lift(&mut module);
        module.declare_entry_points();
        module
    }

    /// Returns functions that are exported under a second name (clang makes complete-object constructors aliases of
    /// base-object ones): other units call them by it, so they get a body of their own.
    fn aliases(&mut self, reachable: &FxHashSet<Value<'m>>) -> Vec<Function> {
        let mut out = vec![];
        for alias in self.bitcode.aliases() {
            let mut target = alias.aliasee();
            while target.kind() == ValueKind::LLVMGlobalAliasValueKind {
                target = target.aliasee();
            }
            if target.kind() != ValueKind::LLVMFunctionValueKind || !reachable.contains(&alias) {
                continue;
            }
            let mut f = self.function(target);
            f.name = alias.name();
            f.display = crate::names::demangle(&f.name);
            f.linkage = linkage(alias.linkage());
            out.push(f);
        }
        out
    }

    /// Returns, for each variable of this unit alone that has an exported second name, an exported pointer that holds its
    /// address: other units know it.
    fn aliased_variables(&mut self) -> Vec<Global> {
        let mut out = vec![];
        for alias in self.bitcode.aliases() {
            let target = self.address(alias);
            let is_exported = linkage(alias.linkage()) != Linkage::Internal;
            let Some(init @ Const::Global { .. }) = target.filter(|_| is_exported) else { continue };
            out.push(Global {
                name: format!("{ALIASED}{}", alias.name()),
                source_name: alias.name(),
                ty: self.types.id(alias.ty()),
                align: 8,
                space: 0,
                linkage: Linkage::External,
                constant: false,
                defined: true,
                init: Some(init),
                loc: LocId(0),
            });
        }
        out
    }

    /// Returns the linkage that the source gives a symbol.
    fn linkage(&self, v: Value<'m>, name: &str) -> Linkage {
        let internal = self.about.side == Side::Device && !v.is_declaration() && crate::names::is_internal(name);
        if internal { Linkage::Internal } else { linkage(v.linkage()) }
    }

    fn global(&mut self, g: Value<'m>) -> Global {
        let name = g.name();
        let variable = self.debug.global_variable(g);
        let mut source_name = variable.as_ref().map_or_else(|| demangle(&name), |(_, n)| n.clone());
        // A shared variable that was read without its constructor.
        if let Some(own) = source_name.strip_prefix(SHARED_PREFIX) {
            source_name = own.to_owned();
        }
        let loc = self.debug.declared_at(variable.map(|(v, _)| v));
        let init: Option<Const> = g.initializer().map(|i| self.constant(i));
        let pointer = g.ty();
        Global {
            source_name,
            loc,
            init,
            ty: self.types.id(g.value_type()),
            align: g.global_alignment(),
            space: if pointer.kind() == LlvmTypeKind::LLVMPointerTypeKind { pointer.address_space() } else { 0 },
            linkage: self.linkage(g, &name),
            // `__constant__` memory is constant only for kernels: the host may fill it before a launch.
            constant: g.is_constant_global() && !g.is_externally_initialized(),
            defined: !g.is_declaration(),
            name,
        }
    }

    fn function(&mut self, f: Value<'m>) -> Function {
        let name = f.name();
        let (ret, variadic) = f.value_type().signature();
        let lowered = function::body(self, f);
        let class_of = |name: &str| lowered.by_address.iter().find(|(n, _)| n == name).map(|(_, class)| class.clone());
        let named = |name: &str| lowered.of_classes.iter().find(|(n, _)| n == name).map(|(_, class)| class.clone());
        let params = f
            .params()
            .into_iter()
            .zip(0..)
            .map(|(p, i)| Param {
                name: p.name(),
                ty: self.types.id(p.ty()),
                byval: f.param_type_attribute(i, "byval").map(|t| self.types.id(t)),
                sret: f.param_type_attribute(i, "sret").map(|t| self.types.id(t)),
                dereferenceable: f.param_int_attribute(i, "dereferenceable"),
                align: u32::try_from(f.param_int_attribute(i, "align")).unwrap_or(0),
                class: class_of(&p.name()),
                of_class: named(&p.name()),
            })
            .collect();
        Function {
            display: match name.strip_prefix(MODEL).or_else(|| name.strip_prefix(CONCRETE)) {
                Some(of) => library_models::display(of),
                None => name.strip_prefix(ir::CONVERSION).map_or_else(|| demangle(&name), str::to_owned),
            },
            // Each unit has its own copy.
            linkage: if name.starts_with(MODEL) || name.starts_with(ir::CONVERSION) {
                Linkage::Internal
            } else {
                self.linkage(f, &name)
            },
            kernel: f.calling_convention() == reachable::PTX_KERNEL,
            variadic,
            noreturn: f.has_attribute("noreturn"),
            ret: self.types.id(ret),
            params,
            blocks: lowered.blocks,
            values: lowered.values,
            requires: vec![],
            max_threads: threads(f, "nvvm.reqntid").or_else(|| threads(f, "nvvm.maxntid")),
            tile: None,
            shape: ir::LaunchShape { most_blocks: threads(f, "nvvm.maxclusterrank"), ..Default::default() },
            loc: self.debug.declared_at(f.subprogram()),
            name,
        }
    }
}

/// Parses the number of threads per block in a `"256"` or `"16,16,1"` attribute.
fn threads(f: Value<'_>, attribute: &str) -> Option<u32> {
    let text = f.string_attribute(attribute)?;
    text.split(',').map(|d| d.trim().parse::<u32>().ok()).try_fold(1u32, |a, d| a.checked_mul(d?))
}

fn linkage(l: L) -> Linkage {
    match l {
        L::LLVMInternalLinkage | L::LLVMPrivateLinkage | L::LLVMLinkerPrivateLinkage | L::LLVMAppendingLinkage => {
            Linkage::Internal
        }
        L::LLVMLinkOnceODRLinkage | L::LLVMLinkOnceODRAutoHideLinkage => Linkage::Odr,
        L::LLVMWeakODRLinkage => Linkage::Instance,
        L::LLVMLinkOnceAnyLinkage
        | L::LLVMWeakAnyLinkage
        | L::LLVMExternalWeakLinkage
        | L::LLVMCommonLinkage
        | L::LLVMLinkerPrivateWeakLinkage => Linkage::Weak,
        L::LLVMAvailableExternallyLinkage => Linkage::Available,
        L::LLVMExternalLinkage | L::LLVMDLLImportLinkage | L::LLVMDLLExportLinkage | L::LLVMGhostLinkage => {
            Linkage::External
        }
    }
}
