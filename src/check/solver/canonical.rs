//! Canonical form of a query: an arena of its own, terms and symbols numbered in the order of traversal, and the hash
//! of these.
//!
//! In: a query of any arena. Out: the same query, independent of earlier queries, and its key. Two tasks that build
//! the same query in different arenas get the same key.

use super::query::{Query, WrapMode};
use base::work::{Work, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::FxHashMap;

/// A query in an arena of its own.
pub(super) struct CanonicalQuery {
    pub key: [u8; 32],
    pub arena: Arena,
    pub symbols: Vec<SymId>,
    want: Vec<(TermId, bool)>,
    bounds: Vec<(SymId, Interval)>,
}

impl CanonicalQuery {
    pub fn of(arena: &Arena, query: &Query) -> Self {
        let roots: Vec<TermId> = query.want.iter().map(|w| w.0).collect();
        let (own, terms, symbols) = arena.extract(&roots);
        let numbers: FxHashMap<SymId, SymId> = symbols.iter().zip(0..).map(|(s, i)| (*s, SymId(i))).collect();
        let want: Vec<(TermId, bool)> = query.want.iter().map(|(t, truth)| (terms[t], *truth)).collect();
        // Bounds on symbols that the query does not mention have no effect.
        let bounds: Vec<(SymId, Interval)> =
            query.bounds.iter().filter_map(|(s, r)| Some((*numbers.get(s)?, *r))).collect();
        let mut writer = TermHasher { hasher: blake3::Hasher::new() };
        writer.byte(u8::from(query.mode == WrapMode::Exact));
        writer.byte(u8::from(query.strict));
        writer.count(own.len());
        for i in 0..own.len() {
            writer.term(&own, TermId(i as u32));
        }
        writer.count(want.len());
        for (t, truth) in &want {
            writer.child(*t);
            writer.byte(u8::from(*truth));
        }
        for (s, r) in &bounds {
            writer.word(s.0);
            writer.range(*r);
        }
        Self { key: *writer.hasher.finalize().as_bytes(), arena: own, symbols, want, bounds }
    }

    pub fn query<'a>(&'a self, of: &Query) -> Query<'a> {
        Query { want: &self.want, bounds: &self.bounds, mode: of.mode, strict: of.strict }
    }

    /// Returns the cost of reading the query.
    pub fn least(&self) -> Work {
        Work::units(cost::CONTEXT + cost::ENCODE.saturating_mul(self.arena.len() as u64))
    }
}

/// Hashes the terms of such an arena.
struct TermHasher {
    hasher: blake3::Hasher,
}

impl TermHasher {
    fn byte(&mut self, v: u8) {
        self.hasher.update(&[v]);
    }
    fn word(&mut self, v: u32) {
        self.hasher.update(&v.to_le_bytes());
    }
    fn int(&mut self, v: i128) {
        self.hasher.update(&v.to_le_bytes());
    }
    fn count(&mut self, n: usize) {
        self.hasher.update(&(n as u64).to_le_bytes());
    }

    fn range(&mut self, r: Interval) {
        for bound in [r.lo, r.hi] {
            self.byte(u8::from(bound.is_some()));
            self.int(bound.unwrap_or(0));
        }
    }

    fn child(&mut self, t: TermId) {
        self.word(t.0);
    }

    fn children<'t>(&mut self, all: impl IntoIterator<Item = &'t TermId, IntoIter: ExactSizeIterator>) {
        let all = all.into_iter();
        self.count(all.len());
        for t in all {
            self.child(*t);
        }
    }

    fn unary(&mut self, tag: u8, of: &TermId) {
        self.byte(tag);
        self.child(*of);
    }

    /// Writes a tag, the number of terms, and the terms.
    fn counted<'t>(&mut self, tag: u8, all: impl IntoIterator<Item = &'t TermId, IntoIter: ExactSizeIterator>) {
        self.byte(tag);
        self.children(all);
    }

    /// Writes one node: its range, a tag for its operator, then its operands.
    fn term(&mut self, arena: &Arena, t: TermId) {
        self.range(arena.range(t));
        match arena.get(t) {
            Term::Int(v) => {
                self.byte(0);
                self.int(*v);
            }
            Term::Sym(s) => {
                self.byte(1);
                self.word(s.0);
                self.range(arena.symbol(*s).range);
            }
            Term::Poly(p) => {
                self.byte(2);
                self.count(p.terms.len());
                for (monomial, coefficient) in &p.terms {
                    self.children(monomial);
                    self.int(*coefficient);
                }
            }
            Term::Div(a, b) => self.counted(3, [a, b]),
            Term::Rem(a, b) => self.counted(4, [a, b]),
            Term::FloorDiv(a, c) => {
                self.unary(5, a);
                self.int(*c);
            }
            Term::Mod(a, c) => {
                self.unary(6, a);
                self.int(*c);
            }
            Term::Ite(c, a, b) => self.counted(7, [c, a, b]),
            Term::Wrap { arg, bits, signed } => {
                self.unary(8, arg);
                self.word(*bits);
                self.byte(u8::from(*signed));
            }
            Term::BitAnd(a, b, w) => self.bits(9, [a, b], *w),
            Term::BitOr(a, b, w) => self.bits(10, [a, b], *w),
            Term::BitXor(a, b, w) => self.bits(11, [a, b], *w),
            Term::Pow2(a) => self.unary(12, a),
            Term::Apply { function, args, range } => {
                let name = function.text();
                self.byte(13);
                self.count(name.len());
                self.hasher.update(name.as_bytes());
                self.children(args);
                self.range(*range);
            }
            Term::True => self.byte(14),
            Term::False => self.byte(15),
            Term::Le(a) => self.unary(16, a),
            Term::EqZ(a) => self.unary(17, a),
            Term::Not(a) => self.unary(18, a),
            Term::And(v) => self.counted(19, v),
            Term::Or(v) => self.counted(20, v),
            Term::BoolSym(s) => {
                self.byte(21);
                self.word(s.0);
            }
        }
    }

    fn bits(&mut self, tag: u8, of: [&TermId; 2], width: u32) {
        self.counted(tag, of);
        self.word(width);
    }
}
