//! `facts ⊢ goal` by Z3: first with the facts that share symbols with the goal, then with each other group of facts
//! on its own.
//!
//! In: facts, a goal, limits. Out: a proof with the facts that it used, a model of all facts, or the reason for
//! neither.

use super::independence::{self, Groups, Split};
use super::query::{Answer, Budget, Free, Limits, Method, Outcome, WrapMode};
use super::smt;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::TermId;

/// Decides `facts ⊢ goal`: with the facts that share symbols with the goal first, then with the others.
pub(super) fn prove(
    arena: &Arena,
    facts: &[TermId],
    goal: TermId,
    mode: WrapMode,
    limits: &Limits,
    groups: &mut Groups,
) -> Answer {
    if let Some(reason) = smt::refuse() {
        return Answer::Unknown(reason);
    }
    let budget = Budget::new(limits);
    let Split { near, far } = independence::split(arena, facts, Some(goal));
    let mut want: Vec<(TermId, bool)> = near.iter().map(|f| (*f, true)).collect();
    want.push((goal, false));
    let mut model = match smt::decide(arena, &want, mode, &budget) {
        Outcome::Unsat => {
            return Answer::Proved {
                by: Method::Z3,
                used: if limits.core { smt::core(arena, &near, goal, mode, &budget) } else { near },
                free: Free::default(),
            };
        }
        Outcome::Unknown(why) => return Answer::Unknown(why),
        Outcome::Sat(m) => m,
    };
    // The other groups share no symbols with the goal: either one is unsatisfiable (an infeasible path), or any model
    // of it will do.
    for group in far {
        match groups.decide(arena, &group, mode, &budget, limits.work) {
            Outcome::Unsat => return Answer::Proved { by: Method::Z3, used: group, free: Free::default() },
            Outcome::Unknown(why) => return Answer::Unknown(why),
            Outcome::Sat(m) => {
                model.values.extend(m.values);
                model.applications.extend(m.applications);
            }
        }
    }
    Answer::Model(model)
}
