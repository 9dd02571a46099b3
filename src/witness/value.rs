//! One scalar of the machine: 64 bits, or poison with a reason.
//!
//! Integers narrower than 64 bits are zero-extended, floating point is its bit pattern, pointers and functions are
//! addresses of [`super::memory`]. Vectors and aggregates are several scalars side by side; 128-bit integers are two.

use rustc_hash::FxHashMap;

/// Why a value is not known. [`Reason::NONE`]: it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reason(pub u16);

impl Reason {
    pub const NONE: Self = Self(0);
    /// Memory that nothing has written.
    pub const UNINIT: Self = Self(1);
    /// Memory that another thread may have written, in a run of one thread alone.
    pub const OTHERS: Self = Self(2);
    /// A conversion to an integer type that does not hold the value.
    pub const RANGE: Self = Self(3);
    /// An operation whose result the language leaves open.
    pub const OPEN: Self = Self(4);
    /// What a bad access would have read.
    pub const BAD_READ: Self = Self(5);
    /// More reasons than are kept apart.
    const MANY: Self = Self(u16::MAX);

    pub const fn is_some(self) -> bool { self.0 != 0 }
}

/// The texts of reasons, each kept once.
pub struct Reasons {
    texts: Vec<String>,
    index: FxHashMap<String, u16>,
}

impl Reasons {
    pub fn new() -> Self {
        let texts = [
            "",
            "memory that nothing has written",
            "memory that other threads may write",
            "a floating-point value converted to an integer type that cannot hold it",
            "the result of an undefined operation",
            "what was read out of bounds",
        ];
        let texts = texts.map(String::from).to_vec();
        Self { texts, index: FxHashMap::default() }
    }

    pub fn intern(&mut self, text: &str) -> Reason {
        if let Some(&i) = self.index.get(text) { return Reason(i); }
        let Ok(i) = u16::try_from(self.texts.len()) else { return Reason::MANY };
        if i == u16::MAX { return Reason::MANY; }
        self.texts.push(text.to_owned());
        self.index.insert(text.to_owned(), i);
        Reason(i)
    }

    pub fn text(&self, r: Reason) -> &str {
        self.texts.get(usize::from(r.0)).map_or("more causes than are kept apart", String::as_str)
    }
}

/// A scalar. Where it is poison, `bits` of a pointer may still say into which object it was meant to point (an
/// address with an unknown index added); otherwise they are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Val {
    pub bits: u64,
    pub poison: Reason,
}

impl Val {
    pub const ZERO: Self = Self::new(0);
    pub const UNINIT: Self = Self::poison(Reason::UNINIT);

    pub const fn new(bits: u64) -> Self { Self { bits, poison: Reason::NONE } }
    pub const fn poison(reason: Reason) -> Self { Self { bits: 0, poison: reason } }
    pub const fn f64(v: f64) -> Self { Self::new(v.to_bits()) }
    pub const fn i32(v: i32) -> Self { Self::new(v.cast_unsigned() as u64) }

    pub const fn is_poison(self) -> bool { self.poison.is_some() }
    /// The bits, where they are known.
    pub const fn known(self) -> Option<u64> { if self.is_poison() { None } else { Some(self.bits) } }
}

/// The lowest `width` bits set; `width` is 1 to 64.
pub const fn mask(width: u32) -> u64 { if width >= 64 { u64::MAX } else { (1 << width) - 1 } }

/// A zero-extended integer of `width` bits as a signed one.
pub const fn signed(bits: u64, width: u32) -> i64 {
    if width >= 64 || width == 0 { return bits.cast_signed(); }
    ((bits << (64 - width)).cast_signed()) >> (64 - width)
}

/// The value of a bit pattern of `width` bits (16, 32 or 64) as a double, which holds all three exactly.
pub fn float(bits: u64, width: u32) -> f64 {
    match width {
        64 => f64::from_bits(bits),
        32 => f64::from(f32::from_bits(low32(bits))),
        _ => half_to_f64(low32(bits) as u16),
    }
}

/// The nearest pattern of `width` bits.
pub fn float_bits(v: f64, width: u32) -> u64 {
    match width {
        64 => v.to_bits(),
        #[expect(clippy::cast_possible_truncation, reason = "rounding to the narrower type is what is asked for")]
        32 => u64::from((v as f32).to_bits()),
        _ => u64::from(f64_to_half(v)),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
pub const fn low32(bits: u64) -> u32 { bits as u32 }

/// IEEE binary16 to double.
fn half_to_f64(h: u16) -> f64 {
    let sign = if h & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exp = i32::from((h >> 10) & 0x1f);
    let frac = f64::from(h & 0x3ff);
    sign * match exp {
        0 => frac * 2f64.powi(-24),
        31 if frac == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + frac / 1024.0) * 2f64.powi(exp - 15),
    }
}

/// Double to IEEE binary16, to nearest even.
fn f64_to_half(v: f64) -> u16 {
    let sign = if v.is_sign_negative() { 0x8000 } else { 0 };
    let a = v.abs();
    if a.is_nan() { return sign | 0x7e00; }
    if a >= 65520.0 { return sign | 0x7c00; }
    // The smallest exponent of a normal half is -14; below, the unit in the last place stays 2^-24.
    let exp = if a < 2f64.powi(-14) { -14 } else { a.log2().floor() as i32 };
    let unit = 2f64.powi(exp - 10);
    let scaled = (a / unit).round_ties_even();
    let (exp, scaled) = if scaled >= 2048.0 { (exp + 1, 1024.0) } else { (exp, scaled) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ scaled < 2048 and -14 ≤ exp ≤ 15")]
    if scaled < 1024.0 { sign | scaled as u16 } else { sign | ((exp + 15) as u16) << 10 | (scaled as u16 - 1024) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_sign_extend_from_their_width() {
        assert_eq!(signed(0xff, 8), -1);
        assert_eq!(signed(0x7f, 8), 127);
        assert_eq!(signed(1, 1), -1);
        assert_eq!(signed(u64::MAX, 64), -1);
        assert_eq!(mask(1), 1);
        assert_eq!(mask(64), u64::MAX);
    }

    #[test]
    fn every_half_survives_a_round_trip() {
        for h in 0..=u16::MAX {
            let v = half_to_f64(h);
            if v.is_nan() { continue; }
            assert_eq!(f64_to_half(v), h, "{h:#x} = {v}");
        }
        assert_eq!(f64_to_half(1.0 + 2f64.powi(-11)), 0x3c00, "ties go to even");
        assert_eq!(f64_to_half(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
    }

    #[test]
    fn reasons_are_kept_once() {
        let mut r = Reasons::new();
        let a = r.intern("unmodelled call `f`");
        assert_eq!(a, r.intern("unmodelled call `f`"));
        assert_eq!(r.text(a), "unmodelled call `f`");
        assert!(a.is_some());
        assert_eq!(r.text(Reason::UNINIT), "memory that nothing has written");
    }
}
