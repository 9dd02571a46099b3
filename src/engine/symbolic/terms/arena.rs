//! Owner of symbols and of terms: hash-consed nodes, so that equal terms of one arena have equal ids.

use super::interval::Interval;
use super::term::{Monomial, Poly, SymId, SymKind, Symbol, Term, TermId};
use base::work::{charge, charge_each, cost};
use rustc_hash::FxHashMap;

/// Bytes per term, including its range and its index entry: measured on programs of HeCBench.
const TERM_BYTES: u64 = 240;

/// Size of an arena at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaMark {
    terms: usize,
    symbols: usize,
}

/// Owner of terms. All terms of one program analysis are in one arena.
#[derive(Clone, Default, Debug)]
pub struct Arena {
    pub(super) nodes: Vec<Term>,
    pub(super) ranges: Vec<Interval>,
    pub(super) index: FxHashMap<Term, TermId>,
    pub(super) negations: FxHashMap<TermId, TermId>,
    /// Results of [`Arena::unwrapped`].
    pub(super) unwrapped: FxHashMap<TermId, TermId>,
    pub(super) symbols: Vec<Symbol>,
    /// Powers of two that addresses are multiples of.
    multiples: FxHashMap<TermId, i128>,
    /// Bytes of the lists inside terms.
    lists: u64,
}

impl Arena {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records that an address is a multiple of a power of two.
    pub(in crate::symbolic) fn note_multiple(&mut self, address: TermId, of: i128) {
        self.multiples.insert(address, of);
    }

    /// Returns the power of two that a term is recorded to be a multiple of; else 1.
    pub(super) fn known_multiple(&self, t: TermId) -> i128 {
        self.multiples.get(&t).copied().unwrap_or(1)
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
    /// Bounds of an integer term that hold without any path condition.
    #[must_use]
    pub fn range(&self, t: TermId) -> Interval {
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

    pub(super) fn intern(&mut self, t: Term) -> TermId {
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
        self.lists += list_bytes(&t);
        self.nodes.push(t.clone());
        self.ranges.push(range);
        self.index.insert(t, id);
        id
    }

    /// Whether a term is boolean.
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

    pub fn int(&mut self, v: i128) -> TermId {
        self.intern(Term::Int(v))
    }
    pub fn bool(&mut self, v: bool) -> TermId {
        self.intern(if v { Term::True } else { Term::False })
    }
    /// Creates a fresh symbol with the next serial number.
    pub fn fresh(&mut self, kind: SymKind, name: impl Into<String>, range: Interval) -> TermId {
        let id = self.new_symbol(kind, name.into(), range);
        self.intern(Term::Sym(id))
    }
    pub fn fresh_bool(&mut self, kind: SymKind, name: impl Into<String>) -> TermId {
        let id = self.new_symbol(kind, name.into(), Interval::new(0, 1));
        self.intern(Term::BoolSym(id))
    }
    /// Renames a symbol whose name became known later.
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
    pub(super) fn new_symbol(&mut self, kind: SymKind, name: String, range: Interval) -> SymId {
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

    /// Number of monomials of a term as a polynomial over atoms.
    #[must_use]
    pub fn monomials(&self, t: TermId) -> usize {
        if let Term::Poly(p) = self.get(t) { p.terms.len() } else { 1 }
    }

    /// Returns a term as a polynomial over atoms.
    #[must_use]
    pub fn poly(&self, t: TermId) -> Poly {
        match self.get(t) {
            Term::Int(0) => Poly::default(),
            Term::Int(v) => Poly { terms: vec![(Monomial::new(), *v)] },
            Term::Poly(p) => p.clone(),
            _ => Poly { terms: vec![(smallvec::smallvec![t], 1)] },
        }
    }

    /// Returns a polynomial as a term.
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

    /// Returns the present size. Clears the memo tables, so that repeated work costs the same as the first time.
    #[must_use]
    pub fn mark(&mut self) -> ArenaMark {
        self.negations.clear();
        self.unwrapped.clear();
        ArenaMark { terms: self.nodes.len(), symbols: self.symbols.len() }
    }

    /// Removes all terms and symbols created since a mark, so that the next task finds the arena as this one did.
    pub fn rewind(&mut self, to: ArenaMark) {
        let mut freed = 0;
        for node in self.nodes.drain(to.terms.min(self.nodes.len())..) {
            freed += list_bytes(&node);
            self.index.remove(&node);
        }
        self.lists -= freed;
        self.ranges.truncate(to.terms);
        self.symbols.truncate(to.symbols);
        self.negations.clear();
        self.unwrapped.clear();
    }

    /// Approximate size of all terms in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.nodes.len() as u64).saturating_mul(TERM_BYTES).saturating_add(self.lists)
    }
}

/// Bytes of a term's lists, which the arena and its index both hold: conditions that mention all iterations of a loop
/// are long.
fn list_bytes(t: &Term) -> u64 {
    let bytes = match t {
        Term::And(v) | Term::Or(v) => v.len() * size_of::<TermId>(),
        Term::Poly(p) => size_of_val(p.terms.as_slice()),
        Term::Apply { args, .. } => size_of_val(args.as_slice()),
        _ => 0,
    };
    2 * bytes as u64
}

#[cfg(test)]
mod tests {
    use super::Arena;
    use crate::symbolic::terms::interval::Interval;
    use crate::symbolic::terms::term::SymKind;

    #[test]
    fn long_conditions_take_memory_until_they_are_taken_back() {
        let mut a = Arena::new();
        let mark = a.mark();
        let before = a.bytes();
        let all = (0..1000)
            .map(|i| {
                let n = a.fresh(SymKind::Iteration { name: "n".into() }, format!("n{i}"), Interval::new(0, 100));
                a.le_zero(n)
            })
            .collect::<Vec<_>>();
        let terms = a.bytes();
        a.and_all(all);
        assert!(a.bytes() - terms > 8 * 1000, "the list counts");
        a.rewind(mark);
        assert_eq!(a.bytes(), before);
    }
}
