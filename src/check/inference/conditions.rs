//! Conditions on a function's inputs that make one access safe.
//!
//! In: an obligation and the contract names of symbols. Out: the weakest condition found, as a term, under the parts
//! of the path that mention only the function's inputs. Each condition is proved sufficient before it is returned.
//! Conditions for goals of an access ([`of_goals`]) are not proved, and decide nothing.

use super::dimensions::with_divisors;
use super::signs::sufficient;
use super::wording::{ConditionVocabulary, SymbolNames};
use crate::obligations::decide::LimitedDecider;
use crate::obligations::obligation::{Decision, Obligation};
use crate::solver::{ConditionGoals, FactContext, LARGEST, SolverLimits, WrapMode};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Poly, Term, TermId};
use rustc_hash::FxHashMap;

/// Most conditions of one obligation among which the weakest is chosen.
const MAX: usize = 6;
/// Steps of the elimination.
const STEPS: u32 = 400;

/// A condition for one access.
#[derive(Clone, Debug)]
pub(super) struct AccessCondition {
    /// Conditions that must all hold wherever the function is called.
    pub all: Vec<TermId>,
    pub wraps: Vec<String>,
}

/// Finds a condition; `None` where no condition on the parameters alone suffices.
pub(super) fn of(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    ob: &Obligation,
) -> Option<AccessCondition> {
    let (zero, end) = (a.int(0), a.add(ob.offset, ob.bytes));
    let goals = [a.le(zero, ob.offset), a.le(end, ob.extent)];
    let mut parts = vec![];
    for goal in goals {
        if a.as_bool(goal) == Some(true) || implies(a, decider, ob.facts, goal) {
            continue;
        }
        let found = match in_elements(a, names, ob).filter(|_| goal == goals[1]) {
            Some(goal) => for_goal(a, decider, names, (ob.facts, goal), false),
            None => None,
        };
        match found {
            Some(found) => parts.push(found),
            None => parts.push(for_goal(a, decider, names, (ob.facts, goal), false)?),
        }
    }
    let condition = a.and_all(parts);
    // Each part may be satisfiable and the conjunction not: then everything would be safe under it.
    if !happens(a, decider, names, ob.facts, condition) {
        return None;
    }
    let facts_with = a.and(ob.facts, condition);
    let (more, wraps) = sufficient(a, decider, names, &Obligation { facts: facts_with, ..ob.clone() })?;
    let parts = [condition, more].into_iter().filter(|c| a.as_bool(*c) != Some(true)).collect::<Vec<_>>();
    let all = parts.into_iter().map(|c| where_made(a, decider, names, ob.facts, c)).collect();
    Some(AccessCondition { all, wraps }).filter(|found| !found.all.is_empty())
}

/// Finds a condition for each goal separately: each is satisfiable, while products and quotients leave the
/// conjunction undecided.
pub(super) fn of_goals(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    facts: TermId,
    goals: &[TermId],
) -> Option<Vec<TermId>> {
    let mut parts: Vec<TermId> = vec![];
    let under = with_divisors(a, facts, goals);
    for goal in goals {
        if a.as_bool(*goal) != Some(true) && !implies(a, decider, under, *goal) {
            let found = for_goal(a, decider, names, (under, *goal), false)?;
            parts.extend(a.conjuncts(found));
        }
    }
    parts.sort_unstable();
    parts.dedup();
    let parts: Vec<TermId> = parts.into_iter().map(|c| where_made(a, decider, names, facts, c)).collect();
    Some(parts).filter(|parts| !parts.is_empty())
}

/// Most choices in one comparison that are split.
const SPLIT: u32 = 4;

/// Rewrites a condition without the choices of values that it compares, where that makes it no larger: `k <= min(k, n)`
/// is `k <= n`.
pub(super) fn without_choices(a: &mut Arena, t: TermId) -> TermId {
    split_choices(a, t, SPLIT)
}

fn split_choices(a: &mut Arena, t: TermId, left: u32) -> TermId {
    let rewritten = |a: &mut Arena, all: &[TermId]| all.iter().map(|t| split_choices(a, *t, left)).collect::<Vec<_>>();
    let compared = match a.get(t).clone() {
        Term::And(all) => {
            let all = rewritten(a, &all);
            return a.and_all(all);
        }
        Term::Or(all) => {
            let all = rewritten(a, &all);
            return a.or_all(all);
        }
        Term::Le(x) | Term::EqZ(x) if left > 0 => x,
        _ => return t,
    };
    let choice = a.poly(compared).terms.iter().find_map(|(m, _)| {
        m.iter().find_map(|x| if let Term::Ite(c, yes, no) = *a.get(*x) { Some((*x, c, yes, no)) } else { None })
    });
    let Some((choice, c, yes, no)) = choice else { return t };
    let mut side = |value: TermId| a.substitute(t, &std::iter::once((choice, value)).collect());
    let (yes, no) = (side(yes), side(no));
    let otherwise = a.not(c);
    let (yes, no) = (a.or(otherwise, yes), a.or(c, no));
    let (yes, no) = (split_choices(a, yes, left - 1), split_choices(a, no, left - 1));
    let split = a.and(yes, no);
    if a.cone(&[split]).len() <= a.cone(&[t]).len() { split } else { t }
}

/// Weakens a condition to paths on which the access happens: if these depend only on the function's inputs, other
/// inputs need no condition.
pub(super) fn where_made(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    facts: TermId,
    condition: TermId,
) -> TermId {
    let mut given = a.conjuncts(facts);
    given.retain(|f| names.has(a, *f, ConditionVocabulary::default()) && !names.checked.contains(f));
    given.retain(|f| {
        let otherwise = a.not(*f);
        !implies(a, decider, otherwise, condition)
    });
    let given = a.and_all(given);
    let otherwise = a.not(given);
    a.or(otherwise, condition)
}

/// Builds the condition that an access lies in its object, counted in elements: a quotient is bounded itself, not a
/// multiple of it. `None` where there is no quotient or remainder, or the access does not consist of whole elements.
fn in_elements(a: &mut Arena, names: &SymbolNames, ob: &Obligation) -> Option<TermId> {
    let is_quotient =
        |t: &TermId| matches!(a.get(*t), Term::Div(..) | Term::Rem(..) | Term::FloorDiv(..) | Term::Mod(..));
    a.cone(&[ob.offset]).iter().any(is_quotient).then_some(())?;
    let (elements, size) = names.in_elements(a, ob.extent).or_else(|| {
        let size = a.as_int(ob.bytes).filter(|size| *size > 1)?;
        Some((divided(a, ob.extent, size)?, size))
    })?;
    let end = a.add(ob.offset, ob.bytes);
    let end = divided(a, end, size)?;
    Some(a.le(end, elements))
}

/// Divides a sum by a number that divides every part; `None` for other sums.
fn divided(a: &mut Arena, t: TermId, by: i128) -> Option<TermId> {
    let p = a.poly(t);
    if p.terms.iter().any(|(_, c)| c % by != 0) {
        return None;
    }
    Some(a.from_poly(Poly { terms: p.terms.into_iter().map(|(m, c)| (m, c / by)).collect() }))
}

/// Finds a condition for one goal: on the parameters alone, else on the launch too, else with larger constants; if
/// there is none, with assumed signs of factors and divisors. `elements`: the condition may mention array elements.
pub(super) fn for_goal(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    (facts, goal): (TermId, TermId),
    elements: bool,
) -> Option<TermId> {
    let mut with = a.bool(true);
    for signs in [false, true] {
        if signs {
            let more = signs_of_factors(a, names, facts, goal, elements)?;
            with = more;
        }
        let all = a.and(facts, with);
        let literals = a.conjuncts(all);
        // By a fact `n % 2 == 0` the search knows `n` as `2 * (n / 2)`, and no condition on `n` is found.
        let undivided: Vec<TermId> = literals.iter().copied().filter(|f| !is_divisibility(a, *f)).collect();
        let mut contexts = vec![FactContext::new(a, &literals, WrapMode::Assume)];
        if undivided.len() < literals.len() {
            contexts.push(FactContext::new(a, &undivided, WrapMode::Assume));
        }
        for (launch, largest) in [(false, 1), (true, 1), (false, LARGEST), (true, LARGEST)] {
            let words = ConditionVocabulary { launch, elements };
            let found = weakest(a, decider, names, &mut contexts, (all, goal), (words, largest));
            if let Some(found) = found {
                return Some(a.and(with, found));
            }
        }
    }
    None
}

/// Whether a fact says that a number is a multiple of a constant.
fn is_divisibility(a: &Arena, fact: TermId) -> bool {
    let Term::EqZ(t) = *a.get(fact) else { return false };
    a.poly(t).terms.iter().any(|(m, _)| {
        m.iter().any(|t| match a.get(*t) {
            Term::Mod(..) => true,
            Term::Rem(_, by) => a.as_int(*by).is_some(),
            _ => false,
        })
    })
}

/// Builds the condition that parameters which are factors in products of the goal are non-negative, and that divisors
/// are positive; `None` where the facts imply all of this.
fn signs_of_factors(a: &mut Arena, names: &SymbolNames, facts: TermId, goal: TermId, elements: bool) -> Option<TermId> {
    let is_factor = |t: TermId| names.is_parameter(t) || elements && names.is_element(t);
    let mut factors: Vec<TermId> = vec![];
    let mut divisors: Vec<TermId> = vec![];
    for t in a.cone(&[goal]) {
        if let Term::Div(_, by) | Term::Rem(_, by) = a.get(t)
            && names.has(a, *by, ConditionVocabulary { launch: true, elements })
            && a.range(*by).lo.is_none_or(|lo| lo < 1)
            && !divisors.contains(by)
        {
            divisors.push(*by);
        }
        if !matches!(a.get(t), Term::Poly(_) | Term::Le(_)) {
            continue;
        }
        let t = if let Term::Le(x) = a.get(t) { *x } else { t };
        for (m, _) in &a.poly(t).terms {
            for f in m.iter().filter(|_| m.len() > 1) {
                if is_factor(*f) && a.range(*f).lo.is_none_or(|lo| lo < 0) && !factors.contains(f) {
                    factors.push(*f);
                }
            }
        }
    }
    factors.retain(|f| !divisors.contains(f));
    let (zero, one) = (a.int(0), a.int(1));
    let known = a.conjuncts(facts);
    let mut signs: Vec<TermId> = factors.iter().map(|f| a.le(zero, *f)).collect();
    signs.extend(divisors.iter().map(|d| a.le(one, *d)));
    signs.retain(|c| !known.contains(c));
    (!signs.is_empty()).then(|| a.and_all(signs))
}

/// Chooses a condition for one goal: the simplest of those that are not strictly stronger than another candidate.
fn weakest(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    contexts: &mut [FactContext],
    (facts, goal): (TermId, TermId),
    (words, largest): (ConditionVocabulary, i128),
) -> Option<TermId> {
    let limits = SolverLimits { steps: STEPS, ..decider.attempt.limits };
    let stays = |a: &Arena, t: TermId| names.has(a, t, words);
    let mut found: Vec<Poly> = vec![];
    for context in contexts {
        found.extend(context.conditions(a, goal, &stays, ConditionGoals { most: MAX, largest }, &limits));
    }
    let mut good: Vec<(usize, TermId)> = vec![];
    for p in found {
        let p = without_factors(a, decider, facts, p);
        let size = p.terms.iter().map(|(m, _)| 1 + m.len()).sum();
        let t = a.from_poly(p);
        let zero = a.int(0);
        let condition = a.le(zero, t);
        // A relation between several array elements cannot be stated for each element.
        if words.elements && names.elements_in(a, condition).len() > 1 {
            continue;
        }
        // An unsatisfiable condition would make everything safe.
        if a.as_bool(condition) == Some(false) || !happens(a, decider, names, facts, condition) {
            continue;
        }
        good.push((size, condition));
    }
    good.sort_unstable();
    good.dedup();
    // Compare the conditions only where the access happens.
    let given: Vec<TermId> = a.conjuncts(facts).into_iter().filter(|f| names.has(a, *f, words)).collect();
    let given = a.and_all(given);
    let mut implied: FxHashMap<(TermId, TermId), bool> = FxHashMap::default();
    for (_, x) in &good {
        for (_, y) in good.iter().filter(|(_, y)| y != x) {
            let there = a.and(given, *x);
            let implies_it = implies(a, decider, there, *y);
            implied.insert((*x, *y), implies_it);
        }
    }
    let implies_it = |x: TermId, y: TermId| implied.get(&(x, y)) == Some(&true);
    // Conditions strictly stronger than another one are dropped; of the others, which are not known to be ordered,
    // the simplest stays.
    let asks_more = |x: TermId| good.iter().any(|(_, y)| implies_it(x, *y) && !implies_it(*y, x));
    good.iter().filter(|(_, c)| !asks_more(*c)).min_by_key(|(size, _)| *size).map(|(_, c)| *c)
}

/// Removes from `P >= 0` the common factors of `P` that are known to be positive.
fn without_factors(a: &mut Arena, decider: &mut LimitedDecider<'_>, facts: TermId, p: Poly) -> Poly {
    let mut p = p;
    let Some((first, _)) = p.terms.first().cloned() else { return p };
    for f in first {
        if !p.terms.iter().all(|(m, _)| m.contains(&f)) {
            continue;
        }
        let one = a.int(1);
        let positive = a.le(one, f);
        if !implies(a, decider, facts, positive) {
            continue;
        }
        for (m, _) in &mut p.terms {
            if let Some(at) = m.iter().position(|x| *x == f) {
                m.remove(at);
            }
        }
        p.terms.sort_unstable_by(|x, y| x.0.cmp(&y.0));
    }
    p
}

/// Whether one condition implies another.
pub(super) fn implies(a: &mut Arena, decider: &mut LimitedDecider<'_>, x: TermId, y: TermId) -> bool {
    let not = a.not(y);
    let both = a.and(x, not);
    a.as_bool(both) == Some(false) || decider.implies(a, x, y)
}

/// Whether both can hold together. Where products and quotients by parameters leave that undecided, those parameters
/// are set to 1.
pub(super) fn happens(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    facts: TermId,
    condition: TermId,
) -> bool {
    let both = a.and(facts, condition);
    if a.as_bool(both) == Some(false) {
        return false;
    }
    match decider.happens_roughly(a, both).decision {
        Decision::Fails(_) => return true,
        Decision::Safe => return false,
        _ => {}
    }
    let one = a.int(1);
    let mut ones: FxHashMap<TermId, TermId> = FxHashMap::default();
    for t in a.cone(&[both]) {
        match a.get(t) {
            Term::Div(_, by) | Term::Rem(_, by) => drop(ones.insert(*by, one)),
            Term::Poly(p) => {
                ones.extend(p.terms.iter().filter(|(m, _)| m.len() > 1).flat_map(|(m, _)| m.iter().map(|f| (*f, one))));
            }
            _ => {}
        }
    }
    ones.retain(|t, _| names.is_parameter(*t));
    let simpler = a.substitute(both, &ones);
    !ones.is_empty()
        && a.as_bool(simpler) != Some(false)
        && matches!(decider.happens_roughly(a, simpler).decision, Decision::Fails(_))
}
