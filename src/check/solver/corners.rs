//! Models at the corners of what the inputs may be: the largest values, powers of two, the least values.
//!
//! In: facts, and an operation whose inputs come first. Out: a model of the facts, or nothing. A product of sizes that
//! leaves its type's range is hard to find for solvers of nonlinear arithmetic, and easy to find by trying large sizes.

use super::enumerate::holds;
use super::query::{Model, WrapMode};
use base::work::{charge_each, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most symbols of a query, and most assignments that are evaluated as a whole.
const SYMBOLS: usize = 40;
const ASSIGNMENTS: u32 = 3_000;
/// Most steps of the search, each of which gives a symbol its values.
const STEPS: u32 = 60_000;
/// Largest power of two that is tried.
const POWERS: u32 = 62;

/// Looks for a model of all facts.
pub fn model_at_corners(arena: &Arena, facts: &[TermId], first: TermId, mode: WrapMode) -> Option<Model> {
    let symbols = arena.symbols_of(facts);
    if symbols.len() > SYMBOLS {
        return None;
    }
    let mut search = CornerSearch::new(arena, facts, first, mode);
    let order = search.order(&symbols);
    let mut values = FxHashMap::default();
    search.extend(&order, &mut values).then_some(Model { values, ..Model::default() })
}

/// Whether a symbol is the size of an object that a caller gives.
fn is_extent(name: &str) -> bool {
    name.starts_with("extent(")
}

/// A fact, and the symbols in it.
struct Fact {
    term: TermId,
    cone: Vec<TermId>,
    symbols: Vec<SymId>,
}

struct CornerSearch<'a> {
    arena: &'a Arena,
    mode: WrapMode,
    facts: Vec<Fact>,
    cone: Vec<TermId>,
    /// Symbols of the operation, and those that equations connect with them.
    own: FxHashSet<SymId>,
    assignments: u32,
    steps: u32,
}

impl<'a> CornerSearch<'a> {
    fn new(arena: &'a Arena, facts: &[TermId], first: TermId, mode: WrapMode) -> Self {
        let all: Vec<TermId> = facts.iter().flat_map(|f| arena.conjuncts(*f)).collect();
        let cone = arena.cone(&all);
        let fact = |t: TermId| Fact { term: t, cone: arena.cone(&[t]), symbols: arena.symbols_of(&[t]) };
        let facts: Vec<Fact> = all.into_iter().map(fact).collect();
        let mut own: FxHashSet<SymId> = arena.symbols_of(&[first]).into_iter().collect();
        let mut before = 0;
        while own.len() > before {
            before = own.len();
            let equations = facts.iter().filter(|f| matches!(arena.get(f.term), Term::EqZ(_)));
            let connected: Vec<&Fact> = equations.filter(|f| f.symbols.iter().any(|s| own.contains(s))).collect();
            own.extend(connected.into_iter().flat_map(|f| f.symbols.iter().copied()));
        }
        Self { arena, mode, facts, cone, own, assignments: 0, steps: 0 }
    }

    /// Returns the order in which symbols get values: inputs of the operation, other inputs, then indices. A symbol that
    /// an equation defines follows the last symbol of the equation.
    fn order(&self, symbols: &[SymId]) -> Vec<SymId> {
        let defined: FxHashSet<SymId> = self.facts.iter().filter_map(|f| self.defines(f)).collect();
        let rank = |s: &SymId| match self.arena.symbol(*s).kind {
            SymKind::Input(_) if defined.contains(s) => 4,
            SymKind::Input(_) if self.own.contains(s) => 0,
            // Extents depend on sizes.
            SymKind::Input(_) if is_extent(&self.arena.symbol(*s).name) => 2,
            SymKind::Input(_) => 1,
            _ => 3,
        };
        let mut left: Vec<SymId> = symbols.to_vec();
        left.sort_by_key(|s| (rank(s), *s));
        let mut out: Vec<SymId> = vec![];
        while !left.is_empty() {
            let known: FxHashSet<SymId> = out.iter().copied().collect();
            let ready = |s: &SymId| {
                self.facts
                    .iter()
                    .any(|f| self.defines(f) == Some(*s) && f.symbols.iter().all(|o| o == s || known.contains(o)))
            };
            let at = left.iter().position(ready).unwrap_or(0);
            out.push(left.remove(at));
        }
        out
    }

    /// Returns the symbol that an equation determines by the others: alone in a monomial, with coefficient 1 or -1. Of
    /// several, the last one, since a product is read after its factors.
    fn defines(&self, f: &Fact) -> Option<SymId> {
        let Term::EqZ(t) = *self.arena.get(f.term) else { return None };
        let p = self.arena.poly(t);
        let alone = p.terms.iter().filter(|(_, c)| c.abs() == 1).filter_map(|(m, _)| match m.as_slice() {
            [atom] => match *self.arena.get(*atom) {
                Term::Sym(s) => Some((s, *atom)),
                _ => None,
            },
            _ => None,
        });
        let occurs = |atom: TermId| {
            p.terms.iter().flat_map(|(m, _)| m.iter()).filter(|n| self.arena.cone(&[**n]).contains(&atom)).count()
        };
        alone.filter(|(_, atom)| occurs(*atom) == 1).map(|(s, _)| s).max()
    }

    /// Gives values to the remaining symbols; returns whether all facts hold then.
    fn extend(&mut self, left: &[SymId], values: &mut FxHashMap<SymId, i128>) -> bool {
        let Some((s, rest)) = left.split_first() else {
            self.assignments += 1;
            let want: Vec<(TermId, bool)> = self.facts.iter().map(|f| (f.term, true)).collect();
            return holds(self.arena, &self.cone, &want, self.mode, values, &mut FxHashMap::default());
        };
        for v in self.candidates(*s, values) {
            if self.steps >= STEPS || self.assignments >= ASSIGNMENTS {
                return false;
            }
            self.steps += 1;
            values.insert(*s, v);
            if !self.is_refuted(*s, values) && self.extend(rest, values) {
                return true;
            }
        }
        values.remove(s);
        false
    }

    /// Whether a fact that this symbol completes is false.
    fn is_refuted(&self, s: SymId, values: &FxHashMap<SymId, i128>) -> bool {
        self.facts
            .iter()
            .filter(|f| f.symbols.contains(&s) && f.symbols.iter().all(|o| values.contains_key(o)))
            .any(|f| self.value(&f.cone, values) == Some(0))
    }

    /// Value of the last term of a cone.
    fn value(&self, cone: &[TermId], values: &FxHashMap<SymId, i128>) -> Option<i128> {
        charge_each(cost::EVALUATE, cone.len());
        let under = Valuation {
            symbols: &|s| values.get(&s).copied(),
            apply: &|_, _| None,
            wraps: self.mode == WrapMode::Exact,
        };
        let mut memo: FxHashMap<TermId, Option<i128>> = FxHashMap::default();
        for n in cone {
            let v = self.arena.eval_node(*n, &under, &memo);
            memo.insert(*n, v);
        }
        cone.last().and_then(|t| memo.get(t).copied().flatten())
    }

    /// Values to try for a symbol: the corners of the range that the facts leave it, given the values of the others.
    fn candidates(&self, s: SymId, values: &FxHashMap<SymId, i128>) -> Vec<i128> {
        let symbol = self.arena.symbol(s);
        let input = matches!(symbol.kind, SymKind::Input(_));
        let range = symbol.range;
        let (mut lo, mut hi) = (range.lo.unwrap_or(i128::from(i64::MIN)), range.hi.unwrap_or(i128::from(i64::MAX)));
        for f in &self.facts {
            if !f.symbols.contains(&s) || f.symbols.iter().any(|o| *o != s && !values.contains_key(o)) {
                continue;
            }
            let Some((coefficient, rest, equal)) = self.linear(f, s, values) else { continue };
            // coefficient * s + rest <= 0
            if equal {
                let v = -rest;
                return if v % coefficient == 0 && (lo..=hi).contains(&(v / coefficient)) {
                    vec![v / coefficient]
                } else {
                    vec![]
                };
            }
            if coefficient > 0 {
                hi = hi.min((-rest).div_euclid(coefficient));
            } else {
                lo = lo.max(-((-rest).div_euclid(-coefficient)));
            }
        }
        if input {
            lo = lo.max(1);
        }
        if lo > hi {
            return vec![];
        }
        let powers = || (0..POWERS).map(|k| 1i128 << k).filter(|v| (lo..=hi).contains(v));
        let all: Vec<i128> = match input {
            false => vec![hi, lo, (hi - 1).max(lo), (lo + 1).min(hi)],
            // An extent is as small as possible.
            true if is_extent(&symbol.name) => vec![lo],
            true if self.own.contains(&s) => powers().rev().chain([hi, lo]).collect(),
            true => [lo, (lo + 1).min(hi)].into_iter().chain(powers()).chain([hi]).collect(),
        };
        let mut seen = FxHashSet::default();
        all.into_iter().filter(|v| seen.insert(*v)).collect()
    }

    /// Returns a fact as a linear condition on a symbol, given values of the others: coefficient, constant, and whether
    /// it is an equation.
    fn linear(&self, f: &Fact, s: SymId, values: &FxHashMap<SymId, i128>) -> Option<(i128, i128, bool)> {
        let (t, equal) = match *self.arena.get(f.term) {
            Term::Le(t) => (t, false),
            Term::EqZ(t) => (t, true),
            _ => return None,
        };
        let (mut coefficient, mut rest) = (0i128, 0i128);
        for (m, c) in &self.arena.poly(t).terms {
            let (mut product, mut own) = (*c, 0);
            for atom in m {
                match *self.arena.get(*atom) {
                    Term::Sym(of) if of == s => own += 1,
                    _ => product = product.checked_mul(self.value(&self.arena.cone(&[*atom]), values)?)?,
                }
            }
            match own {
                0 => rest = rest.checked_add(product)?,
                1 => coefficient = coefficient.checked_add(product)?,
                _ => return None,
            }
        }
        (coefficient != 0).then_some((coefficient, rest, equal))
    }
}

#[cfg(test)]
mod tests {
    use super::{WrapMode, model_at_corners};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind, TermId};

    fn input(a: &mut Arena, name: &str, most: i128) -> TermId {
        a.fresh(SymKind::Input(InputSource::World(name.into())), name, Interval::new(0, most))
    }

    /// Facts: `plane == row * rows` wraps as an `int`, and `index < planes` leads below zero through it.
    fn facts(a: &mut Arena, most_rows: i128) -> (Vec<TermId>, TermId) {
        let [row, rows, planes] = [("row", 1 << 20), ("rows", most_rows), ("planes", 64)].map(|(n, m)| input(a, n, m));
        let plane = input(a, "plane", 1 << 60);
        let index =
            a.fresh(SymKind::Unknown { reason: base::reasons::UnknownReason::Float }, "i", Interval::new(0, 63));
        let wrapped = a.wrap(plane, 32, true);
        let (product, all) = (a.mul(row, rows), a.mul(plane, planes));
        let (eight, zero) = (a.modulo(rows, 8), a.int(0));
        let (offset, most) = (a.mul(wrapped, index), a.int(1 << 36));
        let facts =
            vec![a.eq(plane, product), a.lt(index, planes), a.eq(eight, zero), a.lt(offset, zero), a.le(all, most)];
        (facts, wrapped)
    }

    #[test]
    fn products_of_sizes_leave_their_type() {
        let mut a = Arena::new();
        let (facts, wrapped) = facts(&mut a, 1 << 16);
        let model = model_at_corners(&a, &facts, wrapped, WrapMode::Exact).unwrap();
        for f in &facts {
            assert_eq!(model.value(&a, *f, WrapMode::Exact), Some(1));
        }
        assert!(model.value(&a, wrapped, WrapMode::Exact).is_some_and(|v| v < 0));
    }

    #[test]
    fn where_no_product_leaves_its_type_there_is_no_model() {
        let mut a = Arena::new();
        let (facts, wrapped) = facts(&mut a, 2040);
        assert!(model_at_corners(&a, &facts, wrapped, WrapMode::Exact).is_none());
    }

    fn unknown(a: &mut Arena, name: &str, lo: i128, hi: i128) -> TermId {
        let kind = SymKind::Unknown { reason: base::reasons::UnknownReason::Float };
        a.fresh(kind, name, Interval::new(lo, hi))
    }

    /// Value of `x` in the model of the facts, of which all others follow from `x`.
    fn found(a: &Arena, facts: &[TermId], x: TermId) -> Option<i128> {
        let model = model_at_corners(a, facts, x, WrapMode::Exact)?;
        for f in facts {
            assert_eq!(model.value(a, *f, WrapMode::Exact), Some(1), "a model satisfies all facts");
        }
        model.value(a, x, WrapMode::Exact)
    }

    /// Facts `least <= c·x` and `c·x <= most` leave just the integers between the rounded quotients.
    #[test]
    fn bounds_with_coefficients_are_rounded_to_integers() {
        for c in [1, 2, 3, 7, -1, -2, -5] {
            for (least, most) in [(20, 22), (21, 27), (-30, -25), (-9, -1), (1, 6), (0, 0), (20, 20)] {
                let mut a = Arena::new();
                let (x, lo, hi) = (unknown(&mut a, "x", -50, 50), a.int(least), a.int(most));
                let cx = a.scale(x, c);
                let facts = [a.le(lo, cx), a.le(cx, hi)];
                let all: Vec<i128> = (-50..=50).filter(|v| (least..=most).contains(&(c * v))).collect();
                // The largest value is tried first.
                assert_eq!(found(&a, &facts, x), all.last().copied(), "{least} <= {c}·x <= {most}");
            }
        }
    }

    #[test]
    fn an_equation_leaves_one_value_if_it_is_a_whole_number() {
        for c in [1, 3, -1, -4] {
            for sum in -30..=30 {
                let mut a = Arena::new();
                // The input comes first, and the equation determines `x`.
                let (z, x) = (input(&mut a, "z", 1), unknown(&mut a, "x", -8, 8));
                let (cx, zz, sum_of) = (a.scale(x, c), a.scale(z, 2), a.int(sum));
                let both = a.add(cx, zz);
                let facts = [a.eq(both, sum_of)];
                let value = (-8..=8).find(|v| c * v + 2 == sum);
                assert_eq!(found(&a, &facts, x), value, "{c}·x + 2·1 == {sum}");
            }
        }
    }

    /// An index takes the ends of its range and their neighbours.
    #[test]
    fn an_index_next_to_an_end_is_found() {
        for (lo, hi) in [(0, 9), (-7, 7), (5, 6)] {
            for wanted in [lo, lo + 1, hi - 1, hi] {
                let mut a = Arena::new();
                let i = unknown(&mut a, "i", lo, hi);
                // No bound follows from the facts: `i * i` is not linear.
                let facts: Vec<TermId> = (lo..=hi)
                    .filter(|v| *v != wanted)
                    .map(|v| {
                        let v = a.int(v);
                        let same = a.eq(i, v);
                        a.not(same)
                    })
                    .collect();
                assert_eq!(found(&a, &facts, i), Some(wanted), "{wanted} in {lo}..{hi}");
            }
        }
    }

    /// An input of the operation takes powers of two from above, another input from below, and neither less than 1.
    #[test]
    fn inputs_take_powers_of_two_and_at_least_one() {
        let mut a = Arena::new();
        let (own, other) = (input(&mut a, "own", 1000), input(&mut a, "other", 1000));
        for (x, expected) in [(own, 512), (other, 64)] {
            let rest = a.modulo(x, 64);
            let zero = a.int(0);
            let facts = [a.eq(rest, zero)];
            let model = model_at_corners(&a, &facts, own, WrapMode::Exact).unwrap();
            assert_eq!(model.value(&a, x, WrapMode::Exact), Some(expected));
        }
        let zero = a.int(0);
        let none = a.le(own, zero);
        assert!(model_at_corners(&a, &[none], own, WrapMode::Exact).is_none());
    }

    /// An extent is as small as the sizes allow, even where it comes first by name.
    #[test]
    fn an_extent_follows_sizes() {
        let mut a = Arena::new();
        let extent = input(&mut a, "extent(p)", 1 << 30);
        let n = input(&mut a, "n", 1 << 20);
        let bytes = a.scale(n, 4);
        let [most, least] = [1 << 12, 100].map(|v| a.int(v));
        let facts = [a.le(bytes, extent), a.le(n, most), a.le(least, n)];
        let model = model_at_corners(&a, &facts, n, WrapMode::Exact).unwrap();
        assert_eq!([n, extent].map(|t| model.value(&a, t, WrapMode::Exact)), [Some(1 << 12), Some(1 << 14)]);
        // Nor is an extent large because the operation itself concerns it.
        let at_least = a.le(least, extent);
        assert_eq!(found(&a, &[at_least], extent), Some(100));
    }

    /// A size that no equation defines comes before an index, whichever is older.
    #[test]
    fn an_index_follows_the_sizes_of_other_operations() {
        let mut a = Arena::new();
        let i = unknown(&mut a, "i", 0, 63);
        let (own, n) = (input(&mut a, "own", 9), input(&mut a, "n", 1000));
        let square = a.mul(n, n);
        let at = a.add_const(square, -5);
        let facts = [a.le(i, at), a.le(at, i)];
        let model = model_at_corners(&a, &facts, own, WrapMode::Exact).unwrap();
        assert_eq!([n, i].map(|t| model.value(&a, t, WrapMode::Exact)), [Some(4), Some(11)]);
    }
}
