//! The uninterpreted functions that stand for what memory, files, loops and bits of numbers hold ([`Term::Apply`](super::term::Term)).
//!
//! Equal arguments give equal values; what else is known of a value is said where it is asked for. A function's text ([`Function::text`])
//! is for people, dumps, keys of the solver and SMT-LIB: nothing is decided by it.

use super::term::wrap_value;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// An uninterpreted function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Function {
    /// From an object, the version of its contents, an offset and a width in bits to what stands there.
    Content,
    /// From number, width in bits and byte position of a file to what stands there.
    File,
    /// From number, width in bits and place among the words of a file to that word as a number.
    Word,
    /// What a loop computes in one of its rounds, from the round. The number tells apart what loops compute.
    Round(u32),
    /// The argument, of which nothing is known but its width, read as a number of so many bits.
    Reading { bits: u32, signed: bool },
    /// From an object to its address.
    Address,
    /// From module and number of a function of the program to its address.
    Code,
    /// From an object that stands for what rounds of a loop allocated, and a round, to an address.
    Made,
    /// From a step and a number of rounds to the sum of what they add.
    Sum,
    /// A function of the lowest bits of a number: zeros in front of one of 32 bits are not those of one of 64.
    OfBits(BitFunction, u32),
    /// Of two numbers of so many bits side by side, and by how much they are shifted.
    Funnel { left: bool, bits: u32 },
    /// What the host computed by the term of this number, taken as any number of its range.
    OfHost(u32),
}

impl Function {
    /// Whether its values come from memory or files, so that those of a loop's rounds may have something in common.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::Content | Self::Round(_)) || self.is_file()
    }

    /// Whether its values are a file's.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Word)
    }

    /// How it is written; no two are written alike.
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
            Self::OfBits(f, bits) => format!("{}{bits}", f.name()).into(),
            Self::Funnel { left: true, bits } => format!("fshl{bits}").into(),
            Self::Funnel { left: false, bits } => format!("fshr{bits}").into(),
            Self::OfHost(term) => format!("number {term}").into(),
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// A function of bits without a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BitFunction {
    Ones,
    ZerosInFront,
    ZerosBehind,
    BytesReversed,
    Reversed,
}

impl BitFunction {
    /// As LLVM calls it.
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

    /// Of the lowest `bits` bits of a number.
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
    use super::{BitFunction, Function};

    #[test]
    fn functions_are_written_apart() {
        let all = [
            (Function::Content, "content"),
            (Function::File, "file"),
            (Function::Word, "word"),
            (Function::Round(7), "round 7"),
            (Function::Reading { bits: 32, signed: true }, "signed32"),
            (Function::Reading { bits: 8, signed: false }, "unsigned8"),
            (Function::Address, "address"),
            (Function::Code, "function"),
            (Function::Made, "made"),
            (Function::Sum, "sum"),
            (Function::OfBits(BitFunction::ZerosInFront, 64), "ctlz64"),
            (Function::Funnel { left: true, bits: 32 }, "fshl32"),
            (Function::Funnel { left: false, bits: 32 }, "fshr32"),
            (Function::OfHost(12), "number 12"),
        ];
        for (f, text) in all {
            assert_eq!(f.to_string(), text);
        }
    }

    #[test]
    fn a_function_is_small() {
        assert!(size_of::<Function>() <= 8);
    }
}
