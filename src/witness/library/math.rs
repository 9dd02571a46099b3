//! Mathematics: the C library's on the host, libdevice's on the device, and LLVM's intrinsics.
//!
//! Functions that are not rounded exactly (`sin`, `pow`) give this machine's values; the device's may differ in the
//! last place.

use super::arguments::arg;
use super::model::{Class, Entry};
use super::simple::{first, nothing, zero};
use crate::witness::machine::call::{Ret, Stop};
use crate::witness::machine::form::CallInfo;
use crate::witness::machine::state::{Machine, Model};
use crate::witness::machine::thread::Thread;
use crate::witness::machine::value::{Reason, Val, float, float_bits, is_float_width, mask, signed};

type Res = Result<Ret, Stop>;

/// Width in bits of the call's first argument.
fn width(call: &CallInfo) -> u32 {
    call.args.first().map_or(64, |a| u32::from(a.bits))
}

/// A function of one floating-point argument, each lane.
fn unary(call: &CallInfo, args: &[Val], f: fn(f64) -> f64) -> Ret {
    let w = width(call);
    if !is_float_width(w) {
        return Ret::Many(vec![Val::poison(Reason::OPEN); args.len()]);
    }
    Ret::Many(
        args.iter()
            .map(|a| a.known().map_or(Val::poison(a.poison), |b| Val::new(float_bits(f(float(b, w)), w))))
            .collect(),
    )
}

fn binary(call: &CallInfo, args: &[Val], f: fn(f64, f64) -> f64) -> Ret {
    let w = width(call);
    let n = args.len() / 2;
    if !is_float_width(w) {
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

/// An integer function of lanes of `k` arguments.
fn integers(call: &CallInfo, args: &[Val], k: usize, f: fn(&[u64], u32) -> Option<u64>) -> Ret {
    let w = width(call);
    if !(1..=64).contains(&w) {
        return Ret::Many(vec![Val::poison(Reason::OPEN); args.len() / k.max(1)]);
    }
    // Some intrinsics have an immediate flag after their arguments, which is one scalar.
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
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
            Ok(unary(c, a, $f))
        }
        model as Model
    }};
}
macro_rules! float2 {
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
            Ok(binary(c, a, $f))
        }
        model as Model
    }};
}
macro_rules! int_n {
    ($k:expr, $f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
            Ok(integers(c, a, $k, $f))
        }
        model as Model
    }};
}
/// `{result, overflowed}`.
macro_rules! overflow {
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
            let (x, y, w) = (arg(a, 0), arg(a, 1), width(c));
            let (Some(p), Some(q)) = (x.known(), y.known()) else {
                let r = Val::poison(if x.is_poison() { x.poison } else { y.poison });
                return Ok(Ret::Many(vec![r, r]));
            };
            let f: fn(u64, u64, u32) -> (i128, bool) = $f;
            let (v, over) = f(p, q, w);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the result wraps")]
            Ok(Ret::Many(vec![Val::new(v as u64 & mask(w)), Val::new(u64::from(over))]))
        }
        model as Model
    }};
}

/// The least number has none of its width.
fn absolute(m: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
    let w = width(c);
    m.wrapped |= arg(a, 0).known().is_some_and(|v| s(v, w) == -(1i128 << (w - 1)));
    Ok(integers(c, a, 1, |a, w| Some(signed(a[0], w).unsigned_abs())))
}

fn s(x: u64, w: u32) -> i128 {
    i128::from(signed(x, w))
}
fn fits_signed(v: i128, w: u32) -> bool {
    (-(1i128 << (w - 1))..1i128 << (w - 1)).contains(&v)
}
fn fits(v: i128, w: u32) -> bool {
    (0..1i128 << w).contains(&v)
}

fn clamp_signed(v: i128, w: u32) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to at most 64 bits")]
    let r = v.clamp(-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1) as u64;
    r
}

fn clamp(v: i128, w: u32) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to at most 64 bits")]
    let r = v.clamp(0, (1i128 << w) - 1) as u64;
    r
}

/// Rounds to nearest even, like `rint` in the default mode.
fn rint(x: f64) -> f64 {
    x.round_ties_even()
}

/// `a * b + c` in one rounding, each lane.
fn fma(_: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, args: &[Val]) -> Res {
    let (w, n) = (width(call), args.len() / 3);
    if !is_float_width(w) {
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
                        let f = |v: Val| f32::from_bits(crate::witness::machine::value::low32(v.bits));
                        Val::new(u64::from(f(v[0]).mul_add(f(v[1]), f(v[2])).to_bits()))
                    }
                    64 => Val::f64(
                        f64::from_bits(v[0].bits).mul_add(f64::from_bits(v[1].bits), f64::from_bits(v[2].bits)),
                    ),
                    _ => Val::new(float_bits(float(v[0].bits, w).mul_add(float(v[1].bits, w), float(v[2].bits, w)), w)),
                }
            })
            .collect(),
    ))
}

/// To an integer of the result's width, rounding first.
fn to_int(call: &CallInfo, args: &[Val], bits: u32, round: fn(f64) -> f64) -> Ret {
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
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
            Ok(to_int(c, a, $bits, $f))
        }
        model as Model
    }};
}

/// A test of a floating-point value.
macro_rules! test {
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
            let (v, f): (Val, fn(f64) -> bool) = (arg(a, 0), $f);
            if !is_float_width(width(c)) {
                return Ok(Ret::Val(Val::poison(Reason::OPEN)));
            }
            Ok(Ret::Val(v.known().map_or(Val::poison(v.poison), |b| Val::new(u64::from(f(float(b, width(c))))))))
        }
        model as Model
    }};
}

/// The common functions by the name they have in C without suffix.
fn by_name(name: &str) -> Option<Model> {
    Some(match name {
        "sqrt" => float1!(f64::sqrt),
        "rsqrt" => float1!(|x| 1.0 / x.sqrt()),
        "cbrt" => float1!(f64::cbrt),
        "sin" => float1!(f64::sin),
        "cos" => float1!(f64::cos),
        "tan" => float1!(f64::tan),
        "asin" => float1!(f64::asin),
        "acos" => float1!(f64::acos),
        "atan" => float1!(f64::atan),
        "sinh" => float1!(f64::sinh),
        "cosh" => float1!(f64::cosh),
        "tanh" => float1!(f64::tanh),
        "asinh" => float1!(f64::asinh),
        "acosh" => float1!(f64::acosh),
        "atanh" => float1!(f64::atanh),
        "exp" => float1!(f64::exp),
        "exp2" => float1!(f64::exp2),
        "exp10" => float1!(|x| 10f64.powf(x)),
        "expm1" => float1!(f64::exp_m1),
        "log" => float1!(f64::ln),
        "log2" => float1!(f64::log2),
        "log10" => float1!(f64::log10),
        "log1p" => float1!(f64::ln_1p),
        "fabs" => float1!(f64::abs),
        "floor" => float1!(f64::floor),
        "ceil" => float1!(f64::ceil),
        "trunc" => float1!(f64::trunc),
        "round" => float1!(f64::round),
        "rint" | "nearbyint" | "roundeven" => float1!(rint),
        "sinpi" => float1!(|x| (x * std::f64::consts::PI).sin()),
        "cospi" => float1!(|x| (x * std::f64::consts::PI).cos()),
        "saturate" => float1!(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }),
        "pow" => float2!(f64::powf),
        "atan2" => float2!(f64::atan2),
        "fmod" => float2!(|a, b| a % b),
        "remainder" => float2!(|a, b| a - b * rint(a / b)),
        "hypot" => float2!(f64::hypot),
        "fmax" | "maxnum" | "maximumnum" => float2!(f64::max),
        "fmin" | "minnum" | "minimumnum" => float2!(f64::min),
        "fdim" => float2!(|a, b| if a > b {
            a - b
        } else if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            0.0
        }),
        "copysign" => float2!(f64::copysign),
        "fma" => fma,
        "lround" | "llround" => round_to!(64, f64::round),
        "lrint" | "llrint" => round_to!(64, rint),
        "isnan" => test!(f64::is_nan),
        "isinf" => test!(f64::is_infinite),
        "finite" | "isfinite" => test!(f64::is_finite),
        "signbit" => test!(f64::is_sign_negative),
        _ => return None,
    })
}

fn with_suffix(name: &str) -> Option<Model> {
    by_name(name).or_else(|| name.strip_suffix(['f', 'l']).and_then(by_name))
}

/// The C library's mathematics.
pub fn host(name: &str) -> Option<Entry> {
    let name = name.strip_prefix("__").map_or(name, |n| n.strip_suffix("_finite").unwrap_or(n));
    with_suffix(name).map(|m| (m, Class::Pure))
}

/// libdevice's functions, `__nv_…`.
pub fn device(name: &str) -> Option<Entry> {
    let n = name.strip_prefix("__nv_")?;
    let m = match n {
        "abs" | "llabs" => absolute,
        "max" | "llmax" => int_n!(2, |a, w| Some(signed(a[0], w).max(signed(a[1], w)).cast_unsigned())),
        "min" | "llmin" => int_n!(2, |a, w| Some(signed(a[0], w).min(signed(a[1], w)).cast_unsigned())),
        "umax" | "ullmax" => int_n!(2, |a, _| Some(a[0].max(a[1]))),
        "umin" | "ullmin" => int_n!(2, |a, _| Some(a[0].min(a[1]))),
        "mulhi" => int_n!(2, |a, _| Some((signed(a[0], 32) * signed(a[1], 32)).cast_unsigned() >> 32)),
        "umulhi" => int_n!(2, |a, _| Some((a[0] * a[1]) >> 32)),
        "clz" | "clzll" => int_n!(1, |a, w| Some(u64::from(a[0].leading_zeros() - (64 - w)))),
        "ffs" | "ffsll" => int_n!(1, |a, _| Some(if a[0] == 0 { 0 } else { u64::from(a[0].trailing_zeros()) + 1 })),
        "popc" | "popcll" => int_n!(1, |a, _| Some(u64::from(a[0].count_ones()))),
        "brev" | "brevll" => int_n!(1, |a, w| Some(a[0].reverse_bits() >> (64 - w))),
        "isnand" | "isnanf" | "isnan" => test!(f64::is_nan),
        "isinfd" | "isinff" | "isinf" => test!(f64::is_infinite),
        "isfinited" | "finitef" => test!(f64::is_finite),
        "signbitd" | "signbitf" => test!(f64::is_sign_negative),
        "llrintf" | "llrint" => round_to!(64, rint),
        "llroundf" | "llround" => round_to!(64, f64::round),
        _ => {
            // `fast_sinf`, `fsqrt_rn`: the same function, faster or with its rounding named.
            let n = n.strip_prefix("fast_").unwrap_or(n);
            return with_suffix(n).map(|m| (m, Class::Pure));
        }
    };
    Some((m, Class::Pure))
}

/// LLVM's intrinsics, the name without `llvm.`; those of one target are elsewhere.
pub fn intrinsic(name: &str) -> Option<Entry> {
    // The whole name says which is meant, less the types behind it.
    let base = crate::ir::intrinsic::without_types(name);
    let to_long = name.strip_prefix(base).is_some_and(|types| types.starts_with(".i64."));
    let m: Model = match base {
        "sadd.with.overflow" => overflow!(|a, b, w| {
            let v = s(a, w) + s(b, w);
            (v, !fits_signed(v, w))
        }),
        "ssub.with.overflow" => overflow!(|a, b, w| {
            let v = s(a, w) - s(b, w);
            (v, !fits_signed(v, w))
        }),
        "smul.with.overflow" => overflow!(|a, b, w| {
            let v = s(a, w) * s(b, w);
            (v, !fits_signed(v, w))
        }),
        "uadd.with.overflow" => overflow!(|a, b, w| {
            let v = i128::from(a) + i128::from(b);
            (v, !fits(v, w))
        }),
        "usub.with.overflow" => overflow!(|a, b, w| {
            let v = i128::from(a) - i128::from(b);
            (v, !fits(v, w))
        }),
        "umul.with.overflow" => overflow!(|a, b, w| {
            let (v, over) = u128::from(a).overflowing_mul(u128::from(b));
            (v.cast_signed(), over || v >> w != 0)
        }),
        "sadd.sat" => int_n!(2, |a, w| Some(clamp_signed(s(a[0], w) + s(a[1], w), w))),
        "ssub.sat" => int_n!(2, |a, w| Some(clamp_signed(s(a[0], w) - s(a[1], w), w))),
        "uadd.sat" => int_n!(2, |a, w| Some(clamp(i128::from(a[0]) + i128::from(a[1]), w))),
        "usub.sat" => int_n!(2, |a, w| Some(clamp(i128::from(a[0]) - i128::from(a[1]), w))),
        "is.constant" => return Some((is_constant, Class::Pure)),
        "stacksave" => return Some((zero, Class::Pure)),
        "stackrestore" => return Some((nothing, Class::Pure)),
        "fmuladd" => fma,
        "abs" => absolute,
        "smax" => int_n!(2, |a, w| Some(signed(a[0], w).max(signed(a[1], w)).cast_unsigned())),
        "smin" => int_n!(2, |a, w| Some(signed(a[0], w).min(signed(a[1], w)).cast_unsigned())),
        "umax" => int_n!(2, |a, _| Some(a[0].max(a[1]))),
        "umin" => int_n!(2, |a, _| Some(a[0].min(a[1]))),
        "ctpop" => int_n!(1, |a, _| Some(u64::from(a[0].count_ones()))),
        "ctlz" => int_n!(2, |a, w| if a[0] == 0 && a[1] == 1 {
            None
        } else {
            Some(u64::from(a[0].leading_zeros() - (64 - w)))
        }),
        "cttz" => int_n!(2, |a, w| if a[0] == 0 {
            if a[1] == 1 { None } else { Some(u64::from(w)) }
        } else {
            Some(u64::from(a[0].trailing_zeros()))
        }),
        "bswap" => int_n!(1, |a, w| Some(a[0].swap_bytes() >> (64 - w))),
        "bitreverse" => int_n!(1, |a, w| Some(a[0].reverse_bits() >> (64 - w))),
        "fshl" => int_n!(3, |a, w| {
            let k = a[2] % u64::from(w);
            Some(if k == 0 { a[0] } else { a[0] << k | a[1] >> (u64::from(w) - k) })
        }),
        "fshr" => int_n!(3, |a, w| {
            let k = a[2] % u64::from(w);
            Some(if k == 0 { a[1] } else { a[0] << (u64::from(w) - k) | a[1] >> k })
        }),
        "ptrmask" => int_n!(2, |a, _| Some(a[0] & a[1])),
        "expect"
        | "expect.with.probability"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "ssa.copy"
        | "threadlocal.address"
        | "annotation"
        | "ptr.annotation"
        | "invariant.start"
        | "arithmetic.fence" => first,
        // Where nothing is known of the object: the most, or the least where that is asked for.
        "objectsize" => return Some((object_size, Class::Pure)),
        "prefetch"
        | "dbg.declare"
        | "dbg.value"
        | "dbg.assign"
        | "dbg.label"
        | "donothing"
        | "sideeffect"
        | "experimental.noalias.scope.decl"
        | "var.annotation"
        | "invariant.end"
        | "stackprotector"
        | "pseudoprobe"
        | "fake.use" => nothing,
        "trap" | "debugtrap" | "ubsantrap" => return Some(crate::witness::device::builtins::TRAP),
        "va_start" => return Some((super::stdio::va_start, Class::Memory)),
        "va_end" => nothing,
        "va_copy" => return Some((super::stdio::va_copy, Class::Memory)),
        "powi" => return Some((powi, Class::Pure)),
        "is.fpclass" => return Some((is_fpclass, Class::Pure)),
        "minimum" => float2!(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }),
        "maximum" => float2!(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }),
        "lround" | "llround" | "lrint" | "llrint" if !to_long => return None,
        _ => match base.strip_prefix("nvvm.") {
            // Those have types of their own in their names, which are parts of these.
            Some(_) => return nvvm(name.strip_prefix("nvvm.")?),
            None => by_name(base).filter(|_| IS_INTRINSIC.contains(&base))?,
        },
    };
    Some((m, Class::Pure))
}

/// The common functions that are intrinsics too.
const IS_INTRINSIC: &[&str] = &[
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "fabs",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "nearbyint",
    "roundeven",
    "pow",
    "atan2",
    "maxnum",
    "minnum",
    "maximumnum",
    "minimumnum",
    "copysign",
    "fma",
    "lround",
    "llround",
    "lrint",
    "llrint",
];

/// NVPTX's floating-point intrinsics, which libdevice's bodies use.
fn nvvm(name: &str) -> Option<Entry> {
    let (base, rest) = name.split_once('.').unwrap_or((name, ""));
    // Without what flushes small numbers to zero, and the type.
    let way = rest
        .strip_suffix('f')
        .or_else(|| rest.strip_suffix('d'))
        .map(|r| r.trim_end_matches('.'))
        .map(|r| r.strip_suffix("ftz").map_or(r, |r| r.trim_end_matches('.')));
    let plain = way == Some("");
    // To the nearest, or to what the device finds fast, in the last place.
    let near = matches!(way, Some("" | "rn" | "approx" | "full"));
    let m: Model = match (base, rest) {
        ("sqrt", _) if near => float1!(f64::sqrt),
        ("rsqrt", _) if near => float1!(|x| 1.0 / x.sqrt()),
        ("rcp", _) if near => float1!(|x| 1.0 / x),
        ("fabs", _) if plain => float1!(f64::abs),
        ("floor", _) if plain => float1!(f64::floor),
        ("ceil", _) if plain => float1!(f64::ceil),
        ("trunc", _) if plain => float1!(f64::trunc),
        ("round", _) if plain => float1!(rint),
        ("saturate", _) if plain => float1!(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }),
        ("sin", _) if near => float1!(f64::sin),
        ("cos", _) if near => float1!(f64::cos),
        ("ex2", _) if near => float1!(f64::exp2),
        ("lg2", _) if near => float1!(f64::log2),
        ("tanh", _) if near => float1!(f64::tanh),
        ("fmin", _) if plain => float2!(f64::min),
        ("fmax", _) if plain => float2!(f64::max),
        ("add", _) if near => float2!(|a, b| a + b),
        ("mul", _) if near => float2!(|a, b| a * b),
        ("div", _) if near => float2!(|a, b| a / b),
        ("fma", _) if near => fma,
        ("mulhi", "i") => int_n!(2, |a, _| Some((signed(a[0], 32) * signed(a[1], 32)).cast_unsigned() >> 32)),
        ("mulhi", "ui") => int_n!(2, |a, _| Some((a[0] * a[1]) >> 32)),
        ("mulhi", "ll") => int_n!(2, |a, _| Some(((s(a[0], 64) * s(a[1], 64)) >> 64) as u64)),
        ("mulhi", "ull") => int_n!(2, |a, _| Some(((u128::from(a[0]) * u128::from(a[1])) >> 64) as u64)),
        ("mul24", "i") => {
            int_n!(2, |a, _| Some((signed(a[0] & mask(24), 24) * signed(a[1] & mask(24), 24)).cast_unsigned()))
        }
        ("mul24", "ui") => int_n!(2, |a, _| Some((a[0] & mask(24)) * (a[1] & mask(24)))),
        ("sad", "i" | "s" | "ll") => {
            int_n!(3, |a, w| Some(signed(a[0], w).abs_diff(signed(a[1], w)).wrapping_add(a[2])))
        }
        ("sad", "ui" | "us" | "ull") => int_n!(3, |a, _| Some(a[0].abs_diff(a[1]).wrapping_add(a[2]))),
        ("prmt", "") => int_n!(3, |a, _| Some(permute(a[0], a[1], a[2]))),
        ("popc", "i" | "ll") => int_n!(1, |a, _| Some(u64::from(a[0].count_ones()))),
        ("d2i", "lo") => int_n!(1, |a, _| Some(a[0] & mask(32))),
        ("d2i", "hi") => int_n!(1, |a, _| Some(a[0] >> 32)),
        ("d2i" | "f2i", mode) => return rounded(mode.strip_suffix(".ftz").unwrap_or(mode), 32),
        ("d2ll" | "f2ll", mode) => return rounded(mode.strip_suffix(".ftz").unwrap_or(mode), 64),
        ("lohi", "i2d") => lohi,
        ("bitcast", "f2i" | "i2f" | "d2ll" | "ll2d") => first,
        _ => return None,
    };
    Some((m, Class::Pure))
}

fn rounded(mode: &str, bits: u32) -> Option<Entry> {
    let m: Model = match (mode, bits) {
        ("rn", 32) => round_to!(32, rint),
        ("rz", 32) => round_to!(32, f64::trunc),
        ("rm", 32) => round_to!(32, f64::floor),
        ("rp", 32) => round_to!(32, f64::ceil),
        ("rn", _) => round_to!(64, rint),
        ("rz", _) => round_to!(64, f64::trunc),
        ("rm", _) => round_to!(64, f64::floor),
        ("rp", _) => round_to!(64, f64::ceil),
        _ => return None,
    };
    Some((m, Class::Pure))
}

/// PTX `prmt` in its default mode.
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (b << 32 | a & mask(32)).to_le_bytes();
    (0..4).fold(0, |r, i| {
        let sel = (selector >> (4 * i)) & 0xf;
        let byte = bytes[(sel & 7) as usize];
        let byte = if sel & 8 == 0 {
            byte
        } else if byte & 0x80 == 0 {
            0
        } else {
            0xff
        };
        r | u64::from(byte) << (8 * i)
    })
}

fn lohi(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> Res {
    let (low, high) = (arg(a, 0), arg(a, 1));
    Ok(Ret::Val(match (low.known(), high.known()) {
        (Some(l), Some(h)) => Val::new(h << 32 | l & mask(32)),
        _ => Val::poison(if low.is_poison() { low.poison } else { high.poison }),
    }))
}

/// Whether a compiler finds a value to be constant is for the compiler.
fn is_constant(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> Res {
    Ok(Ret::Val(Val::poison(Reason::OPEN)))
}

fn object_size(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> Res {
    Ok(Ret::Val(if arg(a, 1) == Val::ZERO { Val::new(u64::MAX) } else { Val::ZERO }))
}

fn powi(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
    let (x, n, w) = (arg(a, 0), arg(a, 1), width(c));
    Ok(Ret::Val(match (x.known(), n.known()) {
        #[expect(clippy::cast_possible_truncation, reason = "the exponent is an i32")]
        (Some(b), Some(n)) => Val::new(float_bits(float(b, w).powi(signed(n, 32) as i32), w)),
        _ => Val::poison(if x.is_poison() { x.poison } else { n.poison }),
    }))
}

/// `llvm.is.fpclass`; the bits of the mask are in the language reference.
fn is_fpclass(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> Res {
    use std::num::FpCategory as F;
    let (x, m, w) = (arg(a, 0), arg(a, 1), width(c));
    if !is_float_width(w) {
        return Ok(Ret::Val(Val::poison(Reason::OPEN)));
    }
    let (Some(b), Some(m)) = (x.known(), m.known()) else { return Ok(Ret::Val(Val::poison(x.poison))) };
    let v = float(b, w);
    let class =
        if w == 32 { f32::from_bits(crate::witness::machine::value::low32(b)).classify() } else { v.classify() };
    let negative = v.is_sign_negative();
    let bit = match (class, negative) {
        // Signalling NaNs are not told from quiet ones.
        (F::Nan, _) => 0b11,
        (F::Infinite, true) => 1 << 2,
        (F::Normal, true) => 1 << 3,
        (F::Subnormal, true) => 1 << 4,
        (F::Zero, true) => 1 << 5,
        (F::Zero, false) => 1 << 6,
        (F::Subnormal, false) => 1 << 7,
        (F::Normal, false) => 1 << 8,
        (F::Infinite, false) => 1 << 9,
    };
    Ok(Ret::Val(Val::new(u64::from(m & bit != 0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_suffix_are_found() {
        for n in ["sqrt", "sqrtf", "powf", "fmaxf", "erf"] {
            assert_eq!(host(n).is_some(), n != "erf", "{n}");
        }
        for n in [
            "fabs.f64",
            "fmuladd.f32",
            "sadd.with.overflow.i32",
            "smin.i32",
            "nvvm.mulhi.ui",
            "nvvm.d2i.hi",
            "nvvm.fma.rn.d",
            "nvvm.fma.rn.ftz.f",
            "nvvm.floor.ftz.f",
            "nvvm.sqrt.rn.f",
            "nvvm.d2i.rz",
            "expect.i64",
            "is.fpclass.f32",
            "ctlz.i64",
            "lround.i64.f32",
            "uadd.sat.v4i32",
        ] {
            assert!(intrinsic(n).is_some(), "{n}");
        }
        // Another rounding, another order of bytes, and what only begins alike.
        for n in [
            "nvvm.add.rz.f",
            "nvvm.sqrt.rm.d",
            "nvvm.fmin.nan.f",
            "nvvm.fmin.f16",
            "nvvm.prmt.b4e",
            "nvvm.prmt",
            "is.other.f32",
            "experimental.constrained.fadd.f64",
            "abs.other.i32",
            "saturate.f32",
            "lround.i32.f32",
            "vector.reduce.add.v4i32",
        ] {
            assert_eq!(intrinsic(n).is_some(), n == "nvvm.prmt", "{n}");
        }
        assert!(intrinsic("nvvm.barrier0").is_none() && intrinsic("nvvm.read.ptx.sreg.tid.x").is_none());
        assert!(device("__nv_fast_sinf").is_some() && device("__nv_sqrt").is_some() && device("sqrt").is_none());
    }

    #[test]
    fn functions_of_integers_are_what_they_are_at_each_width() {
        use crate::ir::reference;
        use crate::witness::machine::form::{Arg, Callee, Opd};
        let program = crate::ir::Program::default();
        let mut m = Machine::new(
            &program,
            &crate::witness::Inputs::default(),
            &crate::witness::Budget::default(),
            crate::witness::observe::Observer::exhaustive(),
        );
        let mut th = Thread::host();
        for bits in [8u8, 16, 32, 64] {
            for (name, takes) in reference::ALL {
                let model = intrinsic(&format!("{name}.i{bits}")).unwrap().0;
                // `abs`, `ctlz` and `cttz` have a flag behind their number.
                let flag = usize::from(matches!(*name, "abs" | "ctlz" | "cttz"));
                let arg = |bits| Arg { opd: Opd::reg(0), slots: 1, bits, float: false };
                let args = (0..*takes).map(|_| arg(bits)).chain((0..flag).map(|_| arg(1))).collect();
                let call = CallInfo { callee: Callee::Unknown, target: None, args, dst: 0, slots: 1 };
                let numbers = [7, 91, 1234].map(|seed| reference::samples(u32::from(bits), seed));
                for i in 0..numbers[0].len() {
                    for j in 0..numbers[1].len() {
                        let raw: Vec<u64> = [numbers[0][i], numbers[1][j], numbers[2][(i + j) % numbers[2].len()]]
                            .into_iter()
                            .take(*takes)
                            .collect();
                        let vals: Vec<Val> =
                            raw.iter().map(|v| Val::new(*v)).chain((0..flag).map(|_| Val::ZERO)).collect();
                        let got = match model(&mut m, &mut th, &call, &vals).map_err(|_| ()).unwrap() {
                            Ret::Val(v) => v,
                            Ret::Many(v) => v[0],
                            _ => panic!("{name}"),
                        };
                        assert_eq!(
                            got,
                            Val::new(reference::value(name, u32::from(bits), &raw)),
                            "{name} of {bits} bits: {raw:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_are_permuted_as_ptx_says() {
        assert_eq!(permute(0x0403_0201, 0x0807_0605, 0x3210), 0x0403_0201);
        assert_eq!(permute(0x0403_0201, 0x0807_0605, 0x7654), 0x0807_0605);
        assert_eq!(permute(0x80, 0, 0x8888), 0xffff_ffff);
    }
}
