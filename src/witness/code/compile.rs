//! From the analysis form to [`Code`].

use super::flow::Flow;
use crate::ir::{
    self, BlockId, CastOp, Const, FuncRef, Function, Inst, Module, ModuleId, Op, Operand, Step, Terminator, TypeId,
    TypeKind, ValueId,
};
use crate::witness::api::Site;
use crate::witness::library::modelled;
use crate::witness::machine::form::{
    Arg, AsmInfo, CallInfo, Callee, Code, FloatPred, I, Layout, Leaf, Opd, SwitchInfo,
};
use crate::witness::machine::state::Machine;
use crate::witness::machine::value::{Reason, Val, is_float_width, mask};
use crate::witness::memory::globals::{MAX_LEAVES, is_fp80, leaves};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::rc::Rc;

impl<'p> Machine<'p> {
    /// The flat form of a function that has a body.
    pub fn code(&mut self, func: FuncRef) -> Rc<Code> {
        if let Some(c) = self.codes.get(&func) {
            return c.clone();
        }
        let program = self.program;
        let (m, f) = (program.module(func.module), program.func(func));
        let code = Rc::new(Builder::new(self, m, f, func).build());
        self.codes.insert(func, code.clone());
        code
    }
}

struct Builder<'a, 'p> {
    machine: &'a mut Machine<'p>,
    m: &'p Module,
    f: &'p Function,
    mid: ModuleId,
    code: Code,
    const_index: FxHashMap<Val, u32>,
    types: Vec<Option<TypeId>>,
    /// Jumps whose target block's position is not known yet.
    patches: Vec<(usize, Patch, BlockId)>,
    place: (u32, u32),
}

#[derive(Clone, Copy)]
enum Patch {
    Jump,
    Yes,
    No,
}

/// What an operation does to each lane.
enum Lane<'a> {
    Bin(ir::BinOp, &'a Operand, &'a Operand),
    Icmp(ir::Pred, &'a Operand, &'a Operand),
    Fcmp(FloatPred, &'a Operand, &'a Operand),
}

impl<'a, 'p> Builder<'a, 'p> {
    fn new(machine: &'a mut Machine<'p>, m: &'p Module, f: &'p Function, func: FuncRef) -> Self {
        let code = Code {
            func,
            insts: Vec::new(),
            places: Vec::new(),
            hits: Vec::new(),
            consts: Vec::new(),
            regs: 0,
            param_slots: 0,
            byval: Vec::new(),
            layouts: Vec::new(),
            calls: Vec::new(),
            switches: Vec::new(),
            asms: Vec::new(),
            names: Vec::new(),
            block_pc: Vec::new(),
            values: vec![(0, 0); f.values as usize],
            promoted: FxHashMap::default(),
            loop_regs: FxHashMap::default(),
            flow: Flow::of(f),
        };
        Self {
            machine,
            m,
            f,
            mid: func.module,
            code,
            const_index: FxHashMap::default(),
            types: vec![None; f.values as usize],
            patches: Vec::new(),
            place: (0, 0),
        }
    }

    fn build(mut self) -> Code {
        self.assign_registers();
        self.promote();
        for l in &self.code.flow.loops {
            self.code.loop_regs.insert(l.header, self.code.regs);
            self.code.regs += 1;
        }
        for bi in 0..self.f.blocks.len() {
            #[expect(clippy::cast_possible_truncation, reason = "blocks are numbered by u32")]
            self.block(BlockId(bi as u32));
        }
        for (at, which, block) in std::mem::take(&mut self.patches) {
            let to = self.code.block_pc[block.index()];
            match (&mut self.code.insts[at], which) {
                (I::Jump { pc }, _) => *pc = to,
                (I::Branch { yes, .. }, Patch::Yes) => *yes = to,
                (I::Branch { no, .. }, Patch::No) => *no = to,
                _ => {}
            }
        }
        self.code.hits = vec![Cell::new(0); self.code.insts.len()];
        self.code
    }

    fn assign_registers(&mut self) {
        let mut next = 0;
        let mut give = |code: &mut Code, types: &mut Vec<Option<TypeId>>, m: &Module, v: ValueId, ty: TypeId| {
            #[expect(clippy::cast_possible_truncation, reason = "capped by MAX_LEAVES")]
            let n = leaves(m, ty).len().min(MAX_LEAVES) as u32;
            code.values[v.index()] = (next, n);
            types[v.index()] = Some(ty);
            next += n;
        };
        for (i, p) in self.f.params.iter().enumerate() {
            #[expect(clippy::cast_possible_truncation, reason = "values are numbered by u32")]
            give(&mut self.code, &mut self.types, self.m, ValueId(i as u32), p.ty);
            if let Some(t) = p.byval {
                self.code.byval.push((self.code.values[i].0, self.m.size_of(t)));
            }
        }
        let param_slots: u32 = self.code.values[..self.f.params.len()].iter().map(|v| v.1).sum();
        for b in &self.f.blocks {
            for inst in &b.insts {
                if let Some(r) = inst.result {
                    give(&mut self.code, &mut self.types, self.m, r, inst.ty);
                }
            }
            if let Terminator::Invoke { result: Some(r), ty, .. } = &b.term {
                give(&mut self.code, &mut self.types, self.m, *r, *ty);
            }
        }
        self.code.param_slots = param_slots;
        self.code.regs = next;
    }

    /// Finds the variables that are only loaded and stored whole.
    fn promote(&mut self) {
        let mut candidates: FxHashMap<ValueId, u64> = FxHashMap::default();
        for inst in self.f.blocks.iter().flat_map(|b| &b.insts) {
            if let (Some(r), Op::Alloca { ty, count: Operand::Const(Const::Int { value: 1, .. }), .. }) =
                (inst.result, &inst.op)
            {
                let l = leaves(self.m, *ty);
                if l.len() == 1 && l[0].1 != 0 {
                    candidates.insert(r, bytes_of(l[0].1));
                }
            }
        }
        let mut bad: FxHashSet<ValueId> = FxHashSet::default();
        let scalar_bytes = |b: &Self, ty: TypeId| {
            let l = leaves(b.m, ty);
            if l.len() == 1 && l[0].1 != 0 { Some(bytes_of(l[0].1)) } else { None }
        };
        for (bi, b) in (0u32..).zip(&self.f.blocks) {
            for (ii, inst) in (0u32..).zip(&b.insts) {
                match &inst.op {
                    Op::Load { ptr: Operand::Value(p), .. } => {
                        if candidates.get(p).is_some_and(|s| scalar_bytes(self, inst.ty) != Some(*s)) {
                            bad.insert(*p);
                        }
                    }
                    Op::Store { ptr: Operand::Value(p), value, .. } => {
                        if let Operand::Value(v) = value {
                            bad.insert(*v);
                        }
                        if self.machine.names_part(Site { func: self.code.func, block: BlockId(bi), inst: ii }) {
                            bad.insert(*p);
                        }
                        if let Some(s) = candidates.get(p)
                            && self.operand_type(value).map_or_else(|| const_bytes(value), |t| scalar_bytes(self, t))
                                != Some(*s)
                        {
                            bad.insert(*p);
                        }
                    }
                    Op::Lifetime { .. } => {}
                    op => op.operands(&mut |o| {
                        if let Operand::Value(v) = o {
                            bad.insert(*v);
                        }
                    }),
                }
            }
            b.term.operands(&mut |o| {
                if let Operand::Value(v) = o {
                    bad.insert(*v);
                }
            });
        }
        for v in candidates.into_keys().filter(|v| !bad.contains(v)) {
            self.code.promoted.insert(v, self.code.regs);
            self.code.regs += 1;
        }
    }

    fn emit(&mut self, i: I) -> usize {
        self.code.insts.push(i);
        self.code.places.push(self.place);
        self.code.insts.len() - 1
    }

    #[expect(clippy::cast_possible_truncation, reason = "far fewer constants than 2^31")]
    fn constant(&mut self, v: Val) -> Opd {
        if let Some(&i) = self.const_index.get(&v) {
            return Opd::constant(i);
        }
        let i = self.code.consts.len() as u32;
        self.code.consts.push(v);
        self.const_index.insert(v, i);
        Opd::constant(i)
    }

    /// Registers or constants of an operand, and how many scalars it has.
    #[expect(clippy::cast_possible_truncation, reason = "capped by MAX_LEAVES")]
    fn operand(&mut self, o: &Operand) -> (Opd, u32) {
        match o {
            Operand::Value(v) => {
                let (r, n) = self.code.values[v.index()];
                (Opd::reg(r), n)
            }
            Operand::Const(c) => {
                let ty = const_type(c);
                let scalars = match c {
                    // Only constants that carry their type need one.
                    Const::Int { .. } | Const::Float { .. } | Const::Global { .. } | Const::Func(_) => {
                        self.machine.const_scalars(self.mid, c, TypeId(0))
                    }
                    _ => self.machine.const_scalars(self.mid, c, ty.unwrap_or(TypeId(0))),
                };
                if let [(_, _, v)] = scalars[..] {
                    return (self.constant(v), 1);
                }
                let i = self.code.consts.len() as u32;
                self.code.consts.extend(scalars.iter().map(|s| s.2));
                (Opd::constant(i), scalars.len() as u32)
            }
        }
    }

    fn one(&mut self, o: &Operand) -> Opd {
        let (opd, n) = self.operand(o);
        if n == 0 { self.constant(Val::UNINIT) } else { opd }
    }

    fn operand_type(&self, o: &Operand) -> Option<TypeId> {
        match o {
            Operand::Value(v) => self.types[v.index()],
            Operand::Const(c) => const_type(c),
        }
    }

    /// Element width in bits of an operand's scalars (128 for wide integers) and whether it is floating point.
    fn width(&self, o: &Operand) -> (u32, bool) {
        match o {
            Operand::Const(Const::Int { bits, .. }) => (*bits, false),
            Operand::Const(Const::Float { bits, .. }) => (*bits, true),
            Operand::Const(Const::Global { .. } | Const::Func(_)) => (64, false),
            o => self.operand_type(o).map_or((0, false), |t| self.type_width(t)),
        }
    }

    fn type_width(&self, ty: TypeId) -> (u32, bool) {
        match &self.m.ty(ty).kind {
            TypeKind::Int(b) => (*b, false),
            TypeKind::Float(b) => (*b, true),
            TypeKind::Ptr(_) => (64, false),
            TypeKind::Other(_) if is_fp80(self.m, ty) => (80, true),
            TypeKind::Vector { elem, .. } | TypeKind::Array { elem, .. } => self.type_width(*elem),
            _ => (0, false),
        }
    }

    fn layout(&mut self, ty: TypeId) -> u32 {
        let l = leaves(self.m, ty);
        #[expect(clippy::cast_possible_truncation, reason = "values larger than 4 GiB do not occur in registers")]
        let leaves: Vec<Leaf> = l.iter().map(|(off, bits)| Leaf { off: *off as u32, bits: *bits }).collect();
        let bytes = leaves.last().map_or(0, |l| u64::from(l.off) + u64::from(l.bytes()));
        self.code.layouts.push(Layout { leaves, bytes });
        #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
        let i = self.code.layouts.len() as u32 - 1;
        i
    }

    fn reason(&mut self, text: &str) -> Reason {
        self.machine.reason(text)
    }

    #[expect(clippy::cast_possible_truncation, reason = "instructions are numbered by u32")]
    fn block(&mut self, b: BlockId) {
        self.code.block_pc.push(self.code.insts.len() as u32);
        let f = self.f;
        let block = &f.blocks[b.index()];
        for (i, inst) in block.insts.iter().enumerate() {
            self.place = (b.0, i as u32);
            self.inst(inst);
        }
        self.place = (b.0, block.insts.len() as u32);
        self.terminator(b, &block.term);
    }

    fn jump(&mut self, from: BlockId, to: BlockId) {
        self.edge(from, to);
        let at = self.emit(I::Jump { pc: 0 });
        self.patches.push((at, Patch::Jump, to));
    }

    /// What happens on the way from one block to another: phis and loop bookkeeping.
    fn edge(&mut self, from: BlockId, to: BlockId) {
        let f = self.f;
        let mut moves: Vec<(u32, Opd)> = Vec::new();
        for inst in &f.blocks[to.index()].insts {
            let (Op::Phi(incoming), Some(r)) = (&inst.op, inst.result) else { break };
            let Some((_, o)) = incoming.iter().find(|(b, _)| *b == from) else { continue };
            let (d, n) = self.code.values[r.index()];
            let (s, k) = self.operand(o);
            for i in 0..n.min(k) {
                moves.push((d + i, s.plus(i)));
            }
        }
        if let [(d, s)] = moves[..] {
            self.emit(I::Mov { d, s });
        } else {
            // In parallel: a phi may read another's old value.
            let temps = self.code.regs;
            #[expect(clippy::cast_possible_truncation, reason = "capped by MAX_LEAVES")]
            let n = moves.len() as u32;
            self.code.regs += n;
            for (i, (_, s)) in (0..).zip(&moves) {
                self.emit(I::Mov { d: temps + i, s: *s });
            }
            for (i, (d, _)) in (0..).zip(&moves) {
                self.emit(I::Mov { d: *d, s: Opd::reg(temps + i) });
            }
        }
        if let Some(&d) = self.code.loop_regs.get(&to) {
            let inside = self.code.flow.loop_at(to).is_some_and(|l| l.contains(from));
            if inside {
                self.emit(I::Back { d, header: to.0 });
            } else {
                self.emit(I::Enter { d });
            }
        }
    }

    fn needs_edge(&self, to: BlockId) -> bool {
        self.code.loop_regs.contains_key(&to)
            || self.f.blocks[to.index()].insts.first().is_some_and(|i| matches!(i.op, Op::Phi(_)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "instructions are numbered by u32")]
    fn terminator(&mut self, b: BlockId, t: &Terminator) {
        match t {
            Terminator::Ret(v) => {
                let (v, n) = v.as_ref().map_or((Opd::reg(0), 0), |v| self.operand(v));
                self.emit(I::Ret { v, n });
            }
            Terminator::Br(to) => self.jump(b, *to),
            Terminator::CondBr { cond, then, otherwise } => {
                let c = self.one(cond);
                let at = self.emit(I::Branch { c, yes: 0, no: 0 });
                for (to, which) in [(*then, Patch::Yes), (*otherwise, Patch::No)] {
                    if self.needs_edge(to) {
                        let here = self.code.insts.len() as u32;
                        if let I::Branch { yes, no, .. } = &mut self.code.insts[at] {
                            if matches!(which, Patch::Yes) {
                                *yes = here;
                            } else {
                                *no = here;
                            }
                        }
                        self.jump(b, to);
                    } else {
                        self.patches.push((at, which, to));
                    }
                }
            }
            Terminator::Switch { value, default, cases } => {
                let v = self.one(value);
                let w = self.width(value).0;
                let info = self.code.switches.len() as u32;
                self.code.switches.push(SwitchInfo { default: 0, cases: FxHashMap::default() });
                self.emit(I::Switch { v, info });
                // Every target through an edge of its own.
                let mut made: FxHashMap<BlockId, u32> = FxHashMap::default();
                let mut at = |s: &mut Self, to: BlockId| {
                    if let Some(&pc) = made.get(&to) {
                        return pc;
                    }
                    let here = s.code.insts.len() as u32;
                    s.jump(b, to);
                    made.insert(to, here);
                    here
                };
                let default = at(self, *default);
                let mut table = FxHashMap::default();
                for (value, to) in cases {
                    let pc = at(self, *to);
                    #[expect(clippy::cast_sign_loss, reason = "the pattern is what is compared")]
                    table.entry(*value as u64 & mask(w)).or_insert(pc);
                }
                self.code.switches[info as usize] = SwitchInfo { default, cases: table };
            }
            Terminator::Invoke { result, callee, args, normal, .. } => {
                self.call(*result, callee, args);
                self.jump(b, *normal);
            }
            Terminator::Unreachable => {
                self.emit(I::Unreachable);
            }
            Terminator::Other(what) => {
                let reason = self.reason(&format!("`{what}`, which is not modelled"));
                self.emit(I::Stuck { reason });
            }
        }
    }

    fn call(&mut self, result: Option<ValueId>, callee: &ir::Callee, args: &[Operand]) {
        let args: Vec<Arg> = args
            .iter()
            .map(|a| {
                let (opd, slots) = self.operand(a);
                let (bits, float) = self.width(a);
                Arg { opd, slots, bits: u8::try_from(bits).unwrap_or(0), float }
            })
            .collect();
        let (dst, slots) = result.map_or((0, 0), |r| self.code.values[r.index()]);
        let (callee, target) = match callee {
            ir::Callee::Direct(id) => {
                let r = self.machine.program.resolve_func(self.mid, *id);
                (modelled::resolve(self.machine.program, r), Some(r))
            }
            ir::Callee::Indirect(o) => (Callee::Indirect(self.one(o)), None),
        };
        #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
        let info = self.code.calls.len() as u32;
        self.code.calls.push(CallInfo { callee, target, args, dst, slots });
        self.emit(I::Call { info });
    }

    fn poison(&mut self, d: u32, n: u32, what: &str) {
        let reason = self.reason(what);
        self.emit(I::Poison { d, n, reason });
    }

    /// The same operation on each scalar.
    fn lanes(&mut self, lane: &Lane<'_>, d: u32, n: u32) {
        let (a, b) = match lane {
            Lane::Bin(_, a, b) | Lane::Icmp(_, a, b) | Lane::Fcmp(_, a, b) => (*a, *b),
        };
        let (w, float) = self.width(a);
        let ((oa, na), (ob, nb)) = (self.operand(a), self.operand(b));
        if w == 128 && !float {
            match lane {
                Lane::Bin(op, ..) if n == 2 => {
                    self.emit(I::Wide { op: *op, d, a: oa, b: ob });
                }
                Lane::Icmp(pred, ..) if n == 1 => {
                    self.emit(I::IcmpWide { pred: *pred, d, a: oa, b: ob });
                }
                _ => self.poison(d, n, "vectors of 128-bit integers, which are not modelled"),
            }
            return;
        }
        let Some(w) = u8::try_from(w).ok().filter(|_| if float { is_float_width(w) } else { (1..=64).contains(&w) })
        else {
            return self.poison(d, n, &format!("arithmetic on {w}-bit values, which is not modelled"));
        };
        for i in 0..n.min(na).min(nb) {
            let (d, a, b) = (d + i, oa.plus(i), ob.plus(i));
            self.emit(match lane {
                Lane::Bin(op, ..) if float => I::Float { op: *op, w, d, a, b },
                Lane::Bin(op, ..) => I::Int { op: *op, w, d, a, b },
                Lane::Icmp(pred, ..) => I::Icmp { pred: *pred, w, d, a, b },
                Lane::Fcmp(pred, ..) => I::Fcmp { pred: *pred, w, d, a, b },
            });
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let (d, n) = inst.result.map_or((0, 0), |r| self.code.values[r.index()]);
        match &inst.op {
            Op::Alloca { ty, count, var, .. } => {
                if let Some(&reg) = inst.result.and_then(|r| self.code.promoted.get(&r)) {
                    let reason =
                        if matches!(self.m.ty(*ty).kind, TypeKind::Ptr(_)) { Reason::UNSET } else { Reason::UNINIT };
                    self.emit(I::Poison { d: reg, n: 1, reason });
                    return;
                }
                let count = self.one(count);
                #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
                let name = self.code.names.len() as u32;
                self.code.names.push(var.as_ref().map_or("a temporary", |v| v.name.as_str()).into());
                self.emit(I::Alloca { d, elem: self.m.size_of(*ty), count, name });
            }
            Op::Load { ptr, .. } => {
                if let Some(reg) = self.promoted(ptr) {
                    self.emit(I::Mov { d, s: Opd::reg(reg) });
                    return;
                }
                let p = self.one(ptr);
                match leaves(self.m, inst.ty)[..] {
                    [_] if matches!(self.m.ty(inst.ty).kind, TypeKind::Ptr(_)) => {
                        self.emit(I::LoadPointer { d, p });
                    }
                    [(_, bits)] if bits != 0 => {
                        self.emit(I::Load { d, p, bits });
                    }
                    _ => {
                        let layout = self.layout(inst.ty);
                        self.emit(I::LoadMany { d, p, layout });
                    }
                }
            }
            Op::Store { ptr, value, .. } => {
                let (v, k) = self.operand(value);
                if let Some(reg) = self.promoted(ptr) {
                    self.emit(I::Mov { d: reg, s: v });
                    return;
                }
                let p = self.one(ptr);
                let (w, _) = self.width(value);
                match u8::try_from(w) {
                    Ok(bits) if k == 1 && (1..=80).contains(&w) => {
                        self.emit(I::Store { p, v, bits });
                    }
                    _ => {
                        let Some(ty) = self.operand_type(value) else {
                            // A 128-bit constant.
                            self.code.layouts.push(Layout {
                                leaves: vec![Leaf { off: 0, bits: 64 }, Leaf { off: 8, bits: 64 }],
                                bytes: 16,
                            });
                            #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
                            let layout = self.code.layouts.len() as u32 - 1;
                            self.emit(I::StoreMany { p, v, layout });
                            return;
                        };
                        let layout = self.layout(ty);
                        self.emit(I::StoreMany { p, v, layout });
                    }
                }
            }
            Op::AtomicRmw { op, ptr, value } => {
                let (p, v) = (self.one(ptr), self.one(value));
                let bits = u8::try_from(self.width(value).0).unwrap_or(0);
                if n <= 1 && (1..=64).contains(&bits) {
                    self.emit(I::Atomic { op: *op, bits, d, p, v });
                } else {
                    let layout = self.layout(inst.ty);
                    self.emit(I::LoadMany { d, p, layout });
                    self.poison(d, n, "an atomic operation on a vector, which is not modelled");
                }
            }
            Op::CmpXchg { ptr, expected, new } => {
                let bits = u8::try_from(self.width(expected).0).unwrap_or(0);
                let (p, expected, new) = (self.one(ptr), self.one(expected), self.one(new));
                if (1..=64).contains(&bits) {
                    self.emit(I::CmpXchg { bits, d, p, expected, new });
                } else {
                    self.poison(d, n, "a 128-bit compare-and-exchange, which is not modelled");
                }
            }
            Op::Gep { base, steps, .. } => self.gep(d, n, base, steps),
            Op::Bin { op, a, b, .. } => self.lanes(&Lane::Bin(*op, a, b), d, n),
            Op::Icmp { pred, a, b } => self.lanes(&Lane::Icmp(*pred, a, b), d, n),
            Op::Fcmp { pred, a, b } => match FloatPred::parse(pred) {
                Some(p) => self.lanes(&Lane::Fcmp(p, a, b), d, n),
                None => self.poison(d, n, &format!("the comparison `{pred}`, which is not modelled")),
            },
            Op::FNeg(a) => {
                let w = self.width(a).0;
                let o = self.operand(a).0;
                match u8::try_from(w) {
                    Ok(w @ (32 | 64)) => {
                        for i in 0..n {
                            self.emit(I::FNeg { w, d: d + i, a: o.plus(i) });
                        }
                    }
                    _ => self.poison(d, n, "a wide floating-point value, which is not modelled"),
                }
            }
            Op::Cast { op, value, from, .. } => self.cast(*op, value, *from, inst.ty, d, n),
            Op::Select { cond, a, b } => {
                let (c, k) = self.operand(cond);
                let ((a, _), (b, _)) = (self.operand(a), self.operand(b));
                for i in 0..n {
                    let c = if k == n { c.plus(i) } else { c };
                    self.emit(I::Select { d: d + i, c, a: a.plus(i), b: b.plus(i) });
                }
            }
            Op::Phi(_) => {}
            Op::Call { callee, args } => self.call(inst.result, callee, args),
            Op::Asm { text, constraints, args, .. } => {
                let args = args
                    .iter()
                    .map(|a| {
                        let (opd, slots) = self.operand(a);
                        let (bits, float) = self.width(a);
                        Arg { opd, slots, bits: u8::try_from(bits).unwrap_or(0), float }
                    })
                    .collect();
                #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
                let info = self.code.asms.len() as u32;
                self.code.asms.push(AsmInfo {
                    text: text.as_str().into(),
                    constraints: constraints.as_str().into(),
                    args,
                    dst: d,
                    slots: n,
                });
                self.emit(I::Asm { info });
            }
            Op::MemCopy { dst, src, len, .. } => {
                let (dst, src, len) = (self.one(dst), self.one(src), self.one(len));
                self.emit(I::MemCopy { dst, src, len });
            }
            Op::MemSet { dst, byte, len } => {
                let (dst, byte, len) = (self.one(dst), self.one(byte), self.one(len));
                self.emit(I::MemSet { dst, byte, len });
            }
            Op::ExtractValue { agg, path } => {
                let o = self.operand(agg).0;
                let skip = self.operand_type(agg).map_or(0, |t| self.path_slot(t, path));
                for i in 0..n {
                    self.emit(I::Mov { d: d + i, s: o.plus(skip + i) });
                }
            }
            Op::InsertValue { agg, value, path } => {
                let o = self.operand(agg).0;
                let (v, k) = self.operand(value);
                let skip = self.path_slot(inst.ty, path);
                for i in 0..n {
                    let s = if (skip..skip + k).contains(&i) { v.plus(i - skip) } else { o.plus(i) };
                    self.emit(I::Mov { d: d + i, s });
                }
            }
            Op::ExtractElement { vec, index } => {
                let (o, k) = self.operand(vec);
                let index = self.one(index);
                self.emit(I::Extract { d, vec: o, n: k, stride: n, index });
            }
            Op::InsertElement { vec, value, index } => {
                let o = self.operand(vec).0;
                let (v, k) = self.operand(value);
                let index = self.one(index);
                for i in 0..n {
                    self.emit(I::Mov { d: d + i, s: o.plus(i) });
                }
                if k == 1 {
                    self.emit(I::Insert { d, n, stride: 1, index, v });
                } else {
                    self.poison(d, n, "a vector of 128-bit integers, which is not modelled");
                }
            }
            Op::Shuffle { a, b, mask } => {
                let ((oa, na), (ob, _)) = (self.operand(a), self.operand(b));
                for (i, &from) in (0..n).zip(mask) {
                    let s = match u32::try_from(from) {
                        Ok(x) if x < na => oa.plus(x),
                        Ok(x) => ob.plus(x - na),
                        Err(_) => self.constant(Val::UNINIT),
                    };
                    self.emit(I::Mov { d: d + i, s });
                }
            }
            Op::Freeze(a) => {
                let o = self.operand(a).0;
                for i in 0..n {
                    self.emit(I::Mov { d: d + i, s: o.plus(i) });
                }
            }
            Op::Fence => {}
            Op::Assume(c) => {
                let c = self.one(c);
                self.emit(I::Assume { c });
            }
            Op::Lifetime { start, ptr } => {
                if !start {
                    return;
                }
                if let Some(reg) = self.promoted(ptr) {
                    self.emit(I::Poison { d: reg, n: 1, reason: Reason::UNINIT });
                } else {
                    let p = self.one(ptr);
                    self.emit(I::Fresh { p });
                }
            }
            Op::Other { what, .. } => self.poison(d, n, &format!("`{what}`, which is not modelled")),
        }
    }

    fn promoted(&self, ptr: &Operand) -> Option<u32> {
        let Operand::Value(v) = ptr else { return None };
        self.code.promoted.get(v).copied()
    }

    fn gep(&mut self, d: u32, n: u32, base: &Operand, steps: &[Step]) {
        if n != 1 {
            return self.poison(d, n, "a vector of addresses, which is not modelled");
        }
        let mut from = self.one(base);
        let mut off = 0i64;
        for step in steps {
            match step {
                Step::Field { offset, .. } => off = off.wrapping_add(offset.cast_signed()),
                #[expect(clippy::cast_possible_truncation, reason = "addresses wrap at 64 bits")]
                Step::Index { index: Operand::Const(Const::Int { value, .. }), stride, .. } => {
                    off = off.wrapping_add((*value as i64).wrapping_mul(stride.cast_signed()));
                }
                Step::Index { index, stride, .. } => {
                    let w = u8::try_from(self.width(index).0).ok().filter(|w| (1..=64).contains(w)).unwrap_or(64);
                    let index = self.one(index);
                    self.emit(I::Index { d, base: from, index, w, stride: stride.cast_signed() });
                    from = Opd::reg(d);
                }
            }
        }
        if off != 0 || from != Opd::reg(d) {
            self.emit(I::Offset { d, base: from, off });
        }
    }

    fn cast(&mut self, op: CastOp, value: &Operand, from: TypeId, to: TypeId, d: u32, n: u32) {
        let ((from_w, _), (to_w, _)) = (self.type_width(from), self.type_width(to));
        let (o, k) = self.operand(value);
        if op == CastOp::Bitcast && (from_w != to_w || k != n) {
            return self.bitcast(o, from, to, d, n);
        }
        if matches!(op, CastOp::Bitcast | CastOp::AddrSpaceCast) {
            for i in 0..n.min(k) {
                self.emit(I::Mov { d: d + i, s: o.plus(i) });
            }
            return;
        }
        let (Ok(f), Ok(t)) = (u8::try_from(from_w), u8::try_from(to_w)) else {
            return self.poison(d, n, "a conversion of wide values, which is not modelled");
        };
        let float = |ty: TypeId, w: u8| !self.type_width(ty).1 || is_float_width(u32::from(w));
        if f == 0 || t == 0 || f > 128 || t > 128 || !float(from, f) || !float(to, t) {
            return self.poison(d, n, "a conversion that is not modelled");
        }
        if f == 128 || t == 128 {
            if n.max(k) == 2 || n == 1 {
                self.emit(I::CastWide { op, from: f, to: t, d, a: o });
            } else {
                self.poison(d, n, "a conversion of wide values, which is not modelled");
            }
            return;
        }
        for i in 0..n.min(k) {
            self.emit(I::Cast { op, from: f, to: t, d: d + i, a: o.plus(i) });
        }
    }

    /// Between shapes: as the bytes would lie in memory.
    fn bitcast(&mut self, o: Opd, from: TypeId, to: TypeId, d: u32, n: u32) {
        if n == 0 {
            return;
        }
        let packed = |b: &Self, ty| leaves(b.m, ty).iter().any(|l| l.1 < 8);
        if packed(self, from) || packed(self, to) {
            return self.poison(d, n, "vectors of single bits, which are not modelled");
        }
        let (from, to) = (self.layout(from), self.layout(to));
        self.emit(I::Repack { d, a: o, from, to });
    }

    /// The first scalar of a member.
    fn path_slot(&self, ty: TypeId, path: &[u32]) -> u32 {
        let (mut ty, mut slot) = (ty, 0);
        for &i in path {
            let parts = crate::witness::memory::globals::parts(self.m, ty);
            for (j, (_, t)) in (0..).zip(&parts) {
                if j == i {
                    ty = *t;
                    break;
                }
                #[expect(clippy::cast_possible_truncation, reason = "capped by MAX_LEAVES")]
                let n = leaves(self.m, *t).len() as u32;
                slot += n;
            }
        }
        slot
    }
}

const fn bytes_of(bits: u8) -> u64 {
    (bits as u64).div_ceil(8)
}

fn const_bytes(o: &Operand) -> Option<u64> {
    match o {
        Operand::Const(Const::Int { bits, .. } | Const::Float { bits, .. }) if *bits <= 64 => {
            Some(u64::from(bits.div_ceil(8)))
        }
        Operand::Const(Const::Global { .. } | Const::Func(_)) => Some(8),
        _ => None,
    }
}

/// The type of a constant that carries one.
const fn const_type(c: &Const) -> Option<TypeId> {
    match c {
        Const::Zero(t) | Const::Undef(t) => Some(*t),
        Const::Aggregate { ty, .. } | Const::Bytes { ty, .. } | Const::Opaque { ty, .. } => Some(*ty),
        Const::Int { .. } | Const::Float { .. } | Const::Global { .. } | Const::Func(_) => None,
    }
}
