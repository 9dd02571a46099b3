//! Variables that nothing writes but dynamic initialisers, as registries of functions are (C++ [basic.start.dynamic]).
//!
//! In: a linked program. Out: the host variables that no code may write after the initialisers ran, each with the guards of
//! local static variables that must be set by then. Addresses are followed by unification, without regard to order and
//! members (Steensgaard, POPL 1996): each value has one class of objects that it may point to, and each store writes
//! the class of its address. A store is one of an initialiser if its function is called by initialisers alone, or
//! if it lies behind the guard of a local static variable (Itanium C++ ABI, 3.3.2), which lets it happen once. Code
//! outside the program may write what it can name, and what its address was given to it; it calls no inline function that
//! the program itself has for initialisers alone (units that were not seen are an assumption of every verdict).

use super::initialising_calls::{GuardSet, InitialisingCalls, symbol};
use super::reach::{Mentions, Reach};
use super::{
    BlockId, Callee, CastOp, Const, FuncRef, GlobalId, GlobalRef, Linkage, ModuleId, Op, Operand, Program, Side,
    Terminator, TypeId, TypeKind, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Functions of the C++ runtime that touch no variable but a guard, or run after everything else (Itanium C++ ABI,
/// 3.3.2 and 3.3.6).
const OF_THE_RUNTIME: &[&str] =
    &["__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort", "__cxa_atexit", "__cxa_thread_atexit"];

/// Functions that return new memory.
const ALLOCATES: &[&str] = &["malloc", "calloc", "_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"];

/// Functions that end the life of memory, which no variable has.
const FREES: &[&str] =
    &["free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t"];

/// Functions with stores to a variable, each with whether some store is not behind a guard.
type Writers = FxHashMap<FuncRef, bool>;

/// Variables that nothing writes after the initialisers ran, if these guards are set by then.
#[derive(Clone, Debug, Default)]
pub struct InitialisedOnce {
    variables: FxHashMap<GlobalRef, GuardSet>,
    /// Functions that write a variable, by variable, each with whether some store is not behind a guard.
    writers: FxHashMap<GlobalRef, Writers>,
    /// Functions that only initialisers call.
    initialising: FxHashSet<FuncRef>,
}

impl InitialisedOnce {
    /// Finds the variables of a program; none if it has code that is not modelled.
    #[must_use]
    pub fn of(program: &Program, reach: &Reach) -> Self {
        let Some(constructors) = program.constructors().filter(|all| !all.is_empty()) else { return Self::default() };
        let calls = InitialisingCalls::of(program, reach, &constructors);
        let mut classes = PointerClasses::new(program, reach, &calls);
        let (variables, writers) = if classes.solve() { classes.variables() } else { Default::default() };
        Self { variables, writers, initialising: calls.functions.into_keys().collect() }
    }

    /// Returns the guards of a variable that nothing writes after the initialisers.
    #[must_use]
    pub fn guards(&self, variable: GlobalRef) -> Option<&BTreeSet<GlobalRef>> {
        self.variables.get(&variable)
    }

    /// Whether a variable is one of them, or the guard of one.
    #[must_use]
    pub fn is_settled(&self, variable: GlobalRef) -> bool {
        self.variables.contains_key(&variable) || self.variables.values().any(|guards| guards.contains(&variable))
    }

    /// Returns the variables that an initialiser may write, among those that initialisers alone write: it leads to a function that
    /// does, by calls of functions or through pointers. What happens behind a guard is the same whoever comes first: there,
    /// calls by name suffice.
    pub fn written_from(&self, reach: &Reach, initialiser: FuncRef) -> Vec<GlobalRef> {
        // Nobody has the address of a function that only initialisers call, but the table of constructors.
        let through_pointers = |f: FuncRef| !self.initialising.contains(&f);
        let called = [reach.called_from(initialiser, |_| false), reach.called_from(initialiser, through_pointers)];
        let writes = |by: &Writers| by.iter().any(|(f, at_any_time)| called[usize::from(*at_any_time)].contains(f));
        let mut out: Vec<GlobalRef> =
            self.writers.iter().filter(|(_, by)| writes(by)).map(|(variable, _)| *variable).collect();
        out.sort_unstable();
        out
    }

    /// Whether only initialisers call a function.
    #[must_use]
    pub fn is_initialising(&self, f: FuncRef) -> bool {
        self.initialising.contains(&f)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }
}

/// A value, or an object, that has a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PointerNode {
    Value(FuncRef, ValueId),
    Result(FuncRef),
    /// Object of a variable, and its address.
    Variable(GlobalRef),
    AddressOf(GlobalRef),
    /// Parameter and result of the functions with so many parameters whose address is taken.
    TakenParameter(usize, usize),
    TakenResult(usize),
    /// Local variable or memory that an instruction makes.
    Made(FuncRef, u32, u32),
    /// Object that code outside the program has, or that some address of unknown origin leads to.
    Outside,
    /// Object that a number leads to, which was computed from addresses.
    Computed,
}

/// Equivalence classes of objects, by unification.
struct PointerClasses<'p> {
    program: &'p Program,
    taken: &'p [FuncRef],
    calls: &'p InitialisingCalls,
    nodes: FxHashMap<PointerNode, u32>,
    parent: Vec<u32>,
    /// Class of what the members of a class point to.
    pointee: Vec<Option<u32>>,
    /// Stores by the class of the object written, each with its function; `None` for one that may happen at any time.
    stores: Vec<(u32, FuncRef, Option<GuardSet>)>,
}

/// StorePlace of an instruction: function, block, and its number there.
#[derive(Clone, Copy)]
struct StorePlace {
    f: FuncRef,
    block: u32,
    inst: u32,
}

impl<'p> PointerClasses<'p> {
    fn new(program: &'p Program, reach: &'p Reach, calls: &'p InitialisingCalls) -> Self {
        let mut all = Self {
            program,
            taken: reach.taken(),
            calls,
            nodes: FxHashMap::default(),
            parent: vec![],
            pointee: vec![],
            stores: vec![],
        };
        let outside = all.node(PointerNode::Outside);
        all.pointee[outside as usize] = Some(outside);
        all
    }

    fn node(&mut self, n: PointerNode) -> u32 {
        if let Some(known) = self.nodes.get(&n) {
            return *known;
        }
        let id = u32::try_from(self.parent.len()).expect("fewer than 2^32 values: programs have millions");
        self.nodes.insert(n, id);
        self.parent.push(id);
        self.pointee.push(None);
        id
    }

    fn find(&mut self, mut c: u32) -> u32 {
        while self.parent[c as usize] != c {
            let up = self.parent[self.parent[c as usize] as usize];
            self.parent[c as usize] = up;
            c = up;
        }
        c
    }

    /// Returns the class that the members of a class point to.
    fn behind(&mut self, c: u32) -> u32 {
        let c = self.find(c);
        if let Some(p) = self.pointee[c as usize] {
            return self.find(p);
        }
        let fresh = u32::try_from(self.parent.len()).expect("fewer than 2^32 values: programs have millions");
        self.parent.push(fresh);
        self.pointee.push(None);
        self.pointee[c as usize] = Some(fresh);
        fresh
    }

    fn join(&mut self, a: u32, b: u32) {
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.parent[b as usize] = a;
            match (self.pointee[a as usize], self.pointee[b as usize]) {
                (Some(x), Some(y)) => open.push((x, y)),
                (None, y) => self.pointee[a as usize] = y,
                (Some(_), None) => {}
            }
        }
    }

    /// States that two values may point to the same.
    fn same(&mut self, a: u32, b: u32) {
        let (a, b) = (self.behind(a), self.behind(b));
        self.join(a, b);
    }

    /// States that a value may point to this object.
    fn leads_to(&mut self, value: u32, object: PointerNode) {
        let (behind, object) = (self.behind(value), self.node(object));
        self.join(behind, object);
    }

    /// Returns the node of an operand that may hold an address.
    fn operand(&mut self, f: FuncRef, o: &Operand) -> Option<u32> {
        match o {
            Operand::Value(v) => Some(self.node(PointerNode::Value(f, *v))),
            Operand::Const(c) => self.constant(f.module, c),
        }
    }

    fn constant(&mut self, m: ModuleId, c: &Const) -> Option<u32> {
        match c {
            Const::Global { id, .. } => {
                let g = self.program.resolve_global(m, *id);
                let address = self.node(PointerNode::AddressOf(g));
                self.leads_to(address, PointerNode::Variable(g));
                Some(address)
            }
            Const::Aggregate { elems, .. } => {
                let parts: Vec<u32> = elems.iter().filter_map(|e| self.constant(m, e)).collect();
                let (first, rest) = parts.split_first()?;
                rest.iter().for_each(|other| self.same(*first, *other));
                Some(*first)
            }
            Const::Address { .. } | Const::Opaque { .. } => {
                let outside = self.node(PointerNode::Outside);
                // Somebody has these addresses as numbers.
                let mut mentioned = Mentions::default();
                mentioned.add_constant(self.program, m, c);
                for g in mentioned.globals {
                    let object = self.node(PointerNode::Variable(g));
                    self.join(object, outside);
                }
                Some(outside)
            }
            _ => None,
        }
    }

    /// Whether a value of this type may hold an address, or part of one.
    fn carries(&self, m: ModuleId, ty: TypeId) -> bool {
        let m = self.program.module(m);
        !matches!(m.ty(ty).kind, TypeKind::Void | TypeKind::Int(1))
    }

    /// Makes functions whose address is taken one for each number of parameters: any call through a pointer may reach them.
    fn unite_taken(&mut self) {
        for f in self.taken {
            let func = self.program.func(*f);
            if func.is_declaration() {
                continue;
            }
            let count = func.params.len();
            for i in 0..count {
                let (all, own) = (PointerNode::TakenParameter(count, i), PointerNode::Value(*f, parameter(i)));
                let (all, own) = (self.node(all), self.node(own));
                self.same(all, own);
            }
            let (all, own) = (self.node(PointerNode::TakenResult(count)), self.node(PointerNode::Result(*f)));
            self.same(all, own);
        }
    }

    /// Follows all code of the host; whether all of it is modelled.
    fn solve(&mut self) -> bool {
        self.unite_taken();
        let program = self.program;
        for (mi, m) in (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Host) {
            for (gi, g) in (0u32..).zip(&m.globals) {
                self.variable(GlobalRef { module: ModuleId(mi), global: GlobalId(gi) }, g.init.as_ref());
            }
        }
        for (r, m, f) in program.functions() {
            if m.side != Side::Host || f.is_declaration() {
                continue;
            }
            if matches!(f.linkage, Linkage::External | Linkage::Instance | Linkage::Weak) || self.taken.contains(&r) {
                // Its caller may give it any address that it has.
                for i in 0..f.params.len() {
                    let v = self.node(PointerNode::Value(r, parameter(i)));
                    self.leads_to(v, PointerNode::Outside);
                }
                let result = self.node(PointerNode::Result(r));
                self.leads_to(result, PointerNode::Outside);
            }
            for (bi, b) in (0u32..).zip(&f.blocks) {
                for (ii, inst) in (0u32..).zip(&b.insts) {
                    let result =
                        inst.result.filter(|_| self.carries(r.module, inst.ty)).map(|v| PointerNode::Value(r, v));
                    self.instruction(StorePlace { f: r, block: bi, inst: ii }, result, &inst.op);
                }
                if !self.terminator(StorePlace { f: r, block: bi, inst: u32::MAX }, &b.term) {
                    return false;
                }
            }
        }
        true
    }

    fn variable(&mut self, own: GlobalRef, init: Option<&Const>) {
        let g = self.program.resolve_global(own.module, own.global);
        let object = self.node(PointerNode::Variable(g));
        let global = self.program.global(g);
        let is_ours = global.defined && matches!(global.linkage, Linkage::Internal | Linkage::Odr);
        if !is_ours || self.program.is_managed(g) {
            let outside = self.node(PointerNode::Outside);
            self.join(object, outside);
        }
        if let Some(held) = init.and_then(|c| self.constant(own.module, c)) {
            self.same(object, held);
        }
    }

    fn store(&mut self, at: StorePlace, ptr: &Operand, value: Option<&Operand>) {
        let Some(p) = self.operand(at.f, ptr) else { return };
        let object = self.behind(p);
        if let Some(v) = value.and_then(|v| self.operand(at.f, v)) {
            self.same(object, v);
        }
        self.stores.push((object, at.f, self.calls.at(at.f, BlockId(at.block))));
    }

    /// States that a number is computed from these values.
    fn compute(&mut self, f: FuncRef, result: Option<PointerNode>, from: &[&Operand]) {
        let values: Vec<u32> = from.iter().filter_map(|o| self.operand(f, o)).collect();
        let result = result.map(|r| self.node(r));
        for v in values.into_iter().chain(result) {
            self.leads_to(v, PointerNode::Computed);
        }
    }

    /// Gives these values to code that is not known.
    fn escape(&mut self, f: FuncRef, result: Option<PointerNode>, values: &[Operand]) {
        let values: Vec<u32> = values.iter().filter_map(|o| self.operand(f, o)).collect();
        let result = result.map(|r| self.node(r));
        for v in values.into_iter().chain(result) {
            self.leads_to(v, PointerNode::Outside);
        }
    }

    fn copies(&mut self, f: FuncRef, result: Option<PointerNode>, from: &[&Operand]) {
        let Some(result) = result.map(|r| self.node(r)) else { return };
        for o in from {
            if let Some(v) = self.operand(f, o) {
                self.same(result, v);
            }
        }
    }

    fn instruction(&mut self, at: StorePlace, result: Option<PointerNode>, op: &Op) {
        let f = at.f;
        match op {
            Op::Alloca { .. } => {
                let Some(r) = result.map(|r| self.node(r)) else { return };
                self.leads_to(r, PointerNode::Made(f, at.block, at.inst));
            }
            Op::Load { ptr, .. } => {
                let (Some(p), Some(r)) = (self.operand(f, ptr), result) else { return };
                let (object, r) = (self.behind(p), self.node(r));
                self.same(r, object);
            }
            Op::Store { ptr, value, .. } => self.store(at, ptr, Some(value)),
            Op::AtomicRmw { ptr, value, .. } => {
                self.store(at, ptr, Some(value));
                self.loaded(f, ptr, result);
            }
            Op::CmpXchg { ptr, new, .. } => {
                self.store(at, ptr, Some(new));
                self.loaded(f, ptr, result);
            }
            Op::MemCopy { dst, src, .. } => {
                if let (Some(d), Some(s)) = (self.operand(f, dst), self.operand(f, src)) {
                    let (d, s) = (self.behind(d), self.behind(s));
                    self.same(d, s);
                }
                self.store(at, dst, None);
            }
            Op::MemSet { dst, .. } => self.store(at, dst, None),
            Op::Gep { base, .. } => self.copies(f, result, &[base]),
            Op::Cast { op: CastOp::AddrSpaceCast, value, .. } | Op::Freeze(value) => self.copies(f, result, &[value]),
            Op::Cast { value, .. } => {
                self.compute(f, result, &[value]);
            }
            Op::Bin { a, b, .. } => self.compute(f, result, &[a, b]),
            Op::Select { a, b, .. } => self.copies(f, result, &[a, b]),
            Op::Phi(edges) => self.copies(f, result, &edges.iter().map(|(_, o)| o).collect::<Vec<_>>()),
            Op::ExtractValue { agg, .. } => self.copies(f, result, &[agg]),
            Op::InsertValue { agg, value, .. } => self.copies(f, result, &[agg, value]),
            Op::ExtractElement { vec, .. } => self.copies(f, result, &[vec]),
            Op::InsertElement { vec, value, .. } => self.copies(f, result, &[vec, value]),
            Op::Shuffle { a, b, .. } => self.copies(f, result, &[a, b]),
            Op::Call { callee, args } => self.call(at, result, callee, args),
            Op::Asm { args, .. } | Op::Other { args, .. } => self.escape(f, result, args),
            Op::Icmp { .. } | Op::Fcmp { .. } | Op::FNeg(_) | Op::Fence | Op::Assume(_) | Op::Lifetime { .. } => {}
        }
    }

    fn loaded(&mut self, f: FuncRef, ptr: &Operand, result: Option<PointerNode>) {
        let (Some(p), Some(r)) = (self.operand(f, ptr), result) else { return };
        let (object, r) = (self.behind(p), self.node(r));
        self.same(r, object);
    }

    fn terminator(&mut self, at: StorePlace, term: &Terminator) -> bool {
        match term {
            Terminator::Ret(Some(o)) => self.copies(at.f, Some(PointerNode::Result(at.f)), &[o]),
            Terminator::Invoke { result, ty, callee, args, .. } => {
                let result = result.filter(|_| self.carries(at.f.module, *ty)).map(|v| PointerNode::Value(at.f, v));
                self.call(at, result, callee, args);
            }
            Terminator::Other(_) => return false,
            _ => {}
        }
        true
    }

    fn call(&mut self, at: StorePlace, result: Option<PointerNode>, callee: &Callee, args: &[Operand]) {
        let program = self.program;
        match callee {
            Callee::Direct(id) => {
                let f = program.resolve_func(at.f.module, *id);
                let func = program.func(f);
                let name = symbol(func);
                if OF_THE_RUNTIME.contains(&name) || FREES.contains(&name) {
                } else if ALLOCATES.contains(&name) {
                    let Some(r) = result.map(|r| self.node(r)) else { return };
                    self.leads_to(r, PointerNode::Made(at.f, at.block, at.inst));
                } else if func.is_declaration() {
                    self.escape(at.f, result, args);
                } else {
                    self.enter(at.f, result, f, args);
                }
            }
            Callee::Indirect(_) => {
                // A call may pass more arguments than the function has parameters.
                for count in 0..=args.len() {
                    for (i, a) in args.iter().enumerate().take(count) {
                        if let Some(v) = self.operand(at.f, a) {
                            let p = self.node(PointerNode::TakenParameter(count, i));
                            self.same(p, v);
                        }
                    }
                    if let Some(r) = result.map(|r| self.node(r)) {
                        let returned = self.node(PointerNode::TakenResult(count));
                        self.same(r, returned);
                    }
                }
                self.escape(at.f, result, args);
            }
        }
    }

    /// Passes arguments to a function with a body, and its result back.
    fn enter(&mut self, caller: FuncRef, result: Option<PointerNode>, f: FuncRef, args: &[Operand]) {
        let params = self.program.func(f).params.len();
        for (i, a) in args.iter().enumerate().take(params) {
            if let Some(v) = self.operand(caller, a) {
                let p = self.node(PointerNode::Value(f, parameter(i)));
                self.same(p, v);
            }
        }
        if args.len() > params {
            self.escape(caller, None, &args[params..]);
        }
        if let Some(r) = result.map(|r| self.node(r)) {
            let returned = self.node(PointerNode::Result(f));
            self.same(r, returned);
        }
    }

    /// Returns the variables whose class is written by initialisers alone, with their guards and their writers.
    fn variables(&mut self) -> (FxHashMap<GlobalRef, GuardSet>, FxHashMap<GlobalRef, Writers>) {
        let mut written: FxHashMap<u32, (Option<GuardSet>, Writers)> = FxHashMap::default();
        for (object, f, under) in std::mem::take(&mut self.stores) {
            let class = self.find(object);
            let (all, writers) = written.entry(class).or_insert_with(|| (Some(GuardSet::new()), Writers::default()));
            *writers.entry(f).or_default() |= under.as_ref().is_none_or(GuardSet::is_empty);
            match (&mut *all, under) {
                (Some(all), Some(more)) => all.extend(more),
                (all, None) => *all = None,
                (None, Some(_)) => {}
            }
        }
        let outside = self.node(PointerNode::Outside);
        let outside = self.find(outside);
        let globals: Vec<(GlobalRef, u32)> = self
            .nodes
            .iter()
            .filter_map(|(n, id)| if let PointerNode::Variable(g) = n { Some((*g, *id)) } else { None })
            .collect();
        let (mut out, mut by) = (FxHashMap::default(), FxHashMap::default());
        for (g, id) in globals {
            let class = self.find(id);
            if class != outside
                && !self.program.global(g).constant
                && let Some((Some(guards), writers)) = written.get(&class)
            {
                out.insert(g, guards.clone());
                by.insert(g, writers.clone());
            }
        }
        (out, by)
    }
}

/// Returns the value of a parameter: parameters come first.
fn parameter(i: usize) -> ValueId {
    ValueId(u32::try_from(i).unwrap_or(u32::MAX))
}
