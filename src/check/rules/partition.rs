//! Obligation that an access stays in the part of its object that its pointer's name stands for.
//!
//! In: an access that stays in its object, and the parts that the kernel names. Out: a look at it, with a finding
//! where it can reach another named part. [`super::layout_intent`] judges the meaning of the layout; an access that
//! is meant to reach across must never be proved wrong.

use super::crossing::{End, Neighbour, Through};
use super::layout_intent::Meaning;
use super::rule::Rule;
use crate::context::{Context, InObject, Run, Tools};
use crate::counterexample::replay::{self, Judged, Wanted};
use crate::findings::build::{Bad, Worth, part_sites, verb};
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::{Effort, Look, More, Outcome};
use base::reasons::UnknownReason;
use base::rules::Rule as Class;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::terms::display;
use engine::symbolic::terms::term::TermId;
use finding::{Finding, Replay, Verdict};
use witness::{Fault, Parts};

/// Length of a bound's text, in bytes, beyond which nobody reads it.
const LONG: usize = 60;

/// An access that reaches a neighbour, and a model in which it does.
struct Crossing {
    neighbour: Neighbour,
    c: Counterexample,
}

/// The rule for named parts of an allocation.
pub(crate) struct NamedParts;

impl Rule for NamedParts {
    fn classes(&self) -> &'static [Class] {
        &[Class::IntraAllocation]
    }

    fn concerns(&self, _: &Executor<'_>, run: &Run, event: &AccessEvent) -> bool {
        run.layout.concerns(event)
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
    let InObject { event, object, target, facts, extent } = *access;
    let Some(own) = target.part.filter(|p| run.layout.is_used(*p)) else { return Look::of(Outcome::Safe) };
    let finish = tools.e.arena.add(target.offset, event.bytes);
    let through = Through {
        event,
        id: run.part(own).object,
        object,
        own,
        start: run.part(own).start,
        facts,
        offset: target.offset,
        finish,
        extent,
    };
    let mut more = More::Nothing;
    let mut open = None;
    for n in neighbours(tools, run, &through) {
        if cx.is_spent() {
            (open, more) = (Some(UnknownReason::ProgramWork), More::Work);
            break;
        }
        let goal = through.goal(tools, &n, 0);
        let decision = tools.decider.decide(&mut tools.e.arena, &goal);
        if tools.decider.cut {
            more = More::Work;
        }
        match decision {
            Decision::Safe | Decision::SafeIfNoWrap(_) => {}
            Decision::Unknown(why) => {
                open = Some(UnknownReason::StaysInPart(run.part(own).name.clone(), Box::new(why)));
            }
            Decision::Fails { model, mode, degenerate } => {
                let c = Counterexample { model, mode, degenerate };
                let crossing = Crossing { neighbour: n, c };
                let look = crossed(cx, tools, run, &through, crossing, effort);
                if look.outcome.rank() > 0 || look.more > more {
                    return Look { more: look.more.max(more), ..look };
                }
            }
        }
    }
    Look { outcome: open.map_or(Outcome::Safe, Outcome::Unknown), more }
}

/// Returns the parts that the access could reach, by their known offsets: of those that certainly come after its own
/// only the nearest, since the others lie behind it.
fn neighbours(tools: &mut Tools<'_>, run: &Run, t: &Through<'_>) -> Vec<Neighbour> {
    let a = &mut tools.e.arena;
    let mut found: Vec<(Neighbour, bool)> = vec![];
    for id in run.layout.alive_at(&run.run.partitions, t.own, t.event.at) {
        let other = run.part(id);
        let distance = a.sub(other.start, t.start);
        let range = a.range(distance);
        let both = a.and(t.facts, other.path);
        if range.hi.is_none_or(|h| h > 0) {
            let after = a.lt(t.start, other.start);
            let facts = a.and(both, after);
            found
                .push((Neighbour { id, start: other.start, end: End::Finish, facts }, range.lo.is_some_and(|l| l > 0)));
        }
        if range.lo.is_none_or(|l| l < 0) {
            let (before, reached) = (a.lt(other.start, t.start), a.le(other.start, t.offset));
            let facts = a.and_all(vec![both, before, reached]);
            found.push((Neighbour { id, start: other.start, end: End::Start, facts }, false));
        }
    }
    let sure: Vec<Neighbour> =
        found.iter().filter(|(n, surely)| *surely && n.end == End::Finish).map(|(n, _)| *n).collect();
    found.retain(|(n, _)| {
        n.end == End::Start
            || !sure.iter().any(|m| {
                m.id != n.id && {
                    let d = a.sub(n.start, m.start);
                    a.range(d).lo.is_some_and(|l| l > 0 || l == 0 && m.id < n.id)
                }
            })
    });
    found.into_iter().map(|(n, _)| n).filter(|n| a.as_bool(n.facts) != Some(false)).collect()
}

/// Judges a model that leads into another part.
fn crossed(
    cx: &Context<'_>,
    tools: &mut Tools<'_>,
    run: &Run,
    t: &Through<'_>,
    mut c: Crossing,
    effort: Effort,
) -> Look {
    let goal = t.goal(tools, &c.neighbour, 0);
    let unknowns = cone::unknowns(&tools.e, &[goal.offset, goal.extent, goal.bytes]);
    if cx.bare {
        return Look::of(Outcome::Unknown(UnknownReason::OnlyAssumed));
    }
    if effort == Effort::First
        && let Some(u) = unknowns.first()
    {
        return Look { outcome: Outcome::Unknown(u.clone()), more: More::Replay };
    }
    let doubt = match run.layout.meaning(tools, run, t, &c.neighbour) {
        Meaning::Across => return Look::of(Outcome::Safe),
        Meaning::Apart(better) => {
            c.c = better;
            None
        }
        Meaning::Doubtful(why) => Some(why),
    };
    Look::of(replayed_across(cx, tools, run, t, &c, doubt, unknowns))
}

/// Replays a crossing whose meaning is judged, and builds the finding.
fn replayed_across(
    cx: &Context<'_>,
    tools: &mut Tools<'_>,
    run: &Run,
    t: &Through<'_>,
    c: &Crossing,
    doubt: Option<&'static str>,
    unknowns: Vec<UnknownReason>,
) -> Outcome {
    let (own, other) = (run.part(t.own), run.part(c.neighbour.id));
    let others = run
        .layout
        .alive_at(&run.run.partitions, t.own, t.event.at)
        .into_iter()
        .map(|id| replay::site(run.part(id).set))
        .collect();
    let parts = Parts::Named { own: replay::site(own.set), others };
    let wanted = Wanted::Out(parts.clone());
    let judged = tools.judge.judge(&tools.e.arena, &run.launch, &run.run.thread, t.event, &c.c, wanted);
    let (replay, mut assumptions) =
        match worth_of(&judged, &own.name, doubt.is_some(), unknowns.is_empty(), tools.root.trusted) {
            Ok(worth) => worth,
            Err(outcome) => return outcome,
        };
    if let Some(why) = doubt {
        assumptions.push(format!("that `{}` and `{}` are kept apart, although {why}", own.name, other.name));
    }
    if !tools.root.trusted {
        assumptions.push(format!("`{}` is called with these arguments", cx.program.func(tools.root.func).display));
    }
    let verdict = if doubt.is_none() && replay == Replay::Reached && tools.root.trusted {
        Verdict::Proved
    } else {
        Verdict::Possible
    };
    let worth = Worth { verdict, replay, assumptions, unknowns };
    Outcome::Found(Box::new(finding(cx, tools, run, t, c, (&judged, worth, &parts))))
}

/// Returns how far the replay of a crossing came and its assumptions; `Err` gives the outcome where the crossing is
/// no finding.
fn worth_of(
    judged: &Judged,
    own: &str,
    doubtful: bool,
    known: bool,
    trusted: bool,
) -> Result<(Replay, Vec<String>), Outcome> {
    match judged {
        Judged::Reached { assumptions, .. } => Ok((Replay::Reached, assumptions.clone())),
        // The start of a part may depend on code that was not followed; a model may then put it anywhere.
        _ if !known => Err(Outcome::Safe),
        Judged::NotReached(_) if doubtful => Err(Outcome::Safe),
        Judged::NotReached(why) => {
            Err(Outcome::Unknown(UnknownReason::PartNotReached(own.to_owned(), Box::new(why.clone()))))
        }
        Judged::Incomplete(why) | Judged::Astray { why, .. } if !trusted => Err(Outcome::Unknown(why.clone())),
        Judged::ByChance(_) => Err(Outcome::Unknown(UnknownReason::Gives("rand".into()))),
        Judged::InTurn { .. } => Err(Outcome::Unknown(UnknownReason::ThreadOrder)),
        Judged::Incomplete(why) | Judged::Astray { why, .. } => {
            Ok((Replay::Incomplete, vec![format!("replay stopped: {why}")]))
        }
    }
}

/// Builds the finding, in terms of the two parts.
fn finding(
    cx: &Context<'_>,
    tools: &Tools<'_>,
    run: &Run,
    t: &Through<'_>,
    c: &Crossing,
    (judged, worth, parts): (&Judged, Worth, &Parts),
) -> Finding {
    let (own, other) = (run.part(t.own), run.part(c.neighbour.id));
    let goal = Obligation { facts: c.neighbour.facts, offset: t.offset, bytes: t.event.bytes, extent: t.extent };
    let bad = Bad { root: &tools.root, run, event: t.event, object: t.object, obligation: &goal, counterexample: &c.c };
    let mut finding = bad.finding(&tools.e, &tools.judge, judged, worth, cx.place_of(t.event));
    let what = verb(t.event.kind);
    let beyond = match c.neighbour.end {
        End::Start => "before the start",
        End::Finish => "past the end",
    };
    finding.rule = Class::IntraAllocation;
    finding.message = format!("{what} {beyond} of `{}`, into `{}`", own.name, other.name);
    let (start, end) = bounds(tools, run, t, c, judged);
    finding.access.partition = Some(format!(
        "`{}`: bytes {} to {} of `{}`",
        own.name,
        shown(tools, t.start, start),
        shown(tools, end.1, end.0),
        t.object.name
    ));
    if let Some(w) = &mut finding.witness {
        w.offset_bytes -= start;
        w.extent_bytes = end.0 - start;
        if let Some(sites) = &mut w.sites {
            sites.part = Some(part_sites(parts));
        }
    }
    finding
}

/// Prints a term in the program's words, or its value in the witness where the text would be long.
fn shown(tools: &Tools<'_>, t: TermId, value: i64) -> String {
    let text = display::term(&tools.e.arena, t);
    if text.len() > LONG { value.to_string() } else { text }
}

/// Returns the start and end of a part in a model, in bytes, and the term of its end: the next start behind its own,
/// or the object's extent.
fn bounds(tools: &Tools<'_>, run: &Run, t: &Through<'_>, c: &Crossing, judged: &Judged) -> (i64, (i64, TermId)) {
    let value = |x: TermId| c.c.model.value(&tools.e.arena, x, c.c.mode).and_then(|v| i64::try_from(v).ok());
    let start = value(t.start).unwrap_or(0);
    let starts = run.layout.alive_at(&run.run.partitions, t.own, t.event.at).into_iter().map(|id| run.part(id).start);
    let next = starts.filter_map(|s| value(s).filter(|v| *v > start).map(|v| (v, s))).min_by_key(|(v, _)| *v);
    let (end, until) = next.unwrap_or_else(|| (value(t.extent).unwrap_or(0), t.extent));
    match judged {
        Judged::Reached { bad, .. } => match bad.fault {
            Fault::Part(p) => {
                (p.start, (p.end.unwrap_or_else(|| i64::try_from(bad.object.extent).unwrap_or(i64::MAX)), until))
            }
            _ => (start, (end, until)),
        },
        _ => (start, (end, until)),
    }
}
