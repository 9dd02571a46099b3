//! Implication between conditions, as far as it is visible without a solver.
//!
//! In: two conditions. Out: whether the first implies the second for all values. "No" means unknown.

use super::ast::{Comparison, Cond, CondKind, ContractFunction, ContractTerm, Forall, TermKind};
use super::constraint::{NormalConstraint, Relation};
use super::polynomial::{PartialTerms, Polynomial, partials};

/// Whether the second condition holds wherever the first does. Assumes that tensor sizes and extents are at least 0.
#[must_use]
pub fn implies(a: &Cond, b: &Cond) -> bool {
    if a == b {
        return true;
    }
    match (&a.kind, &b.kind) {
        (CondKind::Literal(false), _) | (_, CondKind::Literal(true)) => true,
        (_, CondKind::And(all)) => all.iter().all(|b| implies(a, b)),
        (CondKind::Or(all), _) => all.iter().all(|a| implies(a, b)),
        (CondKind::And(all), _) if all.iter().any(|a| implies(a, b)) => true,
        (_, CondKind::Or(all)) => all.iter().any(|b| implies(a, b)),
        (CondKind::Forall(a), CondKind::Forall(b)) => of_each(a, b),
        (CondKind::Compare(..), CondKind::Compare(..)) => compared(a, b).unwrap_or(false),
        _ => false,
    }
}

/// Whether the first quantifier covers at least the second one's range, and its body implies the second body.
fn of_each(a: &Forall, b: &Forall) -> bool {
    let as_many = has_a_value(&[&b.to], &[&a.to])
        && NormalConstraint::difference(&a.to, &b.to).is_some_and(|d| d.is_at_least_zero(&is_size));
    a.variable == b.variable && a.from == b.from && a.closed == b.closed && as_many && implies(&a.body, &b.body)
}

/// `p >= 0` implies `q >= 0` if `q - p` is at least 0; `p == 0` also does if `q + p` is.
fn compared(a: &Cond, b: &Cond) -> Option<bool> {
    if !has_a_value(&b.terms(), &a.terms()) {
        return None;
    }
    let b = NormalConstraint::of(b).filter(|b| b.relation == Relation::Ge)?;
    let follows = |p: &Polynomial, times| b.sum.plus(p, times).is_some_and(|d| d.is_at_least_zero(&is_size));
    if let CondKind::Compare(Comparison::Eq, x, y) = &a.kind {
        let p = NormalConstraint::difference(x, y)?;
        return Some(follows(&p, -1) || follows(&p, 1));
    }
    let a = NormalConstraint::of(a).filter(|a| a.relation == Relation::Ge)?;
    Some(follows(&a.sum, -1))
}

/// Whether `these` are defined wherever `where_those` are: `x.size(3)` is undefined for some tensors.
fn has_a_value(these: &[&ContractTerm], where_those: &[&ContractTerm]) -> bool {
    let (mut needed, mut had) = (PartialTerms::new(), PartialTerms::new());
    these.iter().for_each(|t| partials(t, &mut needed));
    where_those.iter().for_each(|t| partials(t, &mut had));
    needed.is_subset(&had)
}

/// Whether a term is at least 0 for all its arguments.
fn is_size(t: &ContractTerm) -> bool {
    match &t.kind {
        TermKind::Int(n) => *n >= 0,
        TermKind::Method(_, _, name, _) => matches!(name.as_str(), "size" | "numel" | "dim" | "element_size"),
        TermKind::Apply(ContractFunction::Elements | ContractFunction::Extent, args) => {
            args.iter().all(|a| matches!(a.kind, TermKind::Name(_)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::implies;
    use crate::parse;

    fn says(a: &str, b: &str) -> bool {
        implies(&parse(a).expect(a), &parse(b).expect(b))
    }

    #[test]
    fn what_asks_for_more_of_sizes_implies_what_asks_for_less() {
        assert!(says("3 * x.size(0) <= y.numel()", "3 * x.size(0) <= y.numel() + 2"));
        assert!(says("x.size(0) * 3 <= y.numel()", "x.size(0) <= y.numel()"));
        assert!(says("x.size(0) == y.size(1)", "x.size(0) <= y.size(1)"));
        assert!(says("x.size(0) == y.size(1)", "y.size(1) <= x.size(0)"));
        assert!(says("x.dim() == 2 && y.size(0) > 4", "y.size(0) > 3"));
        assert!(says("n == 0 || x.numel() >= 5", "n == 0 || x.numel() >= 4 || n == 1"));
        assert!(says("n > 4", "n >= 4"));
        assert!(says("x.numel() >= 2 * n * n + 4", "x.numel() >= n * n"), "a square is not negative");
        assert!(says("x.numel() >= 2 * n * n * m * m", "x.numel() >= n * n * m * m"));
        assert!(!says("x.numel() >= 2 * n * m", "x.numel() >= n * m"));
        assert!(!says("x.numel() >= 2 * n * n * m", "x.numel() >= n * n * m"));
        assert!(!says("x.size(0) <= y.numel() + 2", "x.size(0) <= y.numel()"));
        assert!(!says("n <= x.numel()", "n <= x.numel() + m"), "what is no size may be negative");
        assert!(!says("n <= x.numel()", "n <= x.numel() + x.size(3)"), "there may be no such dimension");
        assert!(!says("x.size(0) != 1", "x.size(0) > 1"));
        assert!(!says("n == 0 || x.numel() >= 4", "x.numel() >= 4"));
        assert!(!says("extent(p + 4) >= 0", "extent(p) >= 0"));
        assert!(!says("elements(p) >= 0", "elements(p) + extent(p + 8) >= 0"));
    }

    #[test]
    fn of_each_element_of_more() {
        let of = |to: &str, body: &str| format!("forall i in [0, {to}): {body}");
        let n = of("x.numel()", "x[i] >= 0 && x[i] < y.size(0)");
        assert!(says(&n, &of("x.numel()", "x[i] < y.size(0)")));
        assert!(says(&of("3 * x.size(0)", "x[i] >= 0"), &of("3 * x.size(0) - 2", "x[i] > -2")));
        assert!(says(&of("x.numel() + 1", "x[i] >= 0"), &of("x.numel()", "x[i] >= 0")));
        assert!(!says(&of("x.numel()", "x[i] >= 0"), &of("x.numel() + 1", "x[i] >= 0")));
        assert!(!says(&n, &of("z.numel()", "x[i] < y.size(0)")));
    }
}
