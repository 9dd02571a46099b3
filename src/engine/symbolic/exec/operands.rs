//! Operands and constants as values, and values as the kind that an instruction needs: integers, conditions, pointers.

use super::site::Site;
use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::object::ObjId;
use crate::symbolic::memory::scalar::Scalar;
use crate::symbolic::memory::value::{Base, GuardedTarget, Ratio, Value};
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::{Const, FuncRef, Operand, TypeId, TypeKind};
use std::rc::Rc;

/// Reason why a floating-point number is unknown.
pub(super) const ROUNDED: UnknownReason = UnknownReason::FloatRounded;

impl ExecutionContext<'_> {
    /// Returns the width of an operand in bits, if the value itself determines it.
    pub(in crate::symbolic) fn operand_bits(&self, fr: &Activation, o: &Operand) -> Option<u32> {
        match o {
            Operand::Const(Const::Int { bits, .. }) => Some(*bits),
            Operand::Const(Const::Zero(t) | Const::Undef(t) | Const::Opaque { ty: t, .. }) => self.bits_of(fr.func, *t),
            Operand::Const(_) => None,
            Operand::Value(v) => self.value_type(fr.func, *v).and_then(|t| self.bits_of(fr.func, t)),
        }
    }

    pub(in crate::symbolic) fn stored_value(&mut self, fr: &Activation, o: &Operand) -> (Value, u64) {
        let m = self.module(fr.func);
        let ty = match o {
            Operand::Const(c) => self.const_type_size(fr.func, c),
            Operand::Value(v) => self.value_type(fr.func, *v).map(|t| m.size_of(t).get()),
        };
        (self.any_operand(fr, o), ty.unwrap_or(8))
    }

    /// Returns the scalar type with which an operand is stored.
    pub(in crate::symbolic) fn stored_scalar(&self, fr: &Activation, o: &Operand) -> Option<Scalar> {
        let of = |ty| Scalar::of(&self.module(fr.func).ty(ty).kind);
        Some(match o {
            Operand::Value(v) => of(self.value_type(fr.func, *v)?),
            Operand::Const(Const::Int { bits, .. }) => Scalar::of(&TypeKind::Int(*bits)),
            Operand::Const(Const::Float { bits, .. }) => Scalar::Float(u64::from(*bits / 8)),
            Operand::Const(Const::Global { .. } | Const::Func(_) | Const::Address { .. }) => Scalar::Pointer,
            Operand::Const(Const::Zero(ty) | Const::Undef(ty)) => of(*ty),
            Operand::Const(_) => return None,
        })
    }

    /// Returns the type of a value of a function.
    pub(in crate::symbolic) fn value_type(&self, f: FuncRef, v: ir::ValueId) -> Option<TypeId> {
        self.value_types(f).get(v.index()).copied().flatten()
    }

    pub(in crate::symbolic) fn value_types(&self, f: FuncRef) -> Rc<Vec<Option<TypeId>>> {
        if let Some(t) = self.functions.types.borrow().get(&f) {
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
            if let ir::Terminator::Invoke { result: Some(r), ty, .. } = &b.term {
                types[r.index()] = Some(*ty);
            }
        }
        let types = Rc::new(types);
        self.functions.types.borrow_mut().insert(f, types.clone());
        types
    }

    pub fn is_recording(&self) -> bool {
        self.events.recording
    }

    pub fn call_stack(&self) -> &[Site] {
        &self.stack
    }

    /// Returns where the user wrote the code under execution: the innermost call outside system headers and launch
    /// stubs.
    pub fn user_location(&self) -> Option<(ir::ModuleId, ir::LocId)> {
        self.stack
            .iter()
            .rev()
            .map(|s| self.location(*s))
            .find(|(m, l)| {
                let p = self.program.loc(*m, *l);
                p.line > 0 && !p.system
            })
            .or_else(|| self.stack.last().map(|s| self.location(*s)))
    }
}

impl MemoryDomain<'_> {
    pub(in crate::symbolic) fn operand(&mut self, fr: &Activation, o: &Operand, ty: TypeId) -> Value {
        match o {
            Operand::Value(v) => match &fr.env[v.index()] {
                Some(v) => v.clone(),
                None => {
                    let m = self.module(fr.func);
                    self.unknown_of(m, ty, &UnknownReason::PathNotFollowed)
                }
            },
            Operand::Const(c) => self.constant(fr.func, c),
        }
    }

    /// Returns the value of a constant as seen from a function's module.
    pub(in crate::symbolic) fn constant(&mut self, f: FuncRef, c: &Const) -> Value {
        match c {
            Const::Int { bits: 1, value } => Value::Bool(self.arena.bool(*value != 0)),
            Const::Int { value, .. } => Value::Int(self.arena.int(*value)),
            Const::Float { bits, value } => self.float_constant(*bits, *value),
            Const::Zero(ty) => self.zero_of(f, *ty),
            Const::Undef(ty) => {
                let m = self.module(f);
                self.unknown_of(m, *ty, &UnknownReason::Undefined)
            }
            Const::Global { id, offset } => {
                let o = self.global_object(f.module, *id);
                self.pointer(o, i128::from(*offset))
            }
            Const::Func(id) => {
                let r = self.program.resolve_func(f.module, *id);
                let cond = self.arena.bool(true);
                let offset = self.arena.int(0);
                Value::Ptr(Rc::new(vec![GuardedTarget::new(cond, Base::Func(r), offset)]))
            }
            Const::Address { ty, value } => {
                let (m, number) = (self.module(f), *value);
                self.number_as_pointer(number, &m.ty(*ty).kind)
            }
            Const::Aggregate { elems, .. } => {
                let v = elems.iter().map(|e| self.constant(f, e)).collect();
                Value::Aggregate(Rc::new(v))
            }
            Const::Bytes { data, .. } if data.len() <= 64 => {
                let v = data.iter().map(|b| Value::Int(self.arena.int(i128::from(*b)))).collect();
                Value::Aggregate(Rc::new(v))
            }
            Const::Bytes { .. } => Value::unknown(UnknownReason::LongConstant),
            Const::Opaque { ty, what } => {
                let m = self.module(f);
                let r = UnknownReason::ConstantExpression(what.clone());
                self.unknown_of(m, *ty, &r)
            }
        }
    }

    /// Returns an operand as an integer representative.
    pub(in crate::symbolic) fn operand_int(&mut self, fr: &Activation, o: &Operand, bits: u32) -> TermId {
        let v = match o {
            Operand::Value(v) => fr.env[v.index()].clone(),
            Operand::Const(c) => Some(self.constant(fr.func, c)),
        };
        match v {
            Some(v) => self.as_int_value(&v, bits),
            None => self.unknown_int(&UnknownReason::PathNotFollowed, bits),
        }
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
            Value::Real(_) => self.unknown_int(&UnknownReason::FloatBits, bits),
            Value::Aggregate(_) => self.unknown_int(&UnknownReason::AggregateAsInteger, bits),
        }
    }

    pub(in crate::symbolic) fn condition(&mut self, fr: &Activation, o: &Operand) -> TermId {
        let v = match o {
            Operand::Value(v) => fr.env[v.index()].clone(),
            Operand::Const(c) => Some(self.constant(fr.func, c)),
        };
        match v {
            Some(v) => self.as_bool_value(&v),
            None => self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::ConditionNotFollowed }, "?"),
        }
    }

    pub(in crate::symbolic) fn any_operand(&mut self, fr: &Activation, o: &Operand) -> Value {
        match o {
            Operand::Value(v) => {
                fr.env[v.index()].clone().unwrap_or_else(|| Value::unknown(UnknownReason::PathNotFollowed))
            }
            Operand::Const(c) => self.constant(fr.func, c),
        }
    }

    pub(in crate::symbolic) fn pointer_operand(&mut self, fr: &Activation, o: &Operand) -> Rc<Vec<GuardedTarget>> {
        let v = self.any_operand(fr, o);
        self.as_pointer(&v)
    }

    pub fn as_pointer(&mut self, v: &Value) -> Rc<Vec<GuardedTarget>> {
        let v = match v {
            Value::Ptr(p) => return p.clone(),
            Value::Int(t) => self.int_as_pointer(*t),
            Value::Unknown(r) => {
                let r = r.clone();
                self.unknown_pointer(&r)
            }
            _ => self.unknown_pointer(&UnknownReason::NotPointer),
        };
        match v {
            Value::Ptr(p) => p,
            _ => Rc::new(vec![]),
        }
    }

    pub fn value_int(&mut self, v: &Value, bits: u32) -> TermId {
        self.as_int_value(v, bits)
    }

    pub fn global_of(&mut self, r: ir::GlobalRef) -> ObjId {
        self.global_object(r.module, r.global)
    }
}

impl ValueDomain<'_> {
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
            TypeKind::Array { elem, count } if count.get() <= 64 => {
                let v = (0..count.get()).map(|_| self.zero_of(f, *elem)).collect();
                Value::Aggregate(Rc::new(v))
            }
            TypeKind::Vector { elem, count } => {
                let v = (0..count.get()).map(|_| self.zero_of(f, *elem)).collect();
                Value::Aggregate(Rc::new(v))
            }
            _ => Value::unknown(UnknownReason::UnusualZero),
        }
    }

    pub(in crate::symbolic) fn bits_of(&self, f: FuncRef, ty: TypeId) -> Option<u32> {
        match self.module(f).ty(ty).kind {
            TypeKind::Int(b) => Some(b),
            _ => None,
        }
    }

    pub(in crate::symbolic) fn const_type_size(&self, f: FuncRef, c: &Const) -> Option<u64> {
        let m = self.module(f);
        Some(match c {
            Const::Int { bits, .. } | Const::Float { bits, .. } => u64::from(bits.div_ceil(8)).next_power_of_two(),
            Const::Zero(t)
            | Const::Undef(t)
            | Const::Aggregate { ty: t, .. }
            | Const::Bytes { ty: t, .. }
            | Const::Opaque { ty: t, .. } => m.size_of(*t).get(),
            Const::Global { .. } | Const::Func(_) | Const::Address { .. } => 8,
        })
    }

    pub fn next_read(&mut self) -> u32 {
        self.inputs.reads += 1;
        self.inputs.reads - 1
    }
}

impl Terms {
    pub(in crate::symbolic) fn float_constant(&mut self, bits: u32, value: u64) -> Value {
        let x = match bits {
            32 => f64::from(f32::from_bits(u32::try_from(value & 0xffff_ffff).unwrap_or(0))),
            64 => f64::from_bits(value),
            _ => return Value::unknown(UnknownReason::Float),
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
        Value::unknown(UnknownReason::Float)
    }

    pub fn unknown_int(&mut self, reason: &UnknownReason, bits: u32) -> TermId {
        self.arena.fresh(SymKind::Unknown { reason: reason.clone() }, "?", Interval::of_value(bits, true))
    }

    pub(in crate::symbolic) fn as_bool_value(&mut self, v: &Value) -> TermId {
        match v {
            Value::Bool(c) => *c,
            Value::Int(t) => {
                let r = self.arena.modulo(*t, 2);
                let one = self.arena.int(1);
                self.arena.eq(r, one)
            }
            Value::Unknown(r) => self.arena.fresh_bool(SymKind::Unknown { reason: (**r).clone() }, "?"),
            _ => self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::ConditionNotFollowed }, "?"),
        }
    }
}
