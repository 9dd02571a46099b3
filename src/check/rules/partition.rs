//! Obligation that an access stays in the part of its object that its pointer's name stands for.
//!
//! In: an access that stays in its object, and the parts that the kernel names. Out: a look at it, with a finding
//! where it can reach another named part. [`super::layout_intent`] judges the meaning of the layout; an access that
//! is meant to reach across must never be proved wrong.

use super::crossing::{Neighbour, PartAccess, PartEnd};
use super::layout_intent::CrossingMeaning;
use super::rule::RuleCheck;
use crate::context::{CheckContext, ExecutedLaunch, InObject, RootTools};
use crate::counterexample::replay;
use crate::counterexample::replay_result::{ReplayResult, SoughtFault};
use crate::findings::build::{AccessCounterexample, FindingStrength, part_sites, verb};
use crate::obligations::cone;
use crate::obligations::decide::Decided;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::{AccessExamination, AccessVerdict, Effort, FurtherEffort};
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::terms::display;
use engine::symbolic::terms::term::TermId;
use finding::{Finding, Replay, Verdict};
use witness::{AccessFault, PartTarget};

/// Length of a bound's text, in bytes, beyond which nobody reads it.
const LONG: usize = 60;

/// An access that reaches a neighbour, and a model in which it does.
struct Crossing {
    neighbour: Neighbour,
    c: Counterexample,
}

/// The rule for named parts of an allocation.
pub(crate) struct NamedParts;

impl RuleCheck for NamedParts {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::IntraAllocation]
    }

    fn concerns(&self, _: &Executor<'_>, run: &ExecutedLaunch, event: &AccessEvent) -> bool {
        run.layout.concerns(event)
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
    let InObject { event, object, target, facts, extent } = *access;
    let Some(own) = target.part.filter(|p| run.layout.is_used(*p)) else {
        return AccessExamination::of(AccessVerdict::Safe);
    };
    let finish = tools.e.arena.add(target.offset, event.bytes);
    let through = PartAccess {
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
    let mut more = FurtherEffort::Nothing;
    let mut open = None;
    for n in neighbours(tools, run, &through) {
        if cx.is_spent() {
            (open, more) = (Some(UnknownReason::ProgramWork), FurtherEffort::Work);
            break;
        }
        let goal = through.goal(tools, &n, 0);
        let Decided { decision, cut } = tools.decide(cx, &goal);
        if cut {
            more = FurtherEffort::Work;
        }
        match decision {
            Decision::Safe | Decision::SafeIfNoWrap(_) => {}
            Decision::Unknown(why) => {
                open = Some(UnknownReason::StaysInPart(run.part(own).name.clone(), Box::new(why)));
            }
            Decision::Fails(c) => {
                let crossing = Crossing { neighbour: n, c };
                let look = crossed(cx, tools, run, &through, crossing, effort);
                if look.outcome.rank() > 0 || look.more > more {
                    return AccessExamination { more: look.more.max(more), ..look };
                }
            }
        }
    }
    AccessExamination { outcome: open.map_or(AccessVerdict::Safe, AccessVerdict::Unknown), more }
}

/// Returns the parts that the access could reach, by their known offsets: of those that certainly come after its own
/// only the nearest, since the others lie behind it. A part that only some paths to the access name hides none.
fn neighbours(tools: &mut RootTools<'_>, run: &ExecutedLaunch, t: &PartAccess<'_>) -> Vec<Neighbour> {
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
            found.push((
                Neighbour { id, start: other.start, end: PartEnd::Finish, facts },
                both == t.facts && range.lo.is_some_and(|l| l > 0),
            ));
        }
        if range.lo.is_none_or(|l| l < 0) {
            let (before, reached) = (a.lt(other.start, t.start), a.le(other.start, t.offset));
            let facts = a.and_all(vec![both, before, reached]);
            found.push((Neighbour { id, start: other.start, end: PartEnd::Start, facts }, false));
        }
    }
    let sure: Vec<Neighbour> =
        found.iter().filter(|(n, surely)| *surely && n.end == PartEnd::Finish).map(|(n, _)| *n).collect();
    found.retain(|(n, _)| {
        n.end == PartEnd::Start
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
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    t: &PartAccess<'_>,
    mut c: Crossing,
    effort: Effort,
) -> AccessExamination {
    let goal = t.goal(tools, &c.neighbour, 0);
    let unknowns = cone::unknowns(&tools.e, &[goal.offset, goal.extent, goal.bytes]);
    if cx.bare {
        return AccessExamination::of(AccessVerdict::Unknown(UnknownReason::OnlyAssumed));
    }
    if effort == Effort::First
        && let Some(u) = unknowns.first()
    {
        return AccessExamination { outcome: AccessVerdict::Unknown(u.clone()), more: FurtherEffort::Replay };
    }
    let doubt = match run.layout.meaning(cx, tools, run, t, &c.neighbour) {
        CrossingMeaning::Across => return AccessExamination::of(AccessVerdict::Safe),
        CrossingMeaning::Apart(better) => {
            c.c = better;
            None
        }
        CrossingMeaning::Doubtful(why) => Some(why),
    };
    AccessExamination::of(replayed_across(cx, tools, run, t, &c, doubt, unknowns))
}

/// Replays a crossing whose meaning is judged, and builds the finding.
fn replayed_across(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    t: &PartAccess<'_>,
    c: &Crossing,
    doubt: Option<&'static str>,
    unknowns: Vec<UnknownReason>,
) -> AccessVerdict {
    let (own, other) = (run.part(t.own), run.part(c.neighbour.id));
    let others = run
        .layout
        .alive_at(&run.run.partitions, t.own, t.event.at)
        .into_iter()
        .map(|id| replay::site(run.part(id).set))
        .collect();
    let parts = PartTarget::Named { own: replay::site(own.set), others };
    let wanted = SoughtFault::Out(parts.clone());
    let judged = tools.replay(cx, run, t.event, &c.c, wanted);
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
    let worth = FindingStrength { verdict, replay, assumptions, unknowns };
    AccessVerdict::Found(Box::new(finding(cx, tools, run, t, c, (&judged, worth, &parts))))
}

/// Returns how far the replay of a crossing came and its assumptions; `Err` gives the outcome where the crossing is
/// no finding.
fn worth_of(
    judged: &ReplayResult,
    own: &str,
    doubtful: bool,
    known: bool,
    trusted: bool,
) -> Result<(Replay, Vec<String>), AccessVerdict> {
    match judged {
        ReplayResult::Reached { assumptions, .. } => Ok((Replay::Reached, assumptions.clone())),
        // The start of a part may depend on code that was not followed; a model may then put it anywhere.
        _ if !known => Err(AccessVerdict::Safe),
        ReplayResult::NotReached(_) if doubtful => Err(AccessVerdict::Safe),
        ReplayResult::NotReached(why) => {
            Err(AccessVerdict::Unknown(UnknownReason::PartNotReached(own.to_owned(), Box::new(why.clone()))))
        }
        ReplayResult::Incomplete(why) | ReplayResult::Astray { why, .. } if !trusted => {
            Err(AccessVerdict::Unknown(why.clone()))
        }
        ReplayResult::ByChance(_) => Err(AccessVerdict::Unknown(UnknownReason::Gives("rand".into()))),
        ReplayResult::InTurn { .. } => Err(AccessVerdict::Unknown(UnknownReason::ThreadOrder)),
        ReplayResult::Incomplete(why) | ReplayResult::Astray { why, .. } => {
            Ok((Replay::Incomplete, vec![format!("replay stopped: {why}")]))
        }
    }
}

/// Builds the finding, in terms of the two parts.
fn finding(
    cx: &CheckContext<'_>,
    tools: &RootTools<'_>,
    run: &ExecutedLaunch,
    t: &PartAccess<'_>,
    c: &Crossing,
    (judged, worth, parts): (&ReplayResult, FindingStrength, &PartTarget),
) -> Finding {
    let (own, other) = (run.part(t.own), run.part(c.neighbour.id));
    let goal = Obligation { facts: c.neighbour.facts, offset: t.offset, bytes: t.event.bytes, extent: t.extent };
    let bad = AccessCounterexample {
        root: &tools.root,
        run,
        event: t.event,
        object: t.object,
        obligation: &goal,
        counterexample: &c.c,
    };
    let mut finding = bad.finding(&tools.e, &tools.judge, judged, worth, cx.place_of(t.event));
    let what = verb(t.event.kind);
    let beyond = match c.neighbour.end {
        PartEnd::Start => "before the start",
        PartEnd::Finish => "past the end",
    };
    finding.rule = Rule::IntraAllocation;
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
fn shown(tools: &RootTools<'_>, t: TermId, value: i64) -> String {
    let text = display::term(&tools.e.arena, t);
    if text.len() > LONG { value.to_string() } else { text }
}

/// Returns the start and end of a part in a model, in bytes, and the term of its end: the next start behind its own,
/// or the object's extent.
fn bounds(
    tools: &RootTools<'_>,
    run: &ExecutedLaunch,
    t: &PartAccess<'_>,
    c: &Crossing,
    judged: &ReplayResult,
) -> (i64, (i64, TermId)) {
    let value = |x: TermId| c.c.model.value(&tools.e.arena, x, c.c.mode).and_then(|v| i64::try_from(v).ok());
    let start = value(t.start).unwrap_or(0);
    let starts = run.layout.alive_at(&run.run.partitions, t.own, t.event.at).into_iter().map(|id| run.part(id).start);
    let next = starts.filter_map(|s| value(s).filter(|v| *v > start).map(|v| (v, s))).min_by_key(|(v, _)| *v);
    let (end, until) = next.unwrap_or_else(|| (value(t.extent).unwrap_or(0), t.extent));
    match judged {
        ReplayResult::Reached { bad, .. } => match bad.fault {
            AccessFault::Part(p) => {
                (p.start, (p.end.unwrap_or_else(|| i64::try_from(bad.object.extent).unwrap_or(i64::MAX)), until))
            }
            _ => (start, (end, until)),
        },
        _ => (start, (end, until)),
    }
}
