//! Obligation that an index stays in its dimension or member array.
//!
//! In: an access that stays in its object. Out: a look at it. Rows have no names, and walking through a whole array
//! from its first row may well be meant (`a[0][i]`): only an access that leaves its row by very little is reported,
//! as *possible* at most.

use super::layout_intent::SLIP;
use super::rule::RuleCheck;
use crate::context::{CheckContext, ExecutedLaunch, InObject, RootTools};
use crate::counterexample::replay;
use crate::counterexample::replay_result::{ReplayResult, SoughtFault};
use crate::findings::build::{AccessCounterexample, FindingStrength, part_sites, verb};
use crate::obligations::cone;
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::{AccessExamination, AccessVerdict, Effort, FurtherEffort};
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::object::Object;
use engine::symbolic::memory::partition::ArrayRow;
use engine::symbolic::memory::value::{Base, GuardedTarget};
use engine::symbolic::terms::term::TermId;
use finding::{Replay, Verdict};
use witness::{AccessFault, PartTarget};

/// The rule for rows of arrays.
pub(crate) struct Subarray;

impl RuleCheck for Subarray {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::IntraAllocation]
    }

    fn concerns(&self, e: &Executor<'_>, _: &ExecutedLaunch, event: &AccessEvent) -> bool {
        concerns(e, event)
    }

    fn in_object(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        access: &InObject<'_>,
        effort: Effort,
    ) -> AccessExamination {
        look(cx, tools, run, access, effort)
    }
}

/// Looks at an access that stays in its object.
fn look(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    access: &InObject<'_>,
    effort: Effort,
) -> AccessExamination {
    let rows: Vec<ArrayRow> = inner(&tools.e, access.event, access.target, access.object).copied().collect();
    AccessExamination::worst(rows.into_iter().map(|r| in_row(cx, tools, run, access, effort, r)).collect::<Vec<_>>())
}

fn in_row(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    access: &InObject<'_>,
    effort: Effort,
    row: ArrayRow,
) -> AccessExamination {
    let InObject { event, object, target, facts, extent } = *access;
    let safe = AccessExamination::of(AccessVerdict::Safe);
    if cx.is_spent() {
        return safe;
    }
    let goal = slack(tools, event, facts, row, 0);
    let Decision::Fails(c) = tools.decide(cx, &goal).decision else {
        return safe;
    };
    let near = slack(tools, event, facts, row, SLIP * i128::from(row.element));
    if cx.bare || !matches!(tools.decide(cx, &near).decision, Decision::Safe) {
        return safe;
    }
    let unknowns = cone::unknowns(&tools.e, &[row.offset]);
    if !unknowns.is_empty() && effort == Effort::First {
        return AccessExamination { more: FurtherEffort::Replay, ..safe };
    }
    let parts = PartTarget::Row { gep: replay::site(row.gep), bytes: row.size.get() };
    let wanted = SoughtFault::Out(parts.clone());
    let judged = tools.replay(cx, run, event, &c, wanted);
    let ReplayResult::Reached { bad: reached, assumptions } = &judged else { return safe };
    let AccessFault::Part(bounds) = reached.fault else { return safe };
    let whole = Obligation { facts, offset: target.offset, bytes: event.bytes, extent };
    let bad = AccessCounterexample { root: &tools.root, run, event, object, obligation: &whole, counterexample: &c };
    let worth = FindingStrength {
        verdict: Verdict::Possible,
        replay: Replay::Reached,
        assumptions: assumptions.clone(),
        unknowns,
    };
    let place = cx.place_of(event);
    let what = verb(event.kind);
    let beyond = if reached.offset < bounds.start { "before the start" } else { "past the end" };
    let message = format!("{what} {beyond} of a row of `{}`", place.1);
    let mut finding = bad.finding(&tools.e, &tools.judge, &judged, worth, place);
    finding.rule = Rule::IntraAllocation;
    finding.message = message;
    finding.access.partition = Some(format!("a row of {} bytes in `{}`", row.size, object.name));
    if let Some(w) = &mut finding.witness {
        w.offset_bytes = reached.offset - bounds.start;
        w.extent_bytes = i64::try_from(row.size.get()).unwrap_or(i64::MAX);
        if let Some(sites) = &mut w.sites {
            sites.part = Some(part_sites(&parts));
        }
    }
    AccessExamination::of(AccessVerdict::Found(Box::new(finding)))
}

/// Whether a proof shows that an access to an object stays in each of its rows.
pub(crate) fn stays_in_rows(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, access: &InObject<'_>) -> bool {
    let rows: Vec<ArrayRow> = inner(&tools.e, access.event, access.target, access.object).copied().collect();
    rows.into_iter().all(|row| {
        let goal = slack(tools, access.event, access.facts, row, 0);
        matches!(tools.decide_roughly(cx, &goal).decision, Decision::Safe)
    })
}

/// Returns the rows of an access that are not its whole object: the bounds of the object are decided already.
fn inner<'a>(
    e: &Executor<'_>,
    event: &'a AccessEvent,
    target: &GuardedTarget,
    object: &Object,
) -> impl Iterator<Item = &'a ArrayRow> {
    let (offset, extent) = (target.offset, object.extent.and_then(|x| e.arena.as_int(x)));
    event.rows.iter().flat_map(|r| r.iter()).filter(move |r| r.offset != offset || extent != Some(i128::from(r.size)))
}

/// Whether an access may have to stay in a row of its object.
fn concerns(e: &Executor<'_>, event: &AccessEvent) -> bool {
    event.targets.iter().any(|t| matches!(t.base, Base::Object(o) if inner(e, event, t, e.object(o)).next().is_some()))
}

/// Builds the obligation that an access stays in its row, except for `bytes` bytes on either side.
fn slack(tools: &mut RootTools<'_>, event: &AccessEvent, facts: TermId, row: ArrayRow, bytes: i128) -> Obligation {
    let a = &mut tools.e.arena;
    Obligation {
        facts,
        offset: a.add_const(row.offset, bytes),
        bytes: event.bytes,
        extent: a.int(i128::from(row.size) + 2 * bytes),
    }
}
