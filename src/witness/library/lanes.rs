//! Lifts plain functions to models of mathematical functions, lane by lane. A lane is unknown if one of its arguments
//! is.

use super::arguments::arg;
use crate::machine::arith::floating;
use crate::machine::call::ModelResult;
use crate::machine::call::Ret;
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, float, float_bits, is_float_width, low32, mask, signed};
use ir::BinOp;

/// Width in bits of the call's first argument.
pub(super) fn width(call: &CallInfo) -> u32 {
    call.args.first().map_or(64, |a| u32::from(a.bits))
}

/// Applies a function of one floating-point argument to each lane.
pub(super) fn unary(call: &CallInfo, args: &[Val], f: fn(f64) -> f64) -> Ret {
    let w = width(call);
    // A double does not hold the last bits of an 80-bit result.
    if !is_float_width(w) || w == 80 {
        return Ret::Many(vec![Val::poison(Reason::OPEN); args.len()]);
    }
    Ret::Many(
        args.iter()
            .map(|a| a.known().map_or(Val::poison(a.poison), |b| Val::new(float_bits(f(float(b, w)), w))))
            .collect(),
    )
}

/// Like [`unary`], with a separate function for `float`, whose result may differ from the rounded `double` result.
pub(super) fn unary_each(call: &CallInfo, args: &[Val], f: fn(f64) -> f64, of_float: fn(f32) -> f32) -> Ret {
    if width(call) != 32 {
        return unary(call, args, f);
    }
    let one = |b: u64| u64::from(of_float(f32::from_bits(low32(b))).to_bits());
    Ret::Many(args.iter().map(|a| a.known().map_or(Val::poison(a.poison), |b| Val::new(one(b)))).collect())
}

/// Like [`unary_each`], for two arguments.
pub(super) fn binary_each(call: &CallInfo, args: &[Val], f: fn(f64, f64) -> f64, of_float: fn(f32, f32) -> f32) -> Ret {
    if width(call) != 32 {
        return binary(call, args, f);
    }
    let n = args.len() / 2;
    let one = |x: u64, y: u64| u64::from(of_float(f32::from_bits(low32(x)), f32::from_bits(low32(y))).to_bits());
    Ret::Many(
        (0..n)
            .map(|i| match (args[i].known(), args[n + i].known()) {
                (Some(x), Some(y)) => Val::new(one(x, y)),
                _ => Val::poison(if args[i].is_poison() { args[i].poison } else { args[n + i].poison }),
            })
            .collect(),
    )
}

pub(super) fn binary(call: &CallInfo, args: &[Val], f: fn(f64, f64) -> f64) -> Ret {
    let w = width(call);
    let n = args.len() / 2;
    if !is_float_width(w) || w == 80 {
        return Ret::Many(vec![Val::poison(Reason::OPEN); n]);
    }
    Ret::Many(
        (0..n)
            .map(|i| match (args[i].known(), args[n + i].known()) {
                (Some(x), Some(y)) => Val::new(float_bits(f(float(x, w), float(y, w)), w)),
                _ => Val::poison(if args[i].is_poison() { args[i].poison } else { args[n + i].poison }),
            })
            .collect(),
    )
}

/// Applies an integer function to lanes of `k` arguments.
pub(super) fn integers(call: &CallInfo, args: &[Val], k: usize, f: fn(&[u64], u32) -> Option<u64>) -> Ret {
    let w = width(call);
    if !(1..=64).contains(&w) {
        return Ret::Many(vec![Val::poison(Reason::OPEN); args.len() / k.max(1)]);
    }
    // Some intrinsics have one immediate scalar flag after their arguments.
    let n = if args.len().is_multiple_of(k) { args.len() / k } else { (args.len() - 1) / (k - 1).max(1) };
    Ret::Many(
        (0..n.max(1))
            .map(|i| {
                let v: Vec<Val> = (0..k).map(|j| args.get(j * n + i).copied().unwrap_or(Val::ZERO)).collect();
                if let Some(p) = v.iter().find(|v| v.is_poison()) {
                    return Val::poison(p.poison);
                }
                let raw: Vec<u64> = v.iter().map(|v| v.bits).collect();
                f(&raw, w).map_or(Val::poison(Reason::OPEN), |b| Val::new(b & mask(w)))
            })
            .collect(),
    )
}

macro_rules! float1 {
    ($f:expr, $float:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
            Ok(unary_each(c, a, $f, $float))
        }
        model as ConcreteModel
    }};
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
            Ok(unary(c, a, $f))
        }
        model as ConcreteModel
    }};
}
macro_rules! float2 {
    ($f:expr, $float:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
            Ok(binary_each(c, a, $f, $float))
        }
        model as ConcreteModel
    }};
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
            Ok(binary(c, a, $f))
        }
        model as ConcreteModel
    }};
}
macro_rules! int_n {
    ($k:expr, $f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
            Ok(integers(c, a, $k, $f))
        }
        model as ConcreteModel
    }};
}
/// Absolute value. The smallest integer has none in its width: that wraps.
pub(super) fn absolute(m: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    let w = width(c);
    m.wrapped |= arg(a, 0).known().is_some_and(|v| s(v, w) == -(1i128 << (w - 1)));
    Ok(integers(c, a, 1, |a, w| Some(signed(a[0], w).unsigned_abs())))
}

pub(super) fn s(x: u64, w: u32) -> i128 {
    i128::from(signed(x, w))
}
/// Rounds to nearest even, like `rint` in the default mode.
pub(super) fn rint(x: f64) -> f64 {
    x.round_ties_even()
}

/// Exact remainder of a division whose quotient is rounded to the nearest integer, ties to even (C11 F.10.7.2,
/// fdlibm's `e_remainder.c`).
pub(super) fn remainder(x: f64, y: f64) -> f64 {
    if !x.is_finite() || y.is_nan() || y == 0.0 {
        return f64::NAN;
    }
    let y = y.abs();
    let mut r = if y <= f64::MAX / 2.0 { x % (y + y) } else { x }.abs();
    if y.is_infinite() {
        return x;
    }
    // Half of a subnormal number may not be representable.
    let tiny = y < 2.0 * f64::MIN_POSITIVE;
    let beyond = |r: f64| if tiny { r + r > y } else { r > 0.5 * y };
    let at_least = |r: f64| if tiny { r + r >= y } else { r >= 0.5 * y };
    if beyond(r) {
        r -= y;
        if at_least(r) {
            r -= y;
        }
    }
    if x.is_sign_negative() { -r } else { r }
}

/// `a * b + c` with one rounding, for each lane.
pub(super) fn fma(_: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let (w, n) = (width(call), args.len() / 3);
    if !is_float_width(w) || w == 80 {
        return Ok(Ret::Many(vec![Val::poison(Reason::OPEN); n]));
    }
    Ok(Ret::Many(
        (0..n)
            .map(|i| {
                let v = [args[i], args[n + i], args[2 * n + i]];
                if let Some(p) = v.iter().find(|v| v.is_poison()) {
                    return Val::poison(p.poison);
                }
                match w {
                    32 => {
                        let f = |v: Val| f32::from_bits(low32(v.bits));
                        Val::new(u64::from(f(v[0]).mul_add(f(v[1]), f(v[2])).to_bits()))
                    }
                    _ => Val::f64(
                        f64::from_bits(v[0].bits).mul_add(f64::from_bits(v[1].bits), f64::from_bits(v[2].bits)),
                    ),
                }
            })
            .collect(),
    ))
}

/// `a * b + c`, which a compiler may round once or twice (LLVM's `llvm.fmuladd`): known if both give the same value.
pub(super) fn multiply_add(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let (w, n) = (width(call), args.len() / 3);
    let Ret::Many(mut fused) = fma(m, th, call, args)? else {
        return Ok(Ret::Many(vec![Val::poison(Reason::OPEN); n]));
    };
    for (i, v) in fused.iter_mut().enumerate().filter(|(_, v)| !v.is_poison()) {
        let product = floating(BinOp::FMul, w, args[i].bits, args[n + i].bits);
        if floating(BinOp::FAdd, w, product, args[2 * n + i].bits) != v.bits {
            *v = m.unknown("whether the product of a sum is rounded");
        }
    }
    Ok(Ret::Many(fused))
}

/// Rounds and converts to an integer of `bits` bits.
pub(super) fn to_int(call: &CallInfo, args: &[Val], bits: u32, round: fn(f64) -> f64) -> Ret {
    let v = arg(args, 0);
    let Some(b) = v.known().filter(|_| is_float_width(width(call))) else {
        return Ret::Val(Val::poison(if v.is_poison() { v.poison } else { Reason::OPEN }));
    };
    let f = round(float(b, width(call)));
    let limit = 2f64.powi(i32::try_from(bits).unwrap_or(64) - 1);
    if !(f >= -limit && f < limit) {
        return Ret::Val(Val::poison(Reason::RANGE));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked to lie in the type's range")]
    Ret::Val(Val::new((f as i64).cast_unsigned() & mask(bits)))
}

macro_rules! round_to {
    ($bits:expr, $f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
            Ok(to_int(c, a, $bits, $f))
        }
        model as ConcreteModel
    }};
}

/// Predicate of a floating-point value.
macro_rules! test {
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
            let (v, f): (Val, fn(f64) -> bool) = (arg(a, 0), $f);
            if !is_float_width(width(c)) {
                return Ok(Ret::Val(Val::poison(Reason::OPEN)));
            }
            Ok(Ret::Val(v.known().map_or(Val::poison(v.poison), |b| Val::new(u64::from(f(float(b, width(c))))))))
        }
        model as ConcreteModel
    }};
}

pub(super) use {float1, float2, int_n, round_to, test};
