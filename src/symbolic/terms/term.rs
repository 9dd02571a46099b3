//! Hash-consed terms over mathematical integers.
//!
//! An n-bit machine value is represented by a mathematical integer that is *congruent* to it modulo 2^n:
//! addition, subtraction and multiplication are exact on such representatives whatever wraps. Only where a value is
//! *interpreted* (compared, divided, extended, used as an address offset) must the representative lie in the range of
//! the interpretation; there the executor builds [`Term::Wrap`] unless the term's [`Range`] already shows it.
//! [`Term::Wrap`] nodes are therefore exactly the range obligations that a *safe* verdict carries.
//!
//! Integer terms are kept as canonical polynomials over atoms, so that equal values are equal terms, and comparisons
//! as `t <= 0` and `t == 0`.

use crate::work::{charge, charge_each, cost};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A term of an [`Arena`]. Equal terms of one arena have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// A symbol of an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymId(pub u32);

/// Inclusive bounds; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Range {
    pub lo: Option<i128>,
    pub hi: Option<i128>,
}

impl Range {
    pub const ANY: Self = Self { lo: None, hi: None };
    #[must_use]
    pub const fn new(lo: i128, hi: i128) -> Self {
        Self { lo: Some(lo), hi: Some(hi) }
    }
    #[must_use]
    pub const fn point(v: i128) -> Self {
        Self::new(v, v)
    }
    /// The range of an interpretation: `signed(32)`, `unsigned(8)`.
    #[must_use]
    pub fn of_int(bits: u32, signed: bool) -> Self {
        let bits = bits.min(120);
        if signed {
            Self::new(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            Self::new(0, (1i128 << bits) - 1)
        }
    }
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        (match (self.lo, other.lo) {
            (None, _) => true,
            (Some(a), Some(b)) => a <= b,
            _ => false,
        }) && (match (self.hi, other.hi) {
            (None, _) => true,
            (Some(a), Some(b)) => a >= b,
            _ => false,
        })
    }
    #[must_use]
    pub fn contains_value(self, v: i128) -> bool {
        self.contains(Self::point(v))
    }
    #[must_use]
    pub fn union(self, o: Self) -> Self {
        Self { lo: self.lo.zip(o.lo).map(|(a, b)| a.min(b)), hi: self.hi.zip(o.hi).map(|(a, b)| a.max(b)) }
    }
    #[must_use]
    pub fn intersect(self, o: Self) -> Self {
        let pick = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (a, b) => a.or(b),
        };
        Self { lo: pick(self.lo, o.lo, i128::max), hi: pick(self.hi, o.hi, i128::min) }
    }
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "bounds of a sum, and no sum of anything")]
    pub fn add(self, o: Self) -> Self {
        Self {
            lo: self.lo.zip(o.lo).and_then(|(a, b)| a.checked_add(b)),
            hi: self.hi.zip(o.hi).and_then(|(a, b)| a.checked_add(b)),
        }
    }
    #[must_use]
    pub fn scale(self, c: i128) -> Self {
        let m = |v: Option<i128>| v.and_then(|v| v.checked_mul(c));
        if c >= 0 {
            if c == 0 { Self::point(0) } else { Self { lo: m(self.lo), hi: m(self.hi) } }
        } else {
            Self { lo: m(self.hi), hi: m(self.lo) }
        }
    }
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "bounds of a product, and no product of anything")]
    pub fn mul(self, o: Self) -> Self {
        // Only what is needed: bounded boxes, and products of half-bounded non-negative ranges.
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.lo, self.hi, o.lo, o.hi) {
            let p = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            if p.iter().all(Option::is_some) {
                return Self { lo: p.iter().flatten().min().copied(), hi: p.iter().flatten().max().copied() };
            }
        }
        if self.lo.is_some_and(|v| v >= 0) && o.lo.is_some_and(|v| v >= 0) {
            return Self {
                lo: self.lo.zip(o.lo).and_then(|(a, b)| a.checked_mul(b)),
                hi: self.hi.zip(o.hi).and_then(|(a, b)| a.checked_mul(b)),
            };
        }
        Self::ANY
    }
}

/// Which coordinate of a `dim3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Axis {
    X,
    Y,
    Z,
}

/// Where a symbol comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymKind {
    /// Something the user of the program chooses: `argv[1]` as a number, a value read from a file, a root's parameter.
    Input(InputSource),
    Thread(Axis),
    Block(Axis),
    /// `blockDim`, where a kernel is analysed without a launch.
    BlockDim(Axis),
    GridDim(Axis),
    /// How often a loop has gone round: `name` is its induction variable where there is one.
    Iteration {
        name: String,
    },
    /// An element of a buffer whose contents are an input or not known.
    Content {
        what: String,
        input: bool,
    },
    /// Not modelled; the reason is shown to users.
    Unknown {
        reason: String,
    },
}

/// An input of the program in the user's terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InputSource {
    Argc,
    /// `argv[i]` read as an integer.
    Argv(u32),
    /// What a comparison of `argv[i]` with a word gives: 0 where it is that word.
    ArgvWord {
        index: u32,
        word: String,
    },
    /// Length of the string `argv[i]`.
    ArgvLen(u32),
    /// Value number `ordinal` that the program reads of what is no file (`sscanf`).
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
    /// Bytes of a file.
    FileSize(FileName),
    /// Parameter of a root function that nobody known calls.
    Param {
        function: String,
        name: String,
    },
    /// The argument of a command line option read as an integer; `ordinal` tells readings apart. `word` is all that stands before the
    /// number: `-n ` (with a blank where it is an argument of its own), `--size=`.
    Option {
        ordinal: u32,
        word: String,
    },
    /// `getenv`, random numbers and other choices of the world that a model may set freely.
    World(String),
}

/// What a position in a file counts.
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
    /// One whose name is not known, or that the program writes: its contents are not followed.
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
    pub range: Range,
    /// Tells symbols apart that are otherwise equal (two executions of one loop).
    pub serial: u32,
}

/// Product of atoms, sorted, with repetition for powers. Empty: the constant monomial.
pub type Monomial = SmallVec<[TermId; 2]>;

/// Σ coefficient · monomial; sorted by monomial, no zero coefficient.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Poly {
    pub terms: Vec<(Monomial, i128)>,
}

/// Node of a term. Boolean and integer nodes share one arena.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// The low `bits` of the argument read as a signed or unsigned integer: exact meaning is reduction modulo 2^bits.
    Wrap {
        arg: TermId,
        bits: u32,
        signed: bool,
    },
    /// Bitwise operations on representatives taken as unsigned `bits`-bit values; result unsigned.
    BitAnd(TermId, TermId, u32),
    BitOr(TermId, TermId, u32),
    BitXor(TermId, TermId, u32),
    /// 2 to the power of the argument, the argument being in 0..=126.
    Pow2(TermId),
    /// Uninterpreted function of its arguments (float conversions, contents at an address): equal arguments give equal values.
    Apply {
        name: String,
        args: Vec<TermId>,
        range: Range,
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
    /// A boolean that is not modelled.
    BoolSym(SymId),
}

/// Polynomials larger than this many monomials are not expanded further but multiplied as opaque atoms.
const MAX_MONOMIALS: usize = 96;

/// Bytes that a term takes, with its range and its place in the index: measured on programs of HeCBench.
const TERM_BYTES: u64 = 240;

/// How much an arena held at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    terms: usize,
    symbols: usize,
}

/// Owner of terms. Everything about one program analysis lives in one arena.
#[derive(Clone, Default, Debug)]
pub struct Arena {
    nodes: Vec<Term>,
    ranges: Vec<Range>,
    index: FxHashMap<Term, TermId>,
    negations: FxHashMap<TermId, TermId>,
    /// Terms as [`Arena::unwrapped`] reads them.
    unwrapped: FxHashMap<TermId, TermId>,
    symbols: Vec<Symbol>,
}

impl Arena {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn get(&self, t: TermId) -> &Term {
        &self.nodes[t.0 as usize]
    }
    #[must_use]
    pub fn symbol(&self, s: SymId) -> &Symbol {
        &self.symbols[s.0 as usize]
    }
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }
    /// Bounds that hold of an integer term without any path condition.
    #[must_use]
    pub fn range(&self, t: TermId) -> Range {
        self.ranges[t.0 as usize]
    }
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn intern(&mut self, t: Term) -> TermId {
        charge(cost::TERM);
        match &t {
            Term::Poly(p) => charge_each(cost::OPERAND, p.terms.len()),
            Term::And(v) | Term::Or(v) => charge_each(cost::OPERAND, v.len()),
            _ => {}
        }
        if let Some(id) = self.index.get(&t) {
            return *id;
        }
        let range = self.compute_range(&t);
        let id =
            TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms: the executor's budget is far below"));
        self.nodes.push(t.clone());
        self.ranges.push(range);
        self.index.insert(t, id);
        id
    }

    fn compute_range(&self, t: &Term) -> Range {
        match t {
            Term::Int(v) => Range::point(*v),
            Term::Sym(s) => self.symbol(*s).range,
            Term::Poly(p) => {
                let mut sum = Range::point(0);
                for (m, c) in &p.terms {
                    let mut r = Range::point(1);
                    let mut i = 0;
                    while i < m.len() {
                        let mut n = 1;
                        while i + n < m.len() && m[i + n] == m[i] {
                            n += 1;
                        }
                        let base = self.range(m[i]);
                        let mut power = Range::point(1);
                        for _ in 0..n {
                            power = power.mul(base);
                        }
                        if n % 2 == 0 {
                            power = power.intersect(Range { lo: Some(0), hi: None });
                        }
                        r = r.mul(power);
                        i += n;
                    }
                    sum = sum.add(r.scale(*c));
                }
                sum
            }
            Term::Div(a, b) => {
                let (ra, rb) = (self.range(*a), self.range(*b));
                if rb.lo.is_some_and(|v| v >= 1) {
                    let lo = ra.lo.map(|v| if v >= 0 { rb.hi.map_or(0, |h| v / h) } else { v / rb.lo.unwrap_or(1) });
                    let hi = ra.hi.map(|v| if v >= 0 { v / rb.lo.unwrap_or(1) } else { rb.hi.map_or(0, |h| v / h) });
                    Range { lo, hi }
                } else if let (Some(l), Some(h)) =
                    (ra.lo.and_then(i128::checked_abs), ra.hi.and_then(i128::checked_abs))
                {
                    let m = l.max(h);
                    Range::new(-m, m)
                } else {
                    Range::ANY
                }
            }
            Term::Rem(a, b) => {
                let (ra, rb) = (self.range(*a), self.range(*b));
                let m = match (rb.lo, rb.hi) {
                    (Some(l), Some(h)) => l.checked_abs().zip(h.checked_abs()).map(|(l, h)| (l.max(h) - 1).max(0)),
                    _ => None,
                };
                let hi = match (ra.hi, m) {
                    (Some(h), Some(m)) => Some(h.max(0).min(m)),
                    (Some(h), None) => Some(h.max(0)),
                    (None, m) => m,
                };
                let lo = match (ra.lo, m) {
                    (Some(l), Some(m)) => Some(l.min(0).max(-m)),
                    (Some(l), None) => Some(l.min(0)),
                    (None, m) => m.map(|m| -m),
                };
                Range { lo, hi }
            }
            Term::FloorDiv(a, c) => {
                let r = self.range(*a);
                Range { lo: r.lo.map(|v| v.div_euclid(*c)), hi: r.hi.map(|v| v.div_euclid(*c)) }
            }
            Term::Mod(_, c) => Range::new(0, c - 1),
            Term::Ite(_, a, b) => self.range(*a).union(self.range(*b)),
            Term::Wrap { bits, signed, .. } => Range::of_int(*bits, *signed),
            Term::BitAnd(a, b, bits) => {
                let mut r = Range::of_int(*bits, false);
                for x in [a, b] {
                    let rx = self.range(*x);
                    if rx.lo.is_some_and(|v| v >= 0) {
                        r = r.intersect(Range { lo: Some(0), hi: rx.hi });
                    }
                }
                r
            }
            Term::BitOr(a, b, bits) | Term::BitXor(a, b, bits) => {
                let (ra, rb) = (self.range(*a), self.range(*b));
                match (ra.lo, ra.hi, rb.lo, rb.hi) {
                    (Some(l), Some(h), Some(l2), Some(h2)) if l >= 0 && l2 >= 0 => {
                        let top = 128 - (h | h2).leading_zeros();
                        Range::new(
                            if matches!(t, Term::BitOr(..)) { l.max(l2) } else { 0 },
                            (1i128 << top.min(126)) - 1,
                        )
                    }
                    _ => Range::of_int(*bits, false),
                }
            }
            Term::Pow2(a) => {
                let r = self.range(*a);
                let p = |v: Option<i128>| v.filter(|v| (0..=126).contains(v)).map(|v| 1i128 << v);
                Range { lo: p(r.lo).or(Some(1)), hi: p(r.hi) }
            }
            Term::Apply { range, .. } => *range,
            _ => Range::new(0, 1),
        }
    }

    /// Whether the term is a boolean.
    #[must_use]
    pub fn is_boolean(&self, t: TermId) -> bool {
        matches!(
            self.get(t),
            Term::True
                | Term::False
                | Term::Le(_)
                | Term::EqZ(_)
                | Term::Not(_)
                | Term::And(_)
                | Term::Or(_)
                | Term::BoolSym(_)
        )
    }

    // ---- leaves ----

    pub fn int(&mut self, v: i128) -> TermId {
        self.intern(Term::Int(v))
    }
    pub fn bool(&mut self, v: bool) -> TermId {
        self.intern(if v { Term::True } else { Term::False })
    }
    /// A fresh symbol; `symbol.serial` is set here.
    pub fn fresh(&mut self, kind: SymKind, name: impl Into<String>, range: Range) -> TermId {
        let id = self.new_symbol(kind, name.into(), range);
        self.intern(Term::Sym(id))
    }
    pub fn fresh_bool(&mut self, kind: SymKind, name: impl Into<String>) -> TermId {
        let id = self.new_symbol(kind, name.into(), Range::new(0, 1));
        self.intern(Term::BoolSym(id))
    }
    /// Gives a symbol a name that only later became known.
    pub fn rename(&mut self, t: TermId, name: String) {
        if let Term::Sym(s) | Term::BoolSym(s) = *self.get(t) {
            self.symbols[s.0 as usize].name = name;
        }
    }
    /// The term of a symbol.
    pub fn symbol_term(&mut self, s: SymId) -> TermId {
        if self.index.contains_key(&Term::BoolSym(s)) {
            return self.intern(Term::BoolSym(s));
        }
        self.intern(Term::Sym(s))
    }
    fn new_symbol(&mut self, kind: SymKind, name: String, range: Range) -> SymId {
        let serial = u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols");
        self.symbols.push(Symbol { kind, name, range, serial });
        SymId(serial)
    }

    #[must_use]
    pub fn as_int(&self, t: TermId) -> Option<i128> {
        if let Term::Int(v) = self.get(t) { Some(*v) } else { None }
    }
    #[must_use]
    pub fn as_bool(&self, t: TermId) -> Option<bool> {
        match self.get(t) {
            Term::True => Some(true),
            Term::False => Some(false),
            _ => None,
        }
    }

    // ---- polynomials ----

    /// The term as a polynomial over atoms.
    #[must_use]
    pub fn poly(&self, t: TermId) -> Poly {
        match self.get(t) {
            Term::Int(0) => Poly::default(),
            Term::Int(v) => Poly { terms: vec![(Monomial::new(), *v)] },
            Term::Poly(p) => p.clone(),
            _ => Poly { terms: vec![(smallvec::smallvec![t], 1)] },
        }
    }

    /// The term of a polynomial.
    pub fn from_poly(&mut self, p: Poly) -> TermId {
        match p.terms.as_slice() {
            [] => self.int(0),
            [(m, c)] if m.is_empty() => {
                let c = *c;
                self.int(c)
            }
            [(m, 1)] if m.len() == 1 => m[0],
            _ => self.intern(Term::Poly(p)),
        }
    }

    fn overflow(&mut self) -> TermId {
        self.fresh(SymKind::Unknown { reason: "arithmetic too large to follow".into() }, "?", Range::ANY)
    }

    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        match self.poly(a).add_scaled(&self.poly(b), 1) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        match self.poly(a).add_scaled(&self.poly(b), -1) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }
    pub fn scale(&mut self, a: TermId, c: i128) -> TermId {
        match Poly::default().add_scaled(&self.poly(a), c) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }
    /// The constant of a polynomial; of anything else 0.
    #[must_use]
    pub fn constant_of(&self, t: TermId) -> i128 {
        match self.get(t) {
            Term::Int(v) => *v,
            Term::Poly(p) => p.constant(),
            _ => 0,
        }
    }
    pub fn add_const(&mut self, a: TermId, c: i128) -> TermId {
        let c = self.int(c);
        self.add(a, c)
    }
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let (pa, pb) = (self.poly(a), self.poly(b));
        if pa.terms.len().saturating_mul(pb.terms.len()) > MAX_MONOMIALS {
            let mut m: Monomial = smallvec::smallvec![a, b];
            m.sort_unstable();
            return self.from_poly(Poly { terms: vec![(m, 1)] });
        }
        match pa.mul(&pb) {
            Some(p) => self.from_poly(p),
            None => self.overflow(),
        }
    }
    pub fn neg(&mut self, a: TermId) -> TermId {
        self.scale(a, -1)
    }

    // ---- other integer operations ----

    /// C division (truncating).
    pub fn div(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) if y != 0 => return self.int(x / y),
            (_, Some(1)) => return a,
            (Some(0), _) => return a,
            (_, Some(c)) if c > 1 => {
                // Exact where every coefficient divides.
                let p = self.poly(a);
                if p.terms.iter().all(|(_, k)| k % c == 0) {
                    let q = Poly { terms: p.terms.into_iter().map(|(m, k)| (m, k / c)).collect() };
                    return self.from_poly(q);
                }
                if self.range(a).lo.is_some_and(|v| v >= 0) {
                    return self.floor_div(a, c);
                }
            }
            _ => {}
        }
        self.intern(Term::Div(a, b))
    }
    /// C remainder (sign of the dividend).
    pub fn rem(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) if y != 0 => return self.int(x % y),
            (_, Some(1 | -1)) => return self.int(0),
            (_, Some(c)) if c > 1 && self.range(a).lo.is_some_and(|v| v >= 0) => return self.modulo(a, c),
            _ => {}
        }
        self.intern(Term::Rem(a, b))
    }
    /// Floor division by a positive constant.
    pub fn floor_div(&mut self, a: TermId, c: i128) -> TermId {
        debug_assert!(c > 0);
        if c == 1 {
            return a;
        }
        if let Some(x) = self.as_int(a) {
            return self.int(x.div_euclid(c));
        }
        let p = self.poly(a);
        if p.terms.iter().all(|(_, k)| k % c == 0) {
            let q = Poly { terms: p.terms.into_iter().map(|(m, k)| (m, k / c)).collect() };
            return self.from_poly(q);
        }
        let r = self.range(a);
        if let (Some(l), Some(h)) = (r.lo, r.hi)
            && l.div_euclid(c) == h.div_euclid(c)
        {
            return self.int(l.div_euclid(c));
        }
        // (c·x + y) div c = x + y div c
        let (whole, rest): (Vec<_>, Vec<_>) = p.terms.into_iter().partition(|(_, k)| k % c == 0);
        if whole.is_empty() {
            return self.intern(Term::FloorDiv(a, c));
        }
        let whole = self.from_poly(Poly { terms: whole.into_iter().map(|(m, k)| (m, k / c)).collect() });
        let rest = self.from_poly(Poly { terms: rest });
        let q = self.floor_div(rest, c);
        self.add(whole, q)
    }
    /// Non-negative remainder by a positive constant.
    pub fn modulo(&mut self, a: TermId, c: i128) -> TermId {
        debug_assert!(c > 0);
        if let Some(x) = self.as_int(a) {
            return self.int(x.rem_euclid(c));
        }
        if Range::new(0, c - 1).contains(self.range(a)) {
            return a;
        }
        let p = self.poly(a);
        let rest: Vec<_> = p
            .terms
            .into_iter()
            .filter_map(|(m, k)| {
                let k = k.rem_euclid(c);
                (k != 0).then_some((m, k))
            })
            .collect();
        let rest = self.from_poly(Poly { terms: rest });
        if let Some(x) = self.as_int(rest) {
            return self.int(x.rem_euclid(c));
        }
        if Range::new(0, c - 1).contains(self.range(rest)) {
            return rest;
        }
        self.intern(Term::Mod(rest, c))
    }
    /// The interpretation of a representative: identity where the range shows it.
    pub fn wrap(&mut self, a: TermId, bits: u32, signed: bool) -> TermId {
        let want = Range::of_int(bits, signed);
        if want.contains(self.range(a)) {
            return a;
        }
        if let Some(v) = self.as_int(a) {
            return self.int(wrap_value(v, bits, signed));
        }
        // wrap(wrap(x, wide)) = wrap(x) for a narrower or equal width.
        if let Term::Wrap { arg, bits: inner, .. } = self.get(a)
            && *inner >= bits
        {
            let arg = *arg;
            return self.wrap(arg, bits, signed);
        }
        self.intern(Term::Wrap { arg: a, bits, signed })
    }
    /// Whether of a number nothing is known but its width, so that reading it otherwise gives just any number as well.
    #[must_use]
    pub fn is_opaque(&self, t: TermId) -> bool {
        match self.get(t) {
            // What some loop added up is unknown too, but has bounds by facts: it has no range of a machine integer.
            Term::Sym(s) => {
                matches!(self.symbol(*s).kind, SymKind::Unknown { .. } | SymKind::Content { .. })
                    && matches!(self.range(t), Range { lo: Some(_), hi: Some(_) })
            }
            Term::Apply { name, .. } => name == "content",
            _ => false,
        }
    }
    /// The number that is read as a machine integer by a term, of how many bits, and whether signed.
    #[must_use]
    pub fn reading(&self, t: TermId) -> Option<(TermId, u32, bool)> {
        match self.get(t) {
            Term::Wrap { arg, bits, signed } => Some((*arg, *bits, *signed)),
            Term::Apply { name, args, .. } => {
                let [arg] = args[..] else { return None };
                let (signed, bits) = match name.strip_prefix("un") {
                    Some(n) => (false, n),
                    None => (true, &name[..]),
                };
                Some((arg, bits.strip_prefix("signed")?.parse().ok()?, signed))
            }
            _ => None,
        }
    }
    pub fn bit_and(&mut self, a: TermId, b: TermId, bits: u32) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        for (x, y) in [(a, b), (b, a)] {
            if let Some(m) = self.as_int(x) {
                let m = wrap_value(m, bits, false);
                if let Some(v) = self.as_int(y) {
                    return self.int(wrap_value(v, bits, false) & m);
                }
                if m == 0 {
                    return self.int(0);
                }
                if (m + 1) & m == 0 {
                    return self.modulo(y, m + 1);
                }
                // Clearing low bits: y & ~(2^k - 1).
                let low = (1i128 << bits) - m;
                if low & (low - 1) == 0 {
                    let u = self.wrap(y, bits, false);
                    let q = self.floor_div(u, low);
                    return self.scale(q, low);
                }
            }
        }
        if a == b {
            return self.wrap(a, bits, false);
        }
        self.intern(Term::BitAnd(a, b, bits))
    }
    pub fn bit_or(&mut self, a: TermId, b: TermId, bits: u32) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            return self.int(wrap_value(x | y, bits, false));
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.as_int(x) == Some(0) {
                return self.wrap(y, bits, false);
            }
            // Disjoint bits add: y is a multiple of 2^k and x < 2^k.
            let rx = self.range(x);
            if rx.lo.is_some_and(|v| v >= 0)
                && let Some(h) = rx.hi
                && h < 1i128 << 100
            {
                let k = 1i128 << (128 - h.leading_zeros());
                if self.poly(y).terms.iter().all(|(_, c)| c % k == 0) && self.range(y).lo.is_some_and(|v| v >= 0) {
                    return self.add(x, y);
                }
            }
        }
        if a == b {
            return self.wrap(a, bits, false);
        }
        self.intern(Term::BitOr(a, b, bits))
    }
    pub fn bit_xor(&mut self, a: TermId, b: TermId, bits: u32) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            return self.int(wrap_value(x ^ y, bits, false));
        }
        if a == b {
            return self.int(0);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.as_int(x) {
                Some(0) => return self.wrap(y, bits, false),
                // ~y = -1 - y, congruent modulo 2^bits.
                Some(v) if wrap_value(v, bits, false) == (1i128 << bits) - 1 => {
                    let n = self.neg(y);
                    return self.add_const(n, -1);
                }
                _ => {}
            }
        }
        self.intern(Term::BitXor(a, b, bits))
    }
    pub fn pow2(&mut self, a: TermId) -> TermId {
        match self.as_int(a) {
            Some(v) if (0..=126).contains(&v) => self.int(1i128 << v),
            _ => self.intern(Term::Pow2(a)),
        }
    }
    pub fn apply(&mut self, name: impl Into<String>, args: Vec<TermId>, range: Range) -> TermId {
        self.intern(Term::Apply { name: name.into(), args, range })
    }
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if a == b {
            return a;
        }
        match self.get(c) {
            Term::True => a,
            Term::False => b,
            Term::Not(n) => {
                let n = *n;
                self.ite(n, b, a)
            }
            _ => {
                // ite(c, ite(c, x, _), y) = ite(c, x, y)
                let a = if let Term::Ite(c2, x, _) = self.get(a)
                    && *c2 == c
                {
                    *x
                } else {
                    a
                };
                let b = if let Term::Ite(c2, _, y) = self.get(b)
                    && *c2 == c
                {
                    *y
                } else {
                    b
                };
                if a == b {
                    return a;
                }
                self.intern(Term::Ite(c, a, b))
            }
        }
    }
    pub fn min(&mut self, a: TermId, b: TermId) -> TermId {
        let c = self.le(a, b);
        self.ite(c, a, b)
    }
    pub fn max(&mut self, a: TermId, b: TermId) -> TermId {
        let c = self.le(a, b);
        self.ite(c, b, a)
    }

    // ---- booleans ----

    /// `t <= 0`.
    pub fn le_zero(&mut self, t: TermId) -> TermId {
        let r = self.range(t);
        if r.hi.is_some_and(|v| v <= 0) {
            return self.bool(true);
        }
        if r.lo.is_some_and(|v| v > 0) {
            return self.bool(false);
        }
        // Divide by the greatest common divisor of the coefficients, tightening the constant.
        let p = self.poly(t);
        let g = p.terms.iter().filter(|(m, _)| !m.is_empty()).fold(0i128, |g, (_, c)| gcd(g, c.abs()));
        if g > 1 {
            let q = Poly {
                terms: p
                    .terms
                    .iter()
                    .filter_map(|(m, c)| {
                        // Σ g·x + k <= 0  ⇔  Σ x + ceil(k / g) <= 0
                        let v = if m.is_empty() { -((-c).div_euclid(g)) } else { c / g };
                        (v != 0).then(|| (m.clone(), v))
                    })
                    .collect(),
            };
            let t = self.from_poly(q);
            return self.intern(Term::Le(t));
        }
        self.intern(Term::Le(t))
    }
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let t = self.sub(a, b);
        self.le_zero(t)
    }
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let t = self.sub(a, b);
        let t = self.add_const(t, 1);
        self.le_zero(t)
    }
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        // An if-then-else of constants compared with a constant is its condition, its negation or decided.
        for (i, k) in [(a, b), (b, a)] {
            if let (Term::Ite(c, x, y), Some(k)) = (self.get(i), self.as_int(k)) {
                let (c, x, y) = (*c, *x, *y);
                if let (Some(x), Some(y)) = (self.as_int(x), self.as_int(y)) {
                    return match (x == k, y == k) {
                        (true, true) => self.bool(true),
                        (false, false) => self.bool(false),
                        (true, false) => c,
                        (false, true) => self.not(c),
                    };
                }
            }
        }
        let mut t = self.sub(a, b);
        // Canonical sign.
        if let Term::Poly(p) = self.get(t)
            && p.terms.iter().find(|(m, _)| !m.is_empty()).is_some_and(|(_, c)| *c < 0)
        {
            t = self.neg(t);
        }
        if let Some(v) = self.as_int(t) {
            return self.bool(v == 0);
        }
        if !self.range(t).contains_value(0) {
            return self.bool(false);
        }
        self.intern(Term::EqZ(t))
    }
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let e = self.eq(a, b);
        self.not(e)
    }
    pub fn not(&mut self, c: TermId) -> TermId {
        if let Some(n) = self.negations.get(&c) {
            return *n;
        }
        let n = self.negate(c);
        self.negations.insert(c, n);
        n
    }
    fn negate(&mut self, c: TermId) -> TermId {
        match self.get(c) {
            Term::True => self.bool(false),
            Term::False => self.bool(true),
            Term::Not(x) => *x,
            // !(t <= 0)  ⇔  1 - t <= 0
            Term::Le(t) => {
                let t = *t;
                let n = self.neg(t);
                let n = self.add_const(n, 1);
                self.le_zero(n)
            }
            Term::And(v) => {
                let v = v.clone();
                let n: Vec<_> = v.into_iter().map(|x| self.not(x)).collect();
                self.or_all(n)
            }
            Term::Or(v) => {
                let v = v.clone();
                let n: Vec<_> = v.into_iter().map(|x| self.not(x)).collect();
                self.and_all(n)
            }
            _ => self.intern(Term::Not(c)),
        }
    }
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        // The common case of one more conjunct.
        for (list, one) in [(a, b), (b, a)] {
            if matches!(self.get(one), Term::And(_) | Term::True | Term::False) {
                continue;
            }
            let n = self.not(one);
            let Term::And(v) = self.get(list) else { continue };
            if v.binary_search(&n).is_ok() {
                return self.bool(false);
            }
            match v.binary_search(&one) {
                Ok(_) => return list,
                Err(at) => {
                    let mut v = v.clone();
                    v.insert(at, one);
                    return self.intern(Term::And(v));
                }
            }
        }
        self.and_all(vec![a, b])
    }
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.or_all(vec![a, b])
    }
    pub fn and_all(&mut self, v: Vec<TermId>) -> TermId {
        let mut out: Vec<TermId> = Vec::with_capacity(v.len());
        for t in v {
            match self.get(t) {
                Term::True => {}
                Term::False => return t,
                Term::And(inner) => out.extend(inner.iter().copied()),
                _ => out.push(t),
            }
        }
        out.sort_unstable();
        out.dedup();
        for &t in &out {
            let n = self.not(t);
            if out.binary_search(&n).is_ok() {
                return self.bool(false);
            }
        }
        match out.as_slice() {
            [] => self.bool(true),
            [t] => *t,
            _ => self.intern(Term::And(out)),
        }
    }
    pub fn or_all(&mut self, v: Vec<TermId>) -> TermId {
        let mut out: Vec<TermId> = Vec::with_capacity(v.len());
        for t in v {
            match self.get(t) {
                Term::False => {}
                Term::True => return t,
                Term::Or(inner) => out.extend(inner.iter().copied()),
                _ => out.push(t),
            }
        }
        out.sort_unstable();
        out.dedup();
        // x ∨ ¬x; and factoring: (p ∧ a) ∨ (p ∧ ¬a) = p, which joins after a branch need.
        for &t in &out {
            if matches!(self.get(t), Term::And(_)) {
                continue;
            }
            let n = self.not(t);
            if out.binary_search(&n).is_ok() {
                return self.bool(true);
            }
        }
        // (a ∧ b) ∨ ¬a = b ∨ ¬a
        for i in 0..out.len() {
            if let Term::And(v) = self.get(out[i]) {
                let v = v.clone();
                let kept: Vec<TermId> = v
                    .iter()
                    .copied()
                    .filter(|x| {
                        let n = self.not(*x);
                        out.binary_search(&n).is_err()
                    })
                    .collect();
                if kept.len() < v.len() {
                    let new = self.and_all(kept);
                    out[i] = new;
                    return self.or_all(out);
                }
            }
        }
        if out.len() == 2
            && let Some(t) = self.factor(out[0], out[1])
        {
            return t;
        }
        match out.as_slice() {
            [] => self.bool(false),
            [t] => *t,
            _ => self.intern(Term::Or(out)),
        }
    }
    /// `(p ∧ a) ∨ (p ∧ b)` as `p ∧ (a ∨ b)`.
    fn factor(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (common, ra, rb) = self.split_common(a, b);
        if common.is_empty() {
            return None;
        }
        let rest = self.or_all(vec![ra, rb]);
        let mut all = common;
        all.push(rest);
        Some(self.and_all(all))
    }

    /// Conjuncts of a boolean term.
    #[must_use]
    pub fn conjuncts(&self, t: TermId) -> Vec<TermId> {
        match self.get(t) {
            Term::And(v) => v.clone(),
            Term::True => vec![],
            _ => vec![t],
        }
    }

    /// Conjuncts that both have, and what remains of each.
    pub fn split_common(&mut self, a: TermId, b: TermId) -> (Vec<TermId>, TermId, TermId) {
        let (va, vb) = (self.conjuncts(a), self.conjuncts(b));
        let common: Vec<_> = va.iter().copied().filter(|t| vb.binary_search(t).is_ok()).collect();
        let ra: Vec<_> = va.into_iter().filter(|t| common.binary_search(t).is_err()).collect();
        let rb: Vec<_> = vb.into_iter().filter(|t| common.binary_search(t).is_err()).collect();
        let (ra, rb) = (self.and_all(ra), self.and_all(rb));
        (common, ra, rb)
    }

    // ---- walks ----

    /// Direct subterms.
    #[must_use]
    pub fn children(&self, t: TermId) -> SmallVec<[TermId; 4]> {
        match self.get(t) {
            Term::Int(_) | Term::Sym(_) | Term::True | Term::False | Term::BoolSym(_) => SmallVec::new(),
            Term::Poly(p) => p.terms.iter().flat_map(|(m, _)| m.iter().copied()).collect(),
            Term::Div(a, b)
            | Term::Rem(a, b)
            | Term::BitAnd(a, b, _)
            | Term::BitOr(a, b, _)
            | Term::BitXor(a, b, _) => smallvec::smallvec![*a, *b],
            Term::FloorDiv(a, _)
            | Term::Mod(a, _)
            | Term::Pow2(a)
            | Term::Le(a)
            | Term::EqZ(a)
            | Term::Not(a)
            | Term::Wrap { arg: a, .. } => smallvec::smallvec![*a],
            Term::Ite(c, a, b) => smallvec::smallvec![*c, *a, *b],
            Term::Apply { args, .. } => args.iter().copied().collect(),
            Term::And(v) | Term::Or(v) => v.iter().copied().collect(),
        }
    }

    /// The terms below some roots in an arena of their own, numbered in the order in which [`Self::cone`] meets them, symbols likewise:
    /// equal questions of different arenas become one. With the new name of each term, and the symbols behind the new ones.
    #[must_use]
    pub fn extract(&self, roots: &[TermId]) -> (Self, FxHashMap<TermId, TermId>, Vec<SymId>) {
        let (mut out, mut terms, mut symbols) = (Self::new(), FxHashMap::default(), vec![]);
        let mut numbers: FxHashMap<SymId, SymId> = FxHashMap::default();
        let cone = self.cone(roots);
        charge_each(cost::TERM, cone.len());
        for t in cone {
            let to = |x: &TermId| terms[x];
            let mut symbol = |s: &SymId, out: &mut Self| {
                *numbers.entry(*s).or_insert_with(|| {
                    symbols.push(*s);
                    out.new_symbol(SymKind::Unknown { reason: String::new() }, String::new(), self.symbol(*s).range)
                })
            };
            let sorted = |v: &[TermId]| {
                let mut v: Vec<TermId> = v.iter().map(to).collect();
                v.sort_unstable();
                v
            };
            let node = match self.get(t) {
                Term::Int(v) => Term::Int(*v),
                Term::Sym(s) => Term::Sym(symbol(s, &mut out)),
                Term::BoolSym(s) => Term::BoolSym(symbol(s, &mut out)),
                Term::Poly(p) => {
                    let mut p: Vec<(Monomial, i128)> = p
                        .terms
                        .iter()
                        .map(|(m, c)| {
                            let mut m: Monomial = m.iter().map(to).collect();
                            m.sort_unstable();
                            (m, *c)
                        })
                        .collect();
                    p.sort_unstable();
                    Term::Poly(Poly { terms: p })
                }
                Term::Div(a, b) => Term::Div(to(a), to(b)),
                Term::Rem(a, b) => Term::Rem(to(a), to(b)),
                Term::FloorDiv(a, c) => Term::FloorDiv(to(a), *c),
                Term::Mod(a, c) => Term::Mod(to(a), *c),
                Term::Ite(c, a, b) => Term::Ite(to(c), to(a), to(b)),
                Term::Wrap { arg, bits, signed } => Term::Wrap { arg: to(arg), bits: *bits, signed: *signed },
                Term::BitAnd(a, b, w) => Term::BitAnd(to(a), to(b), *w),
                Term::BitOr(a, b, w) => Term::BitOr(to(a), to(b), *w),
                Term::BitXor(a, b, w) => Term::BitXor(to(a), to(b), *w),
                Term::Pow2(a) => Term::Pow2(to(a)),
                Term::Apply { name, args, range } => {
                    Term::Apply { name: name.clone(), args: args.iter().map(to).collect(), range: *range }
                }
                Term::True => Term::True,
                Term::False => Term::False,
                Term::Le(a) => Term::Le(to(a)),
                Term::EqZ(a) => Term::EqZ(to(a)),
                Term::Not(a) => Term::Not(to(a)),
                Term::And(v) => Term::And(sorted(v)),
                Term::Or(v) => Term::Or(sorted(v)),
            };
            // As it is: neither simplified again, nor with another range.
            let id = TermId(u32::try_from(out.nodes.len()).unwrap_or(u32::MAX));
            out.nodes.push(node.clone());
            out.ranges.push(self.range(t));
            out.index.insert(node, id);
            terms.insert(t, id);
        }
        (out, terms, symbols)
    }

    /// How much there is. What is remembered of terms is forgotten, so that it costs the same to find out again.
    #[must_use]
    pub fn mark(&mut self) -> Mark {
        self.negations.clear();
        self.unwrapped.clear();
        Mark { terms: self.nodes.len(), symbols: self.symbols.len() }
    }

    /// Takes back all terms and symbols since then, so that the next task finds the arena as this one did.
    pub fn rewind(&mut self, to: Mark) {
        for node in self.nodes.drain(to.terms.min(self.nodes.len())..) {
            self.index.remove(&node);
        }
        self.ranges.truncate(to.terms);
        self.symbols.truncate(to.symbols);
        self.negations.clear();
        self.unwrapped.clear();
    }

    /// Bytes that the terms take, about.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.nodes.len() as u64).saturating_mul(TERM_BYTES)
    }

    /// Every subterm of the roots, each once, children before parents.
    #[must_use]
    pub fn cone(&self, roots: &[TermId]) -> Vec<TermId> {
        self.cone_without(roots, |_| false)
    }

    /// As [`Self::cone`], without the terms that are known, nor what is only below them.
    fn cone_without(&self, roots: &[TermId], known: impl Fn(TermId) -> bool) -> Vec<TermId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut out = Vec::new();
        let mut stack: Vec<(TermId, bool)> = roots.iter().rev().map(|t| (*t, false)).collect();
        while let Some((t, done)) = stack.pop() {
            if done {
                out.push(t);
                continue;
            }
            if known(t) || !seen.insert(t) {
                continue;
            }
            stack.push((t, true));
            for c in self.children(t) {
                if !seen.contains(&c) {
                    stack.push((c, false));
                }
            }
        }
        charge_each(cost::WALK, out.len());
        out
    }

    /// Symbols below the roots, in order of creation.
    #[must_use]
    pub fn symbols_of(&self, roots: &[TermId]) -> Vec<SymId> {
        let mut v: Vec<SymId> = self
            .cone(roots)
            .into_iter()
            .filter_map(|t| match self.get(t) {
                Term::Sym(s) | Term::BoolSym(s) => Some(*s),
                _ => None,
            })
            .collect();
        v.sort_unstable();
        v.dedup();
        v
    }

    /// Replaces atoms bottom-up; `f` gets each leaf or rebuilt node's original id and may replace it.
    pub fn substitute(&mut self, t: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        if map.is_empty() {
            return t;
        }
        self.substitute_more(t, map, &mut FxHashMap::default())
    }

    /// As [`Self::substitute`], for many terms that have much in common: `done` keeps what this map made of each.
    pub fn substitute_more(
        &mut self,
        t: TermId,
        map: &FxHashMap<TermId, TermId>,
        done: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        if map.is_empty() {
            return t;
        }
        let cone = self.cone_without(&[t], |n| done.contains_key(&n));
        charge_each(cost::EVALUATE, cone.len());
        for n in cone {
            let new = if let Some(r) = map.get(&n) { *r } else { self.rebuild(n, done) };
            done.insert(n, new);
        }
        done[&t]
    }

    /// The term with every wrap replaced by its argument. What was read once is known: paths have most in common with each other.
    pub fn unwrapped(&mut self, t: TermId) -> TermId {
        if let Some(known) = self.unwrapped.get(&t) {
            return *known;
        }
        let mut memo = std::mem::take(&mut self.unwrapped);
        for n in self.cone_without(&[t], |n| memo.contains_key(&n)) {
            let new = if let Term::Wrap { arg, .. } = self.get(n) { memo[arg] } else { self.rebuild(n, &memo) };
            memo.insert(n, new);
        }
        let new = memo[&t];
        self.unwrapped = memo;
        new
    }

    fn rebuild(&mut self, n: TermId, memo: &FxHashMap<TermId, TermId>) -> TermId {
        let kids = self.children(n);
        if kids.iter().all(|k| memo.get(k) == Some(k)) {
            return n;
        }
        match self.get(n).clone() {
            Term::Poly(p) => {
                let mut sum = self.int(0);
                for (m, c) in p.terms {
                    let mut prod = self.int(c);
                    for a in m {
                        prod = self.mul(prod, memo[&a]);
                    }
                    sum = self.add(sum, prod);
                }
                sum
            }
            Term::Div(a, b) => self.div(memo[&a], memo[&b]),
            Term::Rem(a, b) => self.rem(memo[&a], memo[&b]),
            Term::FloorDiv(a, c) => self.floor_div(memo[&a], c),
            Term::Mod(a, c) => self.modulo(memo[&a], c),
            Term::Ite(c, a, b) => self.ite(memo[&c], memo[&a], memo[&b]),
            Term::Wrap { arg, bits, signed } => self.wrap(memo[&arg], bits, signed),
            Term::BitAnd(a, b, w) => self.bit_and(memo[&a], memo[&b], w),
            Term::BitOr(a, b, w) => self.bit_or(memo[&a], memo[&b], w),
            Term::BitXor(a, b, w) => self.bit_xor(memo[&a], memo[&b], w),
            Term::Pow2(a) => self.pow2(memo[&a]),
            Term::Apply { name, args, range } => {
                // How a number is read that is no longer just any.
                if let Some((arg, bits, signed)) = self.reading(n)
                    && !self.is_opaque(memo[&arg])
                {
                    return self.wrap(memo[&arg], bits, signed);
                }
                let args = args.iter().map(|a| memo[a]).collect();
                self.apply(name, args, range)
            }
            Term::Le(a) => self.le_zero(memo[&a]),
            Term::EqZ(a) => {
                let z = self.int(0);
                self.eq(memo[&a], z)
            }
            Term::Not(a) => self.not(memo[&a]),
            Term::And(v) => {
                let v = v.iter().map(|a| memo[a]).collect();
                self.and_all(v)
            }
            Term::Or(v) => {
                let v = v.iter().map(|a| memo[a]).collect();
                self.or_all(v)
            }
            Term::Int(_) | Term::Sym(_) | Term::True | Term::False | Term::BoolSym(_) => n,
        }
    }

    /// Exact value of a term under an assignment of its symbols (booleans as 0 and 1). `None` on division by zero,
    /// overflow of 127 bits, an unassigned symbol or an uninterpreted function.
    #[must_use]
    pub fn eval(&self, t: TermId, symbols: &dyn Fn(SymId) -> Option<i128>) -> Option<i128> {
        self.eval_under(&[t], &Valuation { symbols, apply: &|_, _| None, wraps: true }).get(&t).copied().flatten()
    }

    /// Values of the roots and of everything below them. What is not needed may be without value: one branch of an
    /// if-then-else, and the rest of a conjunction that has a false member (of a disjunction, a true one).
    #[must_use]
    pub fn eval_under(&self, roots: &[TermId], under: &Valuation) -> FxHashMap<TermId, Option<i128>> {
        let mut memo: FxHashMap<TermId, Option<i128>> = FxHashMap::default();
        let cone = self.cone(roots);
        charge_each(cost::EVALUATE, cone.len());
        for n in cone {
            let v = self.eval_node(n, under, &memo);
            memo.insert(n, v);
        }
        memo
    }

    /// Value of one node from those of its children, in `memo`.
    #[must_use]
    pub fn eval_node(&self, n: TermId, under: &Valuation, memo: &FxHashMap<TermId, Option<i128>>) -> Option<i128> {
        let v = |t: &TermId| memo.get(t).copied().flatten();
        Some(match self.get(n) {
            Term::Int(x) => *x,
            Term::Sym(s) | Term::BoolSym(s) => (under.symbols)(*s)?,
            Term::Poly(p) => {
                let mut sum = 0i128;
                for (m, c) in &p.terms {
                    let mut prod = *c;
                    for a in m {
                        prod = prod.checked_mul(v(a)?)?;
                    }
                    sum = sum.checked_add(prod)?;
                }
                sum
            }
            Term::Div(a, b) => v(a)?.checked_div(v(b)?)?,
            Term::Rem(a, b) => v(a)?.checked_rem(v(b)?)?,
            Term::FloorDiv(a, c) => v(a)?.div_euclid(*c),
            Term::Mod(a, c) => v(a)?.rem_euclid(*c),
            Term::Ite(c, a, b) => {
                if v(c)? != 0 {
                    v(a)?
                } else {
                    v(b)?
                }
            }
            Term::Wrap { arg, bits, signed } => {
                let x = v(arg)?;
                let w = wrap_value(x, *bits, *signed);
                if under.wraps || w == x { w } else { return None }
            }
            Term::BitAnd(a, b, w) => wrap_value(v(a)?, *w, false) & wrap_value(v(b)?, *w, false),
            Term::BitOr(a, b, w) => wrap_value(v(a)?, *w, false) | wrap_value(v(b)?, *w, false),
            Term::BitXor(a, b, w) => wrap_value(v(a)?, *w, false) ^ wrap_value(v(b)?, *w, false),
            Term::Pow2(a) => {
                let a = v(a)?;
                if (0..=126).contains(&a) { 1i128 << a } else { return None }
            }
            Term::Apply { args, .. } => {
                let args: Option<Vec<i128>> = args.iter().map(v).collect();
                (under.apply)(n, &args?)?
            }
            Term::True => 1,
            Term::False => 0,
            Term::Le(a) => i128::from(v(a)? <= 0),
            Term::EqZ(a) => i128::from(v(a)? == 0),
            Term::Not(a) => 1 - v(a)?,
            Term::And(xs) => {
                if xs.iter().any(|x| v(x) == Some(0)) {
                    0
                } else {
                    for x in xs {
                        v(x)?;
                    }
                    1
                }
            }
            Term::Or(xs) => {
                if xs.iter().any(|x| v(x).is_some_and(|b| b != 0)) {
                    1
                } else {
                    for x in xs {
                        v(x)?;
                    }
                    0
                }
            }
        })
    }
}

/// What [`Arena::eval_under`] evaluates under.
pub struct Valuation<'a> {
    /// Values of symbols, booleans as 0 and 1.
    pub symbols: &'a dyn Fn(SymId) -> Option<i128>,
    /// Value of an uninterpreted function: the term and the values of its arguments.
    pub apply: &'a dyn Fn(TermId, &[i128]) -> Option<i128>,
    /// Reduce at [`Term::Wrap`]; otherwise an argument outside the interpretation's range leaves it without value.
    pub wraps: bool,
}

impl Poly {
    /// A coefficient: -2^127, which has no negative, is beyond the 127 bits.
    fn coefficient(k: Option<i128>) -> Option<i128> {
        k.filter(|k| *k != i128::MIN)
    }

    /// `self + c * other`; `None` on overflow of 127 bits.
    #[must_use]
    pub fn add_scaled(&self, other: &Self, c: i128) -> Option<Self> {
        charge_each(cost::OPERAND, self.terms.len() + other.terms.len());
        let mut out: Vec<(Monomial, i128)> = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let order = match (self.terms.get(i), other.terms.get(j)) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            match order {
                std::cmp::Ordering::Less => {
                    out.push(self.terms[i].clone());
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    let k = Self::coefficient(other.terms[j].1.checked_mul(c))?;
                    if k != 0 {
                        out.push((other.terms[j].0.clone(), k));
                    }
                    j += 1;
                }
                std::cmp::Ordering::Equal => {
                    let k = Self::coefficient(self.terms[i].1.checked_add(other.terms[j].1.checked_mul(c)?))?;
                    if k != 0 {
                        out.push((self.terms[i].0.clone(), k));
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        Some(Self { terms: out })
    }

    /// Product; `None` on overflow of 127 bits.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Option<Self> {
        charge_each(6 * cost::OPERAND, self.terms.len() * other.terms.len());
        let mut sum: std::collections::BTreeMap<Monomial, i128> = std::collections::BTreeMap::new();
        for (ma, ca) in &self.terms {
            for (mb, cb) in &other.terms {
                let mut m: Monomial = ma.iter().chain(mb.iter()).copied().collect();
                m.sort_unstable();
                let k = Self::coefficient(ca.checked_mul(*cb))?;
                let e = sum.entry(m).or_insert(0);
                *e = Self::coefficient(e.checked_add(k))?;
            }
        }
        Some(Self { terms: sum.into_iter().filter(|(_, c)| *c != 0).collect() })
    }

    /// The constant part.
    #[must_use]
    pub fn constant(&self) -> i128 {
        self.terms.iter().find(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c)
    }
}

/// The low `bits` of `v` read as a signed or unsigned integer.
#[must_use]
pub fn wrap_value(v: i128, bits: u32, signed: bool) -> i128 {
    if bits >= 127 {
        return v;
    }
    let m = 1i128 << bits;
    let u = v.rem_euclid(m);
    if signed && u >= m / 2 { u - m } else { u }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sym(a: &mut Arena, name: &str, lo: i128, hi: i128) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Range::new(lo, hi))
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
