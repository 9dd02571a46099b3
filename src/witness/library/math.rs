//! Mathematics: the C library's on the host and libdevice's on the device.
//!
//! Functions that are not rounded exactly (`sin`, `pow`) give this machine's values; the device's may differ in the
//! last place.

use super::arguments::arg;
use super::lanes::{
    Res, absolute, binary, float1, float2, fma, int_n, integers, rint, round_to, test, to_int, unary, width,
};
use super::model::{Class, Entry};
use crate::witness::machine::call::Ret;
use crate::witness::machine::form::CallInfo;
use crate::witness::machine::state::{Machine, Model};
use crate::witness::machine::thread::Thread;
use crate::witness::machine::value::{Reason, Val, float, is_float_width, signed};

/// The common functions by the name they have in C without suffix.
pub(super) fn by_name(name: &str) -> Option<Model> {
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
