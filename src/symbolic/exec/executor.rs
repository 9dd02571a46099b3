//! The executor: what one symbolic execution holds, one field for each subsystem.
//!
//! In: a [`Program`]. Out: [`Events`] over the terms of its arena. Its code is in the files of these rooms, each an `impl Executor` of its own:
//! control flow in [`super::region`], instructions in [`super::instruction`], memory in `memory/`, loops in `loops/`, calls in [`super::calls`] and
//! `host/`. The types that it holds lie below it and know nothing of it; so do states and activations ([`super::state`]).

use super::events::Events;
use super::function_facts::FunctionFacts;
use super::state::Frame;
use crate::ir::{Callee, FuncRef, Function, GlobalRef, LocId, Module, ModuleId, Program, Side, ValueId};
use crate::reasons::{InTheCall, UnknownReason};
use crate::symbolic::effects::shapes::Summaries;
use crate::symbolic::inputs::sources::Inputs;
use crate::symbolic::kernel::context::KernelContext;
use crate::symbolic::kernel::context::Loaded;
use crate::symbolic::limits::budget::{Budget, Limit};
use crate::symbolic::limits::cost::Effort;
use crate::symbolic::loops::types::LoopMemo;
use crate::symbolic::memory::memory_ssa::Origin;
use crate::symbolic::memory::object::{Memory, ObjId, Object};
use crate::symbolic::memory::site_summary::MADE;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::term::{Arena, SymId, Term, TermId};
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
    pub(in crate::symbolic) functions: FunctionFacts,
    pub(in crate::symbolic) summaries: Summaries,
    pub(crate) inputs: Inputs,
    /// Where each object was ever freed.
    pub(in crate::symbolic) freed_at: FxHashMap<ObjId, Vec<Rc<Vec<Site>>>>,
    /// Memory of the host that was at some time made known to devices.
    pub(in crate::symbolic) registered: rustc_hash::FxHashSet<ObjId>,
    /// Why the execution stopped early; then nothing that it did not reach may be called safe.
    pub gave_up: Option<UnknownReason>,
    /// Why something was passed by that may launch kernels, or access memory in one; then nothing may be called safe.
    pub missed: Option<UnknownReason>,
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
    /// Variables of the device that are followed from the start, by those that name them on the host.
    pub(crate) shadows: FxHashMap<GlobalRef, ObjId>,
    /// What objects hold that are there from the start.
    pub(in crate::symbolic) initial: FxHashMap<ObjId, Rc<crate::symbolic::memory::object::ObjState>>,
    pub(in crate::symbolic) alloc_ids: FxHashMap<(u64, Site, u32), ObjId>,
    /// The versions of contents at which objects were last allocated.
    pub(in crate::symbolic) made: FxHashMap<ObjId, u32>,
    pub(in crate::symbolic) global_ids: FxHashMap<(GlobalRef, bool), ObjId>,
    /// What was left out, one line each.
    pub notes: Vec<String>,
    /// Bytes of memory that a device has at most.
    pub device_memory: u64,
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
            functions: FunctionFacts::default(),
            summaries: Summaries::default(),
            inputs: Inputs::default(),
            freed_at: FxHashMap::default(),
            registered: Default::default(),
            gave_up: None,
            missed: None,
            from_the_start: false,
            initial: Default::default(),
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
            shadows: Default::default(),
            alloc_ids: FxHashMap::default(),
            made: FxHashMap::default(),
            global_ids: FxHashMap::default(),
            device_memory: 192 << 30,
            assumptions: Default::default(),
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

    pub(in crate::symbolic) fn give_up(&mut self, reason: UnknownReason) {
        if self.gave_up.is_none() {
            self.gave_up = Some(reason);
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
        self.give_up(limit.reason(amid));
    }

    /// The call that is being executed, for people who want to know what takes so long.
    fn amid(&self) -> InTheCall {
        let Some(site) = self.stack.last() else { return InTheCall::default() };
        let block = &self.program.func(site.func).blocks[site.block.index()];
        let at =
            self.program.loc(site.func.module, block.insts.get(site.inst as usize).map_or(block.term_loc, |i| i.loc));
        let file = std::path::Path::new(&at.file).file_name().filter(|_| at.line > 0);
        InTheCall(file.map(|file| (file.to_string_lossy().into_owned(), at.line)))
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
