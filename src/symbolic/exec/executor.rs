//! The executor: functions, blocks, joins and calls. Loops are in `loops.rs`, instructions in `ops.rs`,
//! memory in `access.rs`.
//!
//! Paths are merged at joins: a state is a path condition and a memory, and a value that differs between the merged
//! paths becomes an if-then-else over the condition that tells them apart.

use super::events::Events;
use super::state::{Frame, RegionOut};
use crate::ir::cfg::Cfg;
use crate::ir::{
    BlockId, Callee, FuncRef, Function, GlobalRef, Inst, LocId, Module, ModuleId, Op, Operand, Program, Side,
    Terminator, TypeId, TypeKind, ValueId,
};
use crate::symbolic::kernel::context::KernelContext;
use crate::symbolic::kernel::context::Loaded;
use crate::symbolic::limits::budget::{Budget, Limit};
use crate::symbolic::limits::cost::Effort;
use crate::symbolic::loops::types::LoopMemo;
use crate::symbolic::memory::memory_ssa::Origin;
use crate::symbolic::memory::object::{Memory, ObjId, ObjKind, Object};
use crate::symbolic::memory::partition::Row;
use crate::symbolic::memory::site_summary::MADE;
use crate::symbolic::memory::value::{Base, Lost, Target, Value};
use crate::symbolic::terms::term::{Arena, Axis, FileName, FilePart, InputSource, Range, SymId, SymKind, Term, TermId};
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
    /// Those of the access which is recorded next.
    pub(in crate::symbolic) rows: Option<Rc<Vec<Row>>>,
    /// What the write stores that is recorded next.
    pub(in crate::symbolic) stores: Stores,
    /// And which pointer.
    pub(in crate::symbolic) stored_pointer: Option<Rc<Vec<Target>>>,
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
            rows: None,
            stores: Stores::Unknown,
            stored_pointer: None,
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

    pub fn pointer(&mut self, object: ObjId, offset: i128) -> Value {
        let cond = self.arena.bool(true);
        let offset = self.arena.int(offset);
        Value::Ptr(Rc::new(vec![Target::new(cond, Base::Object(object), offset)]))
    }

    pub fn null(&mut self) -> Value {
        let cond = self.arena.bool(true);
        let offset = self.arena.int(0);
        Value::Ptr(Rc::new(vec![Target::new(cond, Base::Null, offset)]))
    }

    pub fn unknown_pointer(&mut self, reason: &str) -> Value {
        self.lost_pointer(Lost::anywhere(reason))
    }

    pub(in crate::symbolic) fn lost_pointer(&mut self, lost: Lost) -> Value {
        let cond = self.arena.bool(true);
        let offset = self.arena.int(0);
        Value::Ptr(Rc::new(vec![Target::new(cond, Base::Unknown(lost), offset)]))
    }

    /// The symbol of a program input; equal sources give the same symbol.
    pub fn input(&mut self, source: InputSource, bits: u32) -> TermId {
        if let Some(t) = self.inputs.get(&(source.clone(), bits)) {
            return *t;
        }
        let name = match &source {
            InputSource::Argc => "argc".to_owned(),
            InputSource::Argv(i) => format!("argv[{i}]"),
            InputSource::ArgvLen(i) => format!("strlen(argv[{i}])"),
            InputSource::Read { what, ordinal } => format!("{what} #{}", ordinal + 1),
            InputSource::File { file, at, .. } => format!("{file} at byte {at}"),
            InputSource::Word { file, ordinal } => format!("{file} #{}", ordinal + 1),
            InputSource::FileSize(file) => format!("the size of {file}"),
            InputSource::Param { name, .. } => name.clone(),
            InputSource::ArgvWord { index, word } => format!("whether argv[{index}] is {word}"),
            InputSource::Option { word, .. } => {
                format!("the value of {}", crate::symbolic::inputs::command_line::option_name(word))
            }
            InputSource::World(w) => w.clone(),
        };
        let range = match &source {
            InputSource::Argc => Range::new(1, i128::from(i32::MAX)),
            InputSource::ArgvLen(_) => Range::new(0, 1 << 20),
            InputSource::FileSize(_) => Range::new(0, 1 << 40),
            // So that the same comparison from the other side gives an `int` too.
            InputSource::ArgvWord { .. } => Range::new(-i128::from(i32::MAX), i128::from(i32::MAX)),
            _ => Range::of_int(bits, true),
        };
        let t = self.arena.fresh(SymKind::Input(source.clone()), name, range);
        self.inputs.insert((source, bits), t);
        t
    }

    /// What inputs have to do with each other below the roots: one that is read as `long` here and as `int` there is the same
    /// number wherever it is an `int`. `None` where there are none.
    pub fn same_inputs(&mut self, roots: &[TermId]) -> Option<TermId> {
        let mut read: Vec<(InputSource, u32, TermId)> = vec![];
        for s in self.arena.symbols_of(roots) {
            let SymKind::Input(source) = self.arena.symbol(s).kind.clone() else { continue };
            let t = self.arena.symbol_term(s);
            let bits = [8, 16, 32, 64].into_iter().find(|bits| self.inputs.get(&(source.clone(), *bits)) == Some(&t));
            read.extend(bits.map(|bits| (source, bits, t)));
        }
        read.sort();
        let mut facts = vec![];
        for pair in read.windows(2) {
            let [(a, bits, narrow), (b, _, wide)] = pair else { continue };
            let (a, b) = (a.clone(), b.clone());
            if a != b {
                continue;
            }
            let Range { lo: Some(lo), hi: Some(hi) } = Range::of_int(*bits, true) else { continue };
            let (narrow, wide) = (*narrow, *wide);
            let (lo, hi) = (self.arena.int(lo), self.arena.int(hi));
            let (below, above, equal) = (self.arena.lt(wide, lo), self.arena.lt(hi, wide), self.arena.eq(narrow, wide));
            facts.push(self.arena.or_all(vec![below, above, equal]));
        }
        (!facts.is_empty()).then(|| self.arena.and_all(facts))
    }

    /// An unknown value of a type.
    pub fn unknown_of(&mut self, module: &Module, ty: TypeId, reason: &str) -> Value {
        match &module.ty(ty).kind {
            TypeKind::Int(1) => Value::Bool(self.arena.fresh_bool(SymKind::Unknown { reason: reason.to_owned() }, "?")),
            TypeKind::Int(bits) => {
                let range = Range::of_int(*bits, true);
                Value::Int(self.arena.fresh(SymKind::Unknown { reason: reason.to_owned() }, "?", range))
            }
            TypeKind::Ptr(_) => self.unknown_pointer(reason),
            TypeKind::Struct { fields, .. } => {
                let v = fields.iter().map(|f| self.unknown_of(module, f.ty, reason)).collect();
                Value::Aggregate(Rc::new(v))
            }
            TypeKind::Array { elem, count } if *count <= 16 => {
                let v = (0..*count).map(|_| self.unknown_of(module, *elem, reason)).collect();
                Value::Aggregate(Rc::new(v))
            }
            TypeKind::Vector { elem, count } => {
                let v = (0..*count).map(|_| self.unknown_of(module, *elem, reason)).collect();
                Value::Aggregate(Rc::new(v))
            }
            _ => Value::unknown(reason),
        }
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

    // ---- functions and regions ----

    /// Whether a block is part of a loop.
    pub fn is_in_loop(&mut self, f: FuncRef, b: BlockId) -> bool {
        self.cfg(f).innermost[b.index()].is_some()
    }

    pub(in crate::symbolic) fn cfg(&mut self, f: FuncRef) -> Rc<Cfg> {
        if let Some(c) = self.cfgs.get(&f) {
            return c.clone();
        }
        let c = Rc::new(Cfg::new(self.function(f)));
        self.cfgs.insert(f, c.clone());
        c
    }

    /// Executes a defined function. `None` where it does not return.
    pub fn call(&mut self, f: FuncRef, args: Vec<Value>, state: State, context: u64) -> Option<(Option<Value>, State)> {
        let func = self.function(f);
        let cfg = self.cfg(f);
        if cfg.irreducible {
            self.give_up(format!("`{}` has a loop with several entries", func.display));
            return None;
        }
        let state = self.assume_at_entry(f, &args, state);
        // Where `va_list`s lead is not followed.
        if let Some(more) = args.get(func.params.len()..) {
            for v in more {
                self.keep_anywhere(v);
            }
        }
        let before = self.objects.len();
        let mut frame = Frame {
            func: f,
            env: vec![None; func.values as usize],
            locals: vec![],
            rows: FxHashMap::default(),
            shifted: FxHashMap::default(),
            context,
        };
        for (i, a) in args.into_iter().enumerate() {
            if let Some(slot) = frame.env.get_mut(i) {
                *slot = Some(a);
            }
        }
        let out = self.region(&mut frame, &cfg, None, BlockId(0), vec![(BlockId(0), state)]);
        let mut values = vec![];
        let mut states = vec![];
        for (v, s) in out.rets {
            values.push(v);
            states.push(s);
        }
        let (mut s, sels) = self.merge(states)?;
        let mut it = values.into_iter();
        let mut value = it.next().flatten();
        for (v, sel) in it.zip(sels) {
            value = match (value, v) {
                (Some(a), Some(b)) => Some(self.ite_value(sel, &a, &b)),
                _ => None,
            };
        }
        for l in frame.locals {
            s.mem.remove(&l);
            self.kernel.partitions.end(l);
        }
        if self.program.loc(f.module, func.loc).system {
            value = value.map(|v| self.without_no_elements(v, before));
        }
        Some((value, s))
    }

    /// What a container of the standard library gets for its elements, null where there are none: a block without any will do as well, and
    /// pointers into it move as one. `before`: objects before the call.
    fn without_no_elements(&mut self, v: Value, before: usize) -> Value {
        let Value::Ptr(p) = &v else { return v };
        let [a, b] = p.as_slice() else { return v };
        let (none, some) = if a.base == Base::Null { (a, b) } else { (b, a) };
        let (Base::Null, Base::Object(o)) = (&none.base, &some.base) else { return v };
        let (Some(extent), true) =
            (self.object(*o).extent, (o.0 as usize) >= before && self.arena.as_int(some.offset) == Some(0))
        else {
            return v;
        };
        let (zero, some) = (self.arena.int(0), some.clone());
        let empty = self.arena.conjuncts(none.cond).into_iter().any(|c| {
            let Term::EqZ(t) = *self.arena.get(c) else { return false };
            self.arena.substitute(extent, &std::iter::once((t, zero)).collect()) == zero
        });
        if !empty {
            return v;
        }
        Value::Ptr(Rc::new(vec![Target { cond: self.arena.bool(true), ..some }]))
    }

    /// Executes the blocks of a region (a loop's body or the whole function) in reverse post-order, nested loops as
    /// one step each.
    pub(in crate::symbolic) fn region(
        &mut self,
        fr: &mut Frame,
        cfg: &Cfg,
        lp: Option<usize>,
        start: BlockId,
        entry: Vec<(BlockId, State)>,
    ) -> RegionOut {
        let mut out = RegionOut::default();
        let mut incoming: FxHashMap<BlockId, Vec<(BlockId, State)>> = FxHashMap::default();
        incoming.insert(start, entry);
        let func = self.function(fr.func);
        for &b in &cfg.order {
            if incoming.is_empty() || self.gave_up.is_some() {
                break;
            }
            let Some(states) = incoming.remove(&b) else { continue };
            let inner = cfg.innermost[b.index()];
            let edges: Vec<(BlockId, BlockId, State)> =
                if inner != lp && inner.is_some_and(|l| cfg.loops[l].header == b && cfg.loops[l].parent == lp) {
                    let l = inner.unwrap_or(0);
                    let (exits, rets) = self.run_loop(fr, cfg, l, states);
                    out.rets.extend(rets);
                    exits
                } else {
                    // The header of this very loop gets its merged state and phi values from `run_loop`.
                    let head = lp.is_some_and(|l| cfg.loops[l].header == b);
                    let Some(s) = self.enter_block(fr, func, b, states, !head) else { continue };
                    self.run_block(fr, func, b, s, &mut out).into_iter().map(|(to, s)| (b, to, s)).collect()
                };
            for (from, to, s) in edges {
                match lp {
                    Some(l) if to == cfg.loops[l].header => out.back.push((from, s)),
                    Some(l) if !cfg.loops[l].blocks.contains(&to) => out.exits.push((from, to, s)),
                    _ => incoming.entry(to).or_default().push((from, s)),
                }
            }
        }
        out
    }

    /// Merges incoming edges and evaluates the block's phis.
    pub(in crate::symbolic) fn enter_block(
        &mut self,
        fr: &mut Frame,
        func: &Function,
        b: BlockId,
        incoming: Vec<(BlockId, State)>,
        phis: bool,
    ) -> Option<State> {
        let (preds, states): (Vec<_>, Vec<_>) = incoming.into_iter().unzip();
        let (s, sels) = self.merge(states)?;
        if phis {
            let mut results = vec![];
            for inst in &func.blocks[b.index()].insts {
                let Op::Phi(edges) = &inst.op else { break };
                let mut value: Option<Value> = None;
                for (i, p) in preds.iter().enumerate() {
                    let Some((_, o)) = edges.iter().find(|(e, _)| e == p) else { continue };
                    let v = self.operand(fr, o, inst.ty);
                    value = Some(match value {
                        None => v,
                        Some(old) => self.ite_value(sels[i - 1], &old, &v),
                    });
                }
                results.push((inst.result, value));
            }
            for (r, v) in results {
                if let (Some(r), Some(v)) = (r, v) {
                    fr.env[r.index()] = Some(v);
                }
            }
        }
        Some(s)
    }

    fn run_block(
        &mut self,
        fr: &mut Frame,
        func: &'p Function,
        b: BlockId,
        state: State,
        out: &mut RegionOut,
    ) -> Vec<(BlockId, State)> {
        let block = &func.blocks[b.index()];
        let mut s = state;
        for (i, inst) in block.insts.iter().enumerate() {
            if !self.step() {
                return vec![];
            }
            let site = Site { func: fr.func, block: b, inst: u32::try_from(i).unwrap_or(u32::MAX) };
            match self.instruction(fr, inst, site, s) {
                Some(n) => s = n,
                None => return vec![],
            }
        }
        if !self.step() {
            return vec![];
        }
        match &block.term {
            Terminator::Ret(v) => {
                let v = v.as_ref().map(|o| self.operand(fr, o, func.ret));
                out.rets.push((v, s));
                vec![]
            }
            Terminator::Br(to) => vec![(*to, s)],
            Terminator::CondBr { cond, then, otherwise } => {
                let c = self.condition(fr, cond);
                if then == otherwise {
                    return vec![(*then, s)];
                }
                if let Some(well) = self.ends_on_failure(fr.func, c, *then, *otherwise) {
                    return vec![(if well { *then } else { *otherwise }, s)];
                }
                if let Some(on) = self.removed_assert(fr.func, c, *then, *otherwise, b, &s) {
                    return on;
                }
                let n = self.arena.not(c);
                let mut v = vec![];
                if let Some(t) = self.assume(s.clone(), c) {
                    v.push((*then, t));
                }
                if let Some(e) = self.assume(s, n) {
                    v.push((*otherwise, e));
                }
                v
            }
            Terminator::Switch { value, default, cases } => self.switch(fr, value, *default, cases, s),
            Terminator::Invoke { result, ty, callee, args, normal, unwind } => {
                let site = Site { func: fr.func, block: b, inst: u32::try_from(block.insts.len()).unwrap_or(u32::MAX) };
                let inst = Inst {
                    result: *result,
                    ty: *ty,
                    op: Op::Call { callee: callee.clone(), args: args.clone() },
                    loc: block.term_loc,
                };
                let before = self.may_be_caught(fr, callee, *unwind).then(|| s.clone());
                let after = self.instruction(fr, &inst, site, s);
                let thrown = before.and_then(|before| {
                    let values: Vec<Value> = args.iter().map(|a| self.any_operand(fr, a)).collect();
                    self.thrown(fr, site, (callee, &values), before, *ty)
                });
                after.map(|s| (*normal, s)).into_iter().chain(thrown.map(|s| (*unwind, s))).collect()
            }
            Terminator::Unreachable => vec![],
            Terminator::Other(what) => {
                self.give_up(format!("`{what}` is not followed"));
                vec![]
            }
        }
    }

    fn switch(
        &mut self,
        fr: &mut Frame,
        value: &Operand,
        default: BlockId,
        cases: &[(i128, BlockId)],
        s: State,
    ) -> Vec<(BlockId, State)> {
        let bits = self.operand_bits(fr, value).unwrap_or(32);
        let v = self.operand_int(fr, value, bits);
        let v = self.interpret(v, bits, true);
        let mut others = vec![];
        let mut by_target: Vec<(BlockId, Vec<TermId>)> = vec![];
        for (k, to) in cases {
            let k = self.arena.int(*k);
            let c = self.arena.eq(v, k);
            others.push(self.arena.not(c));
            match by_target.iter_mut().find(|(t, _)| t == to) {
                Some((_, cs)) => cs.push(c),
                None => by_target.push((*to, vec![c])),
            }
        }
        let none = self.arena.and_all(others);
        match by_target.iter_mut().find(|(t, _)| *t == default) {
            Some((_, cs)) => cs.push(none),
            None => by_target.push((default, vec![none])),
        }
        let mut out = vec![];
        for (to, cs) in by_target {
            let c = self.arena.or_all(cs);
            if let Some(s) = self.assume(s.clone(), c) {
                out.push((to, s));
            }
        }
        out
    }

    // ---- globals ----

    /// The object of a global variable, with its initial contents put into the state on first use.
    pub(in crate::symbolic) fn global_object(&mut self, module: ModuleId, id: crate::ir::GlobalId) -> ObjId {
        let r = self.program.resolve_global(module, id);
        let g = self.program.global(r);
        let host = self.program.module(r.module).side == Side::Host;
        if let Some(o) = self.global_ids.get(&(r, host)) {
            return *o;
        }
        let size = self.program.module(r.module).size_of(g.ty);
        let kind = if host {
            ObjKind::HostGlobal(r)
        } else {
            match g.space {
                crate::ir::space::SHARED if size == 0 || !g.defined => ObjKind::SharedDynamic,
                crate::ir::space::SHARED => ObjKind::SharedStatic(r),
                crate::ir::space::CONSTANT => ObjKind::Constant(r),
                _ => ObjKind::DeviceGlobal(r),
            }
        };
        if kind == ObjKind::SharedDynamic
            && let Some(o) = self.kernel.thread.as_ref().and_then(|t| t.shared)
        {
            if self.objects[o.0 as usize].name.is_empty() {
                self.objects[o.0 as usize].name.clone_from(&g.source_name);
            }
            return o;
        }
        let known = size > 0 && (g.defined || !host);
        let extent = known.then(|| self.arena.int(i128::from(size)));
        let o = self.new_object(Object {
            kind,
            name: g.source_name.clone(),
            extent,
            site: Some((r.module, g.loc)),
            func: None,
            array: true,
        });
        self.global_ids.insert((r, host), o);
        o
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

    /// The axis of a thread builtin's suffix.
    #[must_use]
    pub fn axis(c: &str) -> Option<(usize, Axis)> {
        match c {
            "x" => Some((0, Axis::X)),
            "y" => Some((1, Axis::Y)),
            "z" => Some((2, Axis::Z)),
            _ => None,
        }
    }

    /// Whether a term rests on something that is not modelled; returns the reasons.
    #[must_use]
    pub fn unknowns_of(&self, roots: &[TermId]) -> Vec<String> {
        let mut out: Vec<String> = vec![];
        for t in self.arena.cone(roots) {
            let reason = match self.arena.get(t) {
                Term::Sym(s) | Term::BoolSym(s) => match &self.arena.symbol(*s).kind {
                    SymKind::Unknown { reason } => Some(reason.clone()),
                    _ => None,
                },
                Term::Apply { name, .. } if name != "content" => None,
                _ => None,
            };
            if let Some(r) = reason
                && !out.contains(&r)
            {
                out.push(r);
            }
        }
        out
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
