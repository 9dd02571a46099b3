//! Conditions that cannot hold together: who stated all of them would be told that they never hold, and none would be assumed.
//!
//! In: the conditions of one function, what holds wherever it is called. Out: those that stay, which are known to hold together for something; the
//! places of the others, which are open. Those that cover the most places stay.

use super::gather::{Need, Shared};
use super::{Open, Place};
use crate::context::Tools;
use crate::obligations::decide::Decider;
use crate::obligations::obligation::Decision;
use crate::solver::Limits;
use base::work::Work;
use engine::symbolic::terms::term::TermId;
use std::collections::BTreeSet;

/// Without conditions that are not known to hold together with what holds anyway and with the others. `work` is what stating them is judged with.
pub(super) fn that_hold_together(
    tools: &mut Tools<'_>,
    (anyway, work): (TermId, Work),
    all: Vec<Shared>,
) -> (Vec<Shared>, Vec<Open>) {
    let mut decider = Decider::new(Limits { work, ..Limits::default() });
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
    let open: BTreeSet<Place> = dropped.iter().flat_map(|i| all[*i].covers.iter().cloned()).collect();
    let mut kept: Vec<Shared> =
        all.into_iter().enumerate().filter(|(i, _)| !dropped.contains(i)).map(|(_, s)| s).collect();
    for s in &mut kept {
        s.covers.retain(|place| !open.contains(place));
    }
    kept.retain(|s| !s.covers.is_empty());
    let reason = || "its condition is not known to hold together with those of the other accesses".to_owned();
    (kept, open.into_iter().map(|place| Open { place, reason: reason() }).collect())
}

/// What arrays hold is judged condition by condition.
fn of_now(s: &Shared) -> Option<TermId> {
    match s.need {
        Need::Now(condition) => Some(condition),
        Need::Each(_) => None,
    }
}

fn may_hold(tools: &mut Tools<'_>, decider: &mut Decider, anyway: TermId, condition: TermId) -> bool {
    let a = &mut tools.e.arena;
    let both = a.and(anyway, condition);
    match a.as_bool(both) {
        Some(holds) => holds,
        None => matches!(decider.happens_roughly(a, both), Decision::Fails { .. }),
    }
}
