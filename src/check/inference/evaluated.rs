//! Checks that every call can evaluate.
//!
//! In: a condition on a function's arguments. Out: the same where it divides by nothing that is 0, and asks an optional tensor
//! only where it is given. This module decides nothing.

use super::wording::requirement;
use crate::context::{CheckContext, RootTools};
use crate::obligations::obligation::Decision;
use contracts::ast::{Binary, Comparison, CondKind, TermKind};
use contracts::{Cond, ContractTerm};
use ir::{Function, Param};
use models::tensors::bytes_of_optional_handle;

/// Asks of an optional tensor only where it is given.
pub(crate) fn where_given(f: &Function, condition: Cond) -> Option<Cond> {
    let asked = condition.asked();
    let is_asked = |p: &Param, of_presence: bool| {
        asked.iter().any(|(of, what)| *of == p.name && (*what == "has_value") == of_presence)
    };
    let mut all: Vec<Cond> = vec![];
    for p in f.params.iter().filter(|p| is_optional(f, p) && is_asked(p, false) && !is_asked(p, true)) {
        all.push(contracts::parse(&format!("{}.has_value() != 1", p.name)).ok()?);
    }
    all.push(condition.clone());
    Some(Cond::any(all))
}

/// Makes a check that can be evaluated for all arguments: nothing is divided by 0. A divisor that the function refuses to be 0
/// is refused by the check, too.
pub(super) fn without_zero_divisors(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, condition: Cond) -> Cond {
    let mut divisors = vec![];
    for t in condition.terms() {
        divisors_of(t, &mut divisors);
    }
    let mut condition = condition;
    for divisor in divisors {
        let is_zero = Cond::compare(Comparison::Eq, divisor.clone(), ContractTerm::int(0));
        if matches!(&condition.kind, CondKind::Or(all) if all.first() == Some(&is_zero)) {
            continue;
        }
        let call = tools.call.clone();
        let zero = call.and_then(|call| {
            let stated = requirement(is_zero.clone());
            let zero = tools.e.required_of_call(tools.root.func, &call.args, &call.entry, &stated)?;
            Some(tools.e.arena.and(call.returns, zero))
        });
        let is_refused = match zero {
            Some(zero) => matches!(tools.happens(cx, zero).decision, Decision::Safe),
            None => true,
        };
        condition = if is_refused {
            let is_none = Cond::compare(Comparison::Ne, divisor, ContractTerm::int(0));
            Cond::all(vec![is_none, condition])
        } else {
            Cond::any(vec![is_zero, condition])
        };
    }
    condition
}

/// Adds the divisors in a term that are no numbers.
fn divisors_of(t: &ContractTerm, found: &mut Vec<ContractTerm>) {
    if let TermKind::Binary(Binary::Div | Binary::Rem, _, by) = &t.kind
        && !matches!(by.kind, TermKind::Int(_))
        && !found.contains(by)
    {
        found.push((**by).clone());
    }
    for part in t.parts() {
        divisors_of(part, found);
    }
}

/// Whether a parameter is an optional tensor.
pub(super) fn is_optional(f: &Function, p: &Param) -> bool {
    let declared = p.class.as_deref().or(p.of_class.as_deref()).or_else(|| f.declared_type(&p.name));
    declared.is_some_and(|class| bytes_of_optional_handle(class).is_some())
}
