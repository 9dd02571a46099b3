//! Instructions of the executor: operands, integer arithmetic, comparisons, casts and address computation.

use super::executor::Executor;
use crate::ir::{AtomicOp, BinOp, CastOp, Const, FuncRef, Inst, Op, Operand, Pred, Side, Step, TypeId, TypeKind};
use crate::symbolic::exec::events::{AccessKind, Stores};
use crate::symbolic::exec::site::Site;
use crate::symbolic::exec::state::{Frame, State};
use crate::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, Rest};
use crate::symbolic::memory::site_summary::MADE;
use crate::symbolic::memory::value::{Base, Ratio, Target, Value};
use crate::symbolic::terms::floating::{Compared, Format, Whole, precision};
use crate::symbolic::terms::term::{InputSource, Range, SymKind, Term, TermId, wrap_value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Why a number of floating point is not known.
const ROUNDED: &str = "a floating-point value that may be rounded";

impl Executor<'_> {
    // ---- operands ----

    pub(in crate::symbolic) fn operand(&mut self, fr: &Frame, o: &Operand, ty: TypeId) -> Value {
        match o {
            Operand::Value(v) => match &fr.env[v.index()] {
                Some(v) => v.clone(),
                None => {
                    let m = self.module(fr.func);
                    self.unknown_of(m, ty, "a value from a path that was not followed")
                }
            },
            Operand::Const(c) => self.constant(fr.func, c),
        }
    }

    /// The value of a constant as seen from a function's module.
    pub(in crate::symbolic) fn constant(&mut self, f: FuncRef, c: &Const) -> Value {
        match c {
            Const::Int { bits: 1, value } => Value::Bool(self.arena.bool(*value != 0)),
            Const::Int { value, .. } => Value::Int(self.arena.int(*value)),
            Const::Float { bits, value } => self.float_constant(*bits, *value),
            Const::Zero(ty) => self.zero_of(f, *ty),
            Const::Undef(ty) => {
                let m = self.module(f);
                self.unknown_of(m, *ty, "an undefined value")
            }
            Const::Global { id, offset } => {
                let o = self.global_object(f.module, *id);
                self.pointer(o, i128::from(*offset))
            }
            Const::Func(id) => {
                let r = self.program.resolve_func(f.module, *id);
                let cond = self.arena.bool(true);
                let offset = self.arena.int(0);
                Value::Ptr(Rc::new(vec![Target::new(cond, Base::Func(r), offset)]))
            }
            Const::Aggregate { elems, .. } => {
                let v = elems.iter().map(|e| self.constant(f, e)).collect();
                Value::Aggregate(Rc::new(v))
            }
            Const::Bytes { data, .. } if data.len() <= 64 => {
                let v = data.iter().map(|b| Value::Int(self.arena.int(i128::from(*b)))).collect();
                Value::Aggregate(Rc::new(v))
            }
            Const::Bytes { .. } => Value::unknown("a long constant"),
            Const::Opaque { ty, what } => {
                let m = self.module(f);
                let r = format!("the constant expression `{what}`");
                self.unknown_of(m, *ty, &r)
            }
        }
    }

    fn float_constant(&mut self, bits: u32, value: u64) -> Value {
        let x = match bits {
            32 => f64::from(f32::from_bits(u32::try_from(value & 0xffff_ffff).unwrap_or(0))),
            64 => f64::from_bits(value),
            _ => return Value::unknown("a floating-point value"),
        };
        // Dyadic rationals of moderate size are tracked.
        for k in 0..=20u32 {
            let scaled = x * f64::from(1u32 << k);
            if scaled.fract() == 0.0 && scaled.abs() < 1e15 {
                #[expect(clippy::cast_possible_truncation, reason = "checked to be an integer below 1e15")]
                let num = self.arena.int(scaled as i128);
                return Value::Real(Ratio { num, den: 1i128 << k, ..Ratio::exact(num) });
            }
        }
        Value::unknown("a floating-point value")
    }

    pub(in crate::symbolic) fn zero_of(&mut self, f: FuncRef, ty: TypeId) -> Value {
        let m = self.module(f);
        match &m.ty(ty).kind {
            TypeKind::Int(1) => Value::Bool(self.arena.bool(false)),
            TypeKind::Int(_) => Value::Int(self.arena.int(0)),
            TypeKind::Float(_) => Value::Real(Ratio::exact(self.arena.int(0))),
            TypeKind::Ptr(_) => self.null(),
            TypeKind::Struct { fields, .. } => {
                let v = fields.iter().map(|x| self.zero_of(f, x.ty)).collect();
                Value::Aggregate(Rc::new(v))
            }
            TypeKind::Array { elem, count } if *count <= 64 => {
                let v = (0..*count).map(|_| self.zero_of(f, *elem)).collect();
                Value::Aggregate(Rc::new(v))
            }
            TypeKind::Vector { elem, count } => {
                let v = (0..*count).map(|_| self.zero_of(f, *elem)).collect();
                Value::Aggregate(Rc::new(v))
            }
            _ => Value::unknown("zero of an unusual type"),
        }
    }

    pub(in crate::symbolic) fn bits_of(&self, f: FuncRef, ty: TypeId) -> Option<u32> {
        match self.module(f).ty(ty).kind {
            TypeKind::Int(b) => Some(b),
            _ => None,
        }
    }

    /// Width of an operand where the value itself tells it.
    pub(in crate::symbolic) fn operand_bits(&self, fr: &Frame, o: &Operand) -> Option<u32> {
        match o {
            Operand::Const(Const::Int { bits, .. }) => Some(*bits),
            Operand::Const(Const::Zero(t) | Const::Undef(t) | Const::Opaque { ty: t, .. }) => self.bits_of(fr.func, *t),
            Operand::Const(_) => None,
            Operand::Value(v) => self.value_type(fr.func, *v).and_then(|t| self.bits_of(fr.func, t)),
        }
    }

    /// An operand as an integer representative.
    pub(in crate::symbolic) fn operand_int(&mut self, fr: &Frame, o: &Operand, bits: u32) -> TermId {
        let v = match o {
            Operand::Value(v) => fr.env[v.index()].clone(),
            Operand::Const(c) => Some(self.constant(fr.func, c)),
        };
        match v {
            Some(v) => self.as_int_value(&v, bits),
            None => self.unknown_int("a value from a path that was not followed", bits),
        }
    }

    pub(crate) fn unknown_int(&mut self, reason: &str, bits: u32) -> TermId {
        self.arena.fresh(SymKind::Unknown { reason: reason.to_owned() }, "?", Range::of_int(bits, true))
    }

    pub(in crate::symbolic) fn as_int_value(&mut self, v: &Value, bits: u32) -> TermId {
        match v {
            Value::Int(t) => *t,
            Value::Bool(c) => {
                let (one, zero) = (self.arena.int(1), self.arena.int(0));
                self.arena.ite(*c, one, zero)
            }
            Value::Ptr(p) => self.pointer_as_int(&p.clone()),
            Value::Unknown(r) => {
                let r = r.clone();
                self.unknown_int(&r, bits)
            }
            Value::Real(_) => self.unknown_int("the bits of a floating-point value", bits),
            Value::Aggregate(_) => self.unknown_int("an aggregate read as an integer", bits),
        }
    }

    /// Addresses as integers: an opaque base per object plus the offset.
    fn pointer_as_int(&mut self, targets: &Rc<Vec<Target>>) -> TermId {
        let mut out: Option<TermId> = None;
        for t in targets.iter() {
            let base = match &t.base {
                Base::Object(o) if let Some(made) = self.address_of_several(*o) => {
                    self.kept.expose(*o);
                    made
                }
                Base::Object(o) => {
                    self.kept.expose(*o);
                    let id = self.arena.int(i128::from(o.0));
                    self.arena.apply("address", vec![id], Range::new(1 << 16, 1 << 56))
                }
                Base::Null => self.arena.int(0),
                Base::Func(f) => {
                    let id = [f.module.0, f.func.0].map(|n| self.arena.int(i128::from(n))).to_vec();
                    self.arena.apply("function", id, Range::new(1 << 16, 1 << 56))
                }
                Base::Unknown(l) => {
                    let r = l.reason.clone();
                    self.unknown_int(&r, 64)
                }
            };
            let v = self.arena.add(base, t.offset);
            out = Some(match out {
                None => v,
                Some(old) => self.arena.ite(t.cond, v, old),
            });
        }
        out.unwrap_or_else(|| self.arena.int(0))
    }

    /// An integer as an address, where it is one object's address plus something.
    pub(in crate::symbolic) fn int_as_pointer(&mut self, t: TermId) -> Value {
        if self.arena.as_int(t) == Some(0) {
            return self.null();
        }
        if let Term::Ite(c, a, b) = self.arena.get(t) {
            let (c, a, b) = (*c, *a, *b);
            let (x, y) = (self.int_as_pointer(a), self.int_as_pointer(b));
            return self.ite_value(c, &x, &y);
        }
        if let Some(f) = self.function_at(t) {
            let (cond, offset) = (self.arena.bool(true), self.arena.int(0));
            return Value::Ptr(Rc::new(vec![Target::new(cond, Base::Func(f), offset)]));
        }
        let p = self.arena.poly(t);
        let bases: Vec<(TermId, i128)> = p.terms.iter().filter(|(m, _)| m.len() == 1).filter(|(m, _)| matches!(self.arena.get(m[0]), Term::Apply { name, .. } if matches!(name.as_str(), "address" | MADE))).map(|(m, c)| (m[0], *c)).collect();
        if let [(base, 1)] = bases.as_slice()
            && let Term::Apply { name, args, .. } = self.arena.get(*base)
            && let Some(id) = self.arena.as_int(args[0])
        {
            let (round, mut object) = ((name == MADE).then(|| args[1]), ObjId(u32::try_from(id).unwrap_or(u32::MAX)));
            let offset = self.arena.sub(t, *base);
            if let Some(round) = round {
                let Some(o) = self.made_in_round(object, round) else {
                    return self.unknown_pointer("one of many allocations of a loop");
                };
                object = o;
            }
            let cond = self.arena.bool(true);
            let base = Base::Object(object);
            return Value::Ptr(Rc::new(vec![Target::new(cond, base, offset)]));
        }
        self.unknown_pointer("an integer used as a pointer")
    }

    /// The function whose address a number is.
    fn function_at(&self, t: TermId) -> Option<FuncRef> {
        let Term::Apply { name, args, .. } = self.arena.get(t) else { return None };
        let part = |i: usize| args.get(i).and_then(|a| self.arena.as_int(*a)).and_then(|v| u32::try_from(v).ok());
        (name == "function").then_some(())?;
        Some(FuncRef { module: crate::ir::ModuleId(part(0)?), func: crate::ir::FuncId(part(1)?) })
    }

    pub(in crate::symbolic) fn condition(&mut self, fr: &Frame, o: &Operand) -> TermId {
        let v = match o {
            Operand::Value(v) => fr.env[v.index()].clone(),
            Operand::Const(c) => Some(self.constant(fr.func, c)),
        };
        match v {
            Some(v) => self.as_bool_value(&v),
            None => self.arena.fresh_bool(SymKind::Unknown { reason: "a condition that was not followed".into() }, "?"),
        }
    }

    pub(in crate::symbolic) fn as_bool_value(&mut self, v: &Value) -> TermId {
        match v {
            Value::Bool(c) => *c,
            Value::Int(t) => {
                let r = self.arena.modulo(*t, 2);
                let one = self.arena.int(1);
                self.arena.eq(r, one)
            }
            Value::Unknown(r) => self.arena.fresh_bool(SymKind::Unknown { reason: r.to_string() }, "?"),
            _ => self.arena.fresh_bool(SymKind::Unknown { reason: "a condition that was not followed".into() }, "?"),
        }
    }

    /// A number that the user gives, kept in so many bits: one of the user's choice too. Anything else as it is.
    fn narrowed_input(&mut self, t: TermId, bits: u32) -> TermId {
        if Range::of_int(bits, true).contains(self.arena.range(t)) {
            return t;
        }
        let Term::Sym(s) = self.arena.get(t) else { return t };
        match &self.arena.symbol(*s).kind {
            SymKind::Input(source @ (InputSource::Argv(_) | InputSource::Read { .. } | InputSource::Word { .. })) => {
                let source = source.clone();
                self.input_kept_in(t, source, bits)
            }
            _ => t,
        }
    }

    /// Reads a representative as a signed or unsigned integer of so many bits. Values that are opaque anyway get an
    /// exact range rather than a range obligation.
    pub fn interpret(&mut self, t: TermId, bits: u32, signed: bool) -> TermId {
        let want = Range::of_int(bits, signed);
        if want.contains(self.arena.range(t)) {
            return t;
        }
        match self.arena.get(t) {
            Term::Sym(s)
                if !signed && self.loaded.contains_key(s) && self.arena.range(t) == Range::of_int(bits, true) =>
            {
                return self.as_unsigned(t, bits);
            }
            Term::Sym(s) => {
                let kind = self.arena.symbol(*s).kind.clone();
                match kind {
                    // A number read as `long` and kept in an `int` is an `int` of the user's choice.
                    SymKind::Input(
                        src @ (InputSource::Argv(_) | InputSource::Read { .. } | InputSource::Word { .. }),
                    ) if signed && bits < 64 => return self.input_kept_in(t, src, bits),
                    SymKind::Unknown { .. } | SymKind::Content { .. } if self.arena.is_opaque(t) => {
                        return self.reinterpret(t, bits, signed, want);
                    }
                    _ => {}
                }
            }
            Term::Apply { name, .. } if name == "content" => return self.reinterpret(t, bits, signed, want),
            Term::Apply { name, .. }
                if (name == crate::symbolic::memory::array_write::FILE
                    || name == crate::symbolic::memory::array_write::WORD)
                    && !signed
                    && self.arena.range(t) == Range::of_int(bits, true) =>
            {
                return self.as_unsigned(t, bits);
            }
            // Bits of numbers none of which wrapped, read as a signed number again: two's complement, which is no wrap.
            Term::BitAnd(a, b, width) | Term::BitOr(a, b, width) | Term::BitXor(a, b, width)
                if signed
                    && *width >= bits
                    && ![*a, *b].iter().any(|t| matches!(self.arena.get(*t), Term::Wrap { .. })) =>
            {
                let width = *width;
                return self.as_signed(t, width, bits);
            }
            Term::Ite(..) => return self.interpret_arms(t, bits, signed, &mut FxHashMap::default()),
            _ => {}
        }
        self.arena.wrap(t, bits, signed)
    }

    /// Both arms separately: `i < 0 ? 0 : i`. Choices share their arms: each is looked at once.
    fn interpret_arms(&mut self, t: TermId, bits: u32, signed: bool, done: &mut FxHashMap<TermId, TermId>) -> TermId {
        if let Some(known) = done.get(&t) {
            return *known;
        }
        let read = match *self.arena.get(t) {
            Term::Ite(c, a, b) if !Range::of_int(bits, signed).contains(self.arena.range(t)) => {
                let (x, y) = (self.interpret_arms(a, bits, signed, done), self.interpret_arms(b, bits, signed, done));
                self.arena.ite(c, x, y)
            }
            _ => self.interpret(t, bits, signed),
        };
        done.insert(t, read);
        read
    }

    /// The bits of a signed number read as an unsigned one.
    fn as_unsigned(&mut self, t: TermId, bits: u32) -> TermId {
        let (zero, other) = (self.arena.int(0), self.arena.add_const(t, 1i128 << bits));
        let negative = self.arena.lt(t, zero);
        self.arena.ite(negative, other, t)
    }

    /// So many bits of an unsigned number read as a signed one, and that as one of fewer bits.
    fn as_signed(&mut self, t: TermId, width: u32, bits: u32) -> TermId {
        let (most, other) = (self.arena.int((1i128 << (width - 1)) - 1), self.arena.add_const(t, -(1i128 << width)));
        let negative = self.arena.lt(most, t);
        let [other, t] = if bits < width { [other, t].map(|t| self.arena.wrap(t, bits, true)) } else { [other, t] };
        self.arena.ite(negative, other, t)
    }

    fn reinterpret(&mut self, t: TermId, bits: u32, signed: bool, range: Range) -> TermId {
        self.arena.apply(format!("{}{bits}", if signed { "signed" } else { "unsigned" }), vec![t], range)
    }

    // ---- instructions ----

    /// Executes one instruction; `None` where the path ends.
    pub(in crate::symbolic) fn instruction(
        &mut self,
        fr: &mut Frame,
        inst: &Inst,
        site: Site,
        mut s: State,
    ) -> Option<State> {
        let m = self.module(fr.func);
        match &inst.op {
            Op::Phi(_) => {}
            Op::Alloca { ty, count, var, .. } => {
                let elem = m.size_of(*ty);
                let n = self.operand_int(fr, count, 64);
                let extent = self.arena.scale(n, i128::from(elem));
                let kind = if self.side == Side::Device { ObjKind::DeviceLocal } else { ObjKind::HostLocal };
                let name = var.as_ref().map(|v| v.name.clone()).unwrap_or_default();
                let place = (fr.func.module, var.as_ref().map_or(inst.loc, |v| v.loc));
                let (func, array) = (fr.func, holds_array(m, *ty) || self.arena.as_int(n) != Some(1));
                let o = self.allocate(fr.context, site, 0, |_| Object {
                    kind,
                    name,
                    extent: Some(extent),
                    site: Some(place),
                    func: Some(func),
                    array,
                });
                s.mem.insert(o, Rc::new(ObjState::new(Rest::Uninit)));
                if !fr.locals.contains(&o) {
                    fr.locals.push(o);
                }
                let p = self.pointer(o, 0);
                self.set(fr, inst.result, p);
            }
            Op::Load { ptr, align, volatile } => {
                let p = self.pointer_operand(fr, ptr);
                if *volatile {
                    self.others_run(&mut s);
                }
                let bytes = m.size_of(inst.ty);
                self.note_alignment(&s, site, &p, bytes, *align, AccessKind::Read);
                self.rows = fr.rows(ptr);
                self.record(&s, site, &p, bytes, AccessKind::Read);
                let v = self.load(&mut s, fr.func, &p, inst.ty);
                self.set(fr, inst.result, v);
            }
            Op::Store { ptr, value, align, .. } => {
                let p = self.pointer_operand(fr, ptr);
                let (v, size) = self.stored_value(fr, value);
                self.note_alignment(&s, site, &p, size, *align, AccessKind::Write);
                self.rows = fr.rows(ptr);
                self.stores = if let Value::Int(t) = v { Stores::Value(t) } else { Stores::Unknown };
                self.stored_pointer = if let Value::Ptr(p) = &v { Some(p.clone()) } else { None };
                self.record(&s, site, &p, size, AccessKind::Write);
                let v = self.named(fr, &s, site, ptr, v);
                self.store(&mut s, &p, v, size);
            }
            Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. } => {
                let p = self.pointer_operand(fr, ptr);
                self.others_run(&mut s);
                let size = match (&inst.op, &m.ty(inst.ty).kind) {
                    (Op::CmpXchg { .. }, TypeKind::Struct { fields, .. }) => {
                        fields.first().map_or(4, |f| m.size_of(f.ty))
                    }
                    _ => m.size_of(inst.ty),
                };
                // What it reads comes before what it stores.
                let read = if self.side == Side::Host || self.kernel.alone {
                    None
                } else {
                    Some(self.atomic_result(fr.func, s.path, &inst.op, &p, inst.ty))
                };
                self.rows = fr.rows(ptr);
                self.stores = self.atomic_stores(fr, &inst.op);
                self.record(&s, site, &p, size, AccessKind::Atomic);
                // Other threads of the host are not followed, and there are none beside a single one: there it is a read and a write.
                let Some(old) = read else {
                    let old = self.host_atomic(fr, inst, &mut s, &p, size);
                    self.set(fr, inst.result, old);
                    return Some(s);
                };
                let new = Value::unknown("the result of an atomic operation");
                self.store(&mut s, &p, new, size);
                self.set(fr, inst.result, old);
            }
            Op::Gep { base, steps, .. } => {
                let p = self.pointer_operand(fr, base);
                let mut delta = self.arena.int(0);
                for step in steps {
                    let d = match step {
                        Step::Field { offset, .. } => self.arena.int(i128::from(*offset)),
                        Step::Index { index, stride, .. } => {
                            let i = self.operand_int(fr, index, 64);
                            self.arena.scale(i, i128::from(*stride))
                        }
                    };
                    delta = self.arena.add(delta, d);
                }
                let v = self.offset_pointer(&p, delta);
                if let (Some(rows), Some(r)) = (self.rows(fr, site, base, steps, delta), inst.result) {
                    fr.rows.insert(r, rows);
                }
                self.set(fr, inst.result, v);
            }
            Op::Bin { op, a, b, .. } => {
                let v = match self.bit_field(fr, inst, *op, a, b) {
                    Some(v) => v,
                    None => self.binary(fr, *op, a, b, inst.ty),
                };
                self.set(fr, inst.result, v);
                if let Some(divides) = self.divisor_not_zero(fr, *op, b) {
                    s = self.assume(s, divides)?;
                }
            }
            Op::Icmp { pred, a, b } => {
                let v = self.compare(fr, *pred, a, b);
                self.set(fr, inst.result, v);
            }
            Op::Fcmp { pred, a, b } => {
                let v = self.compare_reals(fr, pred, a, b, inst.ty);
                self.set(fr, inst.result, v);
            }
            Op::FNeg(a) => {
                let v = match self.operand(fr, a, inst.ty) {
                    Value::Real(r) => Value::Real(self.arena.real_negated(&r)),
                    _ => Value::unknown("a floating-point value"),
                };
                self.set(fr, inst.result, v);
            }
            Op::Cast { op, value, from, .. } => {
                let v = self.cast(fr, *op, value, *from, inst.ty);
                self.set(fr, inst.result, v);
            }
            Op::Select { cond, a, b } => {
                let c = self.condition(fr, cond);
                let (x, y) = (self.operand(fr, a, inst.ty), self.operand(fr, b, inst.ty));
                // Of vectors each element may be chosen otherwise.
                let each = matches!(cond, Operand::Value(v) if self.value_type(fr.func, *v).is_some_and(|t| matches!(m.ty(t).kind, TypeKind::Vector { .. })));
                let v = if each {
                    self.unknown_of(m, inst.ty, "a choice of elements of vectors")
                } else {
                    self.ite_value(c, &x, &y)
                };
                self.set(fr, inst.result, v);
            }
            Op::Freeze(a) => {
                let v = self.operand(fr, a, inst.ty);
                self.set(fr, inst.result, v);
            }
            Op::ExtractValue { agg, path } => {
                let mut v = self.operand(fr, agg, inst.ty);
                for i in path {
                    v = match &v {
                        Value::Aggregate(e) => e.get(*i as usize).cloned(),
                        Value::Unknown(r) => Some(Value::Unknown(r.clone())),
                        _ => None,
                    }
                    .unwrap_or_else(|| Value::unknown("a member of a value that was not followed"));
                }
                let v = if let Value::Unknown(r) = &v {
                    let r = r.clone();
                    self.unknown_of(m, inst.ty, &r)
                } else {
                    v
                };
                self.set(fr, inst.result, v);
            }
            Op::InsertValue { agg, value, path } => {
                let a = self.operand(fr, agg, inst.ty);
                let a = if matches!(a, Value::Aggregate(_)) {
                    a
                } else {
                    self.unknown_of(m, inst.ty, "a member of a value that was not followed")
                };
                let v = match value {
                    Operand::Value(id) => fr.env[id.index()]
                        .clone()
                        .unwrap_or_else(|| Value::unknown("a value from a path that was not followed")),
                    Operand::Const(c) => self.constant(fr.func, c),
                };
                let v = insert(&a, path, v);
                self.set(fr, inst.result, v);
            }
            Op::ExtractElement { vec, index } => {
                let i = self.operand_int(fr, index, 64);
                let v = match (self.operand(fr, vec, inst.ty), self.arena.as_int(i)) {
                    (Value::Aggregate(e), Some(i)) => usize::try_from(i).ok().and_then(|i| e.get(i).cloned()),
                    _ => None,
                };
                let v = match v {
                    Some(Value::Unknown(_)) | None => self.unknown_of(m, inst.ty, "an element of a vector"),
                    Some(v) => v,
                };
                self.set(fr, inst.result, v);
            }
            Op::InsertElement { vec, value, index } => {
                let i = self.operand_int(fr, index, 64);
                let a = self.operand(fr, vec, inst.ty);
                let a = if matches!(a, Value::Aggregate(_)) {
                    a
                } else {
                    self.unknown_of(m, inst.ty, "an element of a vector")
                };
                let v = match value {
                    Operand::Value(id) => fr.env[id.index()]
                        .clone()
                        .unwrap_or_else(|| Value::unknown("a value from a path that was not followed")),
                    Operand::Const(c) => self.constant(fr.func, c),
                };
                let v = match self.arena.as_int(i).and_then(|i| u32::try_from(i).ok()) {
                    Some(i) => insert(&a, &[i], v),
                    None => self.unknown_of(m, inst.ty, "an element of a vector at a variable index"),
                };
                self.set(fr, inst.result, v);
            }
            Op::Shuffle { a, b, mask } => {
                let (x, y) = (self.operand(fr, a, inst.ty), self.operand(fr, b, inst.ty));
                let v = match (&x, &y) {
                    (Value::Aggregate(x), y) => {
                        let n = x.len();
                        let v = mask
                            .iter()
                            .map(|i| {
                                let i = usize::try_from(*i).unwrap_or(usize::MAX);
                                if i < n {
                                    x[i].clone()
                                } else if let Value::Aggregate(y) = y {
                                    y.get(i.wrapping_sub(n))
                                        .cloned()
                                        .unwrap_or_else(|| Value::unknown("an undefined element"))
                                } else {
                                    Value::unknown("an undefined element")
                                }
                            })
                            .collect();
                        Value::Aggregate(Rc::new(v))
                    }
                    _ => self.unknown_of(m, inst.ty, "a shuffled vector"),
                };
                self.set(fr, inst.result, v);
            }
            Op::Assume(c) => {
                let c = self.condition(fr, c);
                return self.assume(s, c);
            }
            Op::Fence => self.others_run(&mut s),
            Op::Lifetime { start, ptr } => {
                let p = self.pointer_operand(fr, ptr);
                if let [Target { base: Base::Object(o), .. }] = p.as_slice() {
                    // Before and after its life a variable holds nothing.
                    if *start || s.mem.contains_key(o) {
                        s.mem.insert(*o, Rc::new(ObjState::new(Rest::Uninit)));
                    }
                    if !start {
                        self.kernel.partitions.end(*o);
                    }
                }
            }
            Op::MemCopy { dst, src, len, align } => {
                let (d, c) = (self.pointer_operand(fr, dst), self.pointer_operand(fr, src));
                let n = self.operand_int(fr, len, 64);
                let n = self.interpret(n, 64, false);
                if let Some(bytes) = self.arena.as_int(n).and_then(|n| u64::try_from(n).ok()) {
                    self.note_alignment(&s, site, &c, bytes, align[1], AccessKind::Read);
                    self.note_alignment(&s, site, &d, bytes, align[0], AccessKind::Write);
                }
                self.record_range(&s, site, &c, n, AccessKind::Read);
                self.record_range(&s, site, &d, n, AccessKind::Write);
                self.copy(&mut s, &d, &c, n);
            }
            Op::MemSet { dst, byte, len } => {
                let d = self.pointer_operand(fr, dst);
                let b = self.operand_int(fr, byte, 8);
                let n = self.operand_int(fr, len, 64);
                let n = self.interpret(n, 64, false);
                self.record_range(&s, site, &d, n, AccessKind::Write);
                self.fill(&mut s, &d, b, n);
            }
            Op::Call { callee, args } => return self.call_instruction(fr, inst, site, s, callee, args),
            Op::Asm { args: operands, text, .. } => {
                let args: Vec<Value> = operands.iter().map(|a| self.any_operand(fr, a)).collect();
                self.clobber(&mut s, &args, "inline assembly");
                if self.side == Side::Device && assembly_writes(text) {
                    // A number that is no known address may be any.
                    let lost = operands.iter().zip(&args).any(|(o, v)| {
                        self.operand_bits(fr, o).is_none_or(|bits| bits == 64) && self.may_be_any_address(v)
                    });
                    self.kernel.written_anywhere |= lost || text.contains("call");
                }
                // What it accesses stands in brackets; addresses may come as numbers.
                self.kernel.unknown_code |= self.side == Side::Device && (text.contains('[') || text.contains("call"));
                if self.side == Side::Device && text.contains('[') && !text.trim_start().starts_with("prefetch") {
                    self.unknown_access(&s, site, "one that inline assembly uses");
                }
                // Without a memory clobber and with a pointer only in scalar use this is a plain computation.
                if self.side == Side::Device
                    && (text.contains("cp.async")
                        || text.contains("ldmatrix")
                        || text.contains("st.")
                        || text.contains("ld."))
                {
                    self.notes.push(format!(
                        "inline assembly with memory operands is not checked: `{}`",
                        text.chars().take(60).collect::<String>()
                    ));
                }
                if inst.result.is_some() {
                    let v = self.unknown_of(m, inst.ty, "the result of inline assembly");
                    self.set(fr, inst.result, v);
                }
            }
            Op::Other { what, args } => {
                let args: Vec<Value> = args.iter().map(|a| self.any_operand(fr, a)).collect();
                self.kernel.unknown_code |= self.side == Side::Device;
                // What gives memory is no access: that is what happens to it.
                let gives_memory = inst.result.is_some() && matches!(m.ty(inst.ty).kind, TypeKind::Ptr(_));
                if !gives_memory && args.iter().any(|a| matches!(a, Value::Ptr(_))) {
                    self.unknown_access(&s, site, &format!("one that `{what}` uses"));
                }
                self.clobber(&mut s, &args, what);
                if inst.result.is_some() {
                    let v = self.unknown_of(m, inst.ty, &format!("the result of `{what}`"));
                    self.set(fr, inst.result, v);
                }
            }
        }
        Some(s)
    }

    fn may_be_any_address(&self, v: &Value) -> bool {
        match v {
            Value::Int(t) => self.arena.as_int(*t).is_none() && self.addresses_in(*t).is_empty(),
            Value::Unknown(_) => true,
            // Pointers are seen to where they lead; no other value is an address.
            Value::Ptr(_) | Value::Bool(_) | Value::Real(_) | Value::Aggregate(_) => false,
        }
    }

    /// An access of a kernel of which it is not known where: it counts, and is not decided.
    pub(crate) fn unknown_access(&mut self, s: &State, site: Site, pointer: &str) {
        if self.side != Side::Device {
            return;
        }
        let lost = self.unknown_pointer(pointer);
        let p = self.as_pointer(&lost);
        self.record(s, site, &p, 1, AccessKind::Read);
    }

    /// An atomic operation of the host: its result, with what it leaves stored.
    fn host_atomic(&mut self, fr: &Frame, inst: &Inst, s: &mut State, p: &Rc<Vec<Target>>, size: u64) -> Value {
        let m = self.module(fr.func);
        let bits = u32::try_from(size * 8).unwrap_or(64);
        match (&inst.op, &m.ty(inst.ty).kind) {
            (Op::AtomicRmw { op, value, .. }, TypeKind::Int(_)) => {
                let old = self.load(s, fr.func, p, inst.ty);
                let v = self.any_operand(fr, value);
                let same = match op {
                    AtomicOp::Add => Some(BinOp::Add),
                    AtomicOp::Sub => Some(BinOp::Sub),
                    AtomicOp::And => Some(BinOp::And),
                    AtomicOp::Or => Some(BinOp::Or),
                    AtomicOp::Xor => Some(BinOp::Xor),
                    _ => None,
                };
                let new = match same {
                    Some(op) => {
                        let (x, y) = (self.as_int_value(&old, bits), self.as_int_value(&v, bits));
                        Value::Int(self.int_op(op, x, y, bits))
                    }
                    None if *op == AtomicOp::Xchg => v,
                    None => Value::unknown("the result of an atomic operation"),
                };
                self.store(s, p, new, size);
                old
            }
            (Op::CmpXchg { expected, new, .. }, TypeKind::Struct { fields, .. }) if fields.len() == 2 => {
                let old = self.load(s, fr.func, p, fields[0].ty);
                let (want, new) = (self.any_operand(fr, expected), self.any_operand(fr, new));
                let (x, y) = (self.as_int_value(&old, bits), self.as_int_value(&want, bits));
                let hit = self.compare_ints(Pred::Eq, x, y, bits);
                let left = self.ite_value(hit, &new, &old);
                self.store(s, p, left, size);
                Value::Aggregate(Rc::new(vec![old, Value::Bool(hit)]))
            }
            _ => {
                self.store(s, p, Value::unknown("the result of an atomic operation"), size);
                self.unknown_of(m, inst.ty, "the result of an atomic operation")
            }
        }
    }

    pub(in crate::symbolic) fn any_operand(&mut self, fr: &Frame, o: &Operand) -> Value {
        match o {
            Operand::Value(v) => {
                fr.env[v.index()].clone().unwrap_or_else(|| Value::unknown("a value from a path that was not followed"))
            }
            Operand::Const(c) => self.constant(fr.func, c),
        }
    }

    pub(in crate::symbolic) fn pointer_operand(&mut self, fr: &Frame, o: &Operand) -> Rc<Vec<Target>> {
        let v = self.any_operand(fr, o);
        self.as_pointer(&v)
    }

    pub fn as_pointer(&mut self, v: &Value) -> Rc<Vec<Target>> {
        let v = match v {
            Value::Ptr(p) => return p.clone(),
            Value::Int(t) => self.int_as_pointer(*t),
            Value::Unknown(r) => {
                let r = r.clone();
                self.unknown_pointer(&r)
            }
            _ => self.unknown_pointer("a value that is not a pointer"),
        };
        match v {
            Value::Ptr(p) => p,
            _ => Rc::new(vec![]),
        }
    }

    pub(in crate::symbolic) fn offset_pointer(&mut self, p: &Rc<Vec<Target>>, delta: TermId) -> Value {
        if self.arena.as_int(delta) == Some(0) {
            return Value::Ptr(p.clone());
        }
        let v = p.iter().map(|t| Target { offset: self.arena.add(t.offset, delta), ..t.clone() }).collect();
        Value::Ptr(Rc::new(v))
    }

    fn stored_value(&mut self, fr: &Frame, o: &Operand) -> (Value, u64) {
        let m = self.module(fr.func);
        let ty = match o {
            Operand::Const(c) => self.const_type_size(fr.func, c),
            Operand::Value(v) => self.value_type(fr.func, *v).map(|t| m.size_of(t)),
        };
        (self.any_operand(fr, o), ty.unwrap_or(8))
    }

    fn const_type_size(&self, f: FuncRef, c: &Const) -> Option<u64> {
        let m = self.module(f);
        Some(match c {
            Const::Int { bits, .. } | Const::Float { bits, .. } => u64::from(bits.div_ceil(8)).next_power_of_two(),
            Const::Zero(t)
            | Const::Undef(t)
            | Const::Aggregate { ty: t, .. }
            | Const::Bytes { ty: t, .. }
            | Const::Opaque { ty: t, .. } => m.size_of(*t),
            Const::Global { .. } | Const::Func(_) => 8,
        })
    }

    // ---- arithmetic ----

    fn binary(&mut self, fr: &Frame, op: BinOp, a: &Operand, b: &Operand, ty: TypeId) -> Value {
        use BinOp as B;
        let Some(bits) = self.bits_of(fr.func, ty) else {
            return if matches!(op, B::FAdd | B::FSub | B::FMul | B::FDiv | B::FRem) {
                self.binary_real(fr, op, a, b, ty)
            } else {
                let m = self.module(fr.func);
                self.unknown_of(m, ty, "vector arithmetic")
            };
        };
        if bits == 1 {
            let (x, y) = (self.condition(fr, a), self.condition(fr, b));
            return Value::Bool(match op {
                B::And | B::Mul => self.arena.and(x, y),
                B::Or => self.arena.or(x, y),
                B::Add | B::Sub | B::Xor => {
                    let (nx, ny) = (self.arena.not(x), self.arena.not(y));
                    let (l, r) = (self.arena.and(x, ny), self.arena.and(nx, y));
                    self.arena.or(l, r)
                }
                // Divisions and shifts, of which only those by 1 and by 0 are defined.
                _ => self.arena.fresh_bool(SymKind::Unknown { reason: "arithmetic on single bits".into() }, "?"),
            });
        }
        // The distance of two pointers into one object is a number.
        if op == B::Sub
            && let (Value::Int(x), Value::Int(y)) = (self.any_operand(fr, a), self.any_operand(fr, b))
        {
            return Value::Int(self.int_op(op, x, y, bits));
        }
        let (x, y) = (self.operand_int(fr, a, bits), self.operand_int(fr, b, bits));
        Value::Int(self.int_op(op, x, y, bits))
    }

    /// Part of a number's bits, as bit-fields are read: shifted left by a constant, and back by as much or more. Nothing that this cuts
    /// off was meant to stay, so that nothing wraps.
    fn bit_field(&mut self, fr: &mut Frame, inst: &Inst, op: BinOp, a: &Operand, b: &Operand) -> Option<Value> {
        if !matches!(op, BinOp::Shl | BinOp::AShr | BinOp::LShr) {
            return None;
        }
        let bits = self.bits_of(fr.func, inst.ty)?;
        let by = self.operand_int(fr, b, bits);
        let by = self.arena.as_int(by).filter(|k| (0..i128::from(bits.min(64))).contains(k))?;
        if op == BinOp::Shl {
            let x = self.operand_int(fr, a, bits);
            if let Some(v) = inst.result {
                fr.shifted.insert(v, (x, by));
            }
            return None;
        }
        let Operand::Value(v) = a else { return None };
        let (x, left) = *fr.shifted.get(v)?;
        // What the value holds by now, in a loop, may come from another round.
        let (shifted, width) = (self.operand_int(fr, a, bits), self.arena.int(left));
        if by < left || shifted != self.int_op(BinOp::Shl, x, width, bits) {
            return None;
        }
        let width = i128::from(bits) - left;
        let low = self.arena.modulo(x, 1 << width);
        let field = if op == BinOp::AShr {
            let width = u32::try_from(width).ok()?;
            self.as_signed(low, width, width)
        } else {
            low
        };
        Some(Value::Int(self.arena.floor_div(field, 1 << (by - left))))
    }

    /// On the host a division by zero ends the program: after one the divisor is not zero.
    fn divisor_not_zero(&mut self, fr: &Frame, op: BinOp, divisor: &Operand) -> Option<TermId> {
        if self.side != Side::Host || !matches!(op, BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem) {
            return None;
        }
        let bits = self.operand_bits(fr, divisor)?;
        let y = self.operand_int(fr, divisor, bits);
        if self.arena.as_int(y).is_some() {
            return None;
        }
        let y = self.interpret(y, bits, matches!(op, BinOp::SDiv | BinOp::SRem));
        let zero = self.arena.int(0);
        Some(self.arena.ne(y, zero))
    }

    pub(crate) fn int_op(&mut self, op: BinOp, x: TermId, y: TermId, bits: u32) -> TermId {
        use BinOp as B;
        let t = match op {
            B::Add => self.arena.add(x, y),
            B::Sub => self.arena.sub(x, y),
            B::Mul => self.arena.mul(x, y),
            B::UDiv | B::URem | B::SDiv | B::SRem => {
                let signed = matches!(op, B::SDiv | B::SRem);
                let (x, y) = (self.interpret(x, bits, signed), self.interpret(y, bits, signed));
                if self.arena.as_int(y) == Some(0) {
                    return self.unknown_int("a division by zero", bits);
                }
                if matches!(op, B::UDiv | B::SDiv) { self.arena.div(x, y) } else { self.arena.rem(x, y) }
            }
            B::Shl => {
                let y = self.interpret(y, bits, false);
                match self.arena.as_int(y) {
                    Some(k) if (0..i128::from(bits)).contains(&k) => self.arena.scale(x, 1i128 << k),
                    Some(_) => return self.unknown_int("a shift by more than the width", bits),
                    None => {
                        let p = self.arena.pow2(y);
                        let t = self.arena.mul(x, p);
                        self.within_width(t, y, bits)
                    }
                }
            }
            B::LShr | B::AShr => {
                let x = self.interpret(x, bits, op == B::AShr);
                let y = self.interpret(y, bits, false);
                match self.arena.as_int(y) {
                    Some(k) if (0..i128::from(bits)).contains(&k) => self.arena.floor_div(x, 1i128 << k),
                    Some(_) => return self.unknown_int("a shift by more than the width", bits),
                    None if self.arena.range(x).lo.is_some_and(|v| v >= 0) => {
                        let p = self.arena.pow2(y);
                        let t = self.arena.div(x, p);
                        self.within_width(t, y, bits)
                    }
                    None => return self.unknown_int("a signed shift by a variable", bits),
                }
            }
            B::And | B::Or | B::Xor => match self.whatever_its_sign(op, x, y, bits) {
                Some(t) => t,
                None => {
                    let (x, y) = (self.for_bits(x, bits), self.for_bits(y, bits));
                    match op {
                        B::And => self.arena.bit_and(x, y, bits),
                        B::Or => self.arena.bit_or(x, y, bits),
                        _ => self.arena.bit_xor(x, y, bits),
                    }
                }
            },
            _ => return self.unknown_int("floating-point arithmetic on integers", bits),
        };
        // Constants stay within the width; the front end writes them as signed numbers too.
        match self.arena.as_int(t) {
            Some(v) if matches!(op, B::And | B::Or | B::Xor) => self.arena.int(wrap_value(v, bits, true)),
            Some(v) if !Range::new(-(1i128 << (bits.min(64) - 1)), 1i128 << bits.min(64)).contains_value(v) => {
                self.arena.int(wrap_value(v, bits, true))
            }
            _ => t,
        }
    }

    /// What a shift gives by a number below the width. By more it is undefined: x86 takes that modulo the width, devices give 0.
    fn within_width(&mut self, t: TermId, by: TermId, bits: u32) -> TermId {
        let most = i128::from(bits) - 1;
        if Range::new(0, most).contains(self.arena.range(by)) {
            return t;
        }
        let most = self.arena.int(most);
        let (defined, other) = (self.arena.le(by, most), self.unknown_int("a shift by more than the width", bits));
        self.arena.ite(defined, t, other)
    }

    /// A mask that cuts to the lowest bits, or clears them, and a complement: modulo 2^bits the same of every representative, so
    /// that nothing needs to be in range.
    fn whatever_its_sign(&mut self, op: BinOp, x: TermId, y: TermId, bits: u32) -> Option<TermId> {
        let (mask, t) = match (self.arena.as_int(x), self.arena.as_int(y)) {
            (None, Some(m)) => (m, x),
            (Some(m), None) => (m, y),
            _ => return None,
        };
        let mask = wrap_value(mask, bits, true);
        match op {
            BinOp::And if mask > 0 && mask & (mask + 1) == 0 => Some(self.arena.modulo(t, mask + 1)),
            BinOp::And if mask < -1 && mask & -mask == -mask => {
                let q = self.arena.floor_div(t, -mask);
                Some(self.arena.scale(q, -mask))
            }
            BinOp::Xor if mask == -1 => {
                let n = self.arena.neg(t);
                Some(self.arena.add_const(n, -1))
            }
            _ => None,
        }
    }

    /// An operand of a bitwise operation: constants as they are, anything else as an unsigned value. A number that is surely a signed
    /// one of this width has the bits that it has: nothing wraps where it is negative.
    pub(crate) fn for_bits(&mut self, t: TermId, bits: u32) -> TermId {
        if self.arena.as_int(t).is_some() {
            return t;
        }
        let range = self.arena.range(t);
        if range.lo.is_none_or(|l| l >= 0) || !Range::of_int(bits, true).contains(range) {
            return self.interpret(t, bits, false);
        }
        let (zero, read) = (self.arena.int(0), self.arena.add_const(t, 1i128 << bits));
        let negative = self.arena.lt(t, zero);
        self.arena.ite(negative, read, t)
    }

    /// The format of a floating-point type that is followed.
    pub(crate) fn format_of(&self, f: FuncRef, ty: TypeId) -> Option<Format> {
        let TypeKind::Float(width) = self.module(f).ty(ty).kind else { return None };
        Some(Format { precision: precision(width)?, rough_division: self.side == Side::Device && width == 32 })
    }

    fn binary_real(&mut self, fr: &Frame, op: BinOp, a: &Operand, b: &Operand, ty: TypeId) -> Value {
        let (x, y) = (self.operand(fr, a, ty), self.operand(fr, b, ty));
        let (Value::Real(x), Value::Real(y), Some(format)) = (x, y, self.format_of(fr.func, ty)) else {
            return Value::unknown("a floating-point value");
        };
        self.arena.real_binary(op, &x, &y, format).map_or_else(|| Value::unknown(ROUNDED), Value::Real)
    }

    fn compare_reals(&mut self, fr: &Frame, pred: &str, a: &Operand, b: &Operand, ty: TypeId) -> Value {
        let (x, y) = (self.operand(fr, a, ty), self.operand(fr, b, ty));
        let how = Compared::of(pred);
        let known = match (&x, &y, how) {
            (Value::Real(x), Value::Real(y), Some(how)) => self.arena.real_compare(how, x, y),
            _ => None,
        };
        Value::Bool(known.unwrap_or_else(|| {
            self.arena.fresh_bool(SymKind::Unknown { reason: "a floating-point comparison".into() }, "?")
        }))
    }

    /// A conversion to an integer. What the type does not hold is undefined; devices give the nearest that it does, x86 gives its least
    /// number or the low bits of a wider one.
    pub(crate) fn real_as_int(&mut self, r: &Ratio, bits: u32, signed: bool) -> Option<TermId> {
        let t = self.arena.real_whole(r, Whole::Trunc)?;
        let want = Range::of_int(bits, signed);
        let (Some(low), Some(high)) = (want.lo, want.hi) else { return None };
        if want.contains(self.arena.range(t)) {
            return Some(t);
        }
        let (low, high) = (self.arena.int(low), self.arena.int(high));
        let (above, below) = (self.arena.le(low, t), self.arena.le(t, high));
        let (held, other) = (
            self.arena.and(above, below),
            self.unknown_int("a floating-point value that its integer type does not hold", bits),
        );
        Some(self.arena.ite(held, t, other))
    }

    fn compare(&mut self, fr: &Frame, pred: Pred, a: &Operand, b: &Operand) -> Value {
        let (x, y) = (self.any_operand(fr, a), self.any_operand(fr, b));
        if matches!(x, Value::Aggregate(_)) || matches!(y, Value::Aggregate(_)) {
            return Value::unknown("a comparison of vectors");
        }
        if matches!(x, Value::Ptr(_)) || matches!(y, Value::Ptr(_)) {
            let (p, q) = (self.as_pointer(&x), self.as_pointer(&y));
            return Value::Bool(self.compare_pointers(pred, &p, &q));
        }
        if let (Value::Bool(_), _) | (_, Value::Bool(_)) = (&x, &y) {
            let (c, d) = (self.as_bool_value(&x), self.as_bool_value(&y));
            let (nc, nd) = (self.arena.not(c), self.arena.not(d));
            let (both, neither) = (self.arena.and(c, d), self.arena.and(nc, nd));
            let same = self.arena.or(both, neither);
            return Value::Bool(match pred {
                Pred::Eq => same,
                Pred::Ne => self.arena.not(same),
                _ => self.arena.fresh_bool(SymKind::Unknown { reason: "an ordering of booleans".into() }, "?"),
            });
        }
        let bits = self.operand_bits(fr, a).or_else(|| self.operand_bits(fr, b)).unwrap_or(64);
        let (x, y) = (self.as_int_value(&x, bits), self.as_int_value(&y, bits));
        Value::Bool(self.compare_ints(pred, x, y, bits))
    }

    pub(in crate::symbolic) fn compare_ints(&mut self, pred: Pred, x: TermId, y: TermId, bits: u32) -> TermId {
        let signed = match pred {
            Pred::Ugt | Pred::Uge | Pred::Ult | Pred::Ule => false,
            Pred::Eq | Pred::Ne => {
                // Either reading will do: take the one that needs fewer obligations.
                let fits = |s: &Self, signed: bool| {
                    [x, y].iter().filter(|t| Range::of_int(bits, signed).contains(s.arena.range(**t))).count()
                };
                fits(self, true) >= fits(self, false)
            }
            _ => true,
        };
        if let Some(missing) = self.is_missing_address(pred, x, y) {
            return missing;
        }
        let (x, y) = (self.interpret(x, bits, signed), self.interpret(y, bits, signed));
        match pred {
            Pred::Eq => self.arena.eq(x, y),
            Pred::Ne => self.arena.ne(x, y),
            Pred::Ugt | Pred::Sgt => self.arena.lt(y, x),
            Pred::Uge | Pred::Sge => self.arena.le(y, x),
            Pred::Ult | Pred::Slt => self.arena.lt(x, y),
            Pred::Ule | Pred::Sle => self.arena.le(x, y),
        }
    }

    fn compare_pointers(&mut self, pred: Pred, p: &[Target], q: &[Target]) -> TermId {
        let mut cases = vec![];
        for a in p {
            for b in q {
                let both = self.arena.and(a.cond, b.cond);
                if self.arena.as_bool(both) == Some(false) {
                    continue;
                }
                let c = match (&a.base, &b.base) {
                    (Base::Unknown(_), _) | (_, Base::Unknown(_)) => None,
                    (Base::Object(x), Base::Object(y))
                        if self.several.may_be_the_same(*x, *y) || self.may_have_one_address(*x, *y) =>
                    {
                        None
                    }
                    (x, y) if x == y => {
                        let (l, r) = (a.offset, b.offset);
                        Some(match pred {
                            Pred::Eq => self.arena.eq(l, r),
                            Pred::Ne => self.arena.ne(l, r),
                            Pred::Ugt | Pred::Sgt => self.arena.lt(r, l),
                            Pred::Uge | Pred::Sge => self.arena.le(r, l),
                            Pred::Ult | Pred::Slt => self.arena.lt(l, r),
                            Pred::Ule | Pred::Sle => self.arena.le(l, r),
                        })
                    }
                    (Base::Object(_), Base::Null) | (Base::Null, Base::Object(_))
                        if matches!(pred, Pred::Eq | Pred::Ne)
                            && let Some(missing) = self.is_missing(if b.base == Base::Null { a } else { b }) =>
                    {
                        Some(if pred == Pred::Eq { missing } else { self.arena.not(missing) })
                    }
                    // Any other object, a function or a parameter is not null here, and two objects are not one.
                    _ => match pred {
                        Pred::Eq => Some(self.arena.bool(false)),
                        Pred::Ne => Some(self.arena.bool(true)),
                        _ => None,
                    },
                };
                let c = match c {
                    Some(c) => c,
                    None => self.arena.fresh_bool(SymKind::Unknown { reason: "a comparison of pointers".into() }, "?"),
                };
                cases.push(self.arena.and(both, c));
            }
        }
        self.arena.or_all(cases)
    }

    fn cast(&mut self, fr: &Frame, op: CastOp, value: &Operand, from: TypeId, to: TypeId) -> Value {
        let m = self.module(fr.func);
        if matches!(m.ty(to).kind, TypeKind::Vector { .. }) {
            return if op == CastOp::Bitcast {
                self.unknown_of(m, to, "a vector of other element type")
            } else {
                self.unknown_of(m, to, "vector arithmetic")
            };
        }
        let from_bits = self.bits_of(fr.func, from);
        let to_bits = self.bits_of(fr.func, to);
        match op {
            CastOp::Trunc => {
                let t = self.operand_int(fr, value, from_bits.unwrap_or(64));
                if to_bits == Some(1) {
                    return Value::Bool(self.as_bool_value(&Value::Int(t)));
                }
                // `int n = strtol(…)`: from here on one number, whichever way it is read.
                Value::Int(match (self.arena.get(t), to_bits) {
                    (Term::Sym(_), Some(bits @ (16 | 32))) => self.narrowed_input(t, bits),
                    _ => t,
                })
            }
            CastOp::ZExt | CastOp::SExt => {
                let signed = op == CastOp::SExt;
                if from_bits == Some(1) {
                    let c = self.condition(fr, value);
                    let (one, zero) = (self.arena.int(if signed { -1 } else { 1 }), self.arena.int(0));
                    return Value::Int(self.arena.ite(c, one, zero));
                }
                let bits = from_bits.unwrap_or(32);
                let t = self.operand_int(fr, value, bits);
                Value::Int(self.interpret(t, bits, signed))
            }
            CastOp::UiToFp | CastOp::SiToFp => {
                let bits = from_bits.unwrap_or(32);
                let t = if bits == 1 {
                    let c = self.condition(fr, value);
                    self.as_int_value(&Value::Bool(c), 32)
                } else {
                    let t = self.operand_int(fr, value, bits);
                    self.interpret(t, bits, op == CastOp::SiToFp)
                };
                match self.format_of(fr.func, to).and_then(|f| self.arena.real_of_int(t, f.precision)) {
                    Some(r) => Value::Real(r),
                    None => Value::unknown(ROUNDED),
                }
            }
            CastOp::FpToSi | CastOp::FpToUi => match (self.operand(fr, value, from), to_bits) {
                (Value::Real(r), Some(bits @ 8..=64)) => match self.real_as_int(&r, bits, op == CastOp::FpToSi) {
                    Some(t) => Value::Int(t),
                    None => self.unknown_of(m, to, ROUNDED),
                },
                _ => self.unknown_of(m, to, "a floating-point value"),
            },
            CastOp::FpExt => self.operand(fr, value, from),
            CastOp::FpTrunc => match (self.operand(fr, value, from), self.format_of(fr.func, to)) {
                (Value::Real(r), Some(f)) => {
                    self.arena.real_narrowed(&r, f.precision).map_or_else(|| Value::unknown(ROUNDED), Value::Real)
                }
                _ => Value::unknown(ROUNDED),
            },
            CastOp::PtrToInt => {
                let p = self.pointer_operand(fr, value);
                Value::Int(self.pointer_as_int(&p))
            }
            CastOp::IntToPtr => {
                let v = self.any_operand(fr, value);
                let p = self.as_pointer(&v);
                Value::Ptr(p)
            }
            CastOp::AddrSpaceCast => {
                let p = self.pointer_operand(fr, value);
                Value::Ptr(p)
            }
            CastOp::Bitcast => {
                let v = self.any_operand(fr, value);
                match (&v, to_bits) {
                    (Value::Int(_), Some(_)) | (Value::Ptr(_), None) => v,
                    _ => self.unknown_of(m, to, "a value read as another type"),
                }
            }
        }
    }

    /// Type of a value of a function.
    pub(in crate::symbolic) fn value_type(&self, f: FuncRef, v: crate::ir::ValueId) -> Option<TypeId> {
        self.value_types(f).get(v.index()).copied().flatten()
    }

    fn value_types(&self, f: FuncRef) -> Rc<Vec<Option<TypeId>>> {
        if let Some(t) = self.types.borrow().get(&f) {
            return t.clone();
        }
        let func = self.function(f);
        let mut types = vec![None; func.values as usize];
        for (i, p) in func.params.iter().enumerate() {
            types[i] = Some(p.ty);
        }
        for b in &func.blocks {
            for i in &b.insts {
                if let Some(r) = i.result {
                    types[r.index()] = Some(i.ty);
                }
            }
            if let crate::ir::Terminator::Invoke { result: Some(r), ty, .. } = &b.term {
                types[r.index()] = Some(*ty);
            }
        }
        let types = Rc::new(types);
        self.types.borrow_mut().insert(f, types.clone());
        types
    }
}

fn insert(agg: &Value, path: &[u32], v: Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return v };
    let Value::Aggregate(e) = agg else { return Value::unknown("a member of a value that was not followed") };
    let mut e = e.as_ref().clone();
    if let Some(slot) = e.get_mut(*first as usize) {
        *slot = insert(slot, rest, v);
    }
    Value::Aggregate(Rc::new(e))
}

/// Whether a type is or contains an array.
fn holds_array(m: &crate::ir::Module, ty: TypeId) -> bool {
    match &m.ty(ty).kind {
        TypeKind::Array { .. } => true,
        TypeKind::Struct { fields, .. } => fields.iter().any(|f| holds_array(m, f.ty)),
        _ => false,
    }
}

/// Whether inline assembly for a device may write memory: by one of these instructions, at an address in brackets.
fn assembly_writes(text: &str) -> bool {
    const WRITE: &[&str] = &["st.", "red.", "atom.", "cp.", "stmatrix", "multimem", "call", "mbarrier"];
    text.contains('[') && WRITE.iter().any(|w| text.contains(w)) || text.contains("call")
}

#[cfg(test)]
mod tests {
    use super::{Range, SymKind, Term};
    use crate::ir::Program;
    use crate::symbolic::exec::executor::Executor;

    #[test]
    fn choices_that_share_their_arms_are_read_once() {
        let program = Program::default();
        let mut e = Executor::new(&program);
        let unknown = || SymKind::Unknown { reason: "a test".into() };
        let (mut t, other) = (
            e.arena.fresh(unknown(), "t", Range::of_int(64, true)),
            e.arena.fresh(unknown(), "u", Range::of_int(64, true)),
        );
        // 2^80 ways through it.
        for _ in 0..80 {
            let (c, d) = (e.arena.fresh_bool(unknown(), "c"), e.arena.fresh_bool(unknown(), "d"));
            let inner = e.arena.ite(d, t, other);
            t = e.arena.ite(c, inner, t);
        }
        let read = e.interpret(t, 32, true);
        assert!(matches!(e.arena.get(read), Term::Ite(..)) && Range::of_int(32, true).contains(e.arena.range(read)));
    }
}
