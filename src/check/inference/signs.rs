//! Numbers that code takes for unsigned ones: a bound `n` that is negative is a very large one there, and `n - 1` of an unsigned 0 as well.
//!
//! In: an obligation under a condition that was found for it with numbers that do not wrap. Out: what must not be negative besides, so that the
//! condition suffices with wrap-around below zero as it is. Overflow beyond the largest value stays what is said of it.

use super::wording::{Names, Words};
use crate::obligations::decide::Decider;
use crate::obligations::obligation::{Decision, Obligation};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Term, TermId};

/// Numbers that are looked at.
const MOST: usize = 4;

/// What a condition needs besides, and the operations that must not wrap for all of it to suffice; `None` where it does not.
pub(super) fn sufficient(
    a: &mut Arena,
    decider: &mut Decider,
    names: &Names,
    under: &Obligation,
) -> Option<(TermId, Vec<String>)> {
    let nothing = a.bool(true);
    let alone = wraps(decider.decide_roughly(a, under));
    if alone.as_ref().is_some_and(Vec::is_empty) {
        return Some((nothing, vec![]));
    }
    let mut signs = signs(a, names, under);
    let with = |a: &mut Arena, decider: &mut Decider, signs: &[TermId]| {
        let all = a.and_all(signs.to_vec());
        let facts = a.and(under.facts, all);
        let possible =
            a.as_bool(facts) != Some(false) && matches!(decider.happens_roughly(a, facts), Decision::Fails { .. });
        possible.then(|| wraps(decider.decide_roughly(a, &Obligation { facts, ..under.clone() }))).flatten()
    };
    let with_all = if signs.is_empty() { None } else { with(a, decider, &signs) };
    let Some(best) = with_all.filter(|w| alone.as_ref().is_none_or(|alone| w.len() < alone.len())) else {
        return alone.map(|ops| (nothing, ops));
    };
    // Each that it does without is left out.
    let mut i = 0;
    while i < signs.len() && signs.len() > 1 {
        let fewer: Vec<TermId> = signs.iter().copied().filter(|s| *s != signs[i]).collect();
        match with(a, decider, &fewer).filter(|w| w.len() <= best.len()) {
            Some(_) => signs = fewer,
            None => i += 1,
        }
    }
    Some((a.and_all(signs), best))
}

/// What must not wrap; `None` where it is not safe then either.
fn wraps(decision: Decision) -> Option<Vec<String>> {
    match decision {
        Decision::Safe => Some(vec![]),
        Decision::SafeIfNoWrap(ops) => Some(ops),
        Decision::Fails { .. } | Decision::Unknown(_) => None,
    }
}

/// That what is read as an unsigned number is none below zero, where contracts have words for it.
fn signs(a: &mut Arena, names: &Names, under: &Obligation) -> Vec<TermId> {
    let (zero, mut out) = (a.int(0), vec![]);
    for t in a.cone(&[under.facts, under.offset, under.extent]) {
        let Term::Wrap { arg, signed: false, .. } = *a.get(t) else { continue };
        if !names.has(a, arg, Words::default()) || a.range(arg).lo.is_some_and(|lo| lo >= 0) {
            continue;
        }
        let positive = a.le(zero, arg);
        if a.as_bool(positive).is_none() && !out.contains(&positive) && out.len() < MOST {
            out.push(positive);
        }
    }
    out
}
