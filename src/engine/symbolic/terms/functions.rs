//! Uninterpreted functions for contents of memory and files, results of loops, and bits of numbers
//! ([`Term::Apply`](super::term::Term)).
//!
//! Equal arguments give equal values; further facts about a value are stated by the code that needs them. The string of
//! a function ([`UninterpretedFunction::text`]) serves people, dumps, solver keys and SMT-LIB: no decision depends on it.

use super::term::wrap_value;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// An uninterpreted function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum UninterpretedFunction {
    /// Maps an object, the version of its contents, an offset and a width in bits to the value there.
    Content,
    /// Maps a file's number, a width in bits and a byte position to the value there.
    File,
    /// Maps a file's number, a width in bits and the index of a word to that word as an integer.
    Word,
    /// Maps an iteration to a value that a loop computes in it. The number distinguishes such values.
    Round(u32),
    /// Interpretation, as an integer of `bits` bits, of an argument of which nothing is known but its width.
    Reading { bits: u32, signed: bool },
    /// Maps an object to its address.
    Address,
    /// Maps the module and number of a function of the program to its address.
    Code,
    /// Maps a summary object of a loop's allocations, and an iteration, to an address.
    Made,
    /// Maps a step and a number of iterations to the sum of their summands.
    Sum,
    /// Maps an object, the version of its contents, an offset, a width in bits and a count to the product of that many
    /// signed integers, one after the other from the offset on; 1 for no more than none.
    Product,
    /// A function of the lowest bits of a number; the width matters: leading zeros in 32 bits are not those in 64.
    OfBits(BitFunction, u32),
    /// Funnel shift of two integers of `bits` bits by a third argument.
    Funnel { left: bool, bits: u32 },
    /// Value that the host computed by the term of this number, abstracted to any number of its range.
    OfHost(u32),
}

impl UninterpretedFunction {
    /// Whether the values come from memory or files, so that those of a loop's iterations may have something in common.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::Content | Self::Round(_)) || self.is_file()
    }

    /// Whether the values come from a file.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Word)
    }

    /// String form; no two functions have the same.
    #[must_use]
    pub fn text(self) -> Cow<'static, str> {
        match self {
            Self::Content => "content".into(),
            Self::File => "file".into(),
            Self::Word => "word".into(),
            Self::Round(of) => format!("round {of}").into(),
            Self::Reading { bits, signed: true } => format!("signed{bits}").into(),
            Self::Reading { bits, signed: false } => format!("unsigned{bits}").into(),
            Self::Address => "address".into(),
            Self::Code => "function".into(),
            Self::Made => "made".into(),
            Self::Sum => "sum".into(),
            Self::Product => "product".into(),
            Self::OfBits(f, bits) => format!("{}{bits}", f.name()).into(),
            Self::Funnel { left: true, bits } => format!("fshl{bits}").into(),
            Self::Funnel { left: false, bits } => format!("fshr{bits}").into(),
            Self::OfHost(term) => format!("number {term}").into(),
        }
    }
}

impl fmt::Display for UninterpretedFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// A bit function without a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BitFunction {
    Ones,
    ZerosInFront,
    ZerosBehind,
    BytesReversed,
    Reversed,
}

impl BitFunction {
    /// LLVM's name of the function.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ones => "ctpop",
            Self::ZerosInFront => "ctlz",
            Self::ZerosBehind => "cttz",
            Self::BytesReversed => "bswap",
            Self::Reversed => "bitreverse",
        }
    }

    #[must_use]
    pub const fn is_count(self) -> bool {
        matches!(self, Self::Ones | Self::ZerosInFront | Self::ZerosBehind)
    }

    /// Applies the function to the lowest `bits` bits of a number.
    #[must_use]
    pub fn of(self, v: i128, bits: u32) -> i128 {
        let v = wrap_value(v, bits, false).cast_unsigned();
        let r = match self {
            Self::Ones => u128::from(v.count_ones()),
            Self::ZerosInFront => u128::from(v.leading_zeros() - (128 - bits)),
            Self::ZerosBehind => u128::from(v.trailing_zeros().min(bits)),
            Self::BytesReversed => v.swap_bytes() >> (128 - bits),
            Self::Reversed => v.reverse_bits() >> (128 - bits),
        };
        r.cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::{BitFunction, UninterpretedFunction};

    #[test]
    fn functions_are_written_apart() {
        let all = [
            (UninterpretedFunction::Content, "content"),
            (UninterpretedFunction::File, "file"),
            (UninterpretedFunction::Word, "word"),
            (UninterpretedFunction::Round(7), "round 7"),
            (UninterpretedFunction::Reading { bits: 32, signed: true }, "signed32"),
            (UninterpretedFunction::Reading { bits: 8, signed: false }, "unsigned8"),
            (UninterpretedFunction::Address, "address"),
            (UninterpretedFunction::Code, "function"),
            (UninterpretedFunction::Made, "made"),
            (UninterpretedFunction::Sum, "sum"),
            (UninterpretedFunction::Product, "product"),
            (UninterpretedFunction::OfBits(BitFunction::ZerosInFront, 64), "ctlz64"),
            (UninterpretedFunction::Funnel { left: true, bits: 32 }, "fshl32"),
            (UninterpretedFunction::Funnel { left: false, bits: 32 }, "fshr32"),
            (UninterpretedFunction::OfHost(12), "number 12"),
        ];
        for (f, text) in all {
            assert_eq!(f.to_string(), text);
        }
    }

    #[test]
    fn a_function_is_small() {
        assert!(size_of::<UninterpretedFunction>() <= 8);
    }
}
