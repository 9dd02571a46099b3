//! NVPTX's intrinsics of numbers (LLVM, NVPTX usage; PTX ISA 8.5 for what they compute); threads and barriers are in `device/builtins`.

use super::arguments::arg;
use super::lanes::{Res, binary, float1, float2, fma, int_n, integers, rint, round_to, s, to_int, unary};
use super::model::{Class, Entry};
use super::simple::first;
use crate::witness::machine::call::Ret;
use crate::witness::machine::form::CallInfo;
use crate::witness::machine::state::{Machine, Model};
use crate::witness::machine::thread::Thread;
use crate::witness::machine::value::{Val, mask, signed};

/// NVPTX's floating-point intrinsics, which libdevice's bodies use.
pub(super) fn nvvm(name: &str) -> Option<Entry> {
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

#[cfg(test)]
mod tests {
    use super::permute;

    #[test]
    fn bytes_are_permuted_as_ptx_says() {
        assert_eq!(permute(0x0403_0201, 0x0807_0605, 0x3210), 0x0403_0201);
        assert_eq!(permute(0x0403_0201, 0x0807_0605, 0x7654), 0x0807_0605);
        assert_eq!(permute(0x80, 0, 0x8888), 0xffff_ffff);
    }
}
