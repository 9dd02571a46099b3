//! Reference implementation of integer intrinsics, bit by bit, for the tests of both engines.

/// Names of the intrinsics, with their numbers of operands.
pub const ALL: &[(&str, usize)] = &[
    ("smin", 2),
    ("smax", 2),
    ("umin", 2),
    ("umax", 2),
    ("abs", 1),
    ("ctpop", 1),
    ("ctlz", 1),
    ("cttz", 1),
    ("bswap", 1),
    ("bitreverse", 1),
    ("fshl", 3),
    ("fshr", 3),
    ("uadd.sat", 2),
    ("usub.sat", 2),
    ("sadd.sat", 2),
    ("ssub.sat", 2),
];

fn signed(v: u64, bits: u32) -> i128 {
    let v = i128::from(v);
    if v >= 1 << (bits - 1) { v - (1 << bits) } else { v }
}

fn from_bits(bits: impl Iterator<Item = bool>) -> u64 {
    bits.enumerate().fold(0, |v, (i, b)| v | u64::from(b) << i)
}

/// Computes the result of an intrinsic on unsigned operands.
#[must_use]
pub fn value(name: &str, bits: u32, a: &[u64]) -> u64 {
    let bit = |v: u64, i: u32| v >> i & 1 == 1;
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let s = |i: usize| signed(a[i], bits);
    let back = |v: i128| u64::try_from(v.rem_euclid(1 << bits)).expect("below 2^64");
    let (least, most) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    // The two operands as one integer of twice the width.
    let joined = |i: u32| if i < bits { bit(a[1], i) } else { bit(a[0], i - bits) };
    match name {
        "smin" => back(s(0).min(s(1))),
        "smax" => back(s(0).max(s(1))),
        "umin" => a[0].min(a[1]),
        "umax" => a[0].max(a[1]),
        "abs" => back(s(0).abs()),
        "ctpop" => (0..bits).map(|i| u64::from(bit(a[0], i))).sum(),
        "ctlz" => (0..bits).rev().take_while(|i| !bit(a[0], *i)).count() as u64,
        "cttz" => (0..bits).take_while(|i| !bit(a[0], *i)).count() as u64,
        "bswap" => from_bits((0..bits).map(|i| bit(a[0], bits - 8 - i / 8 * 8 + i % 8))),
        "bitreverse" => from_bits((0..bits).map(|i| bit(a[0], bits - 1 - i))),
        "fshl" => {
            let k = (a[2] % u64::from(bits)) as u32;
            from_bits((0..bits).map(|i| joined(bits + i - k)))
        }
        "fshr" => {
            let k = (a[2] % u64::from(bits)) as u32;
            from_bits((0..bits).map(|i| joined(i + k)))
        }
        "uadd.sat" => u64::try_from(u128::from(a[0]) + u128::from(a[1])).map_or(mask, |v| v.min(mask)),
        "usub.sat" => a[0].saturating_sub(a[1]),
        "sadd.sat" => back((s(0) + s(1)).clamp(least, most)),
        "ssub.sat" => back((s(0) - s(1)).clamp(least, most)),
        _ => unreachable!("{name}"),
    }
}

/// Sample integers of a width: boundary values and some others.
#[must_use]
pub fn samples(bits: u32, seed: u64) -> Vec<u64> {
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let half = 1u64 << (bits - 1);
    let mut all = vec![
        0,
        1,
        2,
        3,
        half - 1,
        half,
        half + 1,
        mask,
        mask - 1,
        u64::from(bits),
        u64::from(bits) - 1,
        0x0123_4567_89ab_cdef,
    ];
    let mut x = seed | 1;
    for i in 0..12u32 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        all.push(if i % 2 == 0 { x } else { x >> (x % 61) });
    }
    for v in &mut all {
        *v &= mask;
    }
    all
}
