//! Signed values that code uses as unsigned: a negative bound `n` is then very large, and so is `n - 1` of an
//! unsigned 0.
//!
//! In: an obligation under a condition that was found for it without wraps. Out: signs that the condition also needs
//! to suffice with wrap-around below zero. Overflow beyond the largest value stays an assumption of the condition.

use super::wording::{ConditionVocabulary, SymbolNames};
use crate::obligations::decide::LimitedDecider;
use crate::obligations::obligation::{Decision, Obligation};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Term, TermId};

/// Most values that are examined.
const MAX: usize = 4;

/// Returns the additional signs that a condition needs, and the operations that must not wrap for all of it to
/// suffice; `None` where it does not suffice.
pub(super) fn sufficient(
    a: &mut Arena,
    decider: &mut LimitedDecider<'_>,
    names: &SymbolNames,
    under: &Obligation,
) -> Option<(TermId, Vec<String>)> {
    let nothing = a.bool(true);
    let alone = wraps(decider.decide_roughly(a, under).decision);
    if alone.as_ref().is_some_and(Vec::is_empty) {
        return Some((nothing, vec![]));
    }
    let mut signs = signs(a, decider, names, under);
    let with = |a: &mut Arena, decider: &mut LimitedDecider<'_>, signs: &[TermId]| {
        let all = a.and_all(signs.to_vec());
        let facts = a.and(under.facts, all);
        let possible =
            a.as_bool(facts) != Some(false) && matches!(decider.happens_roughly(a, facts).decision, Decision::Fails(_));
        possible.then(|| wraps(decider.decide_roughly(a, &Obligation { facts, ..under.clone() }).decision)).flatten()
    };
    let with_all = if signs.is_empty() { None } else { with(a, decider, &signs) };
    let Some(best) = with_all.filter(|w| alone.as_ref().is_none_or(|alone| w.len() < alone.len())) else {
        return alone.map(|ops| (nothing, ops));
    };
    // Drop each sign that is not needed.
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

/// Returns the operations that must not wrap; `None` where the obligation is not safe even then.
fn wraps(decision: Decision) -> Option<Vec<String>> {
    match decision {
        Decision::Safe => Some(vec![]),
        Decision::SafeIfNoWrap(ops) => Some(ops),
        Decision::Fails(_) | Decision::Unknown(_) => None,
    }
}

/// Returns conditions that values read as unsigned are non-negative, where contracts can express them.
fn signs(a: &mut Arena, decider: &mut LimitedDecider<'_>, names: &SymbolNames, under: &Obligation) -> Vec<TermId> {
    let (zero, mut out) = (a.int(0), vec![]);
    for t in a.cone(&[under.facts, under.offset, under.extent]) {
        let Term::Wrap { arg, signed: false, .. } = *a.get(t) else { continue };
        if !names.has(a, arg, ConditionVocabulary::default()) || a.range(arg).lo.is_some_and(|lo| lo >= 0) {
            continue;
        }
        let positive = sign_of_its_symbol(a, decider, arg).unwrap_or_else(|| a.le(zero, arg));
        if a.as_bool(positive).is_none() && !out.contains(&positive) && out.len() < MAX {
            out.push(positive);
        }
    }
    out
}

/// Returns the condition that the only symbol of a number is non-negative, where the number then is, too: `n >= 0` for
/// the grid `n / 256 + (n % 256 > 0)`.
fn sign_of_its_symbol(a: &mut Arena, decider: &mut LimitedDecider<'_>, number: TermId) -> Option<TermId> {
    let mut symbols = a.cone(&[number]).into_iter().filter(|t| matches!(a.get(*t), Term::Sym(_)));
    let (Some(symbol), None) = (symbols.next(), symbols.next()) else { return None };
    let zero = a.int(0);
    let (positive, follows) = (a.le(zero, symbol), a.le(zero, number));
    decider.implies(a, positive, follows).then_some(positive)
}
