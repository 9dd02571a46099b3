//! Obligation that an index stays in its dimension or member array.
//!
//! In: an access that stays in its object. Out: a look at it. Rows have no names, and walking through a whole array
//! from its first row may well be meant (`a[0][i]`): only an access that leaves its row by very little is reported,
//! as *possible* at most.

use super::layout_intent::SLIP;
use super::rule::Rule;
use crate::context::{Context, InObject, Run, Tools};
use crate::counterexample::replay::{self, Judged, Wanted};
use crate::findings::build::{Bad, Worth, part_sites, verb};
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::{Effort, Look, More, Outcome};
use base::rules::Rule as Class;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::object::Object;
use engine::symbolic::memory::partition::Row;
use engine::symbolic::memory::value::{Base, Target};
use engine::symbolic::terms::term::TermId;
use finding::{Replay, Verdict};
use witness::{Fault, Parts};

/// The rule for rows of arrays.
pub(crate) struct Subarray;

impl Rule for Subarray {
    fn classes(&self) -> &'static [Class] {
        &[Class::IntraAllocation]
    }

    fn concerns(&self, e: &Executor<'_>, _: &Run, event: &AccessEvent) -> bool {
        concerns(e, event)
    }

    fn in_object(
        &self,
        cx: &Context<'_>,
        tools: &mut Tools<'_>,
        run: &Run,
        access: &InObject<'_>,
        effort: Effort,
    ) -> Look {
        look(cx, tools, run, access, effort)
    }
}

/// Looks at an access that stays in its object.
fn look(cx: &Context<'_>, tools: &mut Tools<'_>, run: &Run, access: &InObject<'_>, effort: Effort) -> Look {
    let rows: Vec<Row> = inner(&tools.e, access.event, access.target, access.object).copied().collect();
    Look::worst(rows.into_iter().map(|r| in_row(cx, tools, run, access, effort, r)).collect::<Vec<_>>())
}

fn in_row(cx: &Context<'_>, tools: &mut Tools<'_>, run: &Run, access: &InObject<'_>, effort: Effort, row: Row) -> Look {
    let InObject { event, object, target, facts, extent } = *access;
    let safe = Look::of(Outcome::Safe);
    if cx.is_spent() {
        return safe;
    }
    let goal = slack(tools, event, facts, row, 0);
    let Decision::Fails { model, mode, degenerate } = tools.decider.decide(&mut tools.e.arena, &goal) else {
        return safe;
    };
    let near = slack(tools, event, facts, row, SLIP * i128::from(row.element));
    if cx.bare || !matches!(tools.decider.decide(&mut tools.e.arena, &near), Decision::Safe) {
        return safe;
    }
    let unknowns = cone::unknowns(&tools.e, &[row.offset]);
    if !unknowns.is_empty() && effort == Effort::First {
        return Look { more: More::Replay, ..safe };
    }
    let parts = Parts::Row { gep: replay::site(row.gep), bytes: row.size.get() };
    let c = Counterexample { model, mode, degenerate };
    let wanted = Wanted::Out(parts.clone());
    let judged = tools.judge.judge(&tools.e.arena, &run.launch, &run.run.thread, event, &c, wanted);
    let Judged::Reached { bad: reached, assumptions } = &judged else { return safe };
    let Fault::Part(bounds) = reached.fault else { return safe };
    let whole = Obligation { facts, offset: target.offset, bytes: event.bytes, extent };
    let bad = Bad { root: &tools.root, run, event, object, obligation: &whole, counterexample: &c };
    let worth =
        Worth { verdict: Verdict::Possible, replay: Replay::Reached, assumptions: assumptions.clone(), unknowns };
    let place = cx.place_of(event);
    let what = verb(event.kind);
    let beyond = if reached.offset < bounds.start { "before the start" } else { "past the end" };
    let message = format!("{what} {beyond} of a row of `{}`", place.1);
    let mut finding = bad.finding(&tools.e, &tools.judge, &judged, worth, place);
    finding.rule = Class::IntraAllocation;
    finding.message = message;
    finding.access.partition = Some(format!("a row of {} bytes in `{}`", row.size, object.name));
    if let Some(w) = &mut finding.witness {
        w.offset_bytes = reached.offset - bounds.start;
        w.extent_bytes = i64::try_from(row.size.get()).unwrap_or(i64::MAX);
        if let Some(sites) = &mut w.sites {
            sites.part = Some(part_sites(&parts));
        }
    }
    Look::of(Outcome::Found(Box::new(finding)))
}

/// Returns the rows of an access that are not its whole object: the bounds of the object are decided already.
fn inner<'a>(
    e: &Executor<'_>,
    event: &'a AccessEvent,
    target: &Target,
    object: &Object,
) -> impl Iterator<Item = &'a Row> {
    let (offset, extent) = (target.offset, object.extent.and_then(|x| e.arena.as_int(x)));
    event.rows.iter().flat_map(|r| r.iter()).filter(move |r| r.offset != offset || extent != Some(i128::from(r.size)))
}

/// Whether an access may have to stay in a row of its object.
fn concerns(e: &Executor<'_>, event: &AccessEvent) -> bool {
    event.targets.iter().any(|t| matches!(t.base, Base::Object(o) if inner(e, event, t, e.object(o)).next().is_some()))
}

/// Builds the obligation that an access stays in its row, except for `bytes` bytes on either side.
fn slack(tools: &mut Tools<'_>, event: &AccessEvent, facts: TermId, row: Row, bytes: i128) -> Obligation {
    let a = &mut tools.e.arena;
    Obligation {
        facts,
        offset: a.add_const(row.offset, bytes),
        bytes: event.bytes,
        extent: a.int(i128::from(row.size) + 2 * bytes),
    }
}
