//! Normal form of conditions.
//!
//! In: a condition. Out: one that holds for the same values, in a readable form that does not depend on how the
//! condition was written. Negations only stand before comparisons, sums and products are sorted, extents stand on the
//! left, and conjuncts that another one implies are removed.
//!
//! An undefined subterm makes a condition not hold, so a comparison keeps all possibly undefined subterms:
//! `x[i] - x[i] >= 0` is not `true`. Subconditions of a remaining negation (`!forall …`) and the condition of `?:`
//! occur with both polarities, and stay unchanged. Whether both sides of `==` are integers is known for resolved
//! conditions only; others stay unchanged.

use super::ast::{Comparison, Cond, CondKind, ContractFunction, ContractTerm, Forall, Span, TermKind};
use super::constraint::{ConstraintReading, NormalConstraint, keeps, may_both_point, may_point, merge, read};
use super::polynomial::{PartialTerms, Polynomial, address, is_total, normal, polynomial};

/// Normal form of a condition, preferably a resolved one.
#[must_use]
pub fn simplify(c: &Cond) -> Cond {
    simplified(c, true)
}

/// Normal form of the condition, or of its negation if not `positive`.
fn simplified(c: &Cond, positive: bool) -> Cond {
    let all = |conds: &[Cond], and: bool| joined(conds.iter().map(|c| simplified(c, positive)).collect(), and);
    match &c.kind {
        CondKind::Literal(b) => Cond::new(CondKind::Literal(*b == positive), c.span),
        CondKind::Compare(op, a, b) => comparison(if positive { *op } else { op.negated() }, a, b, c.span),
        CondKind::Truth(t) if may_point(t) => {
            negated_unless(positive, Cond::new(CondKind::Truth(Box::new(address(t))), c.span))
        }
        CondKind::Truth(t) => {
            let op = if positive { Comparison::Ne } else { Comparison::Eq };
            comparison(op, t, &ContractTerm::int(0), c.span)
        }
        CondKind::Not(a) => simplified(a, !positive),
        CondKind::And(conds) => all(conds, positive),
        CondKind::Or(conds) => all(conds, !positive),
        CondKind::Implies(a, b) if positive => implication(a, b, c.span),
        CondKind::Implies(a, b) => joined(vec![simplified(a, true), simplified(b, false)], true),
        CondKind::Choice(c, a, b) => match c.kind {
            CondKind::Literal(true) => simplified(a, positive),
            CondKind::Literal(false) => simplified(b, positive),
            _ => {
                let (a, b) = (simplified(a, positive), simplified(b, positive));
                if a == b && is_total(c) { a } else { Cond::choice((**c).clone(), a, b) }
            }
        },
        CondKind::Forall(all) if positive => forall(all, c.span),
        CondKind::Forall(_) => negated_unless(false, c.clone()),
        CondKind::Disjoint(terms) => {
            let mut terms: Vec<ContractTerm> = terms.iter().map(address).collect();
            terms.sort();
            negated_unless(positive, Cond::new(CondKind::Disjoint(terms), c.span))
        }
    }
}

fn negated_unless(positive: bool, c: Cond) -> Cond {
    let span = c.span;
    if positive { c } else { Cond::new(CondKind::Not(Box::new(c)), span) }
}

fn implication(a: &Cond, b: &Cond, span: Span) -> Cond {
    let not_a = simplified(a, false);
    let b = simplified(b, true);
    match (&not_a.kind, &b.kind) {
        (CondKind::Literal(true), _) | (_, CondKind::Literal(true)) => Cond::literal(true),
        (CondKind::Literal(false), _) => b,
        (_, CondKind::Literal(false)) => not_a,
        _ => {
            let a = opposite(&not_a);
            match b.kind {
                CondKind::Implies(c, d) => implication(&Cond::all(vec![a, *c]), &d, span),
                _ => Cond::new(CondKind::Implies(Box::new(a), Box::new(b)), span),
            }
        }
    }
}

/// Negation of a normal form that is undefined where the form is. In contrast, `simplified` may make it false there.
fn opposite(c: &Cond) -> Cond {
    let all = |conds: &[Cond]| conds.iter().map(opposite).collect();
    match &c.kind {
        CondKind::Literal(b) => Cond::literal(!b),
        CondKind::Compare(op, a, b) => NormalConstraint::of(c).and_then(|c| c.negated()?.cond()).unwrap_or_else(|| {
            let kind = CondKind::Compare(op.negated(), a.clone(), b.clone());
            Cond::new(kind, c.span)
        }),
        CondKind::Not(a) => (**a).clone(),
        CondKind::And(conds) => sorted(Cond::any(all(conds))),
        CondKind::Or(conds) => sorted(Cond::all(all(conds))),
        CondKind::Implies(a, b) => sorted(Cond::all(vec![(**a).clone(), opposite(b)])),
        CondKind::Choice(c, a, b) => Cond::choice((**c).clone(), opposite(a), opposite(b)),
        CondKind::Truth(_) | CondKind::Forall(_) | CondKind::Disjoint(_) => negated_unless(false, c.clone()),
    }
}

fn forall(all: &Forall, span: Span) -> Cond {
    let body = simplified(&all.body, true);
    let (from, to) = (normal(&all.from), normal(&all.to));
    let mut partial = PartialTerms::new();
    let end = polynomial(&to, &mut partial).and_then(|to| to.plus(&Polynomial::constant(1), i128::from(all.closed)));
    let start = polynomial(&from, &mut partial);
    let length = start.as_ref().zip(end.as_ref()).and_then(|(from, to)| to.plus(from, -1));
    let never = length.is_some_and(|l| l.is_constant() && l.constant_part() <= 0);
    let total = partial.is_empty() && start.is_some() && end.is_some();
    if total && (never || body.kind == CondKind::Literal(true)) {
        return Cond::literal(true);
    }
    if body.kind == CondKind::Literal(false) {
        return comparison(if all.closed { Comparison::Gt } else { Comparison::Ge }, &from, &to, span);
    }
    // `[0, n - 1]` is `[0, n)`, and `[0, n + 1)` is `[0, n]`.
    let (to, closed) = match end.filter(|end| keeps(&[&from, &end.term()], &partial)) {
        Some(end) if !end.is_constant() && end.constant_part() > 0 => match end.plus(&Polynomial::constant(1), -1) {
            Some(last) => (last.term(), true),
            None => (to, all.closed),
        },
        Some(end) => (end.term(), false),
        None => (to, all.closed),
    };
    let variable = all.variable.clone();
    Cond::new(CondKind::Forall(Box::new(Forall { variable, from, to, closed, body })), span)
}

fn comparison(op: Comparison, a: &ContractTerm, b: &ContractTerm, span: Span) -> Cond {
    let sides = |a: ContractTerm, b: ContractTerm| Cond::new(CondKind::Compare(op, Box::new(a), Box::new(b)), span);
    if matches!(op, Comparison::Eq | Comparison::Ne) && may_both_point(a, b) {
        return sides(address(a), address(b));
    }
    let mut partial = PartialTerms::new();
    let found = match read(op, a, b, &mut partial) {
        Some(ConstraintReading::Never) => return Cond::new(CondKind::Literal(false), span),
        Some(ConstraintReading::Always) => Some(Cond::literal(true)),
        Some(ConstraintReading::Constraint(c)) => c.cond(),
        None => None,
    };
    match found.filter(|c| keeps(&c.terms(), &partial)) {
        Some(c) => Cond::new(c.kind, span),
        None => sides(normal(a), normal(b)),
    }
}

/// Conjunction or disjunction of normal forms.
fn joined(conds: Vec<Cond>, and: bool) -> Cond {
    let flat = match (if and { Cond::all(conds) } else { Cond::any(conds) }).kind {
        CondKind::And(all) if and => all,
        CondKind::Or(all) if !and => all,
        other => vec![Cond::new(other, Span::default())],
    };
    let mut kept: Vec<Cond> = vec![];
    for c in flat {
        match c.kind {
            CondKind::Literal(b) if b == and => {}
            CondKind::Literal(_) => return Cond::literal(!and),
            _ => kept.push(c),
        }
    }
    sort(&mut kept);
    if !merge_all(&mut kept, and) {
        return Cond::literal(!and);
    }
    absorb(&mut kept, and);
    sort(&mut kept);
    if and { Cond::all(kept) } else { Cond::any(kept) }
}

fn sorted(mut c: Cond) -> Cond {
    if let CondKind::And(all) | CondKind::Or(all) = &mut c.kind {
        sort(all);
        if all.len() == 1 {
            return all.remove(0);
        }
    }
    c
}

fn sort(conds: &mut Vec<Cond>) {
    conds.sort_by_cached_key(|c| (class(c), c.to_string()));
    conds.dedup();
}

/// Sort key: sizes first, then extents, then conditions on contents.
fn class(c: &Cond) -> u8 {
    let extent = |t: &ContractTerm| has_extent(t);
    match &c.kind {
        CondKind::Forall(_) => 4,
        CondKind::Implies(..) | CondKind::Or(_) | CondKind::And(_) | CondKind::Choice(..) => 3,
        CondKind::Disjoint(_) => 2,
        CondKind::Not(a) => class(a),
        _ if c.terms().into_iter().any(extent) => 1,
        _ => 0,
    }
}

fn has_extent(t: &ContractTerm) -> bool {
    matches!(t.kind, TermKind::Apply(ContractFunction::Extent | ContractFunction::Elements, _))
        || t.parts().into_iter().any(has_extent)
}

/// Merges constraints on the same sum. Returns whether a conjunction may be satisfiable; for a disjunction: whether
/// its negation may be.
fn merge_all(conds: &mut Vec<Cond>, and: bool) -> bool {
    // A disjunction is the negation of a conjunction.
    let seen = |c: &Cond| NormalConstraint::of(c).and_then(|c| if and { Some(c) } else { c.negated() });
    let mut constraints: Vec<Option<NormalConstraint>> = conds.iter().map(seen).collect();
    // Only constraints on the same sum, or on its negation, can be merged.
    let key = |c: &NormalConstraint| {
        let sum = c.sum.variable_part();
        sum.negated().map(|negated| sum.min(negated))
    };
    let mut keys: Vec<_> = constraints.iter().map(|c| c.as_ref().and_then(key)).collect();
    let mut again = true;
    while std::mem::take(&mut again) {
        let mut i = 0;
        while i < conds.len() {
            let mut j = i + 1;
            while j < conds.len() {
                let pair = (keys[i] == keys[j]).then_some((&constraints[i], &constraints[j]));
                let merged = match pair {
                    Some((Some(a), Some(b))) => merge(a, b),
                    _ => None,
                };
                let shown = match &merged {
                    // `true` would hold where the condition is undefined, too.
                    Some(None) if and || is_total(&conds[i]) => return false,
                    Some(Some(m)) if and => m.cond(),
                    Some(Some(m)) => m.negated().and_then(|m| m.cond()),
                    _ => None,
                };
                let Some(shown) = shown else {
                    j += 1;
                    continue;
                };
                (conds[i], constraints[i]) = (shown, merged.flatten());
                conds.remove(j);
                constraints.remove(j);
                keys.remove(j);
                again = true;
            }
            i += 1;
        }
    }
    true
}

/// Drops conditions that another one implies.
fn absorb(conds: &mut Vec<Cond>, and: bool) {
    let all = conds.clone();
    let listed = |c: &Cond| all.contains(c);
    conds.retain(|c| match &c.kind {
        CondKind::Or(parts) if and => !parts.iter().any(listed),
        CondKind::And(parts) if !and => !parts.iter().any(listed),
        CondKind::Implies(_, b) if and => !listed(b),
        _ => true,
    });
    if and && conds.iter().any(|c| matches!(&c.kind, CondKind::Implies(a, _) if listed(a))) {
        let met = std::mem::take(conds).into_iter().map(|c| match c.kind {
            CondKind::Implies(a, b) if listed(&a) => *b,
            kind => Cond::new(kind, c.span),
        });
        *conds = match joined(met.collect(), true).kind {
            CondKind::And(all) => all,
            other => vec![Cond::new(other, Span::default())],
        };
    }
}
