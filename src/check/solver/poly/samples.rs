//! A few assignments that satisfy the facts, found by local repair.
//!
//! In: literals. Out: assignments under which every literal is true. Samples refute and never prove. A polynomial
//! that is negative under one need not be searched, and a goal that is false under one has a counterexample.

use crate::solver::query::WrapMode;
use base::work::{charge, charge_each, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::term::{Poly, SymId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

const SAMPLES: usize = 6;
const ATTEMPTS: u64 = 10;
/// Attempts without any success after which the search gives up.
const HOPELESS: u64 = 4;
const REPAIRS: usize = 64;
/// Most term evaluations for all samples together, a bound for large conditions.
const EVALUATIONS: usize = 30_000;

/// Values of symbols, and of the terms evaluated so far.
#[derive(Clone, Debug)]
pub(super) struct SampleValues {
    pub symbols: FxHashMap<SymId, i128>,
    values: FxHashMap<TermId, Option<i128>>,
}

impl SampleValues {
    pub fn value(&self, t: TermId) -> Option<i128> {
        self.values.get(&t).copied().flatten()
    }

    /// Returns the value of a polynomial, where the sample has values of its atoms.
    pub fn poly(&self, p: &Poly) -> Option<i128> {
        let mut sum = 0i128;
        for (m, c) in &p.terms {
            let mut v = *c;
            for a in m {
                v = v.checked_mul(self.value(*a)?)?;
            }
            sum = sum.checked_add(v)?;
        }
        Some(sum)
    }

    /// Evaluates further terms; new symbols take some value of their range.
    pub fn extend(&mut self, arena: &Arena, roots: &[TermId], mode: WrapMode) {
        for n in arena.cone(roots) {
            if self.values.contains_key(&n) {
                continue;
            }
            if let Term::Sym(s) | Term::BoolSym(s) = arena.get(n) {
                let r = arena.symbol(*s).range;
                let v = r.lo.unwrap_or(0).max(0).min(r.hi.unwrap_or(i128::MAX));
                self.symbols.entry(*s).or_insert(v);
            }
            self.evaluate(arena, n, mode);
        }
    }

    fn evaluate(&mut self, arena: &Arena, n: TermId, mode: WrapMode) {
        let under = Valuation {
            symbols: &|s| self.symbols.get(&s).copied(),
            apply: &|_, _| None,
            wraps: mode == WrapMode::Exact,
        };
        charge(cost::EVALUATE);
        let v = arena.eval_node(n, &under, &self.values);
        self.values.insert(n, v);
    }
}

/// Deterministic pseudorandom choices (xorshift).
struct SampleChoices(u64);

impl SampleChoices {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).unwrap_or(0)
    }
}

/// Terms of the literals, children first, and the terms that depend on a symbol.
struct DependencyCone {
    nodes: Vec<TermId>,
    parents: Vec<Vec<u32>>,
    symbols: FxHashMap<SymId, u32>,
    /// Terms that depend on the symbols that were changed so far: most symbols are never changed.
    users: FxHashMap<SymId, Vec<u32>>,
}

impl DependencyCone {
    fn new(arena: &Arena, literals: &[TermId]) -> Self {
        let nodes = arena.cone(literals);
        let at: FxHashMap<TermId, u32> = nodes.iter().zip(0..).map(|(t, i)| (*t, i)).collect();
        let mut parents: Vec<Vec<u32>> = vec![vec![]; nodes.len()];
        let mut symbols = FxHashMap::default();
        for (n, i) in nodes.iter().zip(0..) {
            for c in arena.children(*n) {
                parents[at[&c] as usize].push(i);
            }
            if let Term::Sym(s) | Term::BoolSym(s) = arena.get(*n) {
                symbols.insert(*s, i);
            }
        }
        Self { nodes, parents, symbols, users: FxHashMap::default() }
    }

    /// Returns the terms that depend on a symbol, children first.
    fn users(&mut self, s: SymId) -> &[u32] {
        let (parents, symbols) = (&self.parents, &self.symbols);
        self.users.entry(s).or_insert_with(|| {
            let mut stack: Vec<u32> = symbols.get(&s).copied().into_iter().collect();
            let mut seen: FxHashSet<u32> = stack.iter().copied().collect();
            while let Some(i) = stack.pop() {
                stack.extend(parents[i as usize].iter().copied().filter(|p| seen.insert(*p)));
            }
            charge_each(cost::WALK, seen.len());
            let mut users: Vec<u32> = seen.into_iter().collect();
            users.sort_unstable();
            users
        })
    }
}

/// Finds a handful of assignments, at most, that satisfy all literals.
pub(super) fn find(arena: &Arena, literals: &[TermId], mode: WrapMode) -> Vec<SampleValues> {
    let mut cone = DependencyCone::new(arena, literals);
    let symbols = arena.symbols_of(literals);
    let mut out: Vec<SampleValues> = vec![];
    let mut budget = EVALUATIONS;
    for attempt in 0..ATTEMPTS {
        let mut choices = SampleChoices(0x9e37_79b9_7f4a_7c15 ^ (attempt + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut s = SampleValues { symbols: FxHashMap::default(), values: FxHashMap::default() };
        for x in &symbols {
            let r = arena.symbol(*x).range;
            let small = [0, 1, 1, 2, 3, 5, 8, 16, 100][choices.below(9)];
            let v = match (r.lo, r.hi) {
                (Some(lo), _) if lo > 0 => lo.saturating_add(small),
                (_, Some(hi)) if hi < 0 => hi.saturating_sub(small),
                _ => small,
            };
            s.symbols.insert(*x, r.hi.map_or(v, |h| v.min(h)).max(r.lo.unwrap_or(i128::MIN)));
        }
        if repair(arena, literals, &mut cone, &mut s, mode, &mut choices, &mut budget)
            && !out.iter().any(|o| o.symbols == s.symbols)
        {
            out.push(s);
            if out.len() == SAMPLES {
                break;
            }
        } else if budget == 0 || (attempt >= HOPELESS && out.is_empty()) {
            break;
        }
    }
    out
}

fn repair(
    arena: &Arena,
    literals: &[TermId],
    cone: &mut DependencyCone,
    s: &mut SampleValues,
    mode: WrapMode,
    choices: &mut SampleChoices,
    budget: &mut usize,
) -> bool {
    for n in &cone.nodes {
        s.evaluate(arena, *n, mode);
    }
    *budget = budget.saturating_sub(cone.nodes.len());
    for _ in 0..REPAIRS {
        let violated: Vec<TermId> = literals.iter().copied().filter(|l| s.value(*l) != Some(1)).collect();
        if violated.is_empty() {
            return true;
        }
        let l = violated[choices.below(violated.len())];
        let Some((x, v)) = adjust(arena, l, true, s, choices) else { continue };
        s.symbols.insert(x, v);
        let users = cone.users(x).to_vec();
        *budget = budget.saturating_sub(users.len() + literals.len() / 4);
        if *budget == 0 {
            return false;
        }
        for i in users {
            s.evaluate(arena, cone.nodes[i as usize], mode);
        }
    }
    false
}

/// Returns a change of one symbol that makes the literal true while all others keep their values.
fn adjust(
    arena: &Arena,
    literal: TermId,
    truth: bool,
    s: &SampleValues,
    choices: &mut SampleChoices,
) -> Option<(SymId, i128)> {
    match arena.get(literal) {
        Term::Not(x) => adjust(arena, *x, !truth, s, choices),
        Term::And(v) | Term::Or(v) => {
            let wrong: Vec<TermId> = v.iter().copied().filter(|x| s.value(*x) != Some(i128::from(truth))).collect();
            adjust(arena, *wrong.get(choices.below(wrong.len()))?, truth, s, choices)
        }
        Term::BoolSym(b) => Some((*b, i128::from(truth))),
        Term::Le(t) | Term::EqZ(t) => {
            let Some(v) = s.value(*t) else { return shake(arena, literal, s, choices) };
            // The wanted change of `t`.
            let want = match (arena.get(literal), truth) {
                (_, true) => v.checked_neg(),
                (Term::Le(_), false) => 1i128.checked_sub(v),
                _ => Some(1),
            };
            let exact = truth && matches!(arena.get(literal), Term::EqZ(_));
            want.and_then(|w| nudge(arena, &arena.poly(*t), w, exact, s, choices))
                .or_else(|| shake(arena, literal, s, choices))
        }
        _ => shake(arena, literal, s, choices),
    }
}

/// Moves one symbol of the polynomial so that its value changes by at least `want` (exactly `want`, where `exact`).
fn nudge(
    arena: &Arena,
    p: &Poly,
    want: i128,
    exact: bool,
    s: &SampleValues,
    choices: &mut SampleChoices,
) -> Option<(SymId, i128)> {
    let mut options: Vec<(SymId, i128)> = vec![];
    for (m, _) in &p.terms {
        for a in m {
            let Term::Sym(x) = arena.get(*a) else { continue };
            if options.iter().any(|o| o.0 == *x) {
                continue;
            }
            let Some(now) = s.symbols.get(x).copied() else { continue };
            let Some(slope) = super::form::cofactor(p, *a).and_then(|q| s.poly(&q)) else { continue };
            if slope == 0 || (exact && want % slope != 0) {
                continue;
            }
            // The least sufficient step.
            let step = if want % slope == 0 { want / slope } else { want / slope + (want.signum() * slope.signum()) };
            let Some(next) = now.checked_add(step) else { continue };
            if arena.symbol(*x).range.contains_value(next) {
                options.push((*x, next));
            }
        }
    }
    options.get(choices.below(options.len())).copied()
}

/// Picks another value for a symbol below the literal.
fn shake(arena: &Arena, literal: TermId, s: &SampleValues, choices: &mut SampleChoices) -> Option<(SymId, i128)> {
    let symbols = arena.symbols_of(&[literal]);
    let x = *symbols.get(choices.below(symbols.len()))?;
    let now = s.symbols.get(&x).copied().unwrap_or(0);
    let next = match choices.below(6) {
        0 => 0,
        1 => now.saturating_mul(2),
        2 => now / 2,
        3 => now.saturating_sub(1),
        4 => 1,
        _ => now.saturating_add(1),
    };
    arena.symbol(x).range.contains_value(next).then_some((x, next))
}

#[cfg(test)]
mod tests {
    use super::{SampleChoices, SampleValues, find, nudge};
    use crate::solver::WrapMode;
    use crate::solver::tests::{id, sym};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::term::TermId;
    use rustc_hash::FxHashMap;

    /// A sample of two symbols, with the values of these terms.
    fn sample(a: &Arena, terms: &[TermId], values: [(TermId, i128); 2]) -> SampleValues {
        let symbols = values.into_iter().map(|(t, v)| (id(a, t), v)).collect();
        let mut s = SampleValues { symbols, values: FxHashMap::default() };
        s.extend(a, terms, WrapMode::Exact);
        s
    }

    /// Moves change a polynomial by what is wanted, by no more than a step of the slope, and stay in range.
    #[test]
    fn a_move_changes_a_polynomial_by_just_what_is_wanted() {
        for c in [-3, -1, 2, 5] {
            for (x0, want) in (-4..=4).flat_map(|x0| [-7, -6, -1, 1, 2, 6, 7].map(|want| (x0, want))) {
                for exact in [false, true] {
                    let mut a = Arena::new();
                    let (x, y) = (sym(&mut a, "x", -20, 20), sym(&mut a, "y", -5, 5));
                    let (cx, xy) = (a.scale(x, c), a.mul(x, y));
                    let p = a.add(cx, xy);
                    let poly = a.poly(p);
                    let s = sample(&a, &[x, y, p], [(x, x0), (y, 1)]);
                    let before = s.poly(&poly).unwrap();
                    assert_eq!(before, (c + 1) * x0);
                    for seed in 1..6 {
                        let Some((moved, to)) = nudge(&a, &poly, want, exact, &s, &mut SampleChoices(seed * 77)) else {
                            let steps = [c + 1, x0].map(|slope| slope != 0 && want % slope == 0);
                            assert!(!exact || !steps[0], "{c} {x0} {want}");
                            continue;
                        };
                        let at = if moved == id(&a, x) { [(x, to), (y, 1)] } else { [(x, x0), (y, to)] };
                        let slope = if moved == id(&a, x) { c + 1 } else { x0 };
                        let after = sample(&a, &[x, y, p], at);
                        let change = after.poly(&poly).unwrap() - before;
                        assert_eq!(after.value(p), after.poly(&poly));
                        assert!(if exact { change == want } else { change * want.signum() >= want.abs() });
                        assert!((change - want).abs() < slope.abs(), "{change} where {want} is wanted");
                        let range = a.symbol(moved).range;
                        assert!(range.contains_value(to));
                    }
                }
            }
        }
    }

    #[test]
    fn samples_satisfy_all_literals() {
        let mut a = Arena::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| sym(&mut a, n, -50, 50));
        let (seven, forty, sum, product) = (a.int(7), a.int(40), a.add(x, y), a.mul(x, z));
        let (less, multiple) = (a.lt(x, y), a.modulo(z, 3));
        let same = a.eq(x, z);
        let literals =
            [less, a.le(seven, sum), a.le(product, forty), a.le_zero(multiple), a.not(same), a.or(same, less)];
        let found = find(&a, &literals, WrapMode::Exact);
        assert!(found.len() >= 2, "{found:?}");
        for s in &found {
            let value = |t| s.value(t).unwrap();
            assert!(value(x) < value(y) && value(x) + value(y) >= 7 && value(x) * value(z) <= 40);
            assert!(value(z) % 3 == 0 && value(x) != value(z));
            assert!([x, y, z].into_iter().all(|t| (-50..=50).contains(&value(t))));
        }
        let (no, yes) = (a.lt(x, y), a.lt(y, x));
        assert!(find(&a, &[no, yes], WrapMode::Exact).is_empty());
    }
}
