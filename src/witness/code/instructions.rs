//! Compiles instructions of the analysis form to machine instructions on single scalars.

use super::builder::Builder;
use crate::machine::form::{Arg, AsmInfo, FloatPred, I, Leaf, Opd, TypeLayout};
use crate::machine::value::{Reason, Val, is_float_width};
use crate::memory::globals::{leaves, parts};
use ir::{self, AddressStep, AtomicOp, CastOp, Const, Inst, Op, Operand, TypeId, TypeKind, ValueId, Var};
use models::ptx;

/// NVPTX's address space of shared memory (LLVM 22, NVPTX usage guide).
const SHARED_SPACE: u32 = 3;

/// Operation on each lane.
enum Lane<'a> {
    Bin(ir::BinOp, &'a Operand, &'a Operand),
    Icmp(ir::Pred, &'a Operand, &'a Operand),
    Fcmp(FloatPred, &'a Operand, &'a Operand),
}

impl Builder<'_, '_> {
    /// Compiles one instruction.
    pub(super) fn inst(&mut self, inst: &Inst) {
        let (d, n) = inst.result.map_or((0, 0), |r| self.code.values[r.index()]);
        match &inst.op {
            Op::Alloca { ty, count, var, align } => self.alloca(inst.result, d, (*ty, *align), count, var.as_ref()),
            Op::Load { ptr, .. } => self.load(inst.ty, d, ptr),
            Op::Store { ptr, value, .. } => self.store(ptr, value),
            Op::AtomicRmw { op, ptr, value } => self.atomic(inst.ty, (d, n), *op, ptr, value),
            Op::CmpXchg { ptr, expected, new } => self.compare_exchange((d, n), ptr, expected, new),
            Op::Gep { base, steps, .. } => self.gep(d, n, base, steps),
            Op::Bin { op, a, b, .. } => self.lanes(&Lane::Bin(*op, a, b), d, n),
            Op::Icmp { pred, a, b } => self.lanes(&Lane::Icmp(*pred, a, b), d, n),
            Op::Fcmp { pred, a, b } => match FloatPred::parse(pred) {
                Some(p) => self.lanes(&Lane::Fcmp(p, a, b), d, n),
                None => self.poison(d, n, &format!("the comparison `{pred}`, which is not modelled")),
            },
            Op::FNeg(a) => self.negate((d, n), a),
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
            Op::Asm { text, constraints, args, .. } => self.asm((d, n), text, constraints, args),
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
            Op::InsertElement { vec, value, index } => self.insert_element((d, n), vec, value, index),
            Op::Shuffle { a, b, mask } => self.shuffle((d, n), a, b, mask),
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
            Op::Lifetime { start, ptr } => self.lifetime(*start, ptr),
            Op::Other { what, .. } => self.poison(d, n, &format!("`{what}`, which is not modelled")),
        }
    }

    /// Compiles a variable to a register if it is promoted, otherwise to a stack object.
    fn alloca(
        &mut self,
        result: Option<ValueId>,
        d: u32,
        (ty, align): (TypeId, u32),
        count: &Operand,
        var: Option<&Var>,
    ) {
        if let Some(&reg) = result.and_then(|r| self.code.promoted.get(&r)) {
            let reason = if matches!(self.m.ty(ty).kind, TypeKind::Ptr(_)) { Reason::UNSET } else { Reason::UNINIT };
            let s = self.constant(Val::poison(reason));
            self.emit(I::Poison { d: reg, n: 1, s });
            return;
        }
        let count = self.one(count);
        #[expect(clippy::cast_possible_truncation, reason = "at most one per instruction")]
        let name = self.code.names.len() as u32;
        self.code.names.push(var.map_or("a temporary", |v| v.name.as_str()).into());
        self.emit(I::Alloca { d, elem: self.m.size_of(ty).get(), align, count, name });
    }

    /// Compiles a load by the number of scalars of its type.
    fn load(&mut self, ty: TypeId, d: u32, ptr: &Operand) {
        if let Some(reg) = self.promoted(ptr) {
            self.emit(I::Mov { d, s: Opd::reg(reg) });
            return;
        }
        let p = self.one(ptr);
        match leaves(self.m, ty)[..] {
            [_] if matches!(self.m.ty(ty).kind, TypeKind::Ptr(_)) => {
                self.emit(I::LoadPointer { d, p });
            }
            [(_, bits)] if bits != 0 => {
                self.emit(I::Load { d, p, bits });
            }
            _ => {
                let layout = self.layout(ty);
                self.emit(I::LoadMany { d, p, layout });
            }
        }
    }

    /// Compiles a store by the number of scalars of its value.
    fn store(&mut self, ptr: &Operand, value: &Operand) {
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
                    self.code.layouts.push(TypeLayout {
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

    /// Compiles a read-modify-write of one scalar.
    fn atomic(&mut self, ty: TypeId, (d, n): (u32, u32), op: AtomicOp, ptr: &Operand, value: &Operand) {
        let (p, v) = (self.one(ptr), self.one(value));
        let bits = u8::try_from(self.width(value).0).unwrap_or(0);
        if n <= 1 && (1..=64).contains(&bits) {
            self.emit(I::Atomic { op, bits, d, p, v });
        } else {
            let layout = self.layout(ty);
            self.emit(I::LoadMany { d, p, layout });
            self.poison(d, n, "an atomic operation on a vector, which is not modelled");
        }
    }

    /// Compiles a compare-and-exchange of one scalar.
    fn compare_exchange(&mut self, (d, n): (u32, u32), ptr: &Operand, expected: &Operand, new: &Operand) {
        let bits = u8::try_from(self.width(expected).0).unwrap_or(0);
        let (p, expected, new) = (self.one(ptr), self.one(expected), self.one(new));
        if (1..=64).contains(&bits) {
            self.emit(I::CmpXchg { bits, d, p, expected, new });
        } else {
            self.poison(d, n, "a 128-bit compare-and-exchange, which is not modelled");
        }
    }

    /// Flips the sign of each lane.
    fn negate(&mut self, (d, n): (u32, u32), a: &Operand) {
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

    /// Compiles inline assembly, which the machine reads when it executes it.
    fn asm(&mut self, (d, n): (u32, u32), text: &str, constraints: &str, args: &[Operand]) {
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
            text: text.into(),
            args,
            accesses: ptx::accesses(text, constraints),
            shared_address: ptx::shared_address(text, constraints),
            special_register: ptx::special_register(text, constraints),
            ending: ptx::ending(text),
            waiting: ptx::waiting(text),
            constraints: constraints.into(),
            dst: d,
            slots: n,
        });
        self.emit(I::Asm { info });
    }

    /// Replaces one lane of a vector.
    fn insert_element(&mut self, (d, n): (u32, u32), vec: &Operand, value: &Operand, index: &Operand) {
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

    /// Reorders the lanes of two vectors.
    fn shuffle(&mut self, (d, n): (u32, u32), a: &Operand, b: &Operand, mask: &[i32]) {
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

    /// Makes a variable uninitialised at the start of its lifetime.
    fn lifetime(&mut self, start: bool, ptr: &Operand) {
        if !start {
            return;
        }
        if let Some(reg) = self.promoted(ptr) {
            let s = self.constant(Val::UNINIT);
            self.emit(I::Poison { d: reg, n: 1, s });
        } else {
            let p = self.one(ptr);
            self.emit(I::Fresh { p });
        }
    }

    /// Compiles the same operation for each scalar.
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

    fn gep(&mut self, d: u32, n: u32, base: &Operand, steps: &[AddressStep]) {
        if n != 1 {
            return self.poison(d, n, "a vector of addresses, which is not modelled");
        }
        let mut from = self.one(base);
        let mut off = 0i64;
        for step in steps {
            match step {
                AddressStep::Field { offset, .. } => off = off.wrapping_add(offset.cast_signed()),
                #[expect(clippy::cast_possible_truncation, reason = "addresses wrap at 64 bits")]
                AddressStep::Index { index: Operand::Const(Const::Int { value, .. }), stride, .. } => {
                    off = off.wrapping_add((*value as i64).wrapping_mul(stride.get().cast_signed()));
                }
                AddressStep::Index { index, stride, .. } => {
                    let w = u8::try_from(self.width(index).0).ok().filter(|w| (1..=64).contains(w)).unwrap_or(64);
                    let index = self.one(index);
                    self.emit(I::Index { d, base: from, index, w, stride: stride.get().cast_signed() });
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
        let shared = |ty: TypeId| matches!(self.m.ty(ty).kind, TypeKind::Ptr(SHARED_SPACE));
        let to_number = op == CastOp::PtrToInt && shared(from);
        let window = to_number || op == CastOp::IntToPtr && shared(to);
        for i in 0..n.min(k) {
            let (d, a) = (d + i, o.plus(i));
            if window && to_number {
                self.emit(I::Window { to_number, d, a });
                self.emit(I::Cast { op, from: f, to: t, d, a: Opd::reg(d) });
            } else if window {
                self.emit(I::Cast { op, from: f, to: t, d, a });
                self.emit(I::Window { to_number, d, a: Opd::reg(d) });
            } else {
                self.emit(I::Cast { op, from: f, to: t, d, a });
            }
        }
    }

    /// Converts between layouts through the bytes that the value would have in memory.
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

    /// Index of the first scalar of a member.
    fn path_slot(&self, ty: TypeId, path: &[u32]) -> u32 {
        let (mut ty, mut slot) = (ty, 0);
        for &i in path {
            let parts = parts(self.m, ty);
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
