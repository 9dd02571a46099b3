//! Arithmetic on integers, bits and floating-point numbers.

use super::operands::ROUNDED;
use crate::symbolic::exec::state::Activation;
use crate::symbolic::floors::execution_context::ExecutionContext;
use crate::symbolic::floors::memory_domain::MemoryDomain;
use crate::symbolic::floors::terms::Terms;
use crate::symbolic::floors::value_domain::ValueDomain;
use crate::symbolic::memory::value::{Ratio, Value};
use crate::symbolic::terms::floating::{FloatFormat, IntegerRounding, precision};
use crate::symbolic::terms::interval::{Interval, WIDEST};
use crate::symbolic::terms::term::{SymKind, Term, TermId, wrap_value};
use base::reasons::UnknownReason;
use ir::{BinOp, FuncRef, Inst, Operand, Side, TypeId, TypeKind};

/// Maximum number of monomials of a sum that is kept expanded. A longer one is cut to its width, so that it is one
/// atom of later sums: a hash adds up hundreds of words, and each of its rounds would repeat those of all before.
const MAX_SUM: usize = 32;

impl ExecutionContext<'_> {
    /// Returns the condition that the divisor is nonzero, which holds after a division on the host: a division by zero
    /// ends the program.
    pub(super) fn divisor_not_zero(&mut self, fr: &Activation, op: BinOp, divisor: &Operand) -> Option<TermId> {
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
}

impl MemoryDomain<'_> {
    pub(super) fn binary(&mut self, fr: &Activation, op: BinOp, a: &Operand, b: &Operand, ty: TypeId) -> Value {
        use BinOp as B;
        let Some(bits) = self.bits_of(fr.func, ty) else {
            return if matches!(op, B::FAdd | B::FSub | B::FMul | B::FDiv | B::FRem) {
                self.binary_real(fr, op, a, b, ty)
            } else {
                let m = self.module(fr.func);
                self.unknown_of(m, ty, &UnknownReason::Vectors)
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
                // Divisions and shifts: only those by 1 and by 0, respectively, are defined.
                _ => self.arena.fresh_bool(SymKind::Unknown { reason: UnknownReason::SingleBits }, "?"),
            });
        }
        // The difference of two pointers into one object is an integer.
        if op == B::Sub
            && let (Value::Int(x), Value::Int(y)) = (self.any_operand(fr, a), self.any_operand(fr, b))
        {
            return Value::Int(self.int_op(op, x, y, bits));
        }
        let (x, y) = (self.operand_int(fr, a, bits), self.operand_int(fr, b, bits));
        Value::Int(self.int_op(op, x, y, bits))
    }

    /// Extracts a bit-field: the value is shifted left by a constant, and back by at least as much. The program cuts
    /// these bits off on purpose, so nothing wraps.
    pub(super) fn bit_field(
        &mut self,
        fr: &mut Activation,
        inst: &Inst,
        op: BinOp,
        a: &Operand,
        b: &Operand,
    ) -> Option<Value> {
        if !matches!(op, BinOp::Shl | BinOp::AShr | BinOp::LShr) {
            return None;
        }
        let bits = self.bits_of(fr.func, inst.ty).filter(|b| *b <= WIDEST)?;
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
        // In a loop, the value that the register holds now may come from another iteration.
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

    pub(super) fn binary_real(&mut self, fr: &Activation, op: BinOp, a: &Operand, b: &Operand, ty: TypeId) -> Value {
        let (x, y) = (self.operand(fr, a, ty), self.operand(fr, b, ty));
        let (Value::Real(x), Value::Real(y), Some(format)) = (x, y, self.format_of(fr.func, ty)) else {
            return Value::unknown(UnknownReason::Float);
        };
        self.arena.real_binary(op, &x, &y, format).map_or_else(|| Value::unknown(ROUNDED), Value::Real)
    }
}

impl ValueDomain<'_> {
    pub fn int_op(&mut self, op: BinOp, x: TermId, y: TermId, bits: u32) -> TermId {
        use BinOp as B;
        if bits > WIDEST && !matches!(op, B::Add | B::Sub | B::Mul | B::UDiv | B::URem | B::SDiv | B::SRem) {
            return self.wide_bits(op, x, y, bits);
        }
        let t = match op {
            B::Add => self.arena.add(x, y),
            B::Sub => self.arena.sub(x, y),
            B::Mul => self.arena.mul(x, y),
            B::UDiv | B::URem | B::SDiv | B::SRem => {
                let signed = matches!(op, B::SDiv | B::SRem);
                let (x, y) = (self.interpret(x, bits, signed), self.interpret(y, bits, signed));
                if self.arena.as_int(y) == Some(0) {
                    return self.unknown_int(&UnknownReason::DivisionByZero, bits);
                }
                if matches!(op, B::UDiv | B::SDiv) { self.arena.div(x, y) } else { self.arena.rem(x, y) }
            }
            B::Shl => {
                let y = self.interpret(y, bits, false);
                match self.arena.as_int(y) {
                    Some(k) if (0..i128::from(bits)).contains(&k) => self.arena.scale(x, 1i128 << k),
                    Some(_) => return self.unknown_int(&UnknownReason::ShiftTooFar, bits),
                    None => {
                        let p = self.arena.pow2(y);
                        let t = self.arena.mul(x, p);
                        self.within_width(t, y, bits, None)
                    }
                }
            }
            B::LShr | B::AShr => {
                let x = self.interpret(x, bits, op == B::AShr);
                let y = self.interpret(y, bits, false);
                match self.arena.as_int(y) {
                    Some(k) if (0..i128::from(bits)).contains(&k) => self.arena.floor_div(x, 1i128 << k),
                    Some(_) => return self.unknown_int(&UnknownReason::ShiftTooFar, bits),
                    None => self.shifted_right(x, y, bits),
                }
            }
            B::And | B::Or | B::Xor => match self.whatever_its_sign(op, x, y, bits) {
                Some(t) => t,
                None => {
                    let signed =
                        [x, y].into_iter().any(|t| self.arena.as_int(t).is_none() && self.is_signed_value(t, bits));
                    let (x, y) = (self.for_bits(x, bits), self.for_bits(y, bits));
                    let t = match op {
                        B::And => self.arena.bit_and(x, y, bits),
                        B::Or => self.arena.bit_or(x, y, bits),
                        _ => self.arena.bit_xor(x, y, bits),
                    };
                    if signed { self.with_sign(t, bits) } else { t }
                }
            },
            _ => return self.unknown_int(&UnknownReason::FloatOnIntegers, bits),
        };
        // Constants stay within the width; the front end writes them as signed numbers too.
        match self.arena.as_int(t) {
            Some(v) if matches!(op, B::And | B::Or | B::Xor) => self.arena.int(wrap_value(v, bits, true)),
            Some(v) if !Interval::new(-(1i128 << (bits.min(64) - 1)), 1i128 << bits.min(64)).contains_value(v) => {
                self.arena.int(wrap_value(v, bits, true))
            }
            None if self.arena.monomials(t) > MAX_SUM => self.interpret(t, bits, false),
            _ => t,
        }
    }

    /// Computes a bitwise operation on an integer wider than [`WIDEST`]: exact on numbers that are known to be no
    /// wider.
    fn wide_bits(&mut self, op: BinOp, x: TermId, y: TermId, bits: u32) -> TermId {
        use BinOp as B;
        let is_small = |e: &Self, t: TermId| e.arena.as_int(t).is_none_or(|c| c.unsigned_abs() < 1 << (WIDEST - 2));
        if is_small(self, x)
            && is_small(self, y)
            && let Some(t) = self.whatever_its_sign(op, x, y, WIDEST)
        {
            return t;
        }
        let (x, y) = (self.interpret(x, bits, op == B::AShr), self.interpret(y, bits, false));
        let fits = |e: &Self, t: TermId| Interval::of_int(WIDEST, false).contains(e.arena.range(t));
        let by = self.arena.as_int(y).filter(|k| (0..i128::from(WIDEST)).contains(k));
        match (op, by) {
            (B::And | B::Or | B::Xor, _) if fits(self, x) && fits(self, y) => self.int_op(op, x, y, WIDEST),
            (B::Shl, Some(k)) => self.arena.scale(x, 1 << k),
            (B::LShr | B::AShr, Some(k)) => self.arena.floor_div(x, 1 << k),
            _ => self.unknown_int(&UnknownReason::WideBits, bits),
        }
    }

    /// Returns an operand of a bitwise operation: a constant unchanged, any other as an unsigned value. A value that
    /// is surely in the signed range of this width keeps its bits: a negative one does not wrap.
    pub fn for_bits(&mut self, t: TermId, bits: u32) -> TermId {
        if self.arena.as_int(t).is_some() {
            return t;
        }
        if !self.is_signed_value(t, bits) {
            return self.interpret(t, bits, false);
        }
        let (zero, read) = (self.arena.int(0), self.arena.add_const(t, 1i128 << bits));
        let negative = self.arena.lt(t, zero);
        self.arena.ite(negative, read, t)
    }

    /// Returns the format of a floating-point type that is tracked.
    pub fn format_of(&self, f: FuncRef, ty: TypeId) -> Option<FloatFormat> {
        let TypeKind::Float(width) = self.module(f).ty(ty).kind else { return None };
        Some(FloatFormat { precision: precision(width)?, rough_division: self.side == Side::Device && width == 32 })
    }
}

impl Terms {
    /// Returns the result of a shift if its distance is below the width. A greater distance is undefined: x86 takes it
    /// modulo the width, devices take it for the width (PTX ISA 9.0, `shl`, `shr`). The result is then one unknown
    /// number, for a shift to the right of `shifted` between 0 and that number.
    pub(super) fn within_width(&mut self, t: TermId, by: TermId, bits: u32, shifted: Option<TermId>) -> TermId {
        let most = i128::from(bits) - 1;
        if Interval::new(0, most).contains(self.arena.range(by)) {
            return t;
        }
        let reason = UnknownReason::ShiftTooFar;
        let other = match shifted {
            None => self.unknown_int(&reason, bits),
            Some(x) => {
                let any = self.arena.fresh(SymKind::Unknown { reason }, "?", Interval::of_int(bits, false));
                self.arena.min(any, x)
            }
        };
        let most = self.arena.int(most);
        let defined = self.arena.le(by, most);
        self.arena.ite(defined, t, other)
    }

    /// Shifts a number to the right by a variable: rounds `x / 2^by` down.
    fn shifted_right(&mut self, x: TermId, by: TermId, bits: u32) -> TermId {
        let p = self.arena.pow2(by);
        if self.arena.range(x).lo.is_some_and(|v| v >= 0) {
            let t = self.arena.div(x, p);
            return self.within_width(t, by, bits, Some(x));
        }
        // For a negative number, -x - 1 has all bits inverted: it is shifted, and inverted again.
        let (zero, flip) = (self.arena.int(0), self.arena.neg(x));
        let (negative, flip) = (self.arena.lt(x, zero), self.arena.add_const(flip, -1));
        let magnitude = self.arena.ite(negative, flip, x);
        let t = self.arena.div(magnitude, p);
        let t = self.within_width(t, by, bits, Some(magnitude));
        let back = self.arena.neg(t);
        let back = self.arena.add_const(back, -1);
        self.arena.ite(negative, back, t)
    }

    /// Returns the result of an instruction without the case of a shift too far, where the path excludes that case.
    pub(super) fn shifted_below_the_width(&mut self, path: TermId, op: BinOp, v: Value) -> Value {
        let Value::Int(t) = v else { return v };
        if !matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
            return v;
        }
        let Term::Ite(defined, shifted, other) = *self.arena.get(t) else { return v };
        // For a shift to the right, the least of an unknown number and what is shifted.
        let any = match *self.arena.get(other) {
            Term::Ite(_, any, _) => any,
            _ => other,
        };
        let Term::Sym(s) = *self.arena.get(any) else { return v };
        let too_far = matches!(self.arena.symbol(s).kind, SymKind::Unknown { reason: UnknownReason::ShiftTooFar });
        if too_far && self.arena.bounds_at_least(path, defined) { Value::Int(shifted) } else { v }
    }

    /// Computes a mask of the lowest bits, a mask that clears them, or a complement: modulo 2^bits the result is the
    /// same for every representative, so no operand has to be in range.
    pub(super) fn whatever_its_sign(&mut self, op: BinOp, x: TermId, y: TermId, bits: u32) -> Option<TermId> {
        let (mask, t) = match (self.arena.as_int(x), self.arena.as_int(y)) {
            (None, Some(m)) => (m, x),
            (Some(m), None) => (m, y),
            _ => return None,
        };
        let mask = wrap_value(mask, bits, true);
        match op {
            BinOp::And if mask > 0 && mask & (mask + 1) == 0 => Some(self.arena.modulo(t, mask + 1)),
            BinOp::And if mask < -1 && mask & -mask == -mask => Some(self.arena.iteration_down(t, -mask)),
            BinOp::Xor if mask == -1 => {
                let n = self.arena.neg(t);
                Some(self.arena.add_const(n, -1))
            }
            _ => None,
        }
    }

    /// Whether a number may be negative and is surely in the signed range of this width.
    fn is_signed_value(&self, t: TermId, bits: u32) -> bool {
        let range = self.arena.range(t);
        range.lo.is_some_and(|l| l < 0) && Interval::of_int(bits, true).contains(range)
    }

    /// Reinterprets an unsigned number of this width as signed: results computed from signed numbers stay signed.
    fn with_sign(&mut self, t: TermId, bits: u32) -> TermId {
        let half = self.arena.int(1i128 << (bits - 1));
        let (negative, signed) = (self.arena.le(half, t), self.arena.add_const(t, -(1i128 << bits)));
        self.arena.ite(negative, signed, t)
    }

    /// Converts a floating-point number to an integer. Out-of-range conversions are undefined: devices return the
    /// nearest representable value, x86 its least number or the low bits of a wider one.
    pub fn real_as_int(&mut self, r: &Ratio, way: IntegerRounding, bits: u32, signed: bool) -> Option<TermId> {
        let t = self.arena.real_whole(r, way)?;
        let want = Interval::of_int(bits, signed);
        let (Some(low), Some(high)) = (want.lo, want.hi) else { return None };
        if want.contains(self.arena.range(t)) {
            return Some(t);
        }
        let (low, high) = (self.arena.int(low), self.arena.int(high));
        let (above, below) = (self.arena.le(low, t), self.arena.le(t, high));
        let (held, other) = (self.arena.and(above, below), self.unknown_int(&UnknownReason::FloatBeyondInteger, bits));
        Some(self.arena.ite(held, t, other))
    }
}
