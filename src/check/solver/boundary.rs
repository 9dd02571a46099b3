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
    use crate::solver::{GroupResults, ModelAnswer, PositiveSymbols, SolverLimits, WrapMode, find_model};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymKind};

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
}
