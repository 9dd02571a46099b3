//! Conversions between types.

use super::operands::ROUNDED;
use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::memory::value::Value;
use crate::symbolic::terms::floating::IntegerRounding;
use crate::symbolic::terms::term::Term;
use base::reasons::UnknownReason;
use ir::{CastOp, Operand, TypeId, TypeKind};

impl MemoryDomain<'_> {
    pub(super) fn cast(&mut self, fr: &Activation, op: CastOp, value: &Operand, from: TypeId, to: TypeId) -> Value {
        let m = self.module(fr.func);
        if matches!(m.ty(to).kind, TypeKind::Vector { .. }) {
            return if op == CastOp::Bitcast {
                self.unknown_of(m, to, &UnknownReason::OtherElementType)
            } else {
                self.unknown_of(m, to, &UnknownReason::Vectors)
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
                // `int n = strtol(…)`: from here on one number, however it is read.
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
                (Value::Real(r), Some(bits @ 8..=64)) => {
                    match self.real_as_int(&r, IntegerRounding::Trunc, bits, op == CastOp::FpToSi) {
                        Some(t) => Value::Int(t),
                        None => self.unknown_of(m, to, &ROUNDED),
                    }
                }
                _ => self.unknown_of(m, to, &UnknownReason::Float),
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
                let number = if let Value::Int(t) = v { self.arena.as_int(t) } else { None };
                match number.and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0) {
                    Some(number) => self.number_as_pointer(number, &m.ty(to).kind),
                    None => Value::Ptr(self.as_pointer(&v)),
                }
            }
            CastOp::AddrSpaceCast => {
                let p = self.pointer_operand(fr, value);
                Value::Ptr(p)
            }
            CastOp::Bitcast => {
                let v = self.any_operand(fr, value);
                match (&v, to_bits) {
                    (Value::Int(_), Some(_)) | (Value::Ptr(_), None) => v,
                    _ => self.unknown_of(m, to, &UnknownReason::OtherType),
                }
            }
        }
    }
}
