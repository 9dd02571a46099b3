//! Mathematical functions of the C library on the host and of libdevice on the device.
//!
//! Functions without exact rounding (`sin`, `pow`) give the results of this machine's C library; device results may
//! differ in the last place. Host results are unknown for functions that this program cannot call in the C library.

use super::arguments::{arg, name_of};
use super::lanes::{
    absolute, binary, binary_each, float1, float2, fma, int_n, integers, remainder, rint, round_to, test, to_int,
    unary, unary_each, width,
};
use super::model::{self, ModelClass, ModelEntry, ModelTable, by_name};
use crate::api::Cause;
use crate::machine::call::ModelResult;
use crate::machine::call::Ret;
use crate::machine::form::CallInfo;
use crate::machine::state::{ConcreteModel, Machine};
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, float, is_float_width, mask, signed};
use models::row::NameKey;

/// Functions of real numbers, by their C names without suffix.
const REAL: ModelTable = &[
    (&["sqrt"], float1!(f64::sqrt), ModelClass::Pure),
    (&["rsqrt"], float1!(|x| 1.0 / x.sqrt()), ModelClass::Pure),
    (&["cbrt"], float1!(f64::cbrt), ModelClass::Pure),
    (&["sin"], float1!(f64::sin, f32::sin), ModelClass::Pure),
    (&["cos"], float1!(f64::cos, f32::cos), ModelClass::Pure),
    (&["tan"], float1!(f64::tan, f32::tan), ModelClass::Pure),
    (&["asin"], float1!(f64::asin, f32::asin), ModelClass::Pure),
    (&["acos"], float1!(f64::acos, f32::acos), ModelClass::Pure),
    (&["atan"], float1!(f64::atan, f32::atan), ModelClass::Pure),
    (&["sinh"], float1!(f64::sinh, f32::sinh), ModelClass::Pure),
    (&["cosh"], float1!(f64::cosh, f32::cosh), ModelClass::Pure),
    (&["tanh"], float1!(f64::tanh, f32::tanh), ModelClass::Pure),
    (&["asinh"], float1!(f64::asinh), ModelClass::Pure),
    (&["acosh"], float1!(f64::acosh), ModelClass::Pure),
    (&["atanh"], float1!(f64::atanh), ModelClass::Pure),
    (&["exp"], float1!(f64::exp, f32::exp), ModelClass::Pure),
    (&["exp2"], float1!(f64::exp2, f32::exp2), ModelClass::Pure),
    (&["exp10"], float1!(|x| 10f64.powf(x)), ModelClass::Pure),
    (&["expm1"], float1!(f64::exp_m1, f32::exp_m1), ModelClass::Pure),
    (&["log"], float1!(f64::ln, f32::ln), ModelClass::Pure),
    (&["log2"], float1!(f64::log2, f32::log2), ModelClass::Pure),
    (&["log10"], float1!(f64::log10, f32::log10), ModelClass::Pure),
    (&["log1p"], float1!(f64::ln_1p, f32::ln_1p), ModelClass::Pure),
    (&["fabs"], float1!(f64::abs), ModelClass::Pure),
    (&["floor"], float1!(f64::floor), ModelClass::Pure),
    (&["ceil"], float1!(f64::ceil), ModelClass::Pure),
    (&["trunc"], float1!(f64::trunc), ModelClass::Pure),
    (&["round"], float1!(f64::round), ModelClass::Pure),
    (&["rint", "nearbyint", "roundeven"], float1!(rint), ModelClass::Pure),
    (&["sinpi"], float1!(|x| (x * std::f64::consts::PI).sin()), ModelClass::Pure),
    (&["cospi"], float1!(|x| (x * std::f64::consts::PI).cos()), ModelClass::Pure),
    (&["saturate"], float1!(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }), ModelClass::Pure),
    (&["pow"], float2!(f64::powf, f32::powf), ModelClass::Pure),
    (&["atan2"], float2!(f64::atan2, f32::atan2), ModelClass::Pure),
    (&["fmod"], float2!(|a, b| a % b), ModelClass::Pure),
    (&["remainder"], float2!(remainder), ModelClass::Pure),
    (&["hypot"], float2!(f64::hypot, f32::hypot), ModelClass::Pure),
    (&["fmax", "maxnum", "maximumnum"], float2!(f64::max), ModelClass::Pure),
    (&["fmin", "minnum", "minimumnum"], float2!(f64::min), ModelClass::Pure),
    (
        &["fdim"],
        float2!(|a, b| if a > b {
            a - b
        } else if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            0.0
        }),
        ModelClass::Pure,
    ),
    (&["copysign"], float2!(f64::copysign), ModelClass::Pure),
    (&["fma"], fma, ModelClass::Pure),
    (&["lround", "llround"], round_to!(64, f64::round), ModelClass::Pure),
    (&["lrint", "llrint"], round_to!(64, rint), ModelClass::Pure),
    (&["isnan"], test!(f64::is_nan), ModelClass::Pure),
    (&["isinf"], test!(f64::is_infinite), ModelClass::Pure),
    (&["finite", "isfinite"], test!(f64::is_finite), ModelClass::Pure),
    (&["signbit"], test!(f64::is_sign_negative), ModelClass::Pure),
];

pub(super) fn of_reals(name: &str) -> Option<ModelEntry> {
    by_name(REAL, name)
}

fn with_suffix(name: &str) -> Option<ModelEntry> {
    of_reals(name).or_else(|| name.strip_suffix(SUFFIXES).and_then(of_reals))
}

/// Suffixes for `float` and `long double`.
const SUFFIXES: [char; 2] = ['f', 'l'];

/// Functions whose result here may differ from the C library's in the last place: Rust's standard library implements
/// them itself.
const OTHERWISE: &[&str] = &["cbrt", "asinh", "acosh", "atanh", "exp10"];

/// Model of a mathematical function of the C library.
pub fn host(name: &str) -> Option<ModelEntry> {
    let name = name.strip_prefix("__").map_or(name, |n| n.strip_suffix("_finite").unwrap_or(n));
    let found = with_suffix(name)?;
    let base = if of_reals(name).is_some() { name } else { name.trim_end_matches(SUFFIXES) };
    Some(match base {
        "isinf" => (infinite, ModelClass::Pure),
        _ if OTHERWISE.contains(&base) => (last_place_open, ModelClass::Pure),
        _ => found,
    })
}

fn last_place_open(m: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, _: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Call, &format!("the last place of `{}`", name_of(m, call)));
    Ok(Ret::Val(Val::poison(why)))
}

/// `isinf`; glibc returns -1 for negative infinity.
#[expect(clippy::unnecessary_wraps, reason = "the signature of models")]
fn infinite(_: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let (v, w) = (arg(args, 0), width(call));
    let Some(b) = v.known().filter(|_| is_float_width(w)) else {
        return Ok(Ret::Val(Val::poison(if v.is_poison() { v.poison } else { Reason::OPEN })));
    };
    let x = float(b, w);
    let sign: i64 = if x.is_sign_negative() { -1 } else { 1 };
    Ok(Ret::Val(if x.is_infinite() { Val::new(sign.cast_unsigned() & mask(32)) } else { Val::ZERO }))
}

/// Names of the C library functions that have a model here.
pub fn keys_of_host() -> impl Iterator<Item = NameKey> {
    REAL.iter().flat_map(|(names, ..)| *names).flat_map(|n| {
        [(*n).to_owned()].into_iter().chain(SUFFIXES.map(|suffix| format!("{n}{suffix}"))).map(NameKey::whole)
    })
}

/// Prefix of libdevice's names.
const LIBDEVICE: &str = "__nv_";

/// Functions that only libdevice has, by the name after `__nv_`.
const OF_LIBDEVICE: ModelTable = &[
    (&["abs", "llabs"], absolute, ModelClass::Pure),
    (&["max", "llmax"], int_n!(2, |a, w| Some(signed(a[0], w).max(signed(a[1], w)).cast_unsigned())), ModelClass::Pure),
    (&["min", "llmin"], int_n!(2, |a, w| Some(signed(a[0], w).min(signed(a[1], w)).cast_unsigned())), ModelClass::Pure),
    (&["umax", "ullmax"], int_n!(2, |a, _| Some(a[0].max(a[1]))), ModelClass::Pure),
    (&["umin", "ullmin"], int_n!(2, |a, _| Some(a[0].min(a[1]))), ModelClass::Pure),
    (&["mulhi"], int_n!(2, |a, _| Some((signed(a[0], 32) * signed(a[1], 32)).cast_unsigned() >> 32)), ModelClass::Pure),
    (&["umulhi"], int_n!(2, |a, _| Some((a[0] * a[1]) >> 32)), ModelClass::Pure),
    (&["clz", "clzll"], int_n!(1, |a, w| Some(u64::from(a[0].leading_zeros() - (64 - w)))), ModelClass::Pure),
    (
        &["ffs", "ffsll"],
        int_n!(1, |a, _| Some(if a[0] == 0 { 0 } else { u64::from(a[0].trailing_zeros()) + 1 })),
        ModelClass::Pure,
    ),
    (&["popc", "popcll"], int_n!(1, |a, _| Some(u64::from(a[0].count_ones()))), ModelClass::Pure),
    (&["brev", "brevll"], int_n!(1, |a, w| Some(a[0].reverse_bits() >> (64 - w))), ModelClass::Pure),
    (&["isnand", "isnanf", "isnan"], test!(f64::is_nan), ModelClass::Pure),
    (&["isinfd", "isinff", "isinf"], test!(f64::is_infinite), ModelClass::Pure),
    (&["isfinited", "finitef"], test!(f64::is_finite), ModelClass::Pure),
    (&["signbitd", "signbitf"], test!(f64::is_sign_negative), ModelClass::Pure),
    (&["llrintf", "llrint"], round_to!(64, rint), ModelClass::Pure),
    (&["llroundf", "llround"], round_to!(64, f64::round), ModelClass::Pure),
];

/// Model of a libdevice function, `__nv_…`.
pub fn device(name: &str) -> Option<ModelEntry> {
    let n = name.strip_prefix(LIBDEVICE)?;
    // `fast_sinf` is the same function, faster.
    by_name(OF_LIBDEVICE, n).or_else(|| with_suffix(n.strip_prefix("fast_").unwrap_or(n)))
}

/// Names of the libdevice functions that have a model here.
pub fn keys_of_device() -> impl Iterator<Item = NameKey> {
    model::keys(OF_LIBDEVICE, LIBDEVICE, NameKey::whole).chain(model::keys(REAL, LIBDEVICE, NameKey::real))
}
