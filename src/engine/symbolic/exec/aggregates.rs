//! Structures, arrays and vectors in registers: extraction and insertion of members and elements, selection, shuffles.

use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::value::Value;
use base::reasons::UnknownReason;
use ir::{Const, Inst, Module, Operand, TypeId, TypeKind};
use std::rc::Rc;

impl ExecutionContext<'_> {
    /// Selects by one condition, or element by element.
    pub(super) fn select(&mut self, fr: &Activation, inst: &Inst, cond: &Operand, a: &Operand, b: &Operand) -> Value {
        let m = self.module(fr.func);
        let c = self.condition(fr, cond);
        let (x, y) = (self.operand(fr, a, inst.ty), self.operand(fr, b, inst.ty));
        // A vector condition may select differently for each element.
        let each = matches!(cond, Operand::Value(v) if self.value_type(fr.func, *v).is_some_and(|t| matches!(m.ty(t).kind, TypeKind::Vector { .. })));
        if each { self.unknown_of(m, inst.ty, &UnknownReason::VectorChoice) } else { self.ite_value(c, &x, &y) }
    }

    /// Returns the scalar parts of a structure, array or vector in registers, each with its byte offset and its size.
    /// Returns `None` for other values, and if a part does not consist of whole bytes.
    pub(super) fn parts_of_value(&self, fr: &Activation, o: &Operand, v: &Value) -> Option<Vec<(i128, u64, Value)>> {
        if !matches!(v, Value::Aggregate(_)) {
            return None;
        }
        let ty = match o {
            Operand::Value(id) => self.value_type(fr.func, *id)?,
            Operand::Const(Const::Aggregate { ty, .. } | Const::Zero(ty) | Const::Undef(ty)) => *ty,
            Operand::Const(_) => return None,
        };
        let mut parts = vec![];
        take_apart(self.module(fr.func), ty, 0, v, &mut parts)?;
        Some(parts)
    }
}

impl MemoryDomain<'_> {
    pub(super) fn extract_value(&mut self, fr: &Activation, inst: &Inst, agg: &Operand, path: &[u32]) -> Value {
        let m = self.module(fr.func);
        let mut v = self.operand(fr, agg, inst.ty);
        for i in path {
            v = match &v {
                Value::Aggregate(e) => e.get(*i as usize).cloned(),
                Value::Unknown(r) => Some(Value::Unknown(r.clone())),
                _ => None,
            }
            .unwrap_or_else(|| Value::unknown(UnknownReason::MemberNotFollowed));
        }
        if let Value::Unknown(r) = &v {
            let r = r.clone();
            self.unknown_of(m, inst.ty, &r)
        } else {
            v
        }
    }

    pub(super) fn insert_value(
        &mut self,
        fr: &Activation,
        inst: &Inst,
        agg: &Operand,
        value: &Operand,
        path: &[u32],
    ) -> Value {
        let m = self.module(fr.func);
        let a = self.operand(fr, agg, inst.ty);
        let a = if matches!(a, Value::Aggregate(_)) {
            a
        } else {
            self.unknown_of(m, inst.ty, &UnknownReason::MemberNotFollowed)
        };
        let v = self.member_operand(fr, value);
        insert(&a, path, v)
    }

    pub(super) fn extract_element(&mut self, fr: &Activation, inst: &Inst, vec: &Operand, index: &Operand) -> Value {
        let m = self.module(fr.func);
        let i = self.operand_int(fr, index, 64);
        let v = match (self.operand(fr, vec, inst.ty), self.arena.as_int(i)) {
            (Value::Aggregate(e), Some(i)) => usize::try_from(i).ok().and_then(|i| e.get(i).cloned()),
            _ => None,
        };
        match v {
            Some(Value::Unknown(_)) | None => self.unknown_of(m, inst.ty, &UnknownReason::VectorElement),
            Some(v) => v,
        }
    }

    pub(super) fn insert_element(
        &mut self,
        fr: &Activation,
        inst: &Inst,
        vec: &Operand,
        value: &Operand,
        index: &Operand,
    ) -> Value {
        let m = self.module(fr.func);
        let i = self.operand_int(fr, index, 64);
        let a = self.operand(fr, vec, inst.ty);
        let a = if matches!(a, Value::Aggregate(_)) {
            a
        } else {
            self.unknown_of(m, inst.ty, &UnknownReason::VectorElement)
        };
        let v = self.member_operand(fr, value);
        match self.arena.as_int(i).and_then(|i| u32::try_from(i).ok()) {
            Some(i) => insert(&a, &[i], v),
            None => self.unknown_of(m, inst.ty, &UnknownReason::VectorElementAt),
        }
    }

    pub(super) fn shuffle(&mut self, fr: &Activation, inst: &Inst, a: &Operand, b: &Operand, mask: &[i32]) -> Value {
        let m = self.module(fr.func);
        let (x, y) = (self.operand(fr, a, inst.ty), self.operand(fr, b, inst.ty));
        match (&x, &y) {
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
                                .unwrap_or_else(|| Value::unknown(UnknownReason::UndefinedElement))
                        } else {
                            Value::unknown(UnknownReason::UndefinedElement)
                        }
                    })
                    .collect();
                Value::Aggregate(Rc::new(v))
            }
            _ => self.unknown_of(m, inst.ty, &UnknownReason::Shuffled),
        }
    }

    /// Returns the value of an operand that is inserted into a structure or vector.
    pub(super) fn member_operand(&mut self, fr: &Activation, value: &Operand) -> Value {
        match value {
            Operand::Value(id) => {
                fr.env[id.index()].clone().unwrap_or_else(|| Value::unknown(UnknownReason::PathNotFollowed))
            }
            Operand::Const(c) => self.constant(fr.func, c),
        }
    }
}

/// Maximum number of scalars in a value that is stored part by part.
const MAX_PARTS: usize = 64;

fn take_apart(m: &Module, ty: TypeId, at: u64, v: &Value, out: &mut Vec<(i128, u64, Value)>) -> Option<()> {
    let Value::Aggregate(parts) = v else {
        out.push((i128::from(at), m.size_of(ty).get(), v.clone()));
        return (out.len() <= MAX_PARTS).then_some(());
    };
    let types: Vec<(u64, TypeId)> = match &m.ty(ty).kind {
        TypeKind::Struct { fields, .. } => fields.iter().map(|f| (f.offset, f.ty)).collect(),
        TypeKind::Array { elem, count } if count.get() <= MAX_PARTS as u64 => {
            count.offsets(m.size_of(*elem)).map(|offset| (offset, *elem)).collect()
        }
        TypeKind::Vector { elem, count } if count.get() <= MAX_PARTS as u64 => match m.ty(*elem).kind {
            TypeKind::Int(bits) | TypeKind::Float(bits) if !bits.is_multiple_of(8) => return None,
            _ => count.offsets(m.size_of(*elem)).map(|offset| (offset, *elem)).collect(),
        },
        _ => return None,
    };
    if types.len() != parts.len() {
        return None;
    }
    types.into_iter().zip(parts.iter()).try_for_each(|((offset, ty), part)| take_apart(m, ty, at + offset, part, out))
}

fn insert(agg: &Value, path: &[u32], v: Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return v };
    let Value::Aggregate(e) = agg else { return Value::unknown(UnknownReason::MemberNotFollowed) };
    let mut e = e.as_ref().clone();
    // An index past the end changes no element.
    if let Some(slot) = e.get_mut(*first as usize) {
        *slot = insert(slot, rest, v);
    }
    Value::Aggregate(Rc::new(e))
}
