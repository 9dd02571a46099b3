//! Hash-consed terms over mathematical integers.
//!
//! An n-bit machine value is represented by a mathematical integer that is *congruent* to it modulo 2^n: addition,
//! subtraction and multiplication are exact on such representatives, whatever wraps. Only when a value is *interpreted*
//! (compared, divided, extended, used as an address offset) must the representative lie in the range of the
//! interpretation; the executor then builds [`Term::Wrap`], unless the term's [`Interval`] already shows it.
//! [`Term::Wrap`] nodes are therefore exactly the range obligations that a *safe* verdict carries.
//!
//! Integer terms are kept as canonical polynomials over atoms, so that equal values are equal terms, and comparisons
//! as `t <= 0` and `t == 0`.

use super::functions::UninterpretedFunction;
use super::interval::Interval;
use base::polynomial::{Product, SumOfProducts};
use base::reasons::UnknownReason;
use serde::{Deserialize, Serialize};

/// A term of an [`Arena`]. Equal terms of one arena have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TermId(pub u32);

/// A symbol of an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymId(pub u32);

/// Coordinate of a `dim3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Axis {
    X,
    Y,
    Z,
}

/// Origin of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymKind {
    /// A choice of the program's user: `argv[1]` as an integer, a value read from a file, a root's parameter.
    Input(InputSource),
    Thread(Axis),
    Block(Axis),
    /// `blockDim` in a kernel that is analysed without a launch.
    BlockDim(Axis),
    GridDim(Axis),
    /// Number of completed iterations of a loop; `name` is its induction variable, if there is one.
    Iteration {
        name: String,
    },
    /// An element of a buffer with input or unknown contents.
    Content {
        what: UnknownReason,
        input: bool,
    },
    /// An unmodelled value; the reason is shown to users.
    Unknown {
        reason: UnknownReason,
    },
}

/// An input of the program in the user's terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InputSource {
    Argc,
    /// `argv[i]` read as an integer.
    Argv(u32),
    /// Result of comparing `argv[i]` with a word: 0 if they are equal.
    ArgvWord {
        index: u32,
        word: String,
    },
    /// Length of the string `argv[i]`.
    ArgvLen(u32),
    /// Value number `ordinal` that the program reads from something other than a file (`sscanf`).
    Read {
        what: String,
        ordinal: u32,
    },
    /// An integer of `bits` bits at the byte position `at` of a file.
    File {
        file: FileName,
        at: u64,
        bits: u32,
    },
    /// Number `ordinal` of the words of a text file or of the standard input, read as an integer.
    Word {
        file: FileName,
        ordinal: u64,
    },
    /// Size of a file in bytes.
    FileSize(FileName),
    /// Parameter of a root function without known callers.
    Param {
        function: String,
        name: String,
    },
    /// Initial contents of an object that a root's caller gave: `bits` bits at byte `at` of the object named `object`;
    /// `path` is their name for users. `bits` is 0 for a pointer, to an object named `path`.
    Given {
        function: String,
        object: String,
        at: i64,
        bits: u32,
        path: String,
    },
    /// Number of elements, of `bytes` bytes each, between the pointers at bytes `data` and `at` of a given object;
    /// `path` is its name for users: the size of a container that has pointers to its ends.
    Count {
        function: String,
        object: String,
        data: i64,
        at: i64,
        bytes: u64,
        path: String,
    },
    /// Argument of a command-line option, read as an integer; `ordinal` distinguishes several reads. `word` is
    /// everything before the number: `-n ` (with a blank if the number is a separate argument), `--size=`.
    Option {
        ordinal: u32,
        word: String,
    },
    /// Property of a device, by its number in `models::devices`. `device` is the number of the device; a query whose
    /// device is unknown, or whose result changes, has a number of its own in `query`.
    Device {
        property: usize,
        device: Option<u32>,
        query: u32,
    },
    /// `getenv`, random numbers and other external choices that a model may set freely.
    World(String),
}

impl InputSource {
    /// Whether the value comes from a file, or from a text that may come from one.
    #[must_use]
    pub const fn is_of_file(&self) -> bool {
        matches!(self, Self::Read { .. } | Self::File { .. } | Self::Word { .. } | Self::FileSize(_))
    }
}

/// Unit in which a position in a file counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FilePart {
    Bytes,
    Words,
}

/// A file as the program names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileName {
    /// The file that `argv[i]` names.
    Argv(u32),
    Literal(String),
    StandardInput,
    /// An unknown file name, or a file that the program writes: its contents are not followed.
    Unnamed,
}

impl std::fmt::Display for FileName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Argv(i) => write!(f, "the file argv[{i}]"),
            Self::StandardInput => f.write_str("the standard input"),
            Self::Literal(n) => write!(f, "the file {n}"),
            Self::Unnamed => f.write_str("a file"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    pub kind: SymKind,
    /// Name shown to users: `argv[1]`, `threadIdx.x`, `n`.
    pub name: String,
    pub range: Interval,
    /// Distinguishes symbols that are otherwise equal (two executions of one loop).
    pub serial: u32,
}

pub type Monomial = Product<TermId>;
pub type Poly = SumOfProducts<TermId>;

/// Node of a term. Boolean and integer nodes share one arena.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Term {
    // ---- integers ----
    Int(i128),
    Sym(SymId),
    /// Canonical polynomial; never a constant and never a single atom with coefficient 1.
    Poly(Poly),
    /// C division: truncates towards zero. Division by zero is unspecified.
    Div(TermId, TermId),
    /// C remainder: sign of the dividend.
    Rem(TermId, TermId),
    /// Floor division and non-negative remainder by a positive constant (shifts right, masks).
    FloorDiv(TermId, i128),
    Mod(TermId, i128),
    Ite(TermId, TermId, TermId),
    /// The low `bits` of the argument, interpreted as a signed or unsigned integer: exactly, reduction modulo 2^bits.
    Wrap {
        arg: TermId,
        bits: u32,
        signed: bool,
    },
    /// Bitwise operations on representatives, taken as unsigned `bits`-bit values; the result is unsigned.
    BitAnd(TermId, TermId, u32),
    BitOr(TermId, TermId, u32),
    BitXor(TermId, TermId, u32),
    /// 2 to the power of the argument, the argument being in 0..=126.
    Pow2(TermId),
    /// Uninterpreted function of its arguments (contents at an address, counts of bits): equal arguments give equal values.
    Apply {
        function: UninterpretedFunction,
        args: Vec<TermId>,
        range: Interval,
    },
    // ---- booleans ----
    True,
    False,
    /// `t <= 0`.
    Le(TermId),
    /// `t == 0`.
    EqZ(TermId),
    Not(TermId),
    /// Sorted, flattened, without duplicates; at least two.
    And(Vec<TermId>),
    Or(Vec<TermId>),
    /// An unmodelled boolean.
    BoolSym(SymId),
}

/// Interprets the low `bits` of `v` as a signed or unsigned integer.
#[must_use]
pub fn wrap_value(v: i128, bits: u32, signed: bool) -> i128 {
    if bits >= 127 {
        return v;
    }
    let m = 1i128 << bits;
    let u = v.rem_euclid(m);
    if signed && u >= m / 2 { u - m } else { u }
}

#[cfg(test)]
mod tests {
    use super::super::arena::Arena;
    use super::*;

    fn sym(a: &mut Arena, name: &str, lo: i128, hi: i128) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::new(lo, hi))
    }

    #[test]
    fn coefficients_have_negatives() {
        let one = |c| Poly { terms: vec![(Monomial::new(), c)] };
        assert_eq!(one(-(1 << 126)).add_scaled(&one(1 << 126), -1), None);
        assert_eq!(one(1 << 126).mul(&one(-2)), None);
        assert_eq!(one(0).add_scaled(&one(1 << 125), 2).map(|p| p.constant()), Some(1 << 126));
    }

    #[test]
    fn equal_values_are_equal_terms() {
        let mut a = Arena::new();
        let (x, y) = (sym(&mut a, "x", -100, 100), sym(&mut a, "y", -100, 100));
        let s = a.add(x, y);
        let p = a.mul(s, s);
        let (xx, yy, xy) = (a.mul(x, x), a.mul(y, y), a.mul(x, y));
        let two = a.scale(xy, 2);
        let q = a.add(xx, two);
        let q = a.add(q, yy);
        assert_eq!(p, q);
        let (l, r) = (a.lt(x, y), a.le(y, x));
        assert_eq!(a.not(l), r);
        let j = a.or(l, r);
        assert_eq!(a.as_bool(j), Some(true));
    }

    #[test]
    fn division_splits_off_multiples() {
        let mut a = Arena::new();
        let (x, y) = (sym(&mut a, "x", 0, 100), sym(&mut a, "y", 0, 15));
        let t = a.scale(x, 16);
        let t = a.add(t, y);
        assert_eq!(a.floor_div(t, 16), x);
        assert_eq!(a.modulo(t, 16), y);
    }

    #[test]
    fn wrap_is_identity_where_the_range_shows_it() {
        let mut a = Arena::new();
        let x = sym(&mut a, "x", 0, 200);
        assert_eq!(a.wrap(x, 8, false), x);
        let w = a.wrap(x, 8, true);
        assert_ne!(w, x);
        let t = match a.get(x) {
            Term::Sym(s) => *s,
            _ => unreachable!(),
        };
        assert_eq!(a.eval(w, &|s| (s == t).then_some(200)), Some(-56));
    }

    #[test]
    fn what_is_wider_than_bounds_can_tell_is_any_number() {
        let mut a = Arena::new();
        let (n, one) = (sym(&mut a, "n", 0, 200), a.int(1));
        assert_eq!(a.wrap(n, 128, false), n);
        let below = a.sub(n, one);
        let read = a.wrap(below, 128, false);
        assert!(read != below && a.range(read).lo == Some(0) && a.range(read).hi.is_none());
        assert_eq!(a.wrap(below, 128, true), below);
        assert_eq!(Interval::of_value(128, true), Interval::ANY);
    }

    #[test]
    fn comparisons_divide_by_the_common_factor() {
        let mut a = Arena::new();
        let (i, n) = (sym(&mut a, "i", 0, 1000), sym(&mut a, "n", 0, 1000));
        // 4i + 4 <= 4n  ⇔  i < n
        let l = a.scale(i, 4);
        let l = a.add_const(l, 4);
        let r = a.scale(n, 4);
        let c = a.le(l, r);
        assert_eq!(c, a.lt(i, n));
    }
}
