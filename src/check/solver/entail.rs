//! `facts ⊢ goal` by Z3: the facts that share symbols with the goal first, then each other group of facts on its own.
//!
//! In: facts, a goal, limits. Out: a proof with the facts that it used, a model of all facts, or why neither.

use super::independence::{self, Groups, Split};
use super::query::{Answer, Budget, Free, Limits, Method, Outcome, WrapMode};
use super::smt;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::TermId;

/// `facts ⊢ goal`: the facts that share symbols with the goal first, then the others.
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
    // They share nothing with the rest: a path that cannot be taken, or any model of theirs will do.
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
