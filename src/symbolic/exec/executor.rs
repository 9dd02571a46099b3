//! The executor: functions, blocks, joins and calls. Loops are in `loops.rs`, instructions in `ops.rs`,
//! memory in `access.rs`.
//!
//! Paths are merged at joins: a state is a path condition and a memory, and a value that differs between the merged
//! paths becomes an if-then-else over the condition that tells them apart.

use super::events::Events;
use super::state::Frame;
use crate::ir::cfg::Cfg;
use crate::ir::{
    BlockId, Callee, FuncRef, Function, GlobalRef, LocId, Module, ModuleId, Program, Side, TypeId, ValueId,
};
use crate::symbolic::kernel::context::KernelContext;
use crate::symbolic::kernel::context::Loaded;
use crate::symbolic::limits::budget::{Budget, Limit};
use crate::symbolic::limits::cost::Effort;
use crate::symbolic::loops::types::LoopMemo;
use crate::symbolic::memory::memory_ssa::Origin;
use crate::symbolic::memory::object::{Memory, ObjId, Object};
use crate::symbolic::memory::site_summary::MADE;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::{Arena, FileName, FilePart, InputSource, SymId, Term, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub use super::events::{AccessEvent, AccessKind, LaunchConfig, LaunchEvent, Limits, Stores};
pub use super::site::Site;
pub use super::state::State;
pub use crate::symbolic::kernel::context::Thread;

#[derive(Clone)]
pub struct Executor<'p> {
    pub program: &'p Program,
    pub arena: Arena,
    pub objects: Vec<Object>,
    pub side: Side,
    /// The kernel under execution.
    pub kernel: KernelContext,
    pub events: Events,
    pub(in crate::symbolic) loops: LoopMemo,
    /// Where each object was ever freed.
    pub(in crate::symbolic) freed_at: FxHashMap<ObjId, Vec<Rc<Vec<Site>>>>,
    /// Memory of the host that was at some time made known to devices.
    pub(in crate::symbolic) registered: rustc_hash::FxHashSet<ObjId>,
    /// Why the execution stopped early; then nothing that it did not reach may be called safe.
    pub gave_up: Option<String>,
    /// Why something was passed by that may launch kernels, or access memory in one; then nothing may be called safe.
    pub missed: Option<String>,
    /// The program is executed from its start, so that variables hold their initial values there. A function that nobody known calls
    /// may be called at any time.
    pub(crate) from_the_start: bool,
    /// The limit that stopped it.
    pub limit: Option<Limit>,
    pub budget: Budget,
    pub effort: Effort,
    /// Work for the device may overlap: the host uses a stream other than the default one, or copies asynchronously.
    pub overlapping: bool,
    pub(crate) runtime: super::runtime::Runtime,
    pub(crate) scarce: crate::symbolic::memory::scarce::Scarce,
    pub(crate) stack: Vec<Site>,
    pub(in crate::symbolic) version: u32,
    /// How contents of the device's memory came about, by their numbers.
    pub origins: FxHashMap<u32, Origin>,
    pub(in crate::symbolic) kept: crate::symbolic::pointers::points_to::Kept,
    pub(in crate::symbolic) several: crate::symbolic::memory::site_summary::Several,
    /// Numbers that a kernel read of memory that its threads write.
    pub loaded: FxHashMap<SymId, Loaded>,
    pub(in crate::symbolic) effects: crate::symbolic::effects::shapes::Effects,
    /// How many of them know offsets.
    pub(in crate::symbolic) exact_effects: usize,
    /// Variables of the device that are followed from the start, by those that name them on the host.
    pub(crate) shadows: FxHashMap<GlobalRef, ObjId>,
    /// What objects hold that are there from the start.
    pub(in crate::symbolic) initial: FxHashMap<ObjId, Rc<crate::symbolic::memory::object::ObjState>>,
    pub(in crate::symbolic) cfgs: FxHashMap<FuncRef, Rc<Cfg>>,
    /// Functions that may throw, and handlers after which a function goes on (`throws.rs`).
    pub(in crate::symbolic) throws: FxHashMap<FuncRef, bool>,
    pub(in crate::symbolic) handlers: FxHashMap<(FuncRef, BlockId), bool>,
    /// Blocks that functions reach if nothing is thrown.
    pub(in crate::symbolic) unthrown: FxHashMap<FuncRef, rustc_hash::FxHashSet<BlockId>>,
    /// Objects that functions catch.
    pub(in crate::symbolic) caught: FxHashMap<FuncRef, rustc_hash::FxHashSet<ValueId>>,
    pub(in crate::symbolic) alloc_ids: FxHashMap<(u64, Site, u32), ObjId>,
    /// The versions of contents at which objects were last allocated.
    pub(in crate::symbolic) made: FxHashMap<ObjId, u32>,
    pub(in crate::symbolic) global_ids: FxHashMap<(GlobalRef, bool), ObjId>,
    pub(in crate::symbolic) inputs: FxHashMap<(InputSource, u32), TermId>,
    pub(in crate::symbolic) types: std::cell::RefCell<FxHashMap<FuncRef, Rc<Vec<Option<TypeId>>>>>,
    /// What was left out, one line each.
    pub notes: Vec<String>,
    /// Bytes of memory that a device has at most.
    pub device_memory: u64,
    pub(in crate::symbolic) reads: u32,
    /// Files that the program opens.
    pub files: Vec<FileName>,
    /// Files that it opens for writing.
    pub(crate) written_files: Vec<FileName>,
    /// Those that something was read from, by their number.
    pub(crate) read_files: rustc_hash::FxHashSet<u32>,
    /// The streams behind `std::ifstream`s, by the object that holds one at its start.
    pub(crate) file_streams: FxHashMap<ObjId, ObjId>,
    /// How far files are read, in bytes or words: a witness must have so much in them.
    pub file_ends: Vec<(u32, FilePart, TermId)>,
    /// Texts that `optarg` pointed to.
    pub(crate) options: FxHashMap<ObjId, crate::symbolic::inputs::command_line::FoundOption>,
    /// Comparisons of arguments with words, by what they give.
    pub(in crate::symbolic) compared: FxHashMap<TermId, crate::symbolic::inputs::command_line::Compared>,
    pub(in crate::symbolic) argv_texts: FxHashMap<u32, ObjId>,
    /// Copies of texts in C++ strings, by what they are copies of.
    pub(in crate::symbolic) copied_texts: FxHashMap<ObjId, ObjId>,
    /// Streams of files that have no name that is known, or were opened before.
    pub(crate) opened_again: rustc_hash::FxHashSet<ObjId>,
    pub assumptions: crate::symbolic::inputs::assume::Assumptions,
}

impl<'p> Executor<'p> {
    #[must_use]
    pub fn new(program: &'p Program) -> Self {
        Self {
            program,
            arena: Arena::new(),
            objects: vec![],
            side: Side::Host,
            kernel: KernelContext::default(),
            events: Events::new(true),
            loops: LoopMemo::default(),
            freed_at: FxHashMap::default(),
            registered: Default::default(),
            gave_up: None,
            missed: None,
            from_the_start: false,
            initial: Default::default(),
            throws: Default::default(),
            handlers: Default::default(),
            unthrown: Default::default(),
            caught: Default::default(),
            limit: None,
            budget: Budget::default(),
            effort: Effort::default(),
            overlapping: false,
            runtime: Default::default(),
            scarce: Default::default(),
            stack: vec![],
            version: 0,
            origins: Default::default(),
            kept: Default::default(),
            several: Default::default(),
            loaded: Default::default(),
            effects: Default::default(),
            exact_effects: 0,
            shadows: Default::default(),
            cfgs: FxHashMap::default(),
            alloc_ids: FxHashMap::default(),
            made: FxHashMap::default(),
            global_ids: FxHashMap::default(),
            device_memory: 192 << 30,
            reads: 0,
            files: vec![],
            written_files: vec![],
            read_files: Default::default(),
            file_streams: FxHashMap::default(),
            file_ends: vec![],
            options: FxHashMap::default(),
            compared: FxHashMap::default(),
            argv_texts: FxHashMap::default(),
            copied_texts: FxHashMap::default(),
            opened_again: Default::default(),
            assumptions: Default::default(),
            inputs: FxHashMap::default(),
            types: Default::default(),
            notes: vec![],
        }
    }

    /// An empty state that is always reached.
    pub fn initial_state(&mut self) -> State {
        self.initial.clear();
        State { path: self.arena.bool(true), mem: Memory::default(), pending: None, always: Rc::default() }
    }

    pub(in crate::symbolic) fn module(&self, f: FuncRef) -> &'p Module {
        let p: &'p Program = self.program;
        p.module(f.module)
    }
    pub(in crate::symbolic) fn function(&self, f: FuncRef) -> &'p Function {
        let p: &'p Program = self.program;
        p.func(f)
    }

    pub fn object(&self, o: ObjId) -> &Object {
        &self.objects[o.0 as usize]
    }

    pub(in crate::symbolic) fn set_extent(&mut self, o: ObjId, bytes: TermId) {
        self.objects[o.0 as usize].extent = Some(bytes);
    }

    pub fn new_object(&mut self, object: Object) -> ObjId {
        let id = ObjId(u32::try_from(self.objects.len()).unwrap_or(u32::MAX));
        self.objects.push(object);
        id
    }

    /// The object that an allocation at this place of this activation makes: the same one on every pass over it.
    pub fn allocate(&mut self, context: u64, site: Site, which: u32, make: impl FnOnce(&mut Self) -> Object) -> ObjId {
        let object = make(self);
        let id = match self.alloc_ids.get(&(context, site, which)).copied() {
            Some(id) => {
                self.objects[id.0 as usize] = object;
                id
            }
            None => {
                let id = self.new_object(object);
                self.alloc_ids.insert((context, site, which), id);
                id
            }
        };
        let now = self.next_version();
        self.made.insert(id, now);
        id
    }

    /// Whether a term is the address of what was allocated after contents had this version, or in some round of a loop.
    pub(in crate::symbolic) fn is_address_since(&self, t: TermId, version: u32) -> bool {
        let Term::Apply { name, args, .. } = self.arena.get(t) else { return false };
        let object = if matches!(name.as_str(), "address" | MADE) {
            self.arena.as_int(args[0]).and_then(|id| u32::try_from(id).ok())
        } else {
            None
        };
        object
            .is_some_and(|id| self.kept.is_twin(ObjId(id)) || self.made.get(&ObjId(id)).is_some_and(|at| *at > version))
    }

    pub(in crate::symbolic) fn give_up(&mut self, reason: impl Into<String>) {
        if self.gave_up.is_none() {
            self.gave_up = Some(reason.into());
        }
    }

    /// Counts a step; false once the budget is spent.
    pub(in crate::symbolic) fn step(&mut self) -> bool {
        if self.gave_up.is_some() {
            return false;
        }
        match self.budget.step(self.arena.bytes()) {
            Ok(()) => true,
            Err(limit) => {
                self.end_by(limit);
                false
            }
        }
    }

    pub(in crate::symbolic) fn end_by(&mut self, limit: Limit) {
        if self.gave_up.is_some() {
            return;
        }
        let amid = self.amid();
        self.limit = Some(limit);
        self.give_up(format!("{limit}{amid}"));
    }

    /// The call that is being executed, for people who want to know what takes so long.
    fn amid(&self) -> String {
        let Some(site) = self.stack.last() else { return String::new() };
        let block = &self.program.func(site.func).blocks[site.block.index()];
        let at =
            self.program.loc(site.func.module, block.insts.get(site.inst as usize).map_or(block.term_loc, |i| i.loc));
        match std::path::Path::new(&at.file).file_name() {
            Some(file) if at.line > 0 => format!(", in the call at {}:{}", file.to_string_lossy(), at.line),
            _ => String::new(),
        }
    }

    pub(in crate::symbolic) fn next_version(&mut self) -> u32 {
        self.version += 1;
        self.version
    }

    /// Where the user wrote the call or launch that the stack leads to: the innermost site outside launch stubs.
    #[must_use]
    pub fn user_site(&self, stack: &[Site]) -> Option<Site> {
        stack.iter().rev().copied().find(|s| Program::kernel_symbol_of_stub(&self.function(s.func).name).is_none())
    }

    /// Location of an instruction.
    #[must_use]
    pub fn location(&self, site: Site) -> (ModuleId, LocId) {
        let b = &self.function(site.func).blocks[site.block.index()];
        (site.func.module, b.insts.get(site.inst as usize).map_or(b.term_loc, |i| i.loc))
    }

    pub(in crate::symbolic) fn direct_callee(&self, module: ModuleId, callee: &Callee) -> Option<FuncRef> {
        match callee {
            Callee::Direct(f) => Some(self.program.resolve_func(module, *f)),
            Callee::Indirect(_) => None,
        }
    }

    pub(in crate::symbolic) fn set(&self, fr: &mut Frame, r: Option<ValueId>, v: Value) {
        if let Some(r) = r {
            fr.env[r.index()] = Some(v);
        }
    }
}
