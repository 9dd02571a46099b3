//! Exhaustive enumeration of assignments, where these are few: for bit tricks over thread ids, on which integer
//! solvers give up.
//!
//! In: terms, each with the truth value it must have. Out: a model, or unsatisfiable; nothing where a symbol is
//! unbounded, assignments are too many, or an operation may lack a value.

use super::query::{Model, SolverOutcome, WrapMode};
use base::work::{charge_each, cost};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::eval::Valuation;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, Term, TermId};
use rustc_hash::FxHashMap;

/// Most evaluations (assignments times terms): a few tenths of a second.
const MAX_EVALUATIONS: i128 = 4_000_000;

pub(super) fn decide(arena: &Arena, want: &[(TermId, bool)], mode: WrapMode) -> Option<SolverOutcome> {
    let roots: Vec<TermId> = want.iter().map(|w| w.0).collect();
    let cone = arena.cone(&roots);
    if cone.iter().any(|t| partial(arena, *t)) {
        return None;
    }
    let symbols = arena.symbols_of(&roots);
    let mut work = i128::try_from(cone.len()).ok()?;
    let mut ranges: Vec<(SymId, i128, i128)> = vec![];
    for s in symbols {
        let r = arena.symbol(s).range;
        let (lo, hi) = (r.lo?, r.hi?);
        work = work.checked_mul(hi.checked_sub(lo)?.checked_add(1)?)?;
        if work > MAX_EVALUATIONS {
            return None;
        }
        ranges.push((s, lo, hi));
    }
    let mut values: FxHashMap<SymId, i128> = ranges.iter().map(|(s, lo, _)| (*s, *lo)).collect();
    let mut memo: FxHashMap<TermId, Option<i128>> = FxHashMap::default();
    loop {
        if holds(arena, &cone, want, mode, &values, &mut memo) {
            return Some(SolverOutcome::Sat(Model { values, ..Model::default() }));
        }
        // Advance to the next assignment, as an odometer does.
        let Some(i) = ranges.iter().rposition(|(s, _, hi)| values[s] < *hi) else { return Some(SolverOutcome::Unsat) };
        *values.entry(ranges[i].0).or_default() += 1;
        for (s, lo, _) in &ranges[i + 1..] {
            values.insert(*s, *lo);
        }
    }
}

/// Evaluates the terms under these values of symbols; returns whether every wanted truth value results. `cone` lists
/// all terms below them, children first.
pub(super) fn holds(
    arena: &Arena,
    cone: &[TermId],
    want: &[(TermId, bool)],
    mode: WrapMode,
    values: &FxHashMap<SymId, i128>,
    memo: &mut FxHashMap<TermId, Option<i128>>,
) -> bool {
    charge_each(cost::EVALUATE, cone.len());
    let under =
        Valuation { symbols: &|s| values.get(&s).copied(), apply: &|_, _| None, wraps: mode == WrapMode::Exact };
    for n in cone {
        let v = arena.eval_node(*n, &under, memo);
        memo.insert(*n, v);
    }
    want.iter().all(|(t, truth)| memo.get(t).copied().flatten() == Some(i128::from(*truth)))
}

/// Whether the node may lack a value, other than by an assumed wrap.
fn partial(arena: &Arena, t: TermId) -> bool {
    match arena.get(t) {
        Term::Div(_, b) | Term::Rem(_, b) => arena.range(*b).contains_value(0),
        Term::Pow2(a) => !Interval::new(0, 126).contains(arena.range(*a)),
        Term::Apply { .. } => true,
        _ => false,
    }
}
