//! Models with small values: a counterexample that is cheap to run and easy to read.

use super::query::{Model, ModelAnswer, PositiveSymbols, Query, SolverBudget, SolverLimits, SolverOutcome, WrapMode};
use super::{boundary, smt};
use base::work::Work;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, TermId};

/// Bounds on the magnitude of inputs, tried in turn.
const STEPS: [i128; 12] = [1, 2, 3, 4, 8, 16, 32, 64, 128, 1024, 16_384, 1 << 20];
/// Steps tried first, by index: most counterexamples need no input above 4, and goals without any fail soon.
const LADDER: [usize; 3] = [3, 7, 11];
/// Magnitude that no further query reduces: nobody minds a 3 in place of a 1.
const SMALL: i128 = 4;
/// Work of one bounded attempt: a small model is worth a little, not the whole budget.
const ATTEMPT: Work = Work::millis(300);

pub(super) fn find(
    arena: &Arena,
    facts: &[TermId],
    prefer_small: &[SymId],
    positive: &PositiveSymbols,
    mode: WrapMode,
    limits: &SolverLimits,
) -> ModelAnswer {
    if let Some(reason) = smt::refuse() {
        return ModelAnswer::Unknown(reason);
    }
    let budget = SolverBudget::new(limits);
    let want: Vec<(TermId, bool)> = facts.iter().map(|f| (*f, true)).collect();
    let from_one = |all: &[SymId]| -> Vec<(SymId, Interval)> {
        all.iter().map(|s| (*s, Interval { lo: Some(1), hi: None })).collect()
    };
    let at_least_one = from_one(&positive.wished);
    let bounded = |k: i128| -> Option<Model> {
        let mut bounds = at_least_one.clone();
        bounds.extend(prefer_small.iter().map(|s| (*s, Interval::new(-k, k))));
        match attempt(arena, &want, &bounds, mode, &budget) {
            SolverOutcome::Sat(m) => Some(m),
            _ => None,
        }
    };
    // Small values are tried first: reasoning about bits takes the solver too long to search for smaller ones
    // afterwards.
    if let Some(m) = boundary::model(arena, &Query { want: &want, bounds: &at_least_one, mode, strict: true }) {
        return ModelAnswer::Model(lower(arena, m, &want, prefer_small, &at_least_one, mode, &budget));
    }
    let mut below = 0;
    for top in LADDER {
        if budget.spent() {
            break;
        }
        let Some(mut model) = bounded(STEPS[top]) else {
            below = top + 1;
            continue;
        };
        // Find the least bound with a model, between the last that failed and this one.
        let mut top = top;
        while below < top && !budget.spent() {
            let mid = below + (top - below) / 2;
            match bounded(STEPS[mid]) {
                Some(m) => {
                    model = m;
                    top = mid;
                }
                None => below = mid + 1,
            }
        }
        return ModelAnswer::Model(shrink(arena, model, &want, prefer_small, &at_least_one, mode, &budget));
    }
    let mut fewer = vec![at_least_one];
    if positive.sizes.len() < positive.wished.len() {
        fewer.push(from_one(&positive.sizes));
    }
    for kept in fewer.iter().filter(|kept| !kept.is_empty()) {
        if let SolverOutcome::Sat(m) = attempt(arena, &want, kept, mode, &budget) {
            return ModelAnswer::Model(shrink(arena, m, &want, prefer_small, kept, mode, &budget));
        }
    }
    match smt::decide(arena, &want, mode, &budget) {
        SolverOutcome::Sat(m) => ModelAnswer::Model(shrink(arena, m, &want, prefer_small, &[], mode, &budget)),
        SolverOutcome::Unsat => ModelAnswer::Unsat,
        SolverOutcome::Unknown(why) => ModelAnswer::Unknown(why),
    }
}

fn attempt(
    arena: &Arena,
    want: &[(TermId, bool)],
    bounds: &[(SymId, Interval)],
    mode: WrapMode,
    budget: &SolverBudget,
) -> SolverOutcome {
    let query = Query { want, bounds, mode, strict: true };
    match smt::check(arena, &query, budget.at_most(ATTEMPT)) {
        SolverOutcome::Sat(m) => smt::checked(arena, m, want, mode),
        other => other,
    }
}

/// Makes each input in turn as small as the others allow: by evaluation while these keep their values, then, where it
/// is still large, by halving its magnitude and asking again.
fn shrink(
    arena: &Arena,
    model: Model,
    want: &[(TermId, bool)],
    inputs: &[SymId],
    kept: &[(SymId, Interval)],
    mode: WrapMode,
    budget: &SolverBudget,
) -> Model {
    let mut model = lower(arena, model, want, inputs, kept, mode, budget);
    let mut fixed: Vec<(SymId, Interval)> = kept.to_vec();
    for &s in inputs {
        let Some(mut size) = model.values.get(&s).map(|v| v.abs()) else { continue };
        let mut low = least(arena, s, kept) - 1;
        // Invariant: there is a model with magnitude `size`, none was found with magnitude `low`.
        while size > SMALL && size - low > 1 && !budget.spent() {
            let mid = low + (size - low) / 2;
            let mut bounds = fixed.clone();
            bounds.push((s, Interval::new(-mid, mid)));
            bounds.extend(
                inputs
                    .iter()
                    .filter(|o| **o != s)
                    .filter_map(|o| model.values.get(o).map(|v| (*o, Interval::new(-v.abs(), v.abs())))),
            );
            match attempt(arena, want, &bounds, mode, budget) {
                SolverOutcome::Sat(m) => {
                    size = m.values.get(&s).map_or(size, |v| v.abs()).min(mid);
                    model = m;
                }
                _ => low = mid,
            }
        }
        fixed.push((s, Interval::new(-size, size)));
    }
    model
}

/// Makes each input in turn as small as possible while everything else keeps its value.
fn lower(
    arena: &Arena,
    mut model: Model,
    want: &[(TermId, bool)],
    inputs: &[SymId],
    kept: &[(SymId, Interval)],
    mode: WrapMode,
    budget: &SolverBudget,
) -> Model {
    for &s in inputs {
        let Some(&now) = model.values.get(&s) else { continue };
        let first = least(arena, s, kept);
        let each = std::iter::once(0).chain(STEPS).filter(|v| *v >= first && *v < now.abs());
        for v in each {
            if budget.spent() {
                return model;
            }
            model.values.insert(s, v * now.signum());
            if model.refuted(arena, want, mode).is_none() {
                break;
            }
            model.values.insert(s, now);
        }
    }
    model
}

/// Returns the least magnitude that a symbol's range and the kept bounds allow.
fn least(arena: &Arena, s: SymId, kept: &[(SymId, Interval)]) -> i128 {
    let floor = |r: Interval| r.lo.unwrap_or(0).max(r.hi.map_or(0, |h| -h)).max(0);
    kept.iter().filter(|k| k.0 == s).fold(floor(arena.symbol(s).range), |l, k| l.max(floor(k.1)))
}

#[cfg(test)]
mod tests {
    use super::{least, lower, shrink};
    use crate::solver::WrapMode;
    use crate::solver::query::{Model, SolverBudget, SolverLimits};
    use crate::solver::tests::{id, sym};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::interval::Interval;
    use rustc_hash::FxHashMap;

    #[test]
    fn the_least_magnitude_is_that_of_the_value_nearest_to_zero() {
        for lo in -9..=9 {
            for hi in lo..=9 {
                for from in -9..=9 {
                    let mut a = Arena::new();
                    let (x, other) = (sym(&mut a, "x", lo, hi), sym(&mut a, "y", 0, 9));
                    let (x, other) = (id(&a, x), id(&a, other));
                    let kept =
                        [(x, Interval { lo: Some(from), hi: None }), (other, Interval { lo: Some(8), hi: None })];
                    let nearest = (lo..=hi).map(i128::abs).min().unwrap();
                    assert_eq!(least(&a, x, &[]), nearest);
                    assert_eq!(least(&a, x, &kept), nearest.max(from), "{lo}..{hi} from {from}");
                }
            }
        }
    }

    /// The first of 0, 1, 2, 3, 4, 8, 16, … that satisfies the facts and the kept bounds takes the place of a larger value.
    #[test]
    fn values_are_lowered_as_far_as_the_facts_allow() {
        // Value before, facts `least <= |x|`, kept from, expected.
        for (now, least, from, expected) in [
            (1000, 37, 0, 64),
            (1000, 64, 0, 64),
            (1000, 65, 0, 128),
            (1000, 1000, 0, 1000),
            (60, 37, 0, 60),
            (64, 37, 0, 64),
            (65, 37, 0, 64),
            (1000, 0, 0, 0),
            (1000, 0, 1, 1),
            (1000, 0, 100, 128),
            (1, 0, 1, 1),
            (5, 3, 0, 3),
            (-1000, 37, 0, -64),
            (-5, 0, 0, 0),
        ] {
            let mut a = Arena::new();
            let x = sym(&mut a, "x", -2000, 2000);
            let (magnitude, limit) = (a.scale(x, if now < 0 { -1 } else { 1 }), a.int(least));
            let want = [(a.le(limit, magnitude), true)];
            let s = id(&a, x);
            let kept = [(s, Interval { lo: Some(from), hi: None })];
            let model = Model { values: FxHashMap::from_iter([(s, now)]), ..Model::default() };
            let budget = SolverBudget::new(&SolverLimits::default());
            let kept = if from > 0 { &kept[..] } else { &[] };
            let model = lower(&a, model, &want, &[s], kept, WrapMode::Exact, &budget);
            assert_eq!(model.values[&s], expected, "{now} where {least} or {from} is least");
        }
    }

    /// Halving finds the least value between two steps.
    #[test]
    fn values_shrink_to_the_least_that_the_facts_allow() {
        for least in [5, 23, 31, 32, 33, 47, 100] {
            let mut a = Arena::new();
            let (x, y) = (sym(&mut a, "x", 0, 2000), sym(&mut a, "y", 0, 2000));
            let (product, square) = (a.mul(x, y), a.int(least * least));
            let want = [(a.le(square, product), true), (a.eq(x, y), true)];
            let (s, t) = (id(&a, x), id(&a, y));
            let model = Model { values: FxHashMap::from_iter([(s, 1000), (t, 1000)]), ..Model::default() };
            let budget = SolverBudget::new(&SolverLimits::default());
            let model = shrink(&a, model, &want, &[s, t], &[], WrapMode::Exact, &budget);
            assert_eq!((model.values[&s], model.values[&t]), (least, least));
        }
    }
}
