//! Models in which an access goes out of bounds because one operation wraps.
//!
//! In: an obligation that holds only while some operations do not wrap, and the operation that shall wrap. Out: a
//! model in machine arithmetic, with every input at least 1. This module decides nothing: a replay determines what
//! such a model is worth.

use super::decide::Decider;
use super::obligation::Obligation;
use crate::solver::{self, Model, ModelAnswer, SolverLimits, WrapMode};
use base::reasons::UnknownReason;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::display;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};

/// Operations of an obligation that may wrap.
pub struct WrappingOperations {
    /// Operations by name, each a [`Term::Wrap`].
    named: Vec<(String, TermId)>,
}

impl WrappingOperations {
    /// Returns the operation with a name, as [`name`] forms it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<TermId> {
        self.named.iter().find(|(n, _)| n == name).map(|(_, w)| *w)
    }
}

impl Decider {
    /// Returns the operations in an obligation that may wrap.
    pub fn operations(&mut self, a: &mut Arena, o: &Obligation) -> WrappingOperations {
        let roots = [o.facts, o.offset, o.bytes, o.extent];
        let mut wraps: Vec<TermId> = roots.iter().flat_map(|t| self.wraps_of(a, *t)).collect();
        wraps.sort_unstable();
        wraps.dedup();
        WrappingOperations { named: wraps.into_iter().map(|w| (name(a, w), w)).collect() }
    }

    /// Returns a model, every input at least 1, in which the access goes out of bounds and `operation` wraps, while
    /// no other operation of `innocent` does.
    pub fn wrapping(
        &mut self,
        a: &mut Arena,
        o: &Obligation,
        operation: TermId,
        innocent: &[TermId],
        limits: &SolverLimits,
    ) -> Option<Model> {
        let mut all = a.conjuncts(o.facts);
        let inside = inside(a, o);
        all.push(a.not(inside));
        let holds = in_range(a, operation)?;
        all.push(a.not(holds));
        for w in innocent.iter().filter(|w| **w != operation) {
            let holds = in_range(a, *w)?;
            all.push(holds);
        }
        let inputs: Vec<SymId> =
            a.symbols_of(&all).into_iter().filter(|s| matches!(a.symbol(*s).kind, SymKind::Input(_))).collect();
        let positive = self.sizes.positive(&inputs);
        let groups = &mut self.groups;
        match solver::find_model(a, &all, &inputs, &positive, WrapMode::Exact, limits, groups) {
            ModelAnswer::Model(model) => {
                inputs.iter().all(|s| model.values.get(s).is_none_or(|v| *v >= 1)).then_some(model)
            }
            ModelAnswer::Unsat => None,
            ModelAnswer::Unknown(_) => solver::model_at_corners(a, &all, operation, WrapMode::Exact),
        }
    }
}

/// Builds the condition that an access stays in its object.
pub fn inside(a: &mut Arena, o: &Obligation) -> TermId {
    let (zero, end) = (a.int(0), a.add(o.offset, o.bytes));
    let inside = [a.le(zero, o.offset), a.le(end, o.extent)];
    a.and(inside[0], inside[1])
}

/// Builds the condition that an operation does not wrap.
fn in_range(a: &mut Arena, wrap: TermId) -> Option<TermId> {
    let Term::Wrap { arg, bits, signed } = *a.get(wrap) else { return None };
    let Interval { lo: Some(lo), hi: Some(hi) } = Interval::of_int(bits, signed) else { return None };
    let (lo, hi) = (a.int(lo), a.int(hi));
    let both = [a.le(lo, arg), a.le(arg, hi)];
    Some(a.and(both[0], both[1]))
}

/// Names an operation that may wrap, for messages.
#[must_use]
pub fn name(a: &Arena, wrap: TermId) -> String {
    match *a.get(wrap) {
        Term::Wrap { arg, bits, signed } => {
            format!("`{}` as {}", display::term_with_names(a, arg, &|t| unknown(a, t)), integer(bits, signed))
        }
        _ => display::term(a, wrap),
    }
}

/// Names an unknown number by what it is the result or a part of.
fn unknown(a: &Arena, t: TermId) -> Option<String> {
    let Term::Sym(s) = a.get(t) else { return None };
    let symbol = a.symbol(*s);
    let SymKind::Unknown { reason } = &symbol.kind else { return None };
    (&*symbol.name == "?").then(|| match reason {
        UnknownReason::ResultOf(function) => format!("{function}(…)"),
        UnknownReason::Holds(memory) => format!("{memory}[…]"),
        _ => "an unknown value".to_owned(),
    })
}

/// Describes an integer type in words.
#[must_use]
pub fn integer(bits: u32, signed: bool) -> String {
    format!("{} {bits}-bit integer", if signed { "a signed" } else { "an unsigned" })
}
