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

#[cfg(test)]
mod tests {
    use super::{factors, solved_for};
    use engine::symbolic::terms::arena::Arena;
    use engine::symbolic::terms::eval::Valuation;
    use engine::symbolic::terms::interval::Interval;
    use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};

    fn symbols(a: &mut Arena) -> [TermId; 2] {
        ["x", "y"].map(|n| a.fresh(SymKind::Input(InputSource::World(n.into())), n, Interval::new(-6, 6)))
    }

    fn id(a: &Arena, t: TermId) -> SymId {
        match a.get(t) {
            Term::Sym(s) => *s,
            other => panic!("not a symbol: {other:?}"),
        }
    }

    /// Values of the terms under each assignment.
    fn values<const N: usize>(a: &Arena, of: [TermId; 2], terms: [TermId; N]) -> Vec<[Option<i128>; N]> {
        let x = id(a, of[0]);
        let pairs = (-6..=6).flat_map(|v| (-6..=6).map(move |w| (v, w)));
        let each = pairs.map(|(v, w)| {
            let symbols = |s| Some(if s == x { v } else { w });
            let all = a.eval_under(&terms, &Valuation { symbols: &symbols, apply: &|_, _| None, wraps: true });
            terms.map(|t| all[&t])
        });
        each.collect()
    }

    #[test]
    fn a_solved_equation_has_the_same_solutions() {
        let mut solved = 0;
        for (cx, cy, c) in (-2..=2).flat_map(|cx| (-2..=2).flat_map(move |cy| (-3..=3).map(move |c| (cx, cy, c)))) {
            let mut a = Arena::new();
            let of = symbols(&mut a);
            let (x, y, c_) = (a.scale(of[0], cx), a.scale(of[1], cy), a.int(c));
            let sum = a.add(x, y);
            let equation = a.eq(sum, c_);
            for only in [&of[..], &of[1..]] {
                let Some((symbol, value)) = solved_for(&mut a, equation, only) else { continue };
                solved += 1;
                assert!(only.contains(&symbol) && !a.cone(&[value]).contains(&symbol));
                for [holds, symbol, value] in values(&a, of, [equation, symbol, value]) {
                    assert_eq!(holds == Some(1), symbol == value, "{cx}·x + {cy}·y == {c}");
                }
            }
        }
        assert!(solved > 100, "{solved}");
    }

    #[test]
    fn a_square_is_no_definition() {
        let mut a = Arena::new();
        let [x, y] = symbols(&mut a);
        let (square, three) = (a.mul(x, x), a.int(3));
        let sum = a.add(square, x);
        let (own, of_y) = (a.eq(sum, three), a.eq(square, y));
        assert_eq!(solved_for(&mut a, own, &[x, y]), None);
        assert_eq!(solved_for(&mut a, of_y, &[x]), None);
        assert_eq!(solved_for(&mut a, of_y, &[x, y]).map(|s| s.0), Some(y));
        let less = a.lt(x, y);
        assert_eq!(solved_for(&mut a, less, &[x, y]), None);
    }

    #[test]
    fn a_product_is_zero_where_a_factor_is() {
        let mut a = Arena::new();
        let of = symbols(&mut a);
        let (more, zero) = (a.add_const(of[1], 2), a.int(0));
        let floor = a.floor_div(more, 3);
        let product = a.mul(of[0], floor);
        let equation = a.eq(product, zero);
        let parts = factors(&mut a, equation);
        assert_eq!(parts.len(), 2);
        let [one, two] = [parts[0], parts[1]];
        for [holds, one, two] in values(&a, of, [equation, one, two]) {
            assert_eq!(holds == Some(1), one == Some(1) || two == Some(1));
        }
        let single = a.eq(of[0], zero);
        assert_eq!(factors(&mut a, single), [single]);
        let less = a.lt(of[0], of[1]);
        assert_eq!(factors(&mut a, less), [less]);
    }
}
