//! Semantics of instructions that take more than a line: arms of the loop in `interp`, which inlines the frequent
//! ones.

use super::arith::{self, icmp_wraps};
use super::call::ThreadStop;
use super::form::{FunctionCode, Opd, SwitchInfo, TypeLayout};
use super::state::Machine;
use super::thread::Thread;
use super::value::{Reason, Val, float, float_bits, mask, signed};
use crate::api::Cause;
use crate::api::ProgramPoint;
use crate::device::outcome::{REFUSED, WHICH_CODE, compare_refused, one_of_refused};
use crate::memory::space::{Stack, split};
use crate::memory::store::{Fill, ObjectBytes};
use ir::{BinOp, CastOp, Pred};
use std::rc::Rc;

/// Value of an operand.
#[inline]
pub fn get(th: &Thread, code: &FunctionCode, base: usize, o: Opd) -> Val {
    if o.is_const() { code.consts[o.index()] } else { th.regs[base + o.index()] }
}

/// Combines two known values; otherwise returns the poison of the first unknown operand.
#[inline(always)]
#[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
pub fn both(a: Val, b: Val, f: impl FnOnce(u64, u64) -> Val) -> Val {
    if a.is_poison() {
        Val::poison(a.poison)
    } else if b.is_poison() {
        Val::poison(b.poison)
    } else {
        f(a.bits, b.bits)
    }
}

/// Result of a select with an unknown condition: keeps the object if both choices point to the same one.
pub fn either(c: Val, a: Val, b: Val) -> Val {
    if a == b {
        return a;
    }
    let bits = if split(a.bits).0 == split(b.bits).0 { a.bits } else { 0 };
    Val::unknown_address(bits, c.poison.of_result())
}

/// Address plus a byte offset.
#[inline(always)]
#[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
pub fn offset(p: Val, off: i64) -> Val {
    Val::unknown_address(if p.is_poison() { p.bits } else { p.bits.wrapping_add_signed(off) }, p.poison)
}

/// Address of an array element with an index of `w` bits.
#[inline(always)]
#[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
pub fn element(p: Val, i: Val, w: u32, stride: i64) -> Val {
    if p.is_poison() {
        p
    } else if i.is_poison() {
        Val::unknown_address(p.bits, i.poison)
    } else {
        Val::new(p.bits.wrapping_add_signed(signed(i.bits, w).wrapping_mul(stride)))
    }
}

/// Value that a compare-and-exchange stores; `None` if memory holds a value other than the expected one.
pub fn exchange(old: Val, expected: Val, new: Val) -> Option<Val> {
    match (old.known(), expected.known()) {
        (Some(o), Some(x)) => (o == x).then_some(new),
        _ => Some(Val::poison(if old.is_poison() { old.poison } else { expected.poison })),
    }
}

/// Pops the innermost frame and passes its result to the caller; returns whether it was the frame at index `floor`,
/// or no frame was left.
#[inline(always)]
#[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
pub fn leave(th: &mut Thread, floor: usize, values: &[Val]) -> bool {
    let Some(f) = th.frames.pop() else { return true };
    th.stack.cut(f.depth);
    if th.frames.len() <= floor {
        return true;
    }
    if let Some(caller) = th.frames.last() {
        let at = caller.base + f.dst as usize;
        for (k, v) in values.iter().take(f.slots as usize).enumerate() {
            th.regs[at + k] = *v;
        }
    }
    false
}

impl Machine<'_> {
    /// Compares integers or addresses.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
    pub fn compare(&mut self, stack: &Stack, pred: Pred, w: u32, a: Val, b: Val) -> Val {
        if self.watch && !self.wrapped {
            self.wrapped = icmp_wraps(pred, w, a.bits, b.bits);
        }
        if a.is_poison() {
            Val::poison(a.poison)
        } else if b.is_poison() {
            Val::poison(b.poison)
        } else if w == 64 && self.mem.may_be_one_address(a.bits, b.bits) {
            Val::poison(self.reason(Cause::Other, "whether the address of a freed block was reused"))
        } else if w == 64 && !matches!(pred, Pred::Eq | Pred::Ne) && self.mem.have_unknown_order(stack, a.bits, b.bits)
        {
            self.order.is_used = true;
            let (x, y) = if self.order.is_reversed { (b, a) } else { (a, b) };
            Val::new(u64::from(arith::icmp(pred, w, x.bits, y.bits)))
        } else if w >= 32 && (a.bits == REFUSED || b.bits == REFUSED) {
            match compare_refused(pred, w, a.bits, b.bits) {
                Some(same) => Val::new(u64::from(same)),
                None => Val::poison(self.reason(Cause::Other, WHICH_CODE)),
            }
        } else {
            Val::new(u64::from(arith::icmp(pred, w, a.bits, b.bits)))
        }
    }

    /// The result `v` of an integer operation of `w` bits, unless it consists of unknown low bits of an address: another
    /// run may place the object elsewhere.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
    pub fn low_bits(&self, stack: &Stack, (op, w): (BinOp, u8), (a, b): (Val, Val), v: Val) -> Val {
        if w != 64 || v.is_poison() || !matches!(op, BinOp::And | BinOp::URem) {
            return v;
        }
        let mask = |v: u64| if op == BinOp::And { v } else { v.wrapping_sub(1) };
        let is_low = |v: u64| v != 0 && v < 1 << 16 && v & (v + 1) == 0;
        let (address, wanted) = match (is_low(mask(b.bits)), op) {
            (true, _) => (a, mask(b.bits)),
            (false, BinOp::And) if is_low(a.bits) => (b, a.bits),
            _ => return v,
        };
        let unknown = self.mem.known_low_bits(stack, address.bits).is_some_and(|known| wanted >> known != 0);
        if unknown { Val::poison(Reason::LOW_BITS) } else { v }
    }

    /// Converts a value; of a truncated address, only bytes that its object's alignment determines stay known.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
    pub fn cast(&self, stack: &Stack, op: CastOp, from: u32, to: u32, v: Val) -> Val {
        let short = arith::cast(op, from, to, v);
        if !matches!(op, CastOp::Trunc | CastOp::PtrToInt) || from != 64 || to >= 64 || v.is_poison() {
            return short;
        }
        match self.mem.known_low_bits(stack, v.bits) {
            Some(known) if known < to => {
                let bytes = (1u16 << (known / 8).min(8)) - 1;
                #[expect(clippy::cast_possible_truncation, reason = "at most 8 bits")]
                Val::known_in_part(short.bits & mask(known / 8 * 8), Reason::LOW_BITS, bytes as u8)
            }
            _ => short,
        }
    }

    /// Value that a switch tests. [`REFUSED`] stands for either code of a refused launch.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "an arm of the machine's loop")]
    pub fn switched(&mut self, s: &SwitchInfo, v: Val) -> Val {
        match v.known() {
            Some(REFUSED) => match one_of_refused(|code| s.cases.get(&code)) {
                Some(code) => Val::new(code),
                None => Val::poison(self.reason(Cause::Other, WHICH_CODE)),
            },
            _ => v,
        }
    }

    /// Creates a stack variable of `count` times `elem` bytes, aligned to `align` bytes.
    pub fn variable(
        &mut self,
        th: &mut Thread,
        name: Rc<str>,
        site: impl FnOnce() -> ProgramPoint,
        (elem, align): (u64, u32),
        count: Val,
    ) -> Result<Val, ThreadStop> {
        match count.known() {
            Some(n) => self.stack_object(th, name, Some(site()), (elem.saturating_mul(n), align)),
            None => Err(ThreadStop::Unknown(
                self.reasons.why(count.poison, |why| format!("a stack array's size depends on {why}")),
            )),
        }
    }
}

/// Extracts a lane of `stride` scalars from a vector of `n` scalars.
pub fn extract(
    th: &mut Thread,
    code: &FunctionCode,
    base: usize,
    d: u32,
    vec: Opd,
    (n, stride, index): (u32, u32, Opd),
) {
    let i = get(th, code, base, index);
    for k in 0..stride {
        let v = match i.known() {
            #[expect(clippy::cast_possible_truncation, reason = "checked against the number of lanes")]
            Some(x) if x.saturating_mul(u64::from(stride)) < u64::from(n) => {
                get(th, code, base, vec.plus(x as u32 * stride + k))
            }
            Some(_) => Val::poison(Reason::OPEN),
            None => Val::poison(i.poison),
        };
        th.regs[base + (d + k) as usize] = v;
    }
}

/// Inserts a lane of `stride` scalars into a vector of `n` scalars.
pub fn insert(th: &mut Thread, code: &FunctionCode, base: usize, d: u32, v: Opd, (n, stride, index): (u32, u32, Opd)) {
    let i = get(th, code, base, index);
    match i.known() {
        #[expect(clippy::cast_possible_truncation, reason = "checked against the number of lanes")]
        Some(x) if x.saturating_mul(u64::from(stride)) < u64::from(n) => {
            for k in 0..stride {
                th.regs[base + (d + x as u32 * stride + k) as usize] = get(th, code, base, v.plus(k));
            }
        }
        known => {
            let r = if known.is_some() { Reason::OPEN } else { i.poison };
            for k in 0..n {
                th.regs[base + (d + k) as usize] = Val::poison(r);
            }
        }
    }
}

/// 128-bit arithmetic.
pub fn wide_arithmetic(th: &mut Thread, code: &Rc<FunctionCode>, base: usize, op: BinOp, d: u32, (a, b): (Opd, Opd)) {
    let r = match (wide(th, code, base, a), wide(th, code, base, b)) {
        (Ok(x), Ok(y)) => arith::wide(op, x, y).map_err(|_| Reason::OPEN),
        (Err(r), _) | (_, Err(r)) => Err(r),
    };
    let [low, high] = halves(r);
    th.regs[base + d as usize] = low;
    th.regs[base + d as usize + 1] = high;
}

/// 128-bit comparison.
pub fn compare_wide(th: &Thread, code: &Rc<FunctionCode>, base: usize, pred: Pred, (a, b): (Opd, Opd)) -> Val {
    match (wide(th, code, base, a), wide(th, code, base, b)) {
        (Ok(x), Ok(y)) => Val::new(u64::from(arith::icmp_wide(pred, x, y))),
        (Err(r), _) | (_, Err(r)) => Val::poison(r),
    }
}

fn wide(th: &Thread, code: &Rc<FunctionCode>, base: usize, o: Opd) -> Result<u128, Reason> {
    let (low, high) = (get(th, code, base, o), get(th, code, base, o.plus(1)));
    match (low.known(), high.known()) {
        (Some(l), Some(h)) => Ok(u128::from(h) << 64 | u128::from(l)),
        _ => Err(if low.is_poison() { low.poison } else { high.poison }),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
fn halves(v: Result<u128, Reason>) -> [Val; 2] {
    match v {
        Ok(x) => [Val::new(x as u64), Val::new((x >> 64) as u64)],
        Err(r) => [Val::poison(r); 2],
    }
}

/// Conversion from or to 128 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "conversions are what this is for"
)]
pub fn cast_wide(
    th: &mut Thread,
    code: &Rc<FunctionCode>,
    base: usize,
    (op, from, to): (CastOp, u8, u8),
    d: u32,
    a: Opd,
) {
    let at = base + d as usize;
    if from == 128 {
        let v = wide(th, code, base, a);
        th.regs[at] = match (v, op) {
            (Err(r), _) => Val::poison(r),
            (Ok(x), CastOp::Trunc) => Val::new(x as u64 & mask(u32::from(to))),
            (Ok(x), CastOp::UiToFp) => Val::new(float_bits(x as f64, u32::from(to))),
            (Ok(x), CastOp::SiToFp) => Val::new(float_bits(x.cast_signed() as f64, u32::from(to))),
            _ => Val::poison(Reason::OPEN),
        };
        return;
    }
    let v = get(th, code, base, a);
    let r = match v.known() {
        None => Err(v.poison),
        Some(b) => match op {
            CastOp::ZExt => Ok(u128::from(b)),
            CastOp::SExt => Ok(i128::from(signed(b, u32::from(from))).cast_unsigned()),
            CastOp::FpToUi => Ok(float(b, u32::from(from)) as u128),
            CastOp::FpToSi => Ok((float(b, u32::from(from)) as i128).cast_unsigned()),
            _ => Err(Reason::OPEN),
        },
    };
    let [low, high] = halves(r);
    th.regs[at] = low;
    th.regs[at + 1] = high;
}

/// Reinterprets the bytes of one layout as another.
pub fn repack(
    th: &mut Thread,
    code: &Rc<FunctionCode>,
    base: usize,
    (d, a): (u32, Opd),
    from: &TypeLayout,
    to: &TypeLayout,
) {
    let mut s = ObjectBytes::new(from.bytes.max(to.bytes), Fill::Poison(Reason::OPEN));
    for (i, l) in (0..).zip(&from.leaves) {
        if l.bits != 0 {
            s.write(u64::from(l.off), l.bytes().min(8), get(th, code, base, a.plus(i)));
        }
    }
    for (i, l) in to.leaves.iter().enumerate() {
        let v = if l.bits == 0 { Val::poison(Reason::OPEN) } else { s.read(u64::from(l.off), l.bytes().min(8)) };
        th.regs[base + d as usize + i] = if v.is_poison() { v } else { Val::new(v.bits & mask(u32::from(l.bits))) };
    }
}
