//! Target-independent LLVM intrinsics (LLVM Language Reference, "Intrinsic Functions").

use super::arguments::arg;
use super::lanes::{absolute, binary, float2, int_n, integers, multiply_add, s, width};
use super::math::of_reals;
use super::model::{self, ModelClass, ModelEntry, ModelTable, by_name};
use super::nvvm::{self, nvvm};
use super::simple::{first, nothing, zero};
use super::stdio::{va_copy, va_start};
use crate::device::builtins::trap;
use crate::machine::call::ModelResult;
use crate::machine::call::Ret;
use crate::machine::form::CallInfo;
use crate::machine::state::{ConcreteModel, Machine};
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, float, float_bits, is_float_width, mask, signed};
use models::row::NameKey;

/// `{result, overflowed}`.
macro_rules! overflow {
    ($f:expr) => {{
        fn model(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
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
        model as ConcreteModel
    }};
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

/// Target-independent LLVM intrinsics, by their name without type suffixes.
const LLVM: ModelTable = &[
    (&["eh.typeid.for"], super::exceptions::number_of_type, ModelClass::Pure),
    (
        &["sadd.with.overflow"],
        overflow!(|a, b, w| {
            let v = s(a, w) + s(b, w);
            (v, !fits_signed(v, w))
        }),
        ModelClass::Pure,
    ),
    (
        &["ssub.with.overflow"],
        overflow!(|a, b, w| {
            let v = s(a, w) - s(b, w);
            (v, !fits_signed(v, w))
        }),
        ModelClass::Pure,
    ),
    (
        &["smul.with.overflow"],
        overflow!(|a, b, w| {
            let v = s(a, w) * s(b, w);
            (v, !fits_signed(v, w))
        }),
        ModelClass::Pure,
    ),
    (
        &["uadd.with.overflow"],
        overflow!(|a, b, w| {
            let v = i128::from(a) + i128::from(b);
            (v, !fits(v, w))
        }),
        ModelClass::Pure,
    ),
    (
        &["usub.with.overflow"],
        overflow!(|a, b, w| {
            let v = i128::from(a) - i128::from(b);
            (v, !fits(v, w))
        }),
        ModelClass::Pure,
    ),
    (
        &["umul.with.overflow"],
        overflow!(|a, b, w| {
            let (v, over) = u128::from(a).overflowing_mul(u128::from(b));
            (v.cast_signed(), over || v >> w != 0)
        }),
        ModelClass::Pure,
    ),
    (&["sadd.sat"], int_n!(2, |a, w| Some(clamp_signed(s(a[0], w) + s(a[1], w), w))), ModelClass::Pure),
    (&["ssub.sat"], int_n!(2, |a, w| Some(clamp_signed(s(a[0], w) - s(a[1], w), w))), ModelClass::Pure),
    (&["uadd.sat"], int_n!(2, |a, w| Some(clamp(i128::from(a[0]) + i128::from(a[1]), w))), ModelClass::Pure),
    (&["usub.sat"], int_n!(2, |a, w| Some(clamp(i128::from(a[0]) - i128::from(a[1]), w))), ModelClass::Pure),
    (&["is.constant"], is_constant, ModelClass::Pure),
    (&["stacksave"], zero, ModelClass::Pure),
    (&["stackrestore"], nothing, ModelClass::Pure),
    (&["fmuladd"], multiply_add, ModelClass::Pure),
    (&["abs"], absolute, ModelClass::Pure),
    (&["smax"], int_n!(2, |a, w| Some(signed(a[0], w).max(signed(a[1], w)).cast_unsigned())), ModelClass::Pure),
    (&["smin"], int_n!(2, |a, w| Some(signed(a[0], w).min(signed(a[1], w)).cast_unsigned())), ModelClass::Pure),
    (&["umax"], int_n!(2, |a, _| Some(a[0].max(a[1]))), ModelClass::Pure),
    (&["umin"], int_n!(2, |a, _| Some(a[0].min(a[1]))), ModelClass::Pure),
    (&["ctpop"], int_n!(1, |a, _| Some(u64::from(a[0].count_ones()))), ModelClass::Pure),
    (
        &["ctlz"],
        int_n!(2, |a, w| if a[0] == 0 && a[1] == 1 { None } else { Some(u64::from(a[0].leading_zeros() - (64 - w))) }),
        ModelClass::Pure,
    ),
    (
        &["cttz"],
        int_n!(2, |a, w| if a[0] == 0 {
            if a[1] == 1 { None } else { Some(u64::from(w)) }
        } else {
            Some(u64::from(a[0].trailing_zeros()))
        }),
        ModelClass::Pure,
    ),
    (&["bswap"], int_n!(1, |a, w| Some(a[0].swap_bytes() >> (64 - w))), ModelClass::Pure),
    (&["bitreverse"], int_n!(1, |a, w| Some(a[0].reverse_bits() >> (64 - w))), ModelClass::Pure),
    (
        &["fshl"],
        int_n!(3, |a, w| {
            let k = a[2] % u64::from(w);
            Some(if k == 0 { a[0] } else { a[0] << k | a[1] >> (u64::from(w) - k) })
        }),
        ModelClass::Pure,
    ),
    (
        &["fshr"],
        int_n!(3, |a, w| {
            let k = a[2] % u64::from(w);
            Some(if k == 0 { a[1] } else { a[0] << (u64::from(w) - k) | a[1] >> k })
        }),
        ModelClass::Pure,
    ),
    (&["ptrmask"], int_n!(2, |a, _| Some(a[0] & a[1])), ModelClass::Pure),
    // Result for an unknown object: the maximum, or the minimum if the call asks for it.
    (&["objectsize"], object_size, ModelClass::Pure),
    (&["trap", "debugtrap", "ubsantrap"], trap, ModelClass::Ends),
    (&["va_start"], va_start, ModelClass::Memory),
    (&["va_copy"], va_copy, ModelClass::Memory),
    (&["powi"], powi, ModelClass::Pure),
    (&["is.fpclass"], is_fpclass, ModelClass::Pure),
    (&["minimum"], float2!(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }), ModelClass::Pure),
    (&["maximum"], float2!(|a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }), ModelClass::Pure),
    // These return their first argument.
    (
        &[
            "expect",
            "expect.with.probability",
            "launder.invariant.group",
            "strip.invariant.group",
            "ssa.copy",
            "annotation",
            "ptr.annotation",
            "invariant.start",
            "arithmetic.fence",
        ],
        first,
        ModelClass::Pure,
    ),
    (&["threadlocal.address"], super::host_threads::of_thread, ModelClass::Pure),
    // These have no effect that matters here.
    (
        &[
            "prefetch",
            "dbg.declare",
            "dbg.value",
            "dbg.assign",
            "dbg.label",
            "donothing",
            "sideeffect",
            "experimental.noalias.scope.decl",
            "var.annotation",
            "invariant.end",
            "stackprotector",
            "pseudoprobe",
            "fake.use",
            "va_end",
        ],
        nothing,
        ModelClass::Pure,
    ),
];

/// Model of an LLVM intrinsic by its name without `llvm.`; models of other targets' intrinsics are elsewhere.
pub fn intrinsic(name: &str) -> Option<ModelEntry> {
    // The whole name without type suffixes identifies the intrinsic.
    let base = ir::intrinsic::without_types(name);
    let to_long = name.strip_prefix(base).is_some_and(|types| types.starts_with(".i64."));
    if matches!(base, "lround" | "llround" | "lrint" | "llrint") && !to_long {
        return None;
    }
    match name.strip_prefix("nvvm.") {
        // Types are part of the names of NVPTX intrinsics.
        Some(n) => nvvm(n),
        None => by_name(LLVM, base).or_else(|| of_reals(base).filter(|_| IS_INTRINSIC.contains(&base))),
    }
}

/// Names of the intrinsics that have a model here.
pub fn keys() -> impl Iterator<Item = NameKey> {
    model::keys(LLVM, "llvm.", NameKey::whole)
        .chain(IS_INTRINSIC.iter().map(|n| NameKey::whole(format!("llvm.{n}"))))
        .chain(nvvm::keys())
}

/// Functions of [`of_reals`] that are intrinsics, too.
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

/// `llvm.is.constant`: the result depends on the compiler.
fn is_constant(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::poison(Reason::OPEN)))
}

fn object_size(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    Ok(Ret::Val(if arg(a, 1) == Val::ZERO { Val::new(u64::MAX) } else { Val::ZERO }))
}

fn powi(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    let (x, n, w) = (arg(a, 0), arg(a, 1), width(c));
    Ok(Ret::Val(match (x.known(), n.known()) {
        #[expect(clippy::cast_possible_truncation, reason = "the exponent is an i32")]
        (Some(b), Some(n)) => Val::new(float_bits(float(b, w).powi(signed(n, 32) as i32), w)),
        _ => Val::poison(if x.is_poison() { x.poison } else { n.poison }),
    }))
}

/// `llvm.is.fpclass`; the LLVM Language Reference defines the bits of the mask.
fn is_fpclass(_: &mut Machine<'_>, _: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    use std::num::FpCategory as F;
    let (x, m, w) = (arg(a, 0), arg(a, 1), width(c));
    if !is_float_width(w) {
        return Ok(Ret::Val(Val::poison(Reason::OPEN)));
    }
    let (Some(b), Some(m)) = (x.known(), m.known()) else { return Ok(Ret::Val(Val::poison(x.poison))) };
    let v = float(b, w);
    let class = if w == 32 { f32::from_bits(crate::machine::value::low32(b)).classify() } else { v.classify() };
    let negative = v.is_sign_negative();
    let bit = match (class, negative) {
        // Signalling and quiet NaNs are not distinguished.
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
    use super::super::math::{device, host};
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
        // Names with another rounding, another byte order, or only the same prefix.
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
        use crate::machine::form::{Arg, CallTarget, Opd};
        use ir::reference;
        let program = ir::Program::default();
        let mut m = Machine::new(
            &program,
            &crate::ConcreteInputs::default(),
            &crate::RunBudget::default(),
            crate::observe::Observer::exhaustive(),
        );
        let mut th = Thread::host();
        for bits in [8u8, 16, 32, 64] {
            for (name, takes) in reference::ALL {
                let model = intrinsic(&format!("{name}.i{bits}")).unwrap().0;
                // `abs`, `ctlz` and `cttz` have a flag after the integer.
                let flag = usize::from(matches!(*name, "abs" | "ctlz" | "cttz"));
                let arg = |bits| Arg { opd: Opd::reg(0), slots: 1, bits, float: false };
                let args = (0..*takes).map(|_| arg(bits)).chain((0..flag).map(|_| arg(1))).collect();
                let call = CallInfo { callee: CallTarget::Unknown, target: None, args, dst: 0, slots: 1 };
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
}
