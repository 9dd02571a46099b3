//! Normal form of terms: sums of products.
//!
//! In: a term. Out: the same integer as a polynomial over atoms, which are neither sums nor products (names, members,
//! extents, quotients), and back as a readable term. Casts vanish; sizes of C's own types and powers of two become
//! integers.

use super::ast::{Binary, Cond, ContractFunction, ContractTerm, MemberOperator, Sort, Span, TermKind, UnaryOperator};
use base::polynomial::{Product, SumOfProducts, combined};
use smallvec::smallvec;
use std::collections::BTreeSet;

/// Most summands of a normal form; a larger term stays as written.
const SUMMANDS: usize = 64;
/// Most factors of a normal form; a larger term stays as written.
const FACTORS: usize = 12;

/// A sum of products within the limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Polynomial(SumOfProducts<ContractTerm>);

impl Polynomial {
    pub(super) fn constant(value: i128) -> Self {
        Self(SumOfProducts::of(Product::new(), value))
    }

    /// Coefficient of the empty product.
    pub(super) fn constant_part(&self) -> i128 {
        self.0.constant()
    }

    /// The polynomial without its constant part.
    pub(super) fn variable_part(&self) -> Self {
        self.parts(|p| !p.is_empty()).0
    }

    pub(super) fn is_constant(&self) -> bool {
        self.0.is_constant()
    }

    /// Summands whose products satisfy a condition, and the others.
    fn parts(&self, is_first: impl Fn(&Product<ContractTerm>) -> bool) -> (Self, Self) {
        let (first, second) = self.0.terms.iter().cloned().partition(|(p, _)| is_first(p));
        (Self(SumOfProducts { terms: first }), Self(SumOfProducts { terms: second }))
    }

    /// Whether it is at least 0 for all values of its factors, given that the factors with `is_size` are. A square is.
    pub(super) fn is_at_least_zero(&self, is_size: &impl Fn(&ContractTerm) -> bool) -> bool {
        let is_even = |product: &Product<ContractTerm>, factor: &ContractTerm| {
            product.iter().filter(|other| *other == factor).count() % 2 == 0
        };
        self.0.terms.iter().all(|(product, c)| *c >= 0 && product.iter().all(|f| is_size(f) || is_even(product, f)))
    }

    pub(super) fn plus(&self, other: &Self, times: i128) -> Option<Self> {
        Self::limited(SumOfProducts { terms: combined(&self.0.terms, 1, &other.0.terms, times)? })
    }

    fn limited(sum: SumOfProducts<ContractTerm>) -> Option<Self> {
        (sum.terms.len() <= SUMMANDS && sum.terms.iter().all(|(p, _)| p.len() <= FACTORS)).then_some(Self(sum))
    }

    pub(super) fn negated(&self) -> Option<Self> {
        Self::default().plus(self, -1)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        Self::limited(self.0.times(&other.0)?)
    }

    /// Greatest common divisor of all coefficients but the constant's; 0 if there are none.
    pub(super) fn common_divisor(&self) -> i128 {
        self.0.common_divisor()
    }

    /// Divides every coefficient, rounding down; only the constant may be indivisible.
    pub(super) fn divided(&self, by: i128) -> Self {
        Self(self.0.divided(by))
    }

    /// Quotient, where it is certain: for a constant, and if every coefficient is divisible.
    fn quotient(&self, by: i128) -> Option<Self> {
        if by == 0 || !(self.is_constant() || self.remainder(by)?.0.terms.is_empty()) {
            return None;
        }
        let mut out = self.0.clone();
        for (_, c) in &mut out.terms {
            *c = c.checked_div(by)?;
        }
        out.terms.retain(|(_, c)| *c != 0);
        Some(Self(out))
    }

    /// Remainder, where it is certain.
    fn remainder(&self, by: i128) -> Option<Self> {
        if self.is_constant() {
            return self.constant_part().checked_rem(by).map(Self::constant);
        }
        self.0.terms.iter().all(|(_, c)| c.checked_rem(by) == Some(0)).then(Self::default)
    }

    /// Summands with positive coefficients, and the negations of the others.
    pub(super) fn sides(&self) -> Option<(Self, Self)> {
        let (plus, minus) = self.0.terms.iter().cloned().partition(|(_, c)| *c > 0);
        Some((Self(SumOfProducts { terms: plus }), Self(SumOfProducts { terms: minus }).negated()?))
    }

    fn factors(&self) -> impl Iterator<Item = &ContractTerm> {
        self.0.terms.iter().flat_map(|(p, _)| p)
    }

    pub(super) fn has_extent(&self) -> bool {
        self.factors().any(|t| rank(t) == 0)
    }

    /// Summands with extents, and the others.
    pub(super) fn extents_apart(&self) -> (Self, Self) {
        self.parts(|p| p.iter().any(|t| rank(t) == 0))
    }

    /// Sort key: sums with extents before others, then by members, then by names.
    pub(super) fn rank(&self) -> (u8, String) {
        let least = self.factors().map(rank).min().unwrap_or(u8::MAX);
        (least, self.term().to_string())
    }

    /// Converts to a term: positive summands first, the constant last.
    pub(super) fn term(&self) -> ContractTerm {
        let mut parts: Vec<(&[ContractTerm], i128)> = self.0.terms.iter().map(|(p, c)| (&p[..], *c)).collect();
        let order = |p: &[ContractTerm]| (p.iter().map(rank).min().unwrap_or(u8::MAX), std::cmp::Reverse(p.len()));
        parts.sort_by_key(|(p, c)| (p.is_empty(), *c < 0, order(p)));
        let mut sum: Option<ContractTerm> = None;
        for (product, c) in parts {
            let size = magnitude(product, c.saturating_abs());
            sum = Some(match sum {
                None if c < 0 && product.is_empty() => ContractTerm::int(c),
                None if c < 0 => {
                    ContractTerm::new(TermKind::Unary(UnaryOperator::Minus, Box::new(size)), Span::default())
                }
                None => size,
                Some(s) => ContractTerm::binary(if c < 0 { Binary::Sub } else { Binary::Add }, s, size),
            });
        }
        sum.unwrap_or_else(|| ContractTerm::int(0))
    }
}

fn magnitude(product: &[ContractTerm], c: i128) -> ContractTerm {
    let number = (c != 1 || product.is_empty()).then(|| ContractTerm::int(c));
    let mut factors = product.to_vec();
    factors.sort_by_key(rank);
    let all = number.into_iter().chain(factors);
    all.reduce(|a, b| ContractTerm::binary(Binary::Mul, a, b)).unwrap_or_else(|| ContractTerm::int(1))
}

fn rank(t: &ContractTerm) -> u8 {
    match &t.kind {
        TermKind::Apply(ContractFunction::Extent | ContractFunction::Elements, _) => 0,
        TermKind::Method(..) => 1,
        TermKind::Launch(_) => 2,
        TermKind::Member(..) | TermKind::Subscript(..) | TermKind::Deref(_) => 3,
        TermKind::Name(_) => 4,
        _ => 5,
    }
}

/// Possibly undefined subterms.
pub(super) type PartialTerms = BTreeSet<ContractTerm>;

/// Normal form of an integer term; `None` if it would be too large. Adds possibly undefined subterms to `partial`,
/// although they may cancel out.
pub(super) fn polynomial(t: &ContractTerm, partial: &mut PartialTerms) -> Option<Polynomial> {
    let constant = Polynomial::constant;
    match &t.kind {
        TermKind::Int(v) => Some(constant(*v)),
        TermKind::SizeOf(name) => Some(size_of(name).map_or_else(|| atom(t.clone(), partial), constant)),
        TermKind::Cast(_, a) => polynomial(a, partial),
        TermKind::Unary(UnaryOperator::Minus, a) => polynomial(a, partial)?.negated(),
        TermKind::Binary(op, a, b) => {
            let (a, b) = (polynomial(a, partial)?, polynomial(b, partial)?);
            match op {
                Binary::Add => return a.plus(&b, 1),
                Binary::Sub => return a.plus(&b, -1),
                Binary::Mul => return a.times(&b),
                _ => {}
            }
            let by = b.constant_part();
            let folded = match op {
                Binary::Shl if b.is_constant() && (0..126).contains(&by) => a.times(&constant(1 << by)),
                Binary::Div if b.is_constant() => a.quotient(by),
                Binary::Rem if b.is_constant() => a.remainder(by),
                _ => None,
            };
            Some(folded.unwrap_or_else(|| atom(ContractTerm::binary(*op, a.term(), b.term()), partial)))
        }
        TermKind::Apply(ContractFunction::Min, args) => extreme(ContractFunction::Min, args, partial),
        TermKind::Apply(ContractFunction::Max, args) => extreme(ContractFunction::Max, args, partial),
        _ => Some(atom(within(t), partial)),
    }
}

fn atom(t: ContractTerm, partial: &mut PartialTerms) -> Polynomial {
    partials(&t, partial);
    Polynomial(SumOfProducts::of(smallvec![t], 1))
}

/// Normal form of a minimum or maximum, whose constant arguments are combined into one.
fn extreme(function: ContractFunction, args: &[ContractTerm], partial: &mut PartialTerms) -> Option<Polynomial> {
    let (mut rest, mut bound) = (vec![], None);
    for a in args {
        let p = polynomial(a, partial)?;
        if p.is_constant() {
            let c = p.constant_part();
            bound =
                Some(bound.map_or(c, |b: i128| if function == ContractFunction::Min { b.min(c) } else { b.max(c) }));
        } else if !rest.contains(&p) {
            rest.push(p);
        }
    }
    rest.sort();
    rest.extend(bound.map(Polynomial::constant));
    if let [one] = &rest[..] {
        return Some(one.clone());
    }
    Some(atom(ContractTerm::apply(function, rest.iter().map(Polynomial::term).collect()), partial))
}

/// Normalises the subterms of a term.
fn within(t: &ContractTerm) -> ContractTerm {
    let inner = |t: &ContractTerm| Box::new(normal(t));
    let base = |t: &ContractTerm| Box::new(address(t));
    let branch = |t: &ContractTerm| Box::new(if t.sort == Sort::Integer { normal(t) } else { address(t) });
    let list = |all: &[ContractTerm]| all.iter().map(normal).collect();
    let kind = match &t.kind {
        TermKind::Member(a, access, name) => TermKind::Member(base(a), *access, name.clone()),
        TermKind::Method(a, access, name, args) => TermKind::Method(base(a), *access, name.clone(), list(args)),
        TermKind::Subscript(a, i) => TermKind::Subscript(base(a), inner(i)),
        TermKind::Deref(a) => TermKind::Deref(base(a)),
        TermKind::Apply(f @ (ContractFunction::Extent | ContractFunction::Elements), args) => {
            TermKind::Apply(*f, args.iter().map(address).collect())
        }
        TermKind::Apply(f, args) => TermKind::Apply(*f, list(args)),
        TermKind::Unary(op, a) => TermKind::Unary(*op, inner(a)),
        TermKind::Choice(c, a, b) => TermKind::Choice(c.clone(), branch(a), branch(b)),
        other => other.clone(),
    };
    ContractTerm { kind, span: t.span, sort: t.sort }
}

/// Normal form as a term; the term itself if it has none, or if a possibly undefined subterm would vanish.
pub(super) fn normal(t: &ContractTerm) -> ContractTerm {
    let mut partial = PartialTerms::new();
    let Some(p) = polynomial(t, &mut partial) else { return t.clone() };
    let mut out = p.term();
    out.span = t.span;
    if out.sort == Sort::Unresolved {
        out.sort = t.sort;
    }
    let mut kept = PartialTerms::new();
    partials(&out, &mut kept);
    if partial.is_subset(&kept) { out } else { t.clone() }
}

/// Normal form of a term that may be a pointer. A sum with a pointer stays: with a null pointer it is undefined.
pub(super) fn address(t: &ContractTerm) -> ContractTerm {
    match &t.kind {
        TermKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) if t.sort != Sort::Integer => {
            let kind = TermKind::Binary(*op, Box::new(address(a)), Box::new(address(b)));
            ContractTerm { kind, span: t.span, sort: t.sort }
        }
        _ if t.sort == Sort::Integer => normal(t),
        _ => within(t),
    }
}

/// Whether every term in the condition is defined for all values of the names.
pub(super) fn is_total(c: &Cond) -> bool {
    let mut partial = PartialTerms::new();
    c.terms().iter().for_each(|t| partials(t, &mut partial));
    partial.is_empty()
}

/// Collects the possibly undefined subterms of a term.
pub(super) fn partials(t: &ContractTerm, out: &mut PartialTerms) {
    t.parts().into_iter().for_each(|t| partials(t, out));
    let nonzero = |t: &ContractTerm| match &t.kind {
        TermKind::Int(v) => *v != 0,
        TermKind::Unary(UnaryOperator::Minus, a) => matches!(a.kind, TermKind::Int(v) if v != 0),
        _ => false,
    };
    let is_partial = match &t.kind {
        TermKind::Binary(Binary::Div | Binary::Rem, _, b) => !nonzero(b),
        TermKind::Binary(Binary::Shl | Binary::Shr, _, b) => !matches!(b.kind, TermKind::Int(_)),
        TermKind::Binary(Binary::Add | Binary::Sub, ..) => t.sort == Sort::Pointer,
        TermKind::Apply(ContractFunction::CeilDiv, args) => !args.get(1).is_some_and(nonzero),
        TermKind::Member(_, access, _) => *access == MemberOperator::Arrow,
        TermKind::Method(..) | TermKind::Subscript(..) | TermKind::Deref(_) => true,
        _ => false,
    };
    if is_partial {
        out.insert(t.clone());
    }
}

/// Size in bytes of types whose size no program chooses (LP64).
pub(super) fn size_of(name: &str) -> Option<i128> {
    Some(match name {
        "char" | "signed char" | "unsigned char" | "bool" | "int8_t" | "uint8_t" => 1,
        "short" | "unsigned short" | "int16_t" | "uint16_t" | "__half" | "half" | "__nv_bfloat16" => 2,
        "int" | "unsigned" | "unsigned int" | "float" | "int32_t" | "uint32_t" => 4,
        "long" | "unsigned long" | "long long" | "unsigned long long" | "double" => 8,
        "int64_t" | "uint64_t" | "size_t" | "ptrdiff_t" | "float2" | "int2" => 8,
        "float4" | "int4" | "double2" => 16,
        other if other.ends_with('*') => 8,
        _ => return None,
    })
}
