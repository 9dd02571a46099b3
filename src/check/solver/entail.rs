//! `facts ⊢ goal` by Z3: first with the facts that share symbols with the goal, then with each other group of facts
//! on its own.
//!
//! In: facts, a goal, limits. Out: a proof with the facts that it used, a model of all facts, or the reason for
//! neither.

use super::independence::{self, FactSplit, GroupResults};
use super::query::{Answer, FreeTerms, Prover, SolverBudget, SolverLimits, SolverOutcome, WrapMode};
use super::smt;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::TermId;

/// Decides `facts ⊢ goal`: with the facts that share symbols with the goal first, then with the others.
pub(super) fn prove(
    arena: &Arena,
    facts: &[TermId],
    goal: TermId,
    mode: WrapMode,
    limits: &SolverLimits,
    groups: &mut GroupResults,
) -> Answer {
    if let Some(reason) = smt::refuse() {
        return Answer::Unknown(reason);
    }
    let budget = SolverBudget::new(limits);
    let FactSplit { near, far } = independence::split(arena, facts, Some(goal));
    let mut want: Vec<(TermId, bool)> = near.iter().map(|f| (*f, true)).collect();
    want.push((goal, false));
    let mut model = match smt::decide(arena, &want, mode, &budget) {
        SolverOutcome::Unsat => {
            return Answer::Proved {
                by: Prover::Z3,
                used: if limits.core { smt::core(arena, &near, goal, mode, &budget) } else { near },
                free: FreeTerms::default(),
            };
        }
        SolverOutcome::Unknown(why) => return Answer::Unknown(why),
        SolverOutcome::Sat(m) => m,
    };
    // The other groups share no symbols with the goal: either one is unsatisfiable (an infeasible path), or any model
    // of it will do.
    for group in far {
        match groups.decide(arena, &group, mode, &budget, limits.work) {
            SolverOutcome::Unsat => return Answer::Proved { by: Prover::Z3, used: group, free: FreeTerms::default() },
            SolverOutcome::Unknown(why) => return Answer::Unknown(why),
            SolverOutcome::Sat(m) => {
                model.values.extend(m.values);
                model.applications.extend(m.applications);
            }
        }
    }
    Answer::Model(model)
}
