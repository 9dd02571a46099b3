//! Arithmetic NVPTX intrinsics (LLVM, NVPTX usage; PTX ISA 8.5 for their semantics); threads and barriers are in
//! `device/builtins`.

use super::arguments::arg;
use super::lanes::{binary, float1, float2, fma, int_n, integers, rint, round_to, s, to_int, unary};
use super::model::{ModelClass, ModelEntry};
use super::simple::first;
use crate::api::ObjectKind;
use crate::machine::call::ModelResult;
use crate::machine::call::Ret;
use crate::machine::form::CallInfo;
use crate::machine::state::{ConcreteModel, Machine};
use crate::machine::thread::Thread;
use crate::machine::value::{Val, mask, signed};
use crate::memory::space::split;
use models::row::NameKey;

/// Allowed suffixes of an intrinsic's name.
enum SuffixRule {
    /// A type.
    Plain,
    /// A type, and rounding to nearest or in the device's fast approximation, which differ in the last place.
    Near,
    /// Any of these suffixes.
    Types(&'static [&'static str]),
}

use SuffixRule::{Near, Plain, Types};

/// Arithmetic NVPTX intrinsics, which libdevice's bodies use: name before the first dot, allowed suffix, model.
const NVVM: &[(&str, SuffixRule, ConcreteModel)] = &[
    ("sqrt", Near, float1!(f64::sqrt)),
    ("rsqrt", Near, float1!(|x| 1.0 / x.sqrt())),
    ("rcp", Near, float1!(|x| 1.0 / x)),
    ("fabs", Plain, float1!(f64::abs)),
    ("floor", Plain, float1!(f64::floor)),
    ("ceil", Plain, float1!(f64::ceil)),
    ("trunc", Plain, float1!(f64::trunc)),
    ("round", Plain, float1!(rint)),
    ("saturate", Plain, float1!(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) })),
    ("sin", Near, float1!(f64::sin)),
    ("cos", Near, float1!(f64::cos)),
    ("ex2", Near, float1!(f64::exp2)),
    ("lg2", Near, float1!(f64::log2)),
    ("tanh", Near, float1!(f64::tanh)),
    ("fmin", Plain, float2!(f64::min)),
    ("fmax", Plain, float2!(f64::max)),
    ("add", Near, float2!(|a, b| a + b)),
    ("mul", Near, float2!(|a, b| a * b)),
    ("div", Near, float2!(|a, b| a / b)),
    ("fma", Near, fma),
    ("mulhi", Types(&["i"]), int_n!(2, |a, _| Some((signed(a[0], 32) * signed(a[1], 32)).cast_unsigned() >> 32))),
    ("mulhi", Types(&["ui"]), int_n!(2, |a, _| Some((a[0] * a[1]) >> 32))),
    ("mulhi", Types(&["ll"]), int_n!(2, |a, _| Some(((s(a[0], 64) * s(a[1], 64)) >> 64) as u64))),
    ("mulhi", Types(&["ull"]), int_n!(2, |a, _| Some(((u128::from(a[0]) * u128::from(a[1])) >> 64) as u64))),
    (
        "mul24",
        Types(&["i"]),
        int_n!(2, |a, _| Some((signed(a[0] & mask(24), 24) * signed(a[1] & mask(24), 24)).cast_unsigned())),
    ),
    ("mul24", Types(&["ui"]), int_n!(2, |a, _| Some((a[0] & mask(24)) * (a[1] & mask(24))))),
    (
        "sad",
        Types(&["i", "s", "ll"]),
        int_n!(3, |a, w| Some(signed(a[0], w).abs_diff(signed(a[1], w)).wrapping_add(a[2]))),
    ),
    ("sad", Types(&["ui", "us", "ull"]), int_n!(3, |a, _| Some(a[0].abs_diff(a[1]).wrapping_add(a[2])))),
    ("prmt", Types(&[""]), int_n!(3, |a, _| Some(permute(a[0], a[1], a[2])))),
    ("popc", Types(&["i", "ll"]), int_n!(1, |a, _| Some(u64::from(a[0].count_ones())))),
    ("d2i", Types(&["lo"]), int_n!(1, |a, _| Some(a[0] & mask(32)))),
    ("d2i", Types(&["hi"]), int_n!(1, |a, _| Some(a[0] >> 32))),
    ("lohi", Types(&["i2d"]), lohi),
    ("isspacep", Types(&["global"]), |m, th, _, a| Ok(is_in(m, th, a, AddressWindow::Global))),
    ("isspacep", Types(&["shared", "shared.cluster"]), |m, th, _, a| Ok(is_in(m, th, a, AddressWindow::Shared))),
    ("isspacep", Types(&["local", "const"]), |m, th, _, a| Ok(is_in(m, th, a, AddressWindow::Other))),
    ("bitcast", Types(&["f2i", "i2f", "d2ll", "ll2d"]), first),
];

/// Conversions to integers and their width in bits; the rounding mode follows the dot.
const ROUNDED: &[(&str, u32)] = &[("d2i", 32), ("f2i", 32), ("d2ll", 64), ("f2ll", 64)];

/// Model of an arithmetic NVPTX intrinsic by its name without `llvm.nvvm.`.
pub(super) fn nvvm(name: &str) -> Option<ModelEntry> {
    let (base, rest) = name.split_once('.').unwrap_or((name, ""));
    // Strips the type and the flag that flushes subnormal numbers to zero.
    let way = rest
        .strip_suffix('f')
        .or_else(|| rest.strip_suffix('d'))
        .map(|r| r.trim_end_matches('.'))
        .map(|r| r.strip_suffix("ftz").map_or(r, |r| r.trim_end_matches('.')));
    let fits = |w: &SuffixRule| match w {
        Plain => way == Some(""),
        Near => matches!(way, Some("" | "rn" | "approx" | "full")),
        Types(types) => types.contains(&rest),
    };
    if let Some((.., model)) = NVVM.iter().find(|(n, way, _)| *n == base && fits(way)) {
        return Some((*model, ModelClass::Pure));
    }
    let (_, bits) = ROUNDED.iter().find(|(n, _)| *n == base)?;
    rounded(rest.strip_suffix(".ftz").unwrap_or(rest), *bits)
}

/// Names of the intrinsics that have a model here.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    NVVM.iter()
        .flat_map(|(n, way, _)| match way {
            Types([""]) => vec![NameKey::whole(format!("llvm.nvvm.{n}"))],
            Types(types) => types.iter().map(|t| NameKey::whole(format!("llvm.nvvm.{n}.{t}"))).collect(),
            Plain | Near => vec![NameKey::real(format!("llvm.nvvm.{n}"))],
        })
        .chain(ROUNDED.iter().map(|(n, _)| NameKey::real(format!("llvm.nvvm.{n}"))))
}

fn rounded(mode: &str, bits: u32) -> Option<ModelEntry> {
    let m: ConcreteModel = match (mode, bits) {
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
    Some((m, ModelClass::Pure))
}

/// Window of the generic address space.
#[derive(PartialEq)]
enum AddressWindow {
    Global,
    Shared,
    Other,
}

/// PTX `isspacep`: whether an address is in a window. Unknown for constant, parameter and local memory.
fn is_in(m: &mut Machine<'_>, th: &Thread, args: &[Val], space: AddressWindow) -> Ret {
    let p = arg(args, 0);
    let Some(address) = p.known() else { return Ret::Val(Val::poison(p.poison)) };
    let kind = m.mem.get(&th.stack, split(address).0).map(|o| o.kind);
    let held = match kind {
        Some(ObjectKind::Device | ObjectKind::Managed | ObjectKind::Pinned | ObjectKind::DeviceGlobal) => {
            AddressWindow::Global
        }
        Some(ObjectKind::Shared | ObjectKind::DynamicShared) => AddressWindow::Shared,
        _ => return Ret::Val(m.unknown("which memory an address is of")),
    };
    Ret::Val(Val::new(u64::from(held == space)))
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

fn lohi(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
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
