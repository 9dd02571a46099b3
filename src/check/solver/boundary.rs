//! Models found by trying values at which machine arithmetic turns: powers of two and their neighbours, and the ends
//! of ranges.
//!
//! Integer solvers see a bitwise operation as a sum over dozens of bits and seldom find a model in time, even where
//! nearly every large value is one. In: a query with such operations. Out: a model confirmed by evaluation; finding
//! none implies nothing.

use super::enumerate;
use super::query::{Model, Query};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::FxHashMap;

/// Most term evaluations: some hundredths of a second.
const MAX_EVALUATIONS: usize = 300_000;

/// Finds a model in which each operation has a value.
pub(super) fn model(arena: &Arena, query: &Query) -> Option<Model> {
    let roots: Vec<TermId> = query.want.iter().map(|w| w.0).collect();
    let cone = arena.cone(&roots);
    let bitwise = |t: &TermId| matches!(arena.get(*t), Term::BitAnd(..) | Term::BitOr(..) | Term::BitXor(..));
    if !cone.iter().any(bitwise) || cone.iter().any(|t| matches!(arena.get(*t), Term::Apply { .. })) {
        return None;
    }
    let symbols = arena.symbols_of(&roots);
    let within: Vec<Interval> = symbols.iter().map(|s| range(arena, query, *s)).collect();
    let (few, many): (Vec<Vec<i128>>, Vec<Vec<i128>>) = within.iter().map(|r| (few(*r), many(*r))).unzip();
    let mut left = MAX_EVALUATIONS;
    for turning in 0..symbols.len() {
        let choices: Vec<&[i128]> =
            (0..symbols.len()).map(|i| if i == turning { &*many[i] } else { &*few[i] }).collect();
        if let Some(values) = search(arena, query, &cone, &symbols, &choices, &mut left) {
            return Some(Model { values, ..Model::default() });
        }
    }
    None
}

/// Tries each combination of the choices; the first symbol's value changes least often.
fn search(
    arena: &Arena,
    query: &Query,
    cone: &[TermId],
    symbols: &[SymId],
    choices: &[&[i128]],
    left: &mut usize,
) -> Option<FxHashMap<SymId, i128>> {
    if choices.iter().any(|c| c.is_empty()) {
        return None;
    }
    let mut at = vec![0; choices.len()];
    let mut memo: FxHashMap<TermId, Option<i128>> = FxHashMap::default();
    loop {
        *left = left.checked_sub(cone.len())?;
        let values: FxHashMap<SymId, i128> =
            symbols.iter().zip(choices).zip(&at).map(|((s, c), i)| (*s, c[*i])).collect();
        if enumerate::holds(arena, cone, query.want, query.mode, &values, &mut memo) {
            return Some(values);
        }
        let next = (0..at.len()).rev().find(|i| at[*i] + 1 < choices[*i].len())?;
        at[next] += 1;
        at[next + 1..].fill(0);
    }
}

/// Returns the range of a symbol in the query.
fn range(arena: &Arena, query: &Query, s: SymId) -> Interval {
    query.bounds.iter().filter(|b| b.0 == s).fold(arena.symbol(s).range, |r, b| r.intersect(b.1))
}

fn few(r: Interval) -> Vec<i128> {
    kept(r, [Some(0), Some(1), r.lo, r.hi].into_iter().flatten())
}

/// Candidate values, smallest first, as readers of a counterexample want it.
fn many(r: Interval) -> Vec<i128> {
    let turns = (0..64)
        .flat_map(|k| {
            let p = 1_i128 << k;
            [p - 1, p, p + 1]
        })
        .flat_map(|v| [v, -v]);
    kept(r, turns.chain([r.lo, r.hi].into_iter().flatten()))
}

fn kept(r: Interval, all: impl Iterator<Item = i128>) -> Vec<i128> {
    let mut all: Vec<i128> = all.filter(|v| r.contains_value(*v)).collect();
    all.sort_unstable_by_key(|v| (v.unsigned_abs(), *v < 0));
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::{few, many, model, range};
    use crate::solver::query::Query;
    use crate::solver::tests::{id, sym};
    use crate::solver::{GroupResults, ModelAnswer, PositiveSymbols, SolverLimits, WrapMode, find_model};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind, TermId};

    /// Rounds a positive `int` up by `n |= n >> 1; …; n + 1`.
    #[test]
    fn a_size_that_is_rounded_beyond_its_type_is_found() {
        let mut a = Arena::default();
        let n = a.fresh(SymKind::Input(InputSource::Argv(1)), "n", Interval::new(1, (1 << 31) - 1));
        let mut all = n;
        for shift in [1, 2, 4, 8, 16] {
            let part = a.floor_div(all, 1 << shift);
            all = a.bit_or(all, part, 32);
        }
        let most = a.int((1 << 31) - 2);
        let wraps = a.lt(most, all);
        let limits = SolverLimits { work: base::work::Work::seconds(2), ..SolverLimits::default() };
        let ModelAnswer::Model(m) = find_model(
            &a,
            &[wraps],
            &a.symbols_of(&[n]),
            &PositiveSymbols::default(),
            WrapMode::Assume,
            &limits,
            &mut GroupResults::default(),
        ) else {
            panic!("no model")
        };
        // The least value with the highest bit set.
        assert_eq!(m.value(&a, n, WrapMode::Assume), Some(1 << 30));
    }

    /// The candidates are powers of two, their neighbours, and the ends of the range, of both signs, smallest first.
    #[test]
    fn what_is_tried_lies_in_the_range_at_powers_and_ends() {
        assert_eq!(few(Interval::new(-3, 5)), [0, 1, -3, 5]);
        assert_eq!(few(Interval::new(2, 5)), [2, 5]);
        assert_eq!(many(Interval::new(-6, 12)), [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, -6, 7, 8, 9, 12]);
        let all = many(Interval::of_int(64, true));
        for k in 0..63 {
            let p = 1_i128 << k;
            assert!([p - 1, p, p + 1, -p, -p - 1, 1 - p].iter().all(|v| all.contains(v)), "2^{k}");
        }
        assert!(many(Interval::of_int(64, false)).contains(&(1 << 63)));
    }

    #[test]
    fn bounds_of_a_query_narrow_ranges() {
        let mut a = Arena::new();
        let (x, y) = (sym(&mut a, "x", -9, 9), sym(&mut a, "y", -9, 9));
        let (x, y) = (id(&a, x), id(&a, y));
        let bounds = [(x, Interval::new(1, 20)), (y, Interval::new(3, 3)), (x, Interval { lo: None, hi: Some(7) })];
        let query = Query { want: &[], bounds: &bounds, mode: WrapMode::Exact, strict: true };
        assert_eq!(range(&a, &query, x), Interval::new(1, 7));
        assert_eq!(range(&a, &query, y), Interval::new(3, 3));
    }

    /// Each symbol in turn takes all candidates, while the others take the few; only a model is an answer.
    #[test]
    fn a_model_is_found_whichever_symbol_turns() {
        let mut a = Arena::new();
        let names = ["x", "y", "z"].map(|n| sym(&mut a, n, 0, 1000));
        for turning in 0..3 {
            for wanted in [0, 65, 127, 512] {
                let mut turned = names;
                turned.rotate_left(turning);
                let [n, o, p] = turned;
                let [k, flipped, one, zero] = [wanted, wanted ^ 1, 1, 0].map(|v| a.int(v));
                let both = a.bit_xor(n, o, 32);
                let facts = [a.eq(both, flipped), a.eq(n, k), a.eq(o, one), a.eq(p, zero)];
                let want: Vec<_> = facts.iter().map(|f| (*f, true)).collect();
                let m = model(&a, &Query { want: &want, bounds: &[], mode: WrapMode::Exact, strict: true }).unwrap();
                let value = |t: TermId| if t == n { wanted } else { i128::from(t == o) };
                assert_eq!(names.map(|t| m.value(&a, t, WrapMode::Exact)), names.map(|t| Some(value(t))));
                // Nothing satisfies facts that contradict each other.
                let want = [(facts[0], true), (facts[1], true), (facts[2], false), (facts[3], true)];
                assert!(model(&a, &Query { want: &want, bounds: &[], mode: WrapMode::Exact, strict: true }).is_none());
            }
        }
    }
}
