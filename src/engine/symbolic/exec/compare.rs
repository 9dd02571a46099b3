//! Comparisons of integers, pointers and floating-point numbers.

use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::memory::value::{Base, GuardedTarget, Value};
use crate::symbolic::terms::floating::FloatComparison;
use crate::symbolic::terms::floating::floored::FlooredComparison;
use crate::symbolic::terms::interval::Interval;
use crate::symbolic::terms::term::{SymKind, TermId};
use base::reasons::UnknownReason;
use ir::{Operand, Pred, TypeId};

impl ExecutionContext<'_> {
    pub(super) fn compare(&mut self, fr: &Activation, pred: Pred, a: &Operand, b: &Operand) -> Value {
        let (x, y) = (self.any_operand(fr, a), self.any_operand(fr, b));
        if matches!(x, Value::Aggregate(_)) || matches!(y, Value::Aggregate(_)) {
            return Value::unknown(UnknownReason::VectorComparison);
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
                _ => self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::BooleanOrder }, "?"),
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
                // Either interpretation is correct: take the one that needs fewer obligations.
                let fits = |s: &Self, signed: bool| {
                    [x, y].iter().filter(|t| Interval::of_int(bits, signed).contains(s.arena.range(**t))).count()
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

    pub(in crate::symbolic) fn compare_pointers(
        &mut self,
        pred: Pred,
        p: &[GuardedTarget],
        q: &[GuardedTarget],
    ) -> TermId {
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
                    // Any other object or a function is not null here, and two objects are distinct.
                    _ => match pred {
                        Pred::Eq => Some(self.arena.bool(false)),
                        Pred::Ne => Some(self.arena.bool(true)),
                        _ => None,
                    },
                };
                let c = match c {
                    Some(c) => c,
                    None => self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::PointerComparison }, "?"),
                };
                cases.push(self.arena.and(both, c));
            }
        }
        self.arena.or_all(cases)
    }
}

impl ExecutionContext<'_> {
    pub(super) fn compare_reals(&mut self, fr: &Activation, pred: &str, a: &Operand, b: &Operand, ty: TypeId) -> Value {
        let (x, y) = (self.operand(fr, a, ty), self.operand(fr, b, ty));
        let how = FloatComparison::of(pred);
        let known = match (&x, &y, how) {
            (Value::Real(x), Value::Real(y), Some(how)) if [x, y].iter().any(|r| r.is_floored()) => {
                let of = |o: &Operand| if let Operand::Value(v) = o { self.value_type(fr.func, *v) } else { None };
                let precision = of(a).or_else(|| of(b)).and_then(|ty| self.format_of(fr.func, ty)).map(|f| f.precision);
                let unordered = pred.starts_with('u') || pred == "true";
                precision.and_then(|precision| {
                    let by = FlooredComparison { how, unordered, precision };
                    self.arena.real_floored_compare(by, x, y)
                })
            }
            (Value::Real(x), Value::Real(y), Some(how)) => self.arena.real_compare(how, x, y),
            _ => None,
        };
        Value::Bool(
            known.unwrap_or_else(|| {
                self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::FloatComparison }, "?")
            }),
        )
    }
}
