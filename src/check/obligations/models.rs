//! Counterexamples of obligations: small ones, those in which an operation wraps, and inputs that led out of bounds
//! before.
//!
//! In: facts and a goal that does not follow. Out: a model worth replaying, and whether it is degenerate (it needs a
//! size below 1).

use super::decide::{Decider, ModelEffort, Search};
use super::obligation::{Counterexample, Decision};
use crate::solver::{self, Answer, Model, ModelAnswer, SolverLimits, WrapMode};
use base::work::Work;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymId, SymKind, Term, TermId};

/// Least work of a search for a small witness, and most work of one search among several.
const SMALLEST: Work = Work::seconds(1);

pub(super) const QUICK: Work = Work::millis(200);

const KNOWN_INPUT: Work = Work::millis(300);

impl Search<'_> {
    /// Returns a model in which the access goes out of bounds because some operation goes below zero, while none
    /// exceeds its largest value: sizes that cause such overflow were never meant.
    pub(super) fn underflowing(
        &mut self,
        a: &mut Arena,
        facts: &[TermId],
        goal: TermId,
        unmet: &[TermId],
        first: Model,
        care: ModelEffort,
    ) -> Option<Decision> {
        let mut all = facts.to_vec();
        for w in unmet {
            let Term::Wrap { arg, bits, signed } = *a.get(*w) else { continue };
            let range = Interval::of_int(bits, signed);
            if let Some(hi) = range.hi {
                let most = a.int(hi);
                all.push(a.le(arg, most));
            }
            if signed && let Some(lo) = range.lo {
                let least = a.int(lo);
                all.push(a.le(least, arg));
            }
        }
        let quick = self.within(SolverLimits { work: self.limits.work.min(QUICK), ..self.limits });
        let first = if first.refutes(a, &all, goal, WrapMode::Exact) {
            first
        } else {
            match solver::prove(a, &all, goal, WrapMode::Exact, &quick) {
                Answer::Model(m) => m,
                // The goal holds whenever values are negative: the failure exceeds the largest value.
                Answer::Proved { .. } => return Some(Decision::SafeIfNoWrap(self.decider.name(a, unmet))),
                Answer::Unknown(_) => return None,
            }
        };
        match self.fails(a, &all, goal, first, WrapMode::Exact, care) {
            Decision::Fails(c) if self.underflows(a, unmet, &c.model) => Some(Decision::Fails(c)),
            _ => None,
        }
    }

    /// Whether some operation goes below zero rather than above the largest value: `n - 1` on an unsigned 0 is a
    /// wrong bound, not an overflow.
    pub(super) fn underflows(&self, a: &Arena, unmet: &[TermId], m: &Model) -> bool {
        unmet.iter().any(|w| match a.get(*w) {
            Term::Wrap { arg, bits, signed: false } => {
                m.value(a, *arg, WrapMode::Exact).is_some_and(|v| v < 0 && v > -(1i128 << (bits - 1)))
            }
            _ => false,
        })
    }

    /// Returns a failure, if inputs that led to another bad access lead to this one too.
    pub(super) fn known_input(&mut self, a: &mut Arena, facts: &[TermId], goal: TermId) -> Option<Decision> {
        for inputs in self.decider.known.clone() {
            let mut fixed = facts.to_vec();
            let symbols = a.symbols_of(&[&fixed[..], &[goal]].concat());
            for (s, v) in &inputs {
                if !symbols.contains(s) {
                    continue;
                }
                let (t, v) = (a.symbol_term(*s), a.int(*v));
                fixed.push(a.eq(t, v));
            }
            let quick = self.within(SolverLimits { work: KNOWN_INPUT, ..self.limits });
            if let Answer::Model(model) = solver::prove(a, &fixed, goal, WrapMode::Assume, &quick) {
                let sizes = &self.decider.sizes;
                let degenerate = inputs.iter().any(|(s, v)| *v < 1 && symbols.contains(s) && sizes.contains(*s));
                self.cut |= degenerate;
                return Some(Decision::Fails(Counterexample { model, mode: WrapMode::Assume, degenerate }));
            }
        }
        None
    }

    /// Returns a failure with a small model in place of the first one, where `care` asks for one.
    pub(super) fn fails(
        &mut self,
        a: &mut Arena,
        facts: &[TermId],
        goal: TermId,
        first: Model,
        mode: WrapMode,
        care: ModelEffort,
    ) -> Decision {
        if care == ModelEffort::Rough {
            return Decision::Fails(Counterexample { model: first, mode, degenerate: false });
        }
        let mut all = facts.to_vec();
        all.push(a.not(goal));
        let symbols = a.symbols_of(&all);
        let inputs: Vec<SymId> =
            symbols.iter().copied().filter(|s| matches!(a.symbol(*s).kind, SymKind::Input(_))).collect();
        // A small witness is worth more than a quick answer: it is replayed and shown to users.
        let limits = SolverLimits {
            work: if self.hurried { self.limits.work } else { self.limits.work.max(SMALLEST) }.min(self.until.left()),
            ..self.limits
        };
        let (positive, groups) = (self.decider.sizes.positive(&inputs), &mut self.decider.groups);
        let model = match solver::find_model(a, &all, &inputs, &positive, mode, &limits, groups) {
            ModelAnswer::Model(m) => m,
            _ => {
                self.cut = true;
                first
            }
        };
        let model = self.handier(a, &all, &inputs, model, mode, &limits);
        let fixed: Vec<(SymId, i128)> = inputs.iter().filter_map(|s| model.values.get(s).map(|v| (*s, *v))).collect();
        let degenerate = self.decider.sizes.degenerate(a, &model);
        // Models under which an operation wraps or a size is empty are skipped: they seldom lead anywhere else, and
        // better ones come first.
        if !fixed.is_empty() && mode == WrapMode::Assume && !degenerate && self.decider.known.len() < 3 {
            self.decider.known.push(fixed);
        }
        self.cut |= degenerate;
        Decision::Fails(Counterexample { model, mode, degenerate })
    }

    /// Replaces a model that needs more memory than a confirmation may use by one that fits; returns the same model
    /// where none does.
    fn handier(
        &mut self,
        a: &mut Arena,
        facts: &[TermId],
        inputs: &[SymId],
        first: Model,
        mode: WrapMode,
        limits: &SolverLimits,
    ) -> Model {
        let Decider { sizes, handy, groups, .. } = &mut *self.decider;
        let Some(most) = handy.map(i128::from).filter(|most| sizes.bytes(a, &first, mode) > *most) else {
            return first;
        };
        let Some(fits) = sizes.at_most(a, most).filter(|_| !self.hurried) else { return first };
        let all = [facts, &[fits]].concat();
        match solver::find_model(a, &all, inputs, &sizes.positive(inputs), mode, limits, groups) {
            ModelAnswer::Model(m) if sizes.bytes(a, &m, mode) <= most => m,
            _ => first,
        }
    }
}
