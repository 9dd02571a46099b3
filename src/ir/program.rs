//! Modules linked by symbol name into one program, as a linker would.

use super::entry_points::EntryPoints;
use super::outside::OutsideEffects;
use super::variables::VariablePairs;
use super::{
    ADDED, BlockId, Callee, Const, FuncId, Function, Global, GlobalId, Linkage, LocId, Module, Op, Operand, Side,
    Terminator, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Index into [`Program::modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModuleId(pub u32);

/// A function of a program: the definition wherever the program has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FuncRef {
    pub module: ModuleId,
    pub func: FuncId,
}

/// A global of a program: the definition wherever the program has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalRef {
    pub module: ModuleId,
    pub global: GlobalId,
}

/// A source position resolved for messages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLoc {
    /// Absolute path; empty where unknown.
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// True where the file is not the user's own.
    pub system: bool,
}

impl SourceLoc {
    /// Whether the position is in a file that the front end added; users have no such file.
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.file.starts_with(ADDED)
    }

    /// Whether the position is a line of user code.
    #[must_use]
    pub fn is_users(&self) -> bool {
        self.line > 0 && !self.system
    }
}

impl fmt::Display for SourceLoc {
    /// Writes `file:line:column`, or the file alone where the front end gave no line: the column only distinguishes
    /// positions then.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 { f.write_str(&self.file) } else { write!(f, "{}:{}:{}", self.file, self.line, self.column) }
    }
}

/// The modules of one program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub modules: Vec<Arc<Module>>,
    pub(super) functions: FxHashMap<(Side, String), FuncRef>,
    pub(super) globals: FxHashMap<(Side, String), GlobalRef>,
    definitions: Definitions,
    /// Copies of functions that the linker discards in favour of another module's copy.
    pub(super) discarded: FxHashSet<FuncRef>,
    /// Pairing of host variables with device variables.
    pub(super) variables: VariablePairs,
    pub(super) entry_points: EntryPoints,
    outside: LazyOutsideEffects,
    identity: Identity,
}

/// Number that is unique among the programs of this process. A copy gets a new one, since it may be changed.
#[derive(Debug)]
struct Identity(u64);

impl Default for Identity {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Effects of outside code, computed on first use. A copy starts empty.
#[derive(Debug, Default)]
struct LazyOutsideEffects(OnceLock<OutsideEffects>);

impl Clone for LazyOutsideEffects {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Map from values to their defining instructions, built for each function on first use. A copy starts empty.
#[derive(Debug, Default)]
struct Definitions(Mutex<FxHashMap<FuncRef, FunctionDefinitions>>);

/// Block of each value, and the index of its instruction in the block.
type FunctionDefinitions = FxHashMap<ValueId, (BlockId, usize)>;

impl Clone for Definitions {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Strength of a definition where several modules have one: the highest wins, the first on ties.
fn strength(linkage: Linkage) -> u8 {
    match linkage {
        Linkage::External => 4,
        Linkage::Weak => 3,
        Linkage::Odr | Linkage::Instance => 2,
        Linkage::Available => 1,
        Linkage::Internal => 0,
    }
}

impl Program {
    /// Returns a digest of the program's code in link order.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for module in &self.modules {
            let code = postcard::to_stdvec(module.as_ref()).unwrap_or_default();
            hasher.update(blake3::hash(&code).as_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// Links modules: external symbols of the same side are resolved by name.
    #[must_use]
    pub fn link(modules: Vec<Arc<Module>>) -> Self {
        let mut program = Self { modules, ..Self::default() };
        for (mi, module) in program.modules.iter().enumerate() {
            let mid = ModuleId(u32::try_from(mi).unwrap_or(u32::MAX));
            for (i, f) in module.functions.iter().enumerate() {
                if f.is_declaration() || f.linkage == Linkage::Internal {
                    continue;
                }
                let new = FuncRef { module: mid, func: FuncId(u32::try_from(i).unwrap_or(u32::MAX)) };
                program
                    .functions
                    .entry((module.side, f.name.clone()))
                    .and_modify(|old| {
                        let o = &program.modules[old.module.0 as usize].functions[old.func.index()];
                        if strength(f.linkage) > strength(o.linkage) {
                            *old = new;
                        }
                    })
                    .or_insert(new);
            }
            for (i, g) in module.globals.iter().enumerate() {
                if !g.defined || g.linkage == Linkage::Internal {
                    continue;
                }
                let new = GlobalRef { module: mid, global: GlobalId(u32::try_from(i).unwrap_or(u32::MAX)) };
                program
                    .globals
                    .entry((module.side, g.name.clone()))
                    .and_modify(|old| {
                        let o = &program.modules[old.module.0 as usize].globals[old.global.index()];
                        if strength(g.linkage) > strength(o.linkage) {
                            *old = new;
                        }
                    })
                    .or_insert(new);
            }
        }
        program.name_stubs();
        program.variables = VariablePairs::of(&program.modules);
        program.discarded = program.discarded_copies();
        program.join_managed();
        program.entry_points = EntryPoints::of(&program);
        program
    }

    /// Finds the inline functions and template instances that the linker discards in favour of another module's copy.
    fn discarded_copies(&self) -> FxHashSet<FuncRef> {
        let is_copy = |f: &Function| {
            !f.is_declaration()
                && matches!(f.linkage, Linkage::Odr | Linkage::Instance | Linkage::Weak | Linkage::Available)
        };
        self.functions()
            .filter(|(r, _, f)| is_copy(f) && !self.variables.is_apart(r.module))
            .filter(|(r, m, f)| self.functions.get(&(m.side, f.name.clone())).is_some_and(|kept| kept != r))
            .map(|(r, ..)| r)
            .collect()
    }

    /// Returns the effects of outside code, which may call every exported function: the symbols that it refers to are
    /// unknown here.
    #[must_use]
    pub fn outside(&self) -> &OutsideEffects {
        self.outside.0.get_or_init(|| OutsideEffects::of(self, |_| true))
    }

    /// Returns a number that no other program of this process has.
    #[must_use]
    pub const fn identity(&self) -> u64 {
        self.identity.0
    }

    #[must_use]
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }
    #[must_use]
    pub fn func(&self, r: FuncRef) -> &Function {
        self.module(r.module).func(r.func)
    }
    #[must_use]
    pub fn global(&self, r: GlobalRef) -> &Global {
        self.module(r.module).global(r.global)
    }

    /// Returns the definition that a reference from `module` resolves to, or else the declaration itself.
    #[must_use]
    pub fn resolve_func(&self, module: ModuleId, func: FuncId) -> FuncRef {
        let m = self.module(module);
        let f = m.func(func);
        let own = FuncRef { module, func };
        if f.linkage == Linkage::Internal || (!f.is_declaration() && f.linkage == Linkage::External) {
            return own;
        }
        if !f.is_declaration() && self.variables.is_apart(module) {
            return own;
        }
        self.functions.get(&(m.side, f.name.clone())).copied().unwrap_or(own)
    }

    /// Returns the definition that a reference from `module` resolves to, or else the declaration itself. For a managed
    /// variable that is the device object.
    #[must_use]
    pub fn resolve_global(&self, module: ModuleId, global: GlobalId) -> GlobalRef {
        let linked = self.linked_global(module, global);
        self.variables.managed(linked).unwrap_or(linked)
    }

    /// Finds a function by mangled symbol, external linkage first, then `static` ones.
    #[must_use]
    pub fn find_func(&self, side: Side, name: &str) -> Option<FuncRef> {
        if let Some(r) = self.functions.get(&(side, name.to_owned())) {
            return Some(*r);
        }
        self.functions().find(|(_, m, f)| m.side == side && !f.is_declaration() && f.name == name).map(|(r, ..)| r)
    }

    /// Finds a unit's own definition of a function by its symbol.
    #[must_use]
    pub fn own_function(&self, module: ModuleId, name: &str) -> Option<FuncRef> {
        let is_it = |f: &Function| f.name == name && !f.is_declaration();
        let at = self.module(module).functions.iter().position(is_it)?;
        Some(FuncRef { module, func: FuncId(u32::try_from(at).ok()?) })
    }

    /// Finds a global by mangled symbol, external linkage first, then `static` ones.
    #[must_use]
    pub fn find_global(&self, side: Side, name: &str) -> Option<GlobalRef> {
        if let Some(r) = self.globals.get(&(side, name.to_owned())) {
            return Some(*r);
        }
        self.modules.iter().enumerate().filter(|(_, m)| m.side == side).find_map(|(mi, m)| {
            m.globals.iter().position(|g| g.name == name).map(|i| GlobalRef {
                module: ModuleId(u32::try_from(mi).unwrap_or(u32::MAX)),
                global: GlobalId(u32::try_from(i).unwrap_or(u32::MAX)),
            })
        })
    }

    /// Whether a function of the host has a body outside the toolkit's and the system's headers, and is no inline one of
    /// a library: the program means its own, whatever libraries have a function of that name.
    #[must_use]
    pub fn is_own(&self, f: FuncRef) -> bool {
        let func = self.func(f);
        !func.is_declaration()
            && matches!(func.linkage, Linkage::External | Linkage::Internal | Linkage::Weak)
            && !self.loc(f.module, func.loc).system
    }

    /// Whether the host side names a function that maps memory at a requested address.
    #[must_use]
    pub fn chooses_addresses(&self) -> bool {
        let chooses = |name: &str| matches!(name, "cuMemAddressReserve" | "cuMemMap" | "mmap" | "mmap64");
        self.modules.iter().filter(|m| m.side == Side::Host).any(|m| m.functions.iter().any(|f| chooses(&f.name)))
    }

    /// Returns the annotated constants, each with its module (LLVM 22 Language Reference, `llvm.global.annotations`).
    pub(super) fn annotated<'a>(&'a self, annotation: &'a [u8]) -> impl Iterator<Item = (ModuleId, &'a Const)> {
        self.modules.iter().enumerate().flat_map(move |(mi, m)| {
            let module = ModuleId(u32::try_from(mi).unwrap_or(u32::MAX));
            let tables =
                m.globals.iter().filter(|g| g.name == "llvm.global.annotations").filter_map(|g| g.init.as_ref());
            let rows = tables.flat_map(|t| if let Const::Aggregate { elems, .. } = t { elems.as_slice() } else { &[] });
            rows.filter_map(move |row| {
                let Const::Aggregate { elems, .. } = row else { return None };
                let [what, Const::Global { id: text, .. }, ..] = elems.as_slice() else { return None };
                let Some(Const::Bytes { data, .. }) = &m.global(*text).init else { return None };
                (data.strip_suffix(&[0]) == Some(annotation)).then_some((module, what))
            })
        })
    }

    /// Returns the functions with an annotation.
    #[must_use]
    pub fn annotated_functions(&self, annotation: &str) -> Vec<FuncRef> {
        let function = |(module, what): (ModuleId, &Const)| match what {
            Const::Func(id) => Some(self.resolve_func(module, *id)),
            _ => None,
        };
        self.annotated(annotation.as_bytes()).filter_map(function).collect()
    }

    /// Returns callee and arguments of the call at an instruction, or of the block's terminator where `inst` is its
    /// number.
    #[must_use]
    pub fn call_at(&self, func: FuncRef, block: BlockId, inst: u32) -> Option<(&Callee, &[Operand])> {
        let b = self.func(func).blocks.get(block.index())?;
        match (b.insts.get(inst as usize).map(|i| &i.op), &b.term) {
            (Some(Op::Call { callee, args }), _) | (None, Terminator::Invoke { callee, args, .. }) => {
                Some((callee, args))
            }
            _ => None,
        }
    }

    /// Returns the functions that initialise host variables before `main`, by priority and then in module order; `None`
    /// where one of them is unknown (LLVM 22 Language Reference, `llvm.global_ctors`).
    #[must_use]
    pub fn constructors(&self) -> Option<Vec<FuncRef>> {
        self.in_table("llvm.global_ctors")
    }

    /// Returns the functions called after `main` (`llvm.global_dtors`), ordered like those of [`Self::constructors`].
    #[must_use]
    pub fn destructors(&self) -> Option<Vec<FuncRef>> {
        self.in_table("llvm.global_dtors")
    }

    fn in_table(&self, table: &str) -> Option<Vec<FuncRef>> {
        let mut all: Vec<(i128, FuncRef)> = vec![];
        for (mi, m) in (0u32..).zip(&self.modules) {
            if m.side != Side::Host {
                continue;
            }
            for init in m.globals.iter().filter(|g| g.name == table).filter_map(|g| g.init.as_ref()) {
                let Const::Aggregate { elems, .. } = init else { return None };
                for e in elems {
                    let Const::Aggregate { elems, .. } = e else { return None };
                    let [Const::Int { value, .. }, Const::Func(f), ..] = &elems[..] else { return None };
                    all.push((*value, self.resolve_func(ModuleId(mi), *f)));
                }
            }
        }
        all.sort_by_key(|c| c.0);
        Some(all.into_iter().map(|c| c.1).collect())
    }

    /// Iterates over every global variable of every module, declarations included.
    pub fn globals(&self) -> impl Iterator<Item = &Global> {
        self.modules.iter().flat_map(|m| &m.globals)
    }

    /// Iterates over every function of every module, declarations included. Inline functions and template instances
    /// that several units define occur once, as the linker keeps one copy.
    pub fn functions(&self) -> impl Iterator<Item = (FuncRef, &Module, &Function)> {
        self.modules
            .iter()
            .enumerate()
            .flat_map(|(mi, m)| {
                let module = ModuleId(u32::try_from(mi).unwrap_or(u32::MAX));
                m.functions.iter().enumerate().map(move |(i, f)| {
                    (FuncRef { module, func: FuncId(u32::try_from(i).unwrap_or(u32::MAX)) }, m.as_ref(), f)
                })
            })
            .filter(|(r, ..)| !self.discarded.contains(r))
    }

    /// Returns the block that defines a value, and the index of the instruction in it. `None` for parameters.
    #[must_use]
    pub fn definition(&self, f: FuncRef, v: ValueId) -> Option<(BlockId, usize)> {
        let mut all = self.definitions.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_function = all.entry(f).or_insert_with(|| {
            let blocks = self.func(f).blocks.iter().enumerate();
            let results = |(b, block): (usize, &super::Block)| -> Vec<(ValueId, (BlockId, usize))> {
                let at = BlockId(u32::try_from(b).unwrap_or(u32::MAX));
                block.insts.iter().enumerate().filter_map(|(i, inst)| Some((inst.result?, (at, i)))).collect()
            };
            blocks.flat_map(results).collect()
        });
        of_function.get(&v).copied()
    }

    /// Returns the location of an instruction, or of its block's terminator.
    #[must_use]
    pub fn loc_at(&self, func: FuncRef, block: BlockId, inst: u32) -> LocId {
        self.func(func)
            .blocks
            .get(block.index())
            .map_or(LocId(0), |b| b.insts.get(inst as usize).map_or(b.term_loc, |i| i.loc))
    }

    /// Returns the position that a user sees for an instruction: among its location and the calls through which it was
    /// inlined, the innermost in user code; its own location if none is.
    #[must_use]
    pub fn users_loc(&self, module: ModuleId, loc: LocId) -> SourceLoc {
        let innermost = self.loc(module, loc);
        if innermost.is_users() || self.inlined_at(module, loc).is_none() {
            return innermost;
        }
        self.inlined(module, loc).find(SourceLoc::is_users).unwrap_or(innermost)
    }

    /// Iterates over a location and the calls through which it was inlined, from the innermost outwards.
    pub fn inlined(&self, module: ModuleId, loc: LocId) -> impl Iterator<Item = SourceLoc> + '_ {
        std::iter::successors(Some(loc), move |l| self.inlined_at(module, *l)).map(move |l| self.loc(module, l))
    }

    fn inlined_at(&self, module: ModuleId, loc: LocId) -> Option<LocId> {
        self.module(module).locs.get(loc.index())?.inlined_at
    }

    /// Resolves a location to file, line and column.
    #[must_use]
    pub fn loc(&self, module: ModuleId, loc: LocId) -> SourceLoc {
        let m = self.module(module);
        match m.locs.get(loc.index()) {
            Some(l) if loc.0 != 0 => {
                let f = m.files.get(l.file.index());
                SourceLoc {
                    file: f.map(|f| f.path.clone()).unwrap_or_default(),
                    line: l.line,
                    column: l.column,
                    system: f.is_some_and(|f| f.system),
                }
            }
            _ => SourceLoc { file: String::new(), line: 0, column: 0, system: false },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ModuleId, Program};
    use crate::{Block, FuncId, Function, Linkage, LocId, Module, Side, Terminator, TypeId};
    use std::sync::Arc;

    fn module(side: Side, source: &str, functions: &[(&str, Linkage)]) -> Arc<Module> {
        let function = |(name, linkage): &(&str, Linkage)| Function {
            name: (*name).into(),
            display: (*name).into(),
            linkage: *linkage,
            kernel: side == Side::Device,
            variadic: false,
            noreturn: false,
            ret: TypeId(0),
            params: vec![],
            blocks: vec![Block { name: String::new(), insts: vec![], term: Terminator::Ret(None), term_loc: LocId(0) }],
            values: 0,
            requires: vec![],
            max_threads: None,
            shape: crate::LaunchShape::default(),
            tile: None,
            loc: LocId(0),
        };
        Arc::new(Module {
            side,
            source: source.into(),
            producer: String::new(),
            arch: String::new(),
            asserts_restored: false,
            relocatable: false,
            doubts: vec![],
            types: vec![],
            files: vec![],
            locs: vec![],
            globals: vec![],
            functions: functions.iter().map(function).collect(),
        })
    }

    #[test]
    fn a_static_kernel_is_that_of_its_own_unit() {
        let p = Program::link(vec![
            module(Side::Device, "a.cu", &[("_ZL1kv", Linkage::Internal), ("_Z1xv", Linkage::External)]),
            module(Side::Host, "a.cu", &[]),
            module(Side::Device, "b.cu", &[("_ZL1kv", Linkage::Internal)]),
            module(Side::Host, "b.cu", &[]),
        ]);
        let of = |host, stub| p.kernel_of_stub(ModuleId(host), stub).map(|r| r.module.0);
        assert_eq!(of(1, "_ZL16__device_stub__kv"), Some(0));
        assert_eq!(of(3, "_ZL16__device_stub__kv"), Some(2));
        assert_eq!(of(3, "_Z16__device_stub__xv"), Some(0), "an exported kernel is found in another unit");
        assert_eq!(of(3, "_Z16__device_stub__yv"), None);
        assert_eq!(of(3, "_Z1kv"), None);
    }

    #[test]
    fn a_kernel_declared_as_a_function_of_the_host_is_its_stub() {
        let mut other = Arc::unwrap_or_clone(module(Side::Host, "b.cpp", &[("_Z1kv", Linkage::External)]));
        other.functions[0].blocks.clear();
        let stub = ("_Z16__device_stub__kv", Linkage::External);
        let units = |host: &[(&str, Linkage)]| {
            Program::link(vec![
                module(Side::Device, "a.cu", &[("_Z1kv", Linkage::External)]),
                module(Side::Host, "a.cu", host),
                Arc::new(other.clone()),
            ])
        };
        let named = |p: &Program| p.func(p.resolve_func(ModuleId(2), FuncId(0))).name.clone();
        assert_eq!(named(&units(&[stub])), stub.0);
        assert_eq!(named(&units(&[("_ZL16__device_stub__kv", Linkage::Internal)])), "_Z1kv", "no other unit's");
        let own = ("_Z1kv", Linkage::External);
        assert_eq!(units(&[stub, own]).resolve_func(ModuleId(2), FuncId(0)).func, FuncId(1), "the program's own one");
    }

    #[test]
    fn of_several_copies_one_is_kept() {
        let p = Program::link(vec![
            module(
                Side::Device,
                "a.cu",
                &[("_Z1tv", Linkage::Odr), ("_Z1wv", Linkage::Weak), ("_ZL1sv", Linkage::Internal)],
            ),
            module(
                Side::Device,
                "b.cu",
                &[("_Z1tv", Linkage::Odr), ("_Z1wv", Linkage::External), ("_ZL1sv", Linkage::Internal)],
            ),
            module(Side::Host, "b.cu", &[("_Z1tv", Linkage::Odr)]),
        ]);
        let kept: Vec<(u32, &str)> = p.functions().map(|(r, _, f)| (r.module.0, f.name.as_str())).collect();
        assert_eq!(kept, [(0, "_Z1tv"), (0, "_ZL1sv"), (1, "_Z1wv"), (1, "_ZL1sv"), (2, "_Z1tv")]);
        assert_eq!(
            p.kernel_of_stub(ModuleId(2), "_Z16__device_stub__tv").map(|r| r.module.0),
            Some(0),
            "and launched from either unit"
        );
    }

    #[test]
    fn stub_symbols_lead_to_kernels() {
        let k = |s| Program::kernel_symbol_of_stub(s);
        assert_eq!(k("_Z31__device_stub__advCubatureHex3DiPKd").as_deref(), Some("_Z16advCubatureHex3DiPKd"));
        assert_eq!(k("_ZN2ns18__device_stub__fooILi3EEvv").as_deref(), Some("_ZN2ns3fooILi3EEvv"));
        assert_eq!(k("__device_stub__plain").as_deref(), Some("plain"));
        assert_eq!(k("_Z3foov"), None);
    }
}
