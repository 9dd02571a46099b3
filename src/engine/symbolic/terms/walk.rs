//! Walks over terms: subterms, symbols, substitution, and copies in a separate arena.

use super::arena::Arena;
use super::interval::Interval;
use super::term::{Monomial, Poly, SymId, SymKind, Term, TermId};
use base::reasons::UnknownReason;
use base::work::{charge_each, cost};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

impl Arena {
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

    /// Copies the terms below some roots into a new arena, numbered in the order in which [`Self::cone`] meets them,
    /// and likewise symbols: equal queries from different arenas become equal. Also returns the new id of each term,
    /// and the original symbol of each new one.
    #[must_use]
    pub fn extract(&self, roots: &[TermId]) -> (Self, FxHashMap<TermId, TermId>, Vec<SymId>) {
        let (mut out, mut terms, mut symbols) = (Self::new(), FxHashMap::default(), vec![]);
        let mut numbers: FxHashMap<SymId, SymId> = FxHashMap::default();
        let cone = self.cone(roots);
        charge_each(cost::TERM, cone.len());
        for t in cone {
            let mut symbol = |s: &SymId, out: &mut Self| {
                *numbers.entry(*s).or_insert_with(|| {
                    symbols.push(*s);
                    out.new_symbol(
                        SymKind::Unknown { reason: UnknownReason::Elsewhere },
                        String::new(),
                        self.symbol(*s).range,
                    )
                })
            };
            let mut node = self.with_operands(t, |x| terms[x]);
            match &mut node {
                Term::Sym(s) | Term::BoolSym(s) => *s = symbol(s, &mut out),
                Term::Poly(p) => {
                    p.terms.iter_mut().for_each(|(m, _)| m.sort_unstable());
                    p.terms.sort_unstable();
                }
                Term::And(all) | Term::Or(all) => all.sort_unstable(),
                _ => {}
            }
            // Copied unchanged: neither simplified again, nor with another range.
            let id = TermId(u32::try_from(out.nodes.len()).unwrap_or(u32::MAX));
            out.nodes.push(node.clone());
            out.ranges.push(self.range(t));
            out.index.insert(node, id);
            terms.insert(t, id);
        }
        (out, terms, symbols)
    }

    /// Returns the node of a term with other operands, in the order of the old ones.
    #[must_use]
    pub fn with_operands(&self, t: TermId, to: impl Fn(&TermId) -> TermId) -> Term {
        match self.get(t) {
            node @ (Term::Int(_) | Term::Sym(_) | Term::BoolSym(_) | Term::True | Term::False) => node.clone(),
            Term::Poly(p) => Term::Poly(Poly {
                terms: p.terms.iter().map(|(m, c)| (m.iter().map(&to).collect::<Monomial>(), *c)).collect(),
            }),
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
            Term::Apply { function, args, range } => {
                Term::Apply { function: *function, args: args.iter().map(to).collect(), range: *range }
            }
            Term::Le(a) => Term::Le(to(a)),
            Term::EqZ(a) => Term::EqZ(to(a)),
            Term::Not(a) => Term::Not(to(a)),
            Term::And(v) => Term::And(v.iter().map(to).collect()),
            Term::Or(v) => Term::Or(v.iter().map(to).collect()),
        }
    }

    /// Builds an arena of these symbols and terms, numbered in this order: one that [`Self::extract`] made, again.
    #[must_use]
    pub fn of_terms(
        symbols: impl IntoIterator<Item = (SymKind, Interval)>,
        terms: impl IntoIterator<Item = Term>,
    ) -> Self {
        let mut out = Self::new();
        for (kind, range) in symbols {
            out.new_symbol(kind, String::new(), range);
        }
        for t in terms {
            out.intern(t);
        }
        out
    }

    /// Subterms of the roots, each once, children before parents.
    #[must_use]
    pub fn cone(&self, roots: &[TermId]) -> Vec<TermId> {
        self.cone_without(roots, |_| false)
    }

    /// Like [`Self::cone`], without known terms and terms that occur only below these.
    pub(super) fn cone_without(&self, roots: &[TermId], known: impl Fn(TermId) -> bool) -> Vec<TermId> {
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

    /// Replaces mapped terms bottom-up, and rebuilds the terms above them.
    pub fn substitute(&mut self, t: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        if map.is_empty() {
            return t;
        }
        self.substitute_more(t, map, &mut FxHashMap::default())
    }

    /// Like [`Self::substitute`], for several terms: their common parts are rebuilt once.
    pub fn substitute_all(&mut self, terms: &mut [TermId], map: &FxHashMap<TermId, TermId>) {
        let mut done = FxHashMap::default();
        for t in terms {
            *t = self.substitute_more(*t, map, &mut done);
        }
    }

    /// Like [`Self::substitute`], for many terms with common parts: `done` keeps the results under this map.
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

    /// Replaces every wrap below a term by its argument. Results are kept: path conditions share most of their terms.
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

    pub(super) fn rebuild(&mut self, n: TermId, memo: &FxHashMap<TermId, TermId>) -> TermId {
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
            Term::Apply { function, args, range } => {
                // The argument is no longer opaque, so its reading becomes a wrap.
                if let Some((arg, bits, signed)) = self.reading(n)
                    && !self.is_opaque(memo[&arg])
                {
                    return self.wrap(memo[&arg], bits, signed);
                }
                let args = args.iter().map(|a| memo[a]).collect();
                self.apply(function, args, range)
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
}
