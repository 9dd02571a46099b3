//! Comparisons of polynomials.
//!
//! In: two terms and a comparison operator. Out: one polynomial that is at least 0, equal to 0 or unequal to 0, and
//! back in the form that people write. For two such constraints: their conjunction as one.

use super::ast::{Binary, Comparison, Cond, CondKind, ContractTerm, Sort, TermKind};
use super::polynomial::{PartialTerms, Polynomial, partials, polynomial};

/// Whether a term may be a pointer, as far as is known.
pub(super) fn may_point(t: &ContractTerm) -> bool {
    match t.sort {
        Sort::Integer => false,
        Sort::Pointer | Sort::Object => true,
        Sort::Unresolved => match &t.kind {
            TermKind::Binary(Binary::Add | Binary::Sub, a, b) => may_point(a) || may_point(b),
            _ => true,
        },
    }
}

/// Whether both sides of an equality may be pointers. The only integer that pointers are compared with is 0.
pub(super) fn may_both_point(a: &ContractTerm, b: &ContractTerm) -> bool {
    let zero = |t: &ContractTerm| t.kind == TermKind::Int(0);
    may_point(a) && (may_point(b) || zero(b)) || may_point(b) && zero(a)
}

/// Relation of a polynomial to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The polynomial is at least 0.
    Ge,
    Eq,
    Ne,
}

/// A comparison as one polynomial, divided by the common divisor of its coefficients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NormalConstraint {
    pub(super) relation: Relation,
    pub(super) sum: Polynomial,
}

pub(super) enum ConstraintReading {
    Constraint(NormalConstraint),
    Always,
    Never,
}

pub(super) fn read(
    op: Comparison,
    a: &ContractTerm,
    b: &ContractTerm,
    partial: &mut PartialTerms,
) -> Option<ConstraintReading> {
    let (a, b) = (polynomial(a, partial)?, polynomial(b, partial)?);
    let strict = Polynomial::constant(1);
    NormalConstraint::new(
        match op {
            Comparison::Eq => Relation::Eq,
            Comparison::Ne => Relation::Ne,
            _ => Relation::Ge,
        },
        match op {
            Comparison::Lt => b.plus(&a, -1)?.plus(&strict, -1)?,
            Comparison::Le => b.plus(&a, -1)?,
            Comparison::Gt => a.plus(&b, -1)?.plus(&strict, -1)?,
            Comparison::Ge | Comparison::Eq | Comparison::Ne => a.plus(&b, -1)?,
        },
    )
}

impl NormalConstraint {
    #[allow(clippy::new_ret_no_self, reason = "some constraints are none")]
    fn new(relation: Relation, sum: Polynomial) -> Option<ConstraintReading> {
        let literal = |b| Some(if b { ConstraintReading::Always } else { ConstraintReading::Never });
        let (divisor, c) = (sum.common_divisor(), sum.constant_part());
        if divisor == 0 {
            return literal(match relation {
                Relation::Ge => c >= 0,
                Relation::Eq => c == 0,
                Relation::Ne => c != 0,
            });
        }
        if relation != Relation::Ge && c % divisor != 0 {
            return literal(relation == Relation::Ne);
        }
        Some(ConstraintReading::Constraint(Self { relation, sum: sum.divided(divisor) }))
    }

    /// Difference of two integers, wherever both are defined.
    pub(super) fn difference(a: &ContractTerm, b: &ContractTerm) -> Option<Polynomial> {
        let mut partial = PartialTerms::new();
        polynomial(a, &mut partial)?.plus(&polynomial(b, &mut partial)?, -1)
    }

    /// The constraint in the form that people write.
    pub(super) fn cond(&self) -> Option<Cond> {
        let (plus, minus) = self.sum.variable_part().sides()?;
        let c = self.sum.constant_part();
        let (empty, number) = (Polynomial::default(), Polynomial::constant);
        let mut op = match self.relation {
            Relation::Ge => Comparison::Ge,
            Relation::Eq => Comparison::Eq,
            Relation::Ne => Comparison::Ne,
        };
        let extents = [plus.has_extent(), minus.has_extent()];
        let alone = extents[0] != extents[1] && !(plus == empty || minus == empty);
        let strict = c == -1 && op == Comparison::Ge && plus != empty && minus != empty;
        if strict {
            op = Comparison::Gt;
        }
        let c = if strict { 0 } else { c };
        let (left, right) = if alone {
            // The required size of an extent is on the other side, whatever its sign.
            let (left, right) = self.sum.variable_part().extents_apart();
            match extents[0] {
                true => (left, right.plus(&number(c), 1)?.negated()?),
                false => (right.plus(&number(c), 1)?, left.negated()?),
            }
        } else if minus == empty {
            (plus.clone(), number(c.checked_neg()?))
        } else if plus == empty {
            (number(c), minus.clone())
        } else {
            (plus.plus(&number(c.max(0)), 1)?, minus.plus(&number(c.min(0)), -1)?)
        };
        let swap = plus == empty || (minus != empty && minus.rank() < plus.rank());
        let swap = if alone { extents[1] } else { swap };
        let (left, right, op) = if swap { (right, left, op.swapped()) } else { (left, right, op) };
        Some(Cond::compare(op, left.term(), right.term()))
    }

    pub(super) fn negated(&self) -> Option<Self> {
        Some(match self.relation {
            Relation::Ge => {
                let sum = self.sum.negated()?.plus(&Polynomial::constant(1), -1)?;
                Self { relation: Relation::Ge, sum }
            }
            Relation::Eq => Self { relation: Relation::Ne, sum: self.sum.clone() },
            Relation::Ne => Self { relation: Relation::Eq, sum: self.sum.clone() },
        })
    }

    /// Constraint of a comparison. `None` for other conditions, and if the polynomial would lose a possibly undefined
    /// subterm.
    pub(super) fn of(c: &Cond) -> Option<Self> {
        let CondKind::Compare(op, a, b) = &c.kind else { return None };
        if matches!(op, Comparison::Eq | Comparison::Ne) && may_both_point(a, b) {
            return None;
        }
        let mut partial = PartialTerms::new();
        let ConstraintReading::Constraint(out) = read(*op, a, b, &mut partial)? else { return None };
        keeps(&out.cond()?.terms(), &partial).then_some(out)
    }
}

/// Whether the terms still contain all possibly undefined subterms.
pub(super) fn keeps(terms: &[&ContractTerm], partial: &PartialTerms) -> bool {
    let mut kept = PartialTerms::new();
    terms.iter().for_each(|t| partials(t, &mut kept));
    partial.is_subset(&kept)
}

/// Conjunction of both as one constraint: `Some(None)` if they contradict each other, `None` if one constraint cannot
/// express it.
pub(super) fn merge(a: &NormalConstraint, b: &NormalConstraint) -> Option<Option<NormalConstraint>> {
    let (va, vb) = (a.sum.variable_part(), b.sum.variable_part());
    let same = va == vb;
    if !same && va.negated()? != vb {
        return None;
    }
    let (ca, cb) = (a.sum.constant_part(), b.sum.constant_part());
    let with = |relation, c: i128| {
        let sum = va.plus(&Polynomial::constant(c), 1)?;
        Some(Some(NormalConstraint { relation, sum }))
    };
    let kept = |c: &NormalConstraint| Some(Some(c.clone()));
    match (a.relation, b.relation) {
        (Relation::Ge, Relation::Ge) if same => with(Relation::Ge, ca.min(cb)),
        (Relation::Ge, Relation::Ge) => match ca.checked_add(cb)? {
            0 => with(Relation::Eq, ca),
            c if c < 0 => Some(None),
            _ => None,
        },
        // The variable part is `-ca` in the first, `value` in the second.
        (Relation::Eq, other) => {
            let value = ca.checked_neg()?;
            let there = if same { value } else { ca }.checked_add(cb)?;
            let agrees = match other {
                Relation::Ge => there >= 0,
                Relation::Eq => there == 0,
                Relation::Ne => there != 0,
            };
            if agrees { kept(a) } else { Some(None) }
        }
        (_, Relation::Eq) => merge(b, a),
        (Relation::Ge, Relation::Ne) => {
            // Value of the first sum at the excluded value:
            let there = if same { cb.checked_neg()? } else { cb }.checked_add(ca)?;
            match there {
                0 => with(Relation::Ge, ca.checked_sub(1)?),
                t if t < 0 => kept(a),
                _ => None,
            }
        }
        (Relation::Ne, Relation::Ge) => merge(b, a),
        (Relation::Ne, Relation::Ne) => {
            let equal = if same { ca == cb } else { ca == cb.checked_neg()? };
            if equal { kept(a) } else { None }
        }
    }
}
