//! Decisions about accesses that may be unaligned.
//!
//! In: an access with the divisor that its offset must have. Out: whether it can happen without having it. The divisors
//! of terms decide most ([`KnownDivisors`]), after equalities of which the alternatives cannot hold (unit propagation,
//! as of `x.size(0) == 1 || x.stride(0) == x.size(1)` in a matrix of several rows); a solver decides the others.

use super::obligation::Decision;
use crate::context::{CheckContext, RootTools};
use base::reasons::UnknownReason;
use base::work::Work;
use engine::symbolic::exec::events::UnalignedEvent;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::congruence::KnownDivisors;
use engine::symbolic::terms::term::{Poly, SymKind, Term, TermId};
use rustc_hash::FxHashMap;

/// Most alternatives of an equality that are refuted, and most work for one.
const ALTERNATIVES: usize = 3;
const REFUTATION: Work = Work::millis(20);

/// Decides whether the access can happen unaligned.
pub(crate) fn decide(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, event: &UnalignedEvent) -> Decision {
    if event.begins < event.align {
        let name = tools.e.object(event.object).name.clone();
        return Decision::Unknown(UnknownReason::AlignmentOfVariable(name, event.align));
    }
    if is_multiple(cx, tools, event) {
        return Decision::Safe;
    }
    tools.happens(cx, event.path).decision
}

fn is_multiple(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, event: &UnalignedEvent) -> bool {
    let facts = tools.e.arena.conjuncts(event.happens);
    let equal = units(cx, tools, &facts, event);
    if equal.is_empty() {
        // The execution has looked already.
        return false;
    }
    let a = &mut tools.e.arena;
    let offset = a.substitute(event.offset, &equal);
    let facts: Vec<TermId> = facts.into_iter().map(|f| a.substitute(f, &equal)).collect();
    KnownDivisors::of(a, &facts).divides(a, event.align.into(), offset)
}

/// Returns what symbols of the offset are equal to by the only alternative that can hold.
fn units(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    facts: &[TermId],
    event: &UnalignedEvent,
) -> FxHashMap<TermId, TermId> {
    let cx = cx.with_work(cx.attempt.limits.work.min(REFUTATION));
    let mut equal = FxHashMap::default();
    let a = &mut tools.e.arena;
    let mut symbols = a.symbols_of(&[event.offset]);
    symbols.retain(|s| matches!(a.symbol(*s).kind, SymKind::Input(_)));
    let symbols: Vec<TermId> = symbols.into_iter().map(|s| a.symbol_term(s)).collect();
    for fact in facts {
        let Term::Or(parts) = tools.e.arena.get(*fact).clone() else { continue };
        let is_solvable = |part: &TermId| solved_for(&mut tools.e.arena, *part, &symbols).is_some();
        if parts.len() > ALTERNATIVES + 1 || !parts.iter().any(is_solvable) {
            continue;
        }
        let refuted: Vec<bool> = parts.iter().map(|part| is_refuted(&cx, tools, event.happens, *part)).collect();
        let mut left = parts.iter().zip(&refuted).filter(|(_, refuted)| !**refuted).map(|(part, _)| *part);
        if let (Some(equation), None) = (left.next(), left.next())
            && let Some((symbol, value)) = solved_for(&mut tools.e.arena, equation, &symbols)
        {
            equal.entry(symbol).or_insert(value);
        }
    }
    equal
}

/// Whether the alternative cannot hold where the access happens.
fn is_refuted(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, happens: TermId, part: TermId) -> bool {
    let all = factors(&mut tools.e.arena, part);
    all.into_iter().all(|part| {
        let a = &mut tools.e.arena;
        let both = a.and(happens, part);
        a.as_bool(both) == Some(false)
            || matches!(tools.decider.with(cx.attempt).happens_roughly(a, both).decision, Decision::Safe)
    })
}

/// Splits the equation of a product with 0 into those of its factors, one of which holds.
fn factors(a: &mut Arena, equation: TermId) -> Vec<TermId> {
    let Term::EqZ(t) = *a.get(equation) else { return vec![equation] };
    match &a.poly(t).terms[..] {
        [(m, _)] if m.len() > 1 => {
            let zero = a.int(0);
            m.iter().map(|factor| a.eq(*factor, zero)).collect()
        }
        _ => vec![equation],
    }
}

/// Solves an equation for one of these symbols.
fn solved_for(a: &mut Arena, equation: TermId, symbols: &[TermId]) -> Option<(TermId, TermId)> {
    let Term::EqZ(t) = *a.get(equation) else { return None };
    let p = a.poly(t);
    let (symbol, c) = p.terms.iter().find_map(|(m, c)| match m[..] {
        [s] if c.abs() == 1 && symbols.contains(&s) => Some((s, *c)),
        _ => None,
    })?;
    let rest = p.terms.iter().filter(|(m, _)| m[..] != [symbol]).map(|(m, k)| (m.clone(), -k * c)).collect();
    let value = a.from_poly(Poly { terms: rest });
    (!a.cone(&[value]).contains(&symbol)).then_some((symbol, value))
}
