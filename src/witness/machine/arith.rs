//! Arithmetic on single values, with the results of hardware.

use super::call::{Reduce, Vote};
use super::value::{Reason, Val, float, float_bits, mask, signed};
use ir::{AtomicOp, BinOp, CastOp, Pred};

/// Reason why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticFault {
    /// Division by zero, or of the smallest integer by -1: ends a host program.
    Divide,
    /// The result may be any value (a shift by the width or more).
    Any,
}

/// Wrapping integer arithmetic at a width of 1 to 64 bits.
#[inline]
pub fn int(op: BinOp, w: u32, a: Val, b: Val) -> Result<Val, ArithmeticFault> {
    if a.is_poison() || b.is_poison() {
        return Ok(poisoned(op, a, b));
    }
    let (x, y) = (a.bits, b.bits);
    let (sx, sy) = (signed(x, w), signed(y, w));
    let r = match op {
        BinOp::Add => x.wrapping_add(y),
        BinOp::Sub => x.wrapping_sub(y),
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::UDiv => x.checked_div(y).ok_or(ArithmeticFault::Divide)?,
        BinOp::URem => x.checked_rem(y).ok_or(ArithmeticFault::Divide)?,
        BinOp::SDiv | BinOp::SRem => {
            if y == 0 || sy == -1 && x == 1 << (w - 1) {
                return Err(ArithmeticFault::Divide);
            }
            if op == BinOp::SDiv { (sx / sy).cast_unsigned() } else { (sx % sy).cast_unsigned() }
        }
        BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            if y >= u64::from(w) {
                return Err(ArithmeticFault::Any);
            }
            match op {
                BinOp::Shl => x << y,
                BinOp::LShr => x >> y,
                _ => (sx >> y).cast_unsigned(),
            }
        }
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv | BinOp::FRem => return Err(ArithmeticFault::Any),
    };
    Ok(Val::new(r & mask(w)))
}

/// Whether an operation leaves the mathematical integers under one of the two interpretations of its operands: the
/// result exceeds the signed range, or an operand read as unsigned has its sign bit set.
pub fn int_wraps(op: BinOp, w: u32, a: Val, b: Val) -> bool {
    if a.is_poison() || b.is_poison() {
        return false;
    }
    let (x, y) = (i128::from(signed(a.bits, w)), i128::from(signed(b.bits, w)));
    let exact = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        BinOp::Shl if (0..64).contains(&y) => x << y,
        BinOp::UDiv | BinOp::URem => return x < 0 || y < 0,
        BinOp::LShr => return x < 0,
        // If one operand masks the lowest bits or clears them, the sign of the other one does not matter.
        BinOp::And => return (x < 0 || y < 0) && !is_mask(x) && !is_mask(y),
        BinOp::Xor => return (x < 0 || y < 0) && x != -1 && y != -1,
        BinOp::Or => return x < 0 || y < 0,
        _ => return false,
    };
    i64::try_from(exact).map_or(true, |e| signed(e.cast_unsigned() & mask(w), w) != e)
}

/// Whether `v` is `2^k - 1` or `-2^k` for a `k` above 0.
fn is_mask(v: i128) -> bool {
    if v < 0 { v < -1 && v & -v == -v } else { v > 0 && v & (v + 1) == 0 }
}

pub fn icmp_wraps(pred: Pred, w: u32, a: u64, b: u64) -> bool {
    matches!(pred, Pred::Ugt | Pred::Uge | Pred::Ult | Pred::Ule) && (signed(a, w) < 0 || signed(b, w) < 0)
}

pub fn cast_wraps(op: CastOp, from: u32, to: u32, v: Val) -> bool {
    if v.is_poison() {
        return false;
    }
    let s = signed(v.bits, from);
    match op {
        CastOp::Trunc => to > 1 && to <= 64 && signed(v.bits & mask(to), to) != s,
        CastOp::ZExt | CastOp::UiToFp => from > 1 && s < 0,
        _ => false,
    }
}

/// Result of an operation with an unknown operand: known if the other operand decides it.
#[cold]
fn poisoned(op: BinOp, a: Val, b: Val) -> Val {
    let zero = |v: Val| v == Val::ZERO;
    match op {
        BinOp::And | BinOp::Mul if zero(a) || zero(b) => Val::ZERO,
        BinOp::Add | BinOp::Sub if a.is_poison() && !b.is_poison() => {
            // An address with an unknown offset still names the object that was meant.
            Val::unknown_address(if a.known == 0 { a.bits } else { 0 }, a.poison)
        }
        BinOp::LShr if a.known != 0 && b.known().is_some_and(|by| by % 8 == 0 && by < 64) => {
            let first = b.bits as u32 / 8;
            a.bytes_from(first, 8 - first)
        }
        BinOp::And if a.known != 0 && !b.is_poison() => masked(a, b.bits),
        BinOp::And if b.known != 0 && !a.is_poison() => masked(b, a.bits),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr | BinOp::AShr => {
            Val::poison(if a.is_poison() { a.poison } else { b.poison }.of_bits())
        }
        _ => Val::poison(if a.is_poison() { a.poison } else { b.poison }),
    }
}

/// Masks a value of which some bytes are known.
fn masked(v: Val, mask: u64) -> Val {
    let cleared = (0..8).filter(|i| mask >> (8 * i) & 0xff == 0).fold(0, |all, i| all | 1 << i);
    Val { bits: v.bits & mask, known: v.known | cleared, ..v }.bytes_from(0, 8)
}

pub fn wide(op: BinOp, a: u128, b: u128) -> Result<u128, ArithmeticFault> {
    let (sa, sb) = (a.cast_signed(), b.cast_signed());
    let shift = || u32::try_from(b).ok().filter(|s| *s < 128).ok_or(ArithmeticFault::Any);
    Ok(match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).ok_or(ArithmeticFault::Divide)?,
        BinOp::URem => a.checked_rem(b).ok_or(ArithmeticFault::Divide)?,
        BinOp::SDiv => sa.checked_div(sb).ok_or(ArithmeticFault::Divide)?.cast_unsigned(),
        BinOp::SRem => sa.checked_rem(sb).ok_or(ArithmeticFault::Divide)?.cast_unsigned(),
        BinOp::Shl => a << shift()?,
        BinOp::LShr => a >> shift()?,
        BinOp::AShr => (sa >> shift()?).cast_unsigned(),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        _ => return Err(ArithmeticFault::Any),
    })
}

#[inline]
pub fn icmp(pred: Pred, w: u32, x: u64, y: u64) -> bool {
    let (sx, sy) = (signed(x, w), signed(y, w));
    match pred {
        Pred::Eq => x == y,
        Pred::Ne => x != y,
        Pred::Ugt => x > y,
        Pred::Uge => x >= y,
        Pred::Ult => x < y,
        Pred::Ule => x <= y,
        Pred::Sgt => sx > sy,
        Pred::Sge => sx >= sy,
        Pred::Slt => sx < sy,
        Pred::Sle => sx <= sy,
    }
}

pub fn icmp_wide(pred: Pred, a: u128, b: u128) -> bool {
    let (sa, sb) = (a.cast_signed(), b.cast_signed());
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ugt => a > b,
        Pred::Uge => a >= b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Sgt => sa > sb,
        Pred::Sge => sa >= sb,
        Pred::Slt => sa < sb,
        Pred::Sle => sa <= sb,
    }
}

/// Floating-point arithmetic at 32, 64 or 80 bits.
#[inline]
pub fn floating(op: BinOp, w: u32, a: u64, b: u64) -> u64 {
    if w == 32 {
        let (x, y) = (f32::from_bits(super::value::low32(a)), f32::from_bits(super::value::low32(b)));
        let r = match op {
            BinOp::FAdd => x + y,
            BinOp::FSub => x - y,
            BinOp::FMul => x * y,
            BinOp::FDiv => x / y,
            _ => x % y,
        };
        return u64::from(r.to_bits());
    }
    let (x, y) = (float(a, w), float(b, w));
    let r = match op {
        BinOp::FAdd => x + y,
        BinOp::FSub => x - y,
        BinOp::FMul => x * y,
        BinOp::FDiv => x / y,
        _ => x % y,
    };
    float_bits(r, w)
}

/// Floating-point arithmetic; poison if a double does not hold the 80-bit result exactly.
#[inline]
pub fn computed(op: BinOp, w: u32, a: u64, b: u64) -> Val {
    if w == 80 {
        return extended(op, a, b).map_or(Val::poison(Reason::OPEN), Val::new);
    }
    Val::new(floating(op, w, a, b))
}

/// Negates a floating-point value; a double stands for an 80-bit one.
#[inline]
pub fn negated(w: u32, a: Val) -> Val {
    Val::new(a.bits ^ 1 << (w.min(64) - 1))
}

/// x87 arithmetic (80 bits) on operands that a double holds. `None` if a double does not hold the result, that is, if
/// rounding lost a bit.
fn extended(op: BinOp, a: u64, b: u64) -> Option<u64> {
    // The rounding error of a product below this may itself lose bits.
    const SMALL: f64 = 1e-280;
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let sum = |x: f64, y: f64| {
        // Knuth's two-sum gives the rounding error of a sum.
        let s = x + y;
        let t = s - x;
        ((x - (s - t)) + (y - t) == 0.0).then_some(s)
    };
    let r = match op {
        _ if !x.is_finite() || !y.is_finite() => return Some(floating(op, 80, a, b)),
        BinOp::FAdd => sum(x, y),
        BinOp::FSub => sum(x, -y),
        BinOp::FMul if x == 0.0 || y == 0.0 => Some(x * y),
        BinOp::FMul => Some(x * y).filter(|p| p.abs() > SMALL && x.mul_add(y, -p) == 0.0),
        BinOp::FDiv if x == 0.0 || y == 0.0 => Some(x / y),
        BinOp::FDiv => Some(x / y).filter(|q| q.abs() > SMALL && x.abs() > SMALL && q.mul_add(y, -x) == 0.0),
        // A remainder is never rounded.
        _ => return Some((x % y).to_bits()),
    };
    r.filter(|r| r.is_finite() || y == 0.0).map(f64::to_bits)
}

/// Converts between scalars of at most 64 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "conversions are what this is for"
)]
pub fn cast(op: CastOp, from: u32, to: u32, v: Val) -> Val {
    if v.is_poison() {
        return match op {
            // The object that an unknown address was meant for stays known.
            CastOp::PtrToInt | CastOp::IntToPtr => Val { poison: v.poison.of_result(), ..v },
            CastOp::Bitcast | CastOp::AddrSpaceCast => v,
            CastOp::Trunc if v.known != 0 && to.is_multiple_of(8) => v.bytes_from(0, to / 8),
            CastOp::Trunc => Val::poison(v.poison.of_bits()),
            _ => Val::poison(v.poison),
        };
    }
    let b = v.bits;
    let r = match op {
        CastOp::Trunc
        | CastOp::ZExt
        | CastOp::PtrToInt
        | CastOp::IntToPtr
        | CastOp::Bitcast
        | CastOp::AddrSpaceCast => b,
        CastOp::SExt => signed(b, from).cast_unsigned(),
        CastOp::FpTrunc | CastOp::FpExt => float_bits(float(b, from), to),
        // A double stands for an 80-bit value with 64 bits of precision.
        CastOp::UiToFp if to == 80 && b as f64 as u128 != u128::from(b) => return Val::poison(Reason::OPEN),
        CastOp::SiToFp if to == 80 && signed(b, from) as f64 as i128 != i128::from(signed(b, from)) => {
            return Val::poison(Reason::OPEN);
        }
        CastOp::UiToFp => {
            if to == 32 {
                u64::from((b as f32).to_bits())
            } else {
                float_bits(b as f64, to)
            }
        }
        CastOp::SiToFp => {
            let s = signed(b, from);
            if to == 32 { u64::from((s as f32).to_bits()) } else { float_bits(s as f64, to) }
        }
        CastOp::FpToSi | CastOp::FpToUi => {
            let f = float(b, from).trunc();
            let (low, high) = if op == CastOp::FpToSi {
                (-(2f64.powi(to as i32 - 1)), 2f64.powi(to as i32 - 1))
            } else {
                (0.0, 2f64.powi(to as i32))
            };
            // Out of range is undefined in C++: x86 and PTX differ.
            if !(f >= low && f < high) {
                return Val::poison(Reason::RANGE);
            }
            if op == CastOp::FpToSi { (f as i64).cast_unsigned() } else { f as u64 }
        }
    };
    Val::new(r & mask(to))
}

/// Value that an atomic operation leaves in memory; `None` if the operation is not modelled.
pub fn atomic(op: AtomicOp, w: u32, old: Val, v: Val) -> Option<Val> {
    let bin = |op| int(op, w, old, v).ok();
    let pick = |take: bool| Some(if take { v } else { old });
    if op == AtomicOp::Xchg {
        return Some(v);
    }
    if old.is_poison() || v.is_poison() {
        return Some(Val::poison(if old.is_poison() { old.poison } else { v.poison }));
    }
    let (o, n) = (old.bits, v.bits);
    let (so, sn) = (signed(o, w), signed(n, w));
    match op {
        AtomicOp::Xchg => Some(v),
        AtomicOp::Add => bin(BinOp::Add),
        AtomicOp::Sub => bin(BinOp::Sub),
        AtomicOp::And => bin(BinOp::And),
        AtomicOp::Or => bin(BinOp::Or),
        AtomicOp::Xor => bin(BinOp::Xor),
        AtomicOp::Nand => Some(Val::new(!(o & n) & mask(w))),
        AtomicOp::Max => pick(sn > so),
        AtomicOp::Min => pick(sn < so),
        AtomicOp::UMax => pick(n > o),
        AtomicOp::UMin => pick(n < o),
        AtomicOp::UIncWrap => Some(Val::new(if o >= n { 0 } else { o + 1 })),
        AtomicOp::UDecWrap => Some(Val::new(if o == 0 || o > n { n } else { o - 1 })),
        AtomicOp::FAdd if matches!(w, 32 | 64) => Some(Val::new(floating(BinOp::FAdd, w, o, n))),
        AtomicOp::FSub if matches!(w, 32 | 64) => Some(Val::new(floating(BinOp::FSub, w, o, n))),
        AtomicOp::FMax if matches!(w, 32 | 64) => pick(float(n, w) > float(o, w)),
        AtomicOp::FMin if matches!(w, 32 | 64) => pick(float(n, w) < float(o, w)),
        AtomicOp::FAdd | AtomicOp::FSub | AtomicOp::FMax | AtomicOp::FMin | AtomicOp::Other => None,
    }
}

/// Step of a warp-wide reduction of 32-bit integers.
pub fn reduce(op: Reduce, a: u64, b: u64) -> u64 {
    let (sa, sb) = (signed(a, 32), signed(b, 32));
    mask(32)
        & match op {
            Reduce::Add => a.wrapping_add(b),
            Reduce::Min => {
                if sa < sb {
                    a
                } else {
                    b
                }
            }
            Reduce::Max => {
                if sa > sb {
                    a
                } else {
                    b
                }
            }
            Reduce::UMin => a.min(b),
            Reduce::UMax => a.max(b),
            Reduce::And => a & b,
            Reduce::Or => a | b,
            Reduce::Xor => a ^ b,
        }
}

/// Result of a vote over the lanes' predicates, given as (lane number, predicate).
pub fn vote(kind: Vote, preds: &[(u32, bool)]) -> u64 {
    let count = preds.iter().filter(|p| p.1).count();
    match kind {
        Vote::All => u64::from(count == preds.len()),
        Vote::Any => u64::from(count > 0),
        Vote::Count => count as u64,
        Vote::Uniform => u64::from(count == 0 || count == preds.len()),
        Vote::Ballot => preds.iter().filter(|p| p.1).fold(0, |m, p| m | 1 << p.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn i(op: BinOp, w: u32, a: i64, b: i64) -> Result<i64, ArithmeticFault> {
        let v = |x: i64| Val::new(x.cast_unsigned() & mask(w));
        int(op, w, v(a), v(b)).map(|v| signed(v.bits, w))
    }

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(i(BinOp::Add, 8, 127, 1), Ok(-128));
        assert_eq!(i(BinOp::Mul, 32, 1 << 20, 1 << 12), Ok(0));
        assert_eq!(i(BinOp::Sub, 64, i64::MIN, 1), Ok(i64::MAX));
        assert_eq!(i(BinOp::SDiv, 32, -7, 2), Ok(-3));
        assert_eq!(i(BinOp::SRem, 32, -7, 2), Ok(-1));
        assert_eq!(i(BinOp::AShr, 16, -4, 1), Ok(-2));
        assert_eq!(int(BinOp::LShr, 16, Val::new(0xfffc), Val::new(1)), Ok(Val::new(0x7ffe)));
        assert_eq!(i(BinOp::SDiv, 32, 1, 0), Err(ArithmeticFault::Divide));
        assert_eq!(i(BinOp::SDiv, 8, -128, -1), Err(ArithmeticFault::Divide));
        assert_eq!(i(BinOp::Shl, 32, 1, 32), Err(ArithmeticFault::Any));
    }

    #[test]
    fn a_known_zero_decides_a_product() {
        let p = Val::poison(Reason(9));
        assert_eq!(int(BinOp::Mul, 32, p, Val::ZERO), Ok(Val::ZERO));
        assert_eq!(int(BinOp::Add, 32, p, Val::ZERO), Ok(p));
    }

    #[test]
    fn conversions_are_the_machines() {
        assert_eq!(cast(CastOp::SExt, 8, 32, Val::new(0x80)), Val::new(0xffff_ff80));
        assert_eq!(cast(CastOp::Trunc, 64, 32, Val::new(0x1_0000_0002)), Val::new(2));
        assert_eq!(cast(CastOp::FpToSi, 64, 32, Val::f64(-2.9)), Val::new(0xffff_fffe));
        assert!(cast(CastOp::FpToSi, 64, 32, Val::f64(3e9)).is_poison());
        assert!(cast(CastOp::FpToUi, 64, 32, Val::f64(f64::NAN)).is_poison());
        assert_eq!(cast(CastOp::UiToFp, 32, 64, Val::new(7)), Val::f64(7.0));
        assert_eq!(cast(CastOp::SiToFp, 64, 32, Val::new(16_777_217)), Val::new(u64::from(16_777_216f32.to_bits())));
    }

    #[test]
    fn atomics_follow_cuda() {
        let v = Val::new;
        assert_eq!(atomic(AtomicOp::UIncWrap, 32, v(5), v(5)), Some(v(0)));
        assert_eq!(atomic(AtomicOp::UDecWrap, 32, v(0), v(5)), Some(v(5)));
        assert_eq!(atomic(AtomicOp::Max, 32, v(0xffff_ffff), v(1)), Some(v(1)));
        assert_eq!(atomic(AtomicOp::UMax, 32, v(0xffff_ffff), v(1)), Some(v(0xffff_ffff)));
        assert!(atomic(AtomicOp::Add, 32, Val::UNINIT, v(1)).unwrap().is_poison());
    }

    #[test]
    fn bytes_that_are_known_of_a_word_stay_known_where_they_are_taken() {
        // A structure with padding in its second byte, and one with an uninitialised first byte.
        let padded = Val::known_in_part(0x0003_0001, Reason::UNINIT, 0b0000_1101);
        assert_eq!(cast(CastOp::Trunc, 32, 8, padded), Val::new(1));
        assert!(cast(CastOp::Trunc, 32, 16, padded).is_poison());
        let third = int(BinOp::LShr, 32, padded, Val::new(16)).unwrap();
        assert_eq!(cast(CastOp::Trunc, 32, 8, third), Val::new(3));
        assert_eq!(int(BinOp::And, 32, padded, Val::new(0xff_00ff)), Ok(Val::new(0x0003_0001)));
        assert!(int(BinOp::And, 32, padded, Val::new(0xff00)).unwrap().is_poison());
        // Values computed from it are unknown, and so are their bytes.
        for op in [BinOp::Add, BinOp::Or, BinOp::Mul, BinOp::Shl] {
            let computed = int(op, 32, padded, Val::new(8)).unwrap();
            assert!(computed.is_poison() && computed.known == 0 && computed.bits == 0, "{op:?}");
        }
    }

    #[test]
    fn votes_count_lanes() {
        let p = [(0, true), (3, false), (5, true)];
        assert_eq!(vote(Vote::Ballot, &p), 0b10_0001);
        assert_eq!((vote(Vote::All, &p), vote(Vote::Any, &p), vote(Vote::Count, &p)), (0, 1, 2));
        assert_eq!(reduce(Reduce::Min, 0xffff_ffff, 1), 0xffff_ffff);
        assert_eq!(reduce(Reduce::UMin, 0xffff_ffff, 1), 1);
    }
}
