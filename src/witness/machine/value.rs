//! Scalars of the machine: 64 bits, or poison with a reason.
//!
//! Integers narrower than 64 bits are zero-extended. Floating-point values are their bit patterns. Pointers and
//! functions are addresses of [`crate::memory::space`]. Vectors and aggregates are several scalars side by side;
//! 128-bit integers are two.

use crate::api::{Cause, UndecidedReason};
use rustc_hash::FxHashMap;

/// Reason why a value is unknown; [`Reason::NONE`] if it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reason(pub u16);

impl Reason {
    pub const NONE: Self = Self(0);
    /// Uninitialised memory.
    pub const UNINIT: Self = Self(1);
    /// Memory that another thread may have written, in a run of one thread alone.
    pub const OTHERS: Self = Self(2);
    /// A conversion to an integer type that does not hold the value.
    pub const RANGE: Self = Self(3);
    /// An operation whose result the language leaves undefined.
    pub const OPEN: Self = Self(4);
    /// The result of a bad read.
    pub const BAD_READ: Self = Self(5);
    /// A pointer read from uninitialised memory.
    pub const UNSET: Self = Self(6);
    /// Some uninitialised bits: others of the same word may be known.
    pub const PARTS: Self = Self(7);
    /// Low bits of an address beyond the alignment of its object.
    pub const LOW_BITS: Self = Self(8);
    /// More reasons than the table keeps apart.
    const MANY: Self = Self(u16::MAX);

    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Reason for some bits of a value with this reason. A word is unknown as a whole, so that the uninitialised bits
    /// may be other ones (bit-fields).
    pub const fn of_bits(self) -> Self {
        if self.0 == Self::UNINIT.0 || self.0 == Self::UNSET.0 { Self::PARTS } else { self }
    }

    /// Reason for a value computed from a value with this reason: only the original value is an uninitialised
    /// pointer.
    pub const fn of_result(self) -> Self {
        if self.0 == Self::UNSET.0 { Self::UNINIT } else { self }
    }
}

/// Table of reason texts, each stored once, with their causes.
pub struct Reasons {
    texts: Vec<(String, Cause)>,
    index: FxHashMap<String, u16>,
}

impl Reasons {
    pub fn new() -> Self {
        let texts = [
            ("", Cause::Other),
            ("memory that nothing has written", Cause::Contents),
            ("memory that other threads may write", Cause::Contents),
            ("a floating-point value converted to an integer type that cannot hold it", Cause::Float),
            ("the result of an undefined operation", Cause::Other),
            ("what was read out of bounds", Cause::Other),
            ("a pointer that was never set", Cause::Other),
            ("memory of which a part was never written", Cause::Contents),
            ("where in memory an object lies", Cause::Other),
        ];
        let texts = texts.map(|(text, cause)| (text.to_owned(), cause)).to_vec();
        Self { texts, index: FxHashMap::default() }
    }

    pub fn intern(&mut self, cause: Cause, text: &str) -> Reason {
        if let Some(&i) = self.index.get(text) {
            return Reason(i);
        }
        let Ok(i) = u16::try_from(self.texts.len()) else { return Reason::MANY };
        if i == u16::MAX {
            return Reason::MANY;
        }
        self.texts.push((text.to_owned(), cause));
        self.index.insert(text.to_owned(), i);
        Reason(i)
    }

    pub fn text(&self, r: Reason) -> &str {
        self.texts.get(usize::from(r.0)).map_or("more causes than are kept apart", |(text, _)| text)
    }

    pub fn cause(&self, r: Reason) -> Cause {
        self.texts.get(usize::from(r.0)).map_or(Cause::Other, |(_, cause)| *cause)
    }

    /// Builds the explanation of something that depends on `r`.
    pub fn why(&self, r: Reason, words: impl FnOnce(&str) -> String) -> UndecidedReason {
        UndecidedReason { text: words(self.text(r)), cause: self.cause(r) }
    }
}

/// A scalar. If it is poison, `bits` of a pointer may still name the object that it was meant for (an address plus an
/// unknown index); otherwise they are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Val {
    pub bits: u64,
    pub poison: Reason,
    /// Known bytes of poison, one bit for each, if memory was read of which only a part was initialised. A value
    /// computed from it is unknown as a whole; only copies and byte extractions keep the known bytes.
    pub known: u8,
}

impl Val {
    pub const ZERO: Self = Self::new(0);
    pub const UNINIT: Self = Self::poison(Reason::UNINIT);

    pub const fn new(bits: u64) -> Self {
        Self { bits, poison: Reason::NONE, known: 0 }
    }
    pub const fn poison(reason: Reason) -> Self {
        Self { bits: 0, poison: reason, known: 0 }
    }
    /// An unknown address and what is known about it.
    pub const fn unknown_address(bits: u64, poison: Reason) -> Self {
        Self { bits, poison, known: 0 }
    }

    /// Poison of which some bytes are known; the other bytes of `bits` are 0.
    pub const fn known_in_part(bits: u64, poison: Reason, known: u8) -> Self {
        Self { bits, poison, known }
    }

    /// The value shifted right by `first` bytes and truncated to `count` bytes.
    pub fn bytes_from(self, first: u32, count: u32) -> Self {
        let (all, bits) = (mask_of_bytes(count), self.bits.checked_shr(8 * first).unwrap_or(0) & mask(8 * count));
        let known = self.known.checked_shr(first).unwrap_or(0) & all;
        if known == all { Self::new(bits) } else { Self { bits, known, ..Self::poison(self.poison.of_bits()) } }
    }
    pub const fn f64(v: f64) -> Self {
        Self::new(v.to_bits())
    }
    pub const fn i32(v: i32) -> Self {
        Self::new(v.cast_unsigned() as u64)
    }

    pub const fn is_poison(self) -> bool {
        self.poison.is_some()
    }
    /// Whether the value is an uninitialised pointer.
    pub const fn is_unset(self) -> bool {
        self.poison.0 == Reason::UNSET.0 && self.bits == 0
    }
    /// The value as the result of a pointer load.
    pub const fn as_pointer(self) -> Self {
        if self.poison.0 == Reason::UNINIT.0 && self.bits == 0 { Self::poison(Reason::UNSET) } else { self }
    }
    /// The bits, if they are known.
    pub const fn known(self) -> Option<u64> {
        if self.is_poison() { None } else { Some(self.bits) }
    }
}

impl Default for Reason {
    fn default() -> Self {
        Self::NONE
    }
}
impl Default for Val {
    fn default() -> Self {
        Self::ZERO
    }
}

/// Mask with one bit for each of the lowest `count` bytes, 1 to 8.
pub const fn mask_of_bytes(count: u32) -> u8 {
    if count >= 8 { u8::MAX } else { (1 << count) - 1 }
}

/// Mask of the lowest `width` bits; `width` is 1 to 64.
pub const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Sign-extends a zero-extended integer of `width` bits.
pub const fn signed(bits: u64, width: u32) -> i64 {
    if width >= 64 || width == 0 {
        return bits.cast_signed();
    }
    ((bits << (64 - width)).cast_signed()) >> (64 - width)
}

/// Value of a bit pattern of `width` bits: 32, 64, or 80. A double stands for 80 bits (`long double` is computed in
/// double precision).
pub fn float(bits: u64, width: u32) -> f64 {
    if width == 32 { f64::from(f32::from_bits(low32(bits))) } else { f64::from_bits(bits) }
}

/// Nearest bit pattern of `width` bits.
pub fn float_bits(v: f64, width: u32) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the narrower type is what is asked for")]
    if width == 32 { u64::from((v as f32).to_bits()) } else { v.to_bits() }
}

/// Whether the interpreter computes floating-point values of this width. There are two 16-bit formats, which the
/// analysis form does not distinguish.
pub const fn is_float_width(width: u32) -> bool {
    matches!(width, 32 | 64 | 80)
}

/// Parses an 80-bit constant in LLVM's spelling, `0xK` and 20 digits, if a double holds it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what does not come back is left out"
)]
pub fn parse_fp80(text: &str) -> Option<f64> {
    let digits = text.rsplit_once("0xK")?.1.get(..20)?;
    let (head, mantissa) = (u16::from_str_radix(&digits[..4], 16).ok()?, u64::from_str_radix(&digits[4..], 16).ok()?);
    let (sign, exponent) = (if head & 0x8000 == 0 { 1.0 } else { -1.0 }, i32::from(head & 0x7fff));
    if exponent == 0x7fff {
        return Some(if mantissa << 1 == 0 { sign * f64::INFINITY } else { f64::NAN });
    }
    let held = mantissa as f64;
    let value = sign * held * 2f64.powi(exponent - 16383 - 63);
    let exact = held as u128 == u128::from(mantissa) && (value.is_normal() || mantissa == 0);
    exact.then_some(value)
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
pub const fn low32(bits: u64) -> u32 {
    bits as u32
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
    fn long_double_constants_are_read() {
        assert_eq!(parse_fp80("x86_fp80 0xK3FFF8000000000000000"), Some(1.0));
        assert_eq!(parse_fp80("0xK40008000000000000000"), Some(2.0));
        assert_eq!(parse_fp80("0xKC000C000000000000000"), Some(-3.0));
        assert_eq!(parse_fp80("0xK7FFF8000000000000000"), Some(f64::INFINITY));
        assert_eq!(parse_fp80("fp128"), None);
        assert_eq!(parse_fp80("0xK3FFBCCCCCCCCCCCCCCCD"), None, "0.1L");
    }

    #[test]
    fn reasons_are_kept_once() {
        let mut r = Reasons::new();
        let a = r.intern(Cause::Call, "unmodelled call `f`");
        assert_eq!(a, r.intern(Cause::Call, "unmodelled call `f`"));
        assert_eq!(r.text(a), "unmodelled call `f`");
        assert!(a.is_some());
        assert_eq!(r.text(Reason::UNINIT), "memory that nothing has written");
    }
}
