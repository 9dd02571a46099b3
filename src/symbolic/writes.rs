//! What a kernel may write, from its code alone: the memory that some of its parameters lead to, and device variables.
//!
//! In: device functions. Out: for each, parameters and variables. The order of instructions and the conditions under which
//! they run do not count, so that it holds of every launch: what a launch does not write is afterwards what it was before.
//! Addresses are followed through variables, address arithmetic and calls; "what a parameter leads to" is all memory that is
//! reached from it, through however many pointers.

use crate::ir::{Callee, CastOp, Const, FuncRef, GlobalRef, Module, Op, Operand, Program, Step, Terminator, TypeId, TypeKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Parameters and members that are told apart; of a function with more parameters nothing is known.
const PARAMETERS: usize = 64;

/// Where addresses may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reach {
    /// By number, one bit each; behind them members of parameters that are structures, as [`Summary::members`] has them.
    params: u64,
    globals: FxHashSet<GlobalRef>,
    /// Variables of the function itself, and memory that it got from `malloc` or `new`.
    locals: FxHashSet<ValueId>,
    anywhere: bool,
}

impl Reach {
    fn of_param(i: usize) -> Self { Self { params: 1 << i, ..Self::default() } }
    fn is_empty(&self) -> bool { self.leads_nowhere() && self.locals.is_empty() }
    /// To nothing but the function's own variables.
    fn leads_nowhere(&self) -> bool { self.params == 0 && self.globals.is_empty() && !self.anywhere }

    /// Whether that made it larger.
    fn add(&mut self, other: &Self) -> bool {
        let before = (self.params, self.globals.len(), self.locals.len(), self.anywhere);
        self.params |= other.params;
        self.globals.extend(&other.globals);
        self.locals.extend(&other.locals);
        self.anywhere |= other.anywhere;
        before != (self.params, self.globals.len(), self.locals.len(), self.anywhere)
    }

    fn outside(&self) -> Self { Self { locals: FxHashSet::default(), ..self.clone() } }
}

/// What a function does with the memory that it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Summary {
    writes: Reach,
    returns: Reach,
    /// Parameters in whose memory addresses are put, and those that these come from: from then on each may lead where the
    /// others do.
    mixed: u64,
    /// Addresses in parameters that are structures: the parameter's number, and where in it in bytes.
    members: Vec<(usize, i64)>,
}

/// What a kernel may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writes {
    params: u64,
    members: Vec<(usize, i64)>,
    globals: FxHashSet<GlobalRef>,
    anything: bool,
}

impl Writes {
    /// Of code that is not known.
    #[must_use]
    pub fn anything() -> Self { Self { params: u64::MAX, members: vec![], globals: FxHashSet::default(), anything: true } }

    /// Whether it may write to memory that parameter number `i` leads to.
    #[must_use]
    pub fn through(&self, i: usize) -> bool { self.anything || i >= PARAMETERS || self.params >> i & 1 == 1 }

    /// Places in parameter number `i`, a structure, that hold addresses through which it may write; in bytes.
    pub fn members(&self, i: usize) -> impl Iterator<Item = i64> { self.members.iter().filter(move |m| m.0 == i).map(|m| m.1) }

    /// Whether it may write to the variable.
    #[must_use]
    pub fn to(&self, g: GlobalRef) -> bool { self.anything || self.globals.contains(&g) }
}

/// What kernels write, each looked at once.
#[derive(Default)]
pub struct Writers {
    kernels: FxHashMap<FuncRef, Rc<Writes>>,
    /// `None` while a function is being looked at: it calls itself.
    functions: FxHashMap<FuncRef, Option<Rc<Summary>>>,
}

impl Summary {
    fn told_apart(&self, w: &Reach) -> Writes {
        let first = PARAMETERS - self.members.len();
        let members = self.members.iter().enumerate().filter(|(m, _)| w.params >> (first + m) & 1 == 1).map(|(_, m)| *m).collect();
        Writes { params: w.params & whole(first), members, globals: w.globals.clone(), anything: false }
    }

    /// Parameters, those instead of their members.
    fn params(&self, bits: u64) -> u64 {
        let first = PARAMETERS - self.members.len();
        self.members.iter().enumerate().filter(|(m, _)| bits >> (first + m) & 1 == 1).fold(bits & whole(first), |all, (_, (i, _))| all | 1 << i)
    }
}

/// So many bits, from the lowest on.
const fn whole(n: usize) -> u64 { if n >= 64 { u64::MAX } else { (1 << n) - 1 } }

impl Writers {
    pub fn of(&mut self, program: &Program, kernel: FuncRef) -> Rc<Writes> {
        if let Some(w) = self.kernels.get(&kernel) { return Rc::clone(w); }
        let summary = self.summary(program, kernel);
        let w = &summary.writes;
        let writes = if w.anywhere || program.func(kernel).is_declaration() { Writes::anything() } else { summary.told_apart(w) };
        let writes = Rc::new(writes);
        self.kernels.insert(kernel, Rc::clone(&writes));
        writes
    }

    fn summary(&mut self, program: &Program, f: FuncRef) -> Rc<Summary> {
        let unknown = || Rc::new(Summary { writes: Reach { anywhere: true, ..Reach::default() }, returns: Reach { anywhere: true, ..Reach::default() }, mixed: u64::MAX, members: vec![] });
        if let Some(known) = self.functions.get(&f) { return known.clone().unwrap_or_else(unknown); }
        let func = program.func(f);
        if func.params.len() > PARAMETERS { return unknown(); }
        self.functions.insert(f, None);
        let mut walk = Walk { program, f, m: program.module(f.module), values: FxHashMap::default(), contents: FxHashMap::default(), out: Summary { members: members(program, f), ..Summary::default() }, changed: true };
        for i in 0..func.params.len() { if let Ok(v) = u32::try_from(i) { walk.values.insert(ValueId(v), Reach::of_param(i)); } }
        while walk.changed {
            walk.changed = false;
            for b in &func.blocks {
                for inst in &b.insts { walk.step(self, inst.result, inst.ty, &inst.op); }
                match &b.term {
                    Terminator::Ret(Some(o)) => { let r = walk.deep(&walk.reach(o)); walk.out.returns.add(&r.outside()); }
                    Terminator::Invoke { result, ty, callee, args, .. } => walk.call(self, *result, *ty, callee, args),
                    Terminator::Other(_) => { walk.out.writes.anywhere = true; }
                    _ => {}
                }
            }
        }
        let out = Rc::new(walk.out);
        self.functions.insert(f, Some(Rc::clone(&out)));
        out
    }
}

/// One function, until nothing changes any more.
struct Walk<'p> {
    program: &'p Program,
    f: FuncRef,
    m: &'p Module,
    values: FxHashMap<ValueId, Reach>,
    /// Of the function's variables: where addresses in them lead.
    contents: FxHashMap<ValueId, Reach>,
    out: Summary,
    changed: bool,
}

impl Walk<'_> {
    fn reach(&self, o: &Operand) -> Reach {
        match o {
            Operand::Value(v) => self.values.get(v).cloned().unwrap_or_default(),
            Operand::Const(c) => self.of_constant(c),
        }
    }

    fn of_constant(&self, c: &Const) -> Reach {
        match c {
            Const::Global { id, .. } => Reach { globals: std::iter::once(self.program.resolve_global(self.f.module, *id)).collect(), ..Reach::default() },
            Const::Aggregate { elems, .. } => { let mut r = Reach::default(); for e in elems { r.add(&self.of_constant(e)); } r }
            Const::Opaque { .. } => Reach { anywhere: true, ..Reach::default() },
            Const::Int { .. } | Const::Float { .. } | Const::Zero(_) | Const::Undef(_) | Const::Func(_) | Const::Bytes { .. } => Reach::default(),
        }
    }

    /// With what is reached through the function's own variables.
    fn deep(&self, r: &Reach) -> Reach {
        let mut out = r.clone();
        let mut work: Vec<ValueId> = r.locals.iter().copied().collect();
        while let Some(l) = work.pop() {
            let Some(c) = self.contents.get(&l) else { continue };
            work.extend(c.locals.iter().filter(|x| !out.locals.contains(x)));
            out.add(c);
        }
        out
    }

    fn set(&mut self, v: Option<ValueId>, r: &Reach) {
        if let Some(v) = v && !r.is_empty() { self.changed |= self.values.entry(v).or_default().add(r); }
    }

    /// Whether values of a type may hold addresses.
    fn holds_addresses(&self, ty: TypeId) -> bool {
        match &self.m.ty(ty).kind {
            TypeKind::Ptr(_) | TypeKind::Other(_) => true,
            TypeKind::Array { elem, .. } | TypeKind::Vector { elem, .. } => self.holds_addresses(*elem),
            TypeKind::Struct { fields, .. } => fields.iter().any(|f| self.holds_addresses(f.ty)),
            TypeKind::Void | TypeKind::Int(_) | TypeKind::Float(_) => false,
        }
    }

    /// What is read through an address: what variables of the function hold; of other memory any address that it holds.
    fn loaded(&self, from: &Reach, addresses: bool) -> Reach {
        let mut out = if addresses { from.outside() } else { Reach::default() };
        // An address of which nothing is known, not even that it is the function's own.
        out.anywhere |= addresses && from.is_empty();
        // A variable of the device may have been given any address by other code.
        out.anywhere |= addresses && !from.globals.is_empty();
        for l in &from.locals { if let Some(c) = self.contents.get(l) { out.add(c); } }
        out
    }

    /// An address read of a parameter that is a structure.
    fn member(&self, ptr: &Operand) -> Option<Reach> {
        let place = self.place_in_parameter(ptr)?;
        let m = self.out.members.iter().position(|m| *m == place)?;
        Some(Reach { params: 1 << (PARAMETERS - self.out.members.len() + m), ..Reach::default() })
    }

    fn place_in_parameter(&self, ptr: &Operand) -> Option<(usize, i64)> {
        let Operand::Value(v) = ptr else { return None };
        let func = self.program.func(self.f);
        if v.index() < func.params.len() { return Some((v.index(), 0)); }
        let Some(Op::Gep { base, steps, .. }) = func.blocks.iter().flat_map(|b| &b.insts).find(|i| i.result == Some(*v)).map(|i| &i.op) else { return None };
        steps.iter().try_fold(self.place_in_parameter(base)?, |(i, at), s| match s {
            Step::Field { offset, .. } => Some((i, at.checked_add_unsigned(*offset)?)),
            Step::Index { index: Operand::Const(Const::Int { value, .. }), stride, .. } => Some((i, at.checked_add(i64::try_from(*value).ok()?.checked_mul(i64::try_from(*stride).ok()?)?)?)),
            Step::Index { .. } => None,
        })
    }

    fn write(&mut self, to: &Reach, value: &Reach) {
        self.changed |= self.out.writes.add(&to.outside());
        self.mix(self.out.mixed);
        if value.is_empty() { return; }
        if to.is_empty() { self.everywhere(); return; }
        for l in &to.locals { self.changed |= self.contents.entry(*l).or_default().add(value); }
        if to.leads_nowhere() { return; }
        // What a variable or a place that is not known leads to is not told apart any more.
        let value = self.deep(value);
        if value.anywhere || !value.globals.is_empty() || !value.locals.is_empty() || to.anywhere || !to.globals.is_empty() { self.everywhere(); return; }
        self.mix(value.params | to.params);
    }

    fn everywhere(&mut self) { self.changed |= self.out.writes.add(&Reach { anywhere: true, ..Reach::default() }); }

    /// From now on these parameters lead to the same memory.
    fn mix(&mut self, params: u64) {
        if params.count_ones() < 2 { return; }
        let mixed = self.out.mixed | params;
        self.changed |= mixed != self.out.mixed;
        self.out.mixed = mixed;
        if self.out.writes.params & mixed != 0 { self.changed |= self.out.writes.add(&Reach { params: mixed, ..Reach::default() }); }
    }

    fn step(&mut self, all: &mut Writers, result: Option<ValueId>, ty: TypeId, op: &Op) {
        match op {
            Op::Alloca { .. } => if let Some(v) = result { self.set(result, &Reach { locals: std::iter::once(v).collect(), ..Reach::default() }); },
            Op::Load { ptr, .. } => {
                let r = self.member(ptr).unwrap_or_else(|| self.loaded(&self.reach(ptr), self.holds_addresses(ty)));
                self.set(result, &r);
            }
            Op::Store { ptr, value, .. } => { let (p, v) = (self.reach(ptr), self.reach(value)); self.write(&p, &v); }
            Op::AtomicRmw { ptr, value: new, .. } | Op::CmpXchg { ptr, new, .. } => {
                let (p, v) = (self.reach(ptr), self.reach(new));
                self.write(&p, &v);
                let r = self.loaded(&p, self.holds_addresses(ty));
                self.set(result, &r);
            }
            Op::MemCopy { dst, src, .. } => { let (d, s) = (self.reach(dst), self.reach(src)); let held = self.loaded(&s, true); self.write(&d, &held); }
            Op::MemSet { dst, .. } => { let d = self.reach(dst); self.write(&d, &Reach::default()); }
            Op::Cast { op: CastOp::IntToPtr, value, .. } => {
                let mut r = self.reach(value);
                // A number that no address went into.
                r.anywhere |= r.is_empty() && !matches!(value, Operand::Const(_));
                self.set(result, &r);
            }
            // Too short for an address.
            Op::Cast { op: CastOp::Trunc, .. } => {}
            Op::Gep { base, .. } => { let r = self.reach(base); self.set(result, &r); }
            Op::Call { callee, args } => self.call(all, result, ty, callee, args),
            Op::Asm { args, .. } | Op::Other { args, .. } => self.opaque(result, ty, args, true),
            Op::Icmp { .. } | Op::Fcmp { .. } | Op::Lifetime { .. } | Op::Assume(_) | Op::Fence => {}
            other => {
                let mut r = Reach::default();
                other.operands(&mut |o| { r.add(&self.reach(o)); });
                self.set(result, &r);
            }
        }
    }

    /// Something that may write wherever its arguments lead; `keeps`: them too.
    fn opaque(&mut self, result: Option<ValueId>, ty: TypeId, args: &[Operand], keeps: bool) {
        let mut r = Reach::default();
        for a in args { r.add(&self.deep(&self.reach(a))); }
        self.write(&r, &if keeps { r.clone() } else { Reach::default() });
        if self.holds_addresses(ty) { self.set(result, &Reach { anywhere: true, ..Reach::default() }); }
    }

    fn call(&mut self, all: &mut Writers, result: Option<ValueId>, ty: TypeId, callee: &Callee, args: &[Operand]) {
        let Callee::Direct(id) = callee else { return self.everywhere() };
        let target = self.program.resolve_func(self.f.module, *id);
        let func = self.program.func(target);
        if func.is_declaration() {
            if is_plain_load(&func.name) { let mut r = Reach::default(); for a in args { r.add(&self.loaded(&self.reach(a), self.holds_addresses(ty))); } self.set(result, &r); return; }
            if is_fresh_memory(&func.name) {
                if let Some(v) = result { self.set(result, &Reach { locals: std::iter::once(v).collect(), ..Reach::default() }); }
                return;
            }
            return self.opaque(result, ty, args, !keeps_nothing(&func.name));
        }
        let summary = all.summary(self.program, target);
        let given: Vec<Reach> = args.iter().map(|a| self.deep(&self.reach(a))).collect();
        let of = |params: u64| { let mut r = Reach::default(); for (i, g) in given.iter().enumerate() { if params >> i & 1 == 1 { r.add(g); } } r };
        let here = |r: &Reach| { let mut out = of(summary.params(r.params)); out.add(&Reach { params: 0, ..r.clone() }); out };
        self.write(&here(&summary.writes), &Reach::default());
        let mixed = of(summary.params(summary.mixed));
        if !mixed.is_empty() { self.write(&mixed, &mixed); }
        self.set(result, &here(&summary.returns));
    }
}

/// The addresses in those parameters of a function that are structures, as far as there is room for them.
fn members(program: &Program, f: FuncRef) -> Vec<(usize, i64)> {
    let (m, func) = (program.module(f.module), program.func(f));
    let mut out = vec![];
    for (i, p) in func.params.iter().enumerate() { if let Some(ty) = p.byval { addresses(m, ty, 0, &mut |at| out.push((i, at))); } }
    out.truncate(PARAMETERS - func.params.len());
    out
}

/// Where a type has addresses, in bytes from `at`.
fn addresses(m: &Module, ty: TypeId, at: i64, found: &mut impl FnMut(i64)) {
    match &m.ty(ty).kind {
        TypeKind::Ptr(_) => found(at),
        TypeKind::Struct { fields, .. } => for f in fields { if let Some(at) = at.checked_add_unsigned(f.offset) { addresses(m, f.ty, at, &mut *found); } },
        _ => {}
    }
}

/// Intrinsics that only read.
fn is_plain_load(name: &str) -> bool { name.starts_with("llvm.nvvm.ldg.") || name.starts_with("llvm.nvvm.ldu.") }

/// Intrinsics, the device's mathematics and output put no address anywhere.
fn keeps_nothing(name: &str) -> bool { name.starts_with("llvm.") || name.starts_with("__nv_") || matches!(name, "vprintf" | "__assertfail" | "__assert_fail") }

/// What gives memory that nothing pointed to before.
fn is_fresh_memory(name: &str) -> bool { matches!(name, "malloc" | "_Znwm" | "_Znam") }
