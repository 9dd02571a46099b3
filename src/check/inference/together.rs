//! Conditions that cannot hold together: a user who stated all of them would get a report that they never hold, and
//! none would be assumed.
//!
//! In: the conditions of one function, and the facts that hold at every call. Out: the conditions that stay, which
//! are known to be satisfiable together; and the positions of the others, which stay undecided. Conditions that cover
//! the most positions stay.

use super::gather::{AccessRequirement, SharedCondition};
use super::{AccessWithoutCondition, SourceAccess};
use crate::context::RootTools;
use crate::obligations::decide::{Decider, DecisionAttempt, LimitedDecider};
use crate::obligations::obligation::Decision;
use base::work::Work;
use engine::symbolic::terms::term::TermId;
use std::collections::BTreeSet;

/// Removes conditions that are not known to be satisfiable together with the others and with `anyway`. `work` is the
/// budget for judging stated conditions.
pub(super) fn that_hold_together(
    tools: &mut RootTools<'_>,
    (anyway, work): (TermId, Work),
    all: Vec<SharedCondition>,
) -> (Vec<SharedCondition>, Vec<AccessWithoutCondition>) {
    let mut fresh = Decider::default();
    let mut decider = fresh.with(DecisionAttempt::default().with_work(work));
    let whole = tools.e.arena.and_all(all.iter().filter_map(of_now).collect());
    if may_hold(tools, &mut decider, anyway, whole) {
        return (all, vec![]);
    }
    let mut order: Vec<usize> = (0..all.len()).filter(|i| of_now(&all[*i]).is_some()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(all[*i].covers.len()));
    let (mut so_far, mut dropped) = (anyway, BTreeSet::new());
    for i in order {
        let Some(condition) = of_now(&all[i]) else { continue };
        if may_hold(tools, &mut decider, so_far, condition) {
            so_far = tools.e.arena.and(so_far, condition);
        } else {
            dropped.insert(i);
        }
    }
    let open: BTreeSet<SourceAccess> = dropped.iter().flat_map(|i| all[*i].covers.iter().cloned()).collect();
    let mut kept: Vec<SharedCondition> =
        all.into_iter().enumerate().filter(|(i, _)| !dropped.contains(i)).map(|(_, s)| s).collect();
    for s in &mut kept {
        s.covers.retain(|place| !open.contains(place));
    }
    kept.retain(|s| !s.covers.is_empty());
    let reason = || "its condition may contradict those of the other accesses".to_owned();
    (kept, open.into_iter().map(|place| AccessWithoutCondition { place, reason: reason() }).collect())
}

/// Conditions on array contents are judged one by one.
fn of_now(s: &SharedCondition) -> Option<TermId> {
    match s.need {
        AccessRequirement::Now(condition) => Some(condition),
        AccessRequirement::Each(_) => None,
    }
}

fn may_hold(tools: &mut RootTools<'_>, decider: &mut LimitedDecider<'_>, anyway: TermId, condition: TermId) -> bool {
    let a = &mut tools.e.arena;
    let both = a.and(anyway, condition);
    match a.as_bool(both) {
        Some(holds) => holds,
        None => matches!(decider.happens_roughly(a, both).decision, Decision::Fails(_)),
    }
}
