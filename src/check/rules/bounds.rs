//! `out-of-bounds`: one access of a kernel in its whole context, from its pointer's targets to its verdict.
//!
//! In: an access, the launch that makes it (or none), and the effort. Out: a look at it. For each object that the
//! pointer may point to, the obligation is built and decided; a model is replayed; an access that stays in its object
//! is checked against the object's parts and rows. This module must not depend on the order of accesses, nor on the
//! verdicts of others.

use super::pointer;
use super::rule::RuleCheck;
use crate::concurrency::reads_from::Exchange;
use crate::context::{CheckContext, ExecutedLaunch, InObject, RootTools};
use crate::counterexample::candidates::{self, OutOfBounds};
use crate::counterexample::concrete_trials::trials;
use crate::findings::explanation;
use crate::obligations::cone;
use crate::obligations::decide::Decided;
use crate::obligations::free_extent;
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::{AccessExamination, AccessVerdict, Effort, FurtherEffort};
use base::inside;
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::loops::{prefix_sum, product_facts, quantified_facts};
use engine::symbolic::memory::object::{ObjId, ObjKind, Object};
use engine::symbolic::memory::value::{Base, GuardedTarget, UnknownPointer};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{SymKind, TermId};

/// The rule `out-of-bounds`.
pub(crate) struct Bounds;

impl RuleCheck for Bounds {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::OobGlobal, Rule::OobShared, Rule::OobLocal, Rule::OobConstant, Rule::DataIndex, Rule::UncheckedArgument]
    }
}

/// Glances in a row, at accesses whose extent nothing bounds, after which further ones are not looked at.
const MAX_VAIN_GLANCES: u32 = 8;

/// The launch of an access, and the effort to spend on it.
#[derive(Clone, Copy)]
struct AccessQuery<'a> {
    launch: Option<&'a ExecutedLaunch>,
    effort: Effort,
}

/// Looks at an access.
pub(crate) fn look<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    launch: Option<&ExecutedLaunch>,
    ev: &AccessEvent,
    effort: Effort,
) -> AccessExamination {
    inside::at_the_place(explanation::is_wanted(cx, ev), || {
        explanation::access(cx, launch, ev, effort);
        let (look, cut) = tools.noting_cuts(|tools| in_each(cx, tools, ev, AccessQuery { launch, effort }));
        explanation::verdict(&look);
        // A replay with a reduced budget decides nothing.
        if cut && !look.outcome.is_final() { AccessExamination::none() } else { look }
    })
}

/// Looks at each target of the pointer; the worst counts.
fn in_each<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    ev: &AccessEvent,
    asked: AccessQuery<'_>,
) -> AccessExamination {
    let AccessQuery { launch, effort } = asked;
    let mut looks = vec![];
    for t in ev.targets.iter() {
        let facts = tools.e.arena.and(ev.path, t.cond);
        if tools.e.arena.as_bool(facts) == Some(false) {
            continue;
        }
        looks.push(match &t.base {
            Base::Null | Base::Unknown(_) if effort == Effort::Glance => AccessExamination::put_off(),
            Base::Object(o) if effort == Effort::Glance && pointer::is_hosts_own(tools, *o) => {
                AccessExamination::put_off()
            }
            Base::Object(o) => {
                let look = in_object(cx, tools, ev, asked, (*o, t, facts));
                in_hosts_memory(cx, tools, launch, ev, (*o, facts, t.offset)).unwrap_or(look)
            }
            Base::Null => AccessExamination::of(through_null(cx, tools, launch, ev, facts, t.offset)),
            Base::Func(_) => AccessExamination::of(AccessVerdict::Unknown(UnknownReason::FunctionPointer)),
            Base::Unknown(lost) if lost.unset => {
                AccessExamination::of(through_unset(cx, tools, launch, ev, facts, lost))
            }
            Base::Unknown(lost) => AccessExamination::of(
                if ev.targets.len() > 1 {
                    never(cx, tools, facts)
                } else {
                    through_lost(cx, tools, launch, ev, (facts, t.offset), lost)
                }
                .unwrap_or_else(|| AccessVerdict::Unknown(lost_pointer(lost))),
            ),
        });
    }
    AccessExamination::worst(looks)
}

/// Decides an access on an infeasible path; `None` where the path may be feasible.
fn never(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, facts: TermId) -> Option<AccessVerdict> {
    let (nothing, one, before) = (tools.e.arena.int(0), tools.e.arena.int(1), tools.e.arena.int(-1));
    match tools.decide_roughly(cx, &Obligation { facts, offset: before, bytes: one, extent: nothing }).decision {
        Decision::Safe => Some(AccessVerdict::Safe),
        Decision::SafeIfNoWrap(ops) => Some(AccessVerdict::SafeIfNoWrap(ops)),
        Decision::Fails(_) | Decision::Unknown(_) => None,
    }
}

fn through_null(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: Option<&ExecutedLaunch>,
    ev: &AccessEvent,
    facts: TermId,
    offset: TermId,
) -> AccessVerdict {
    match run {
        Some(run) if !cx.bare && !cx.is_spent() => pointer::null_in_kernel(cx, tools, run, ev, facts, offset),
        _ => AccessVerdict::Unknown(UnknownReason::NullPointer),
    }
}

/// Returns the reason for an undecided access through a lost pointer.
pub(crate) fn lost_pointer(lost: &UnknownPointer) -> UnknownReason {
    UnknownReason::LostPointer(Box::new((*lost.reason).clone()))
}

/// Checks an operator's access through a lost pointer with small tensors: the replay knows the pointer's target.
fn through_lost<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: Option<&ExecutedLaunch>,
    ev: &AccessEvent,
    (facts, offset): (TermId, TermId),
    lost: &UnknownPointer,
) -> Option<AccessVerdict> {
    let run = run.filter(|_| !cx.bare && !cx.is_spent() && tools.root.entry)?;
    if !trials(cx, tools).with_tensors {
        return None;
    }
    let reason = lost_pointer(lost);
    let extent = tools.e.arena.fresh(SymKind::Unknown { reason: reason.clone() }, "?", Interval::ANY);
    let object =
        Object { kind: ObjKind::DeviceHeap, name: String::new(), extent: None, site: None, func: None, array: true };
    let obligation = Obligation { facts, offset, bytes: ev.bytes, extent };
    let bad = OutOfBounds { event: ev, object: &object, obligation: &obligation, unknowns: vec![reason] };
    candidates::seen(cx, tools, run, bad, false)
}

fn through_unset<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: Option<&ExecutedLaunch>,
    ev: &AccessEvent,
    facts: TermId,
    lost: &UnknownPointer,
) -> AccessVerdict {
    let found = run.filter(|_| !cx.bare && !cx.is_spent()).map(|run| pointer::unset(cx, tools, run, ev, facts));
    match found {
        Some(AccessVerdict::Unknown(_)) | None => AccessVerdict::Unknown(lost_pointer(lost)),
        Some(found) => found,
    }
}

/// Decides an access to memory that only the host may use, whatever the bounds; `None` where it is no finding.
fn in_hosts_memory(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: Option<&ExecutedLaunch>,
    ev: &AccessEvent,
    (o, facts, offset): (ObjId, TermId, TermId),
) -> Option<AccessExamination> {
    let run = run.filter(|_| !cx.bare && pointer::is_hosts_own(tools, o))?;
    if cx.is_spent() {
        let outcome = AccessVerdict::Unknown(UnknownReason::ProgramWork);
        return Some(AccessExamination { outcome, more: FurtherEffort::Work });
    }
    let object = tools.e.object(o).clone();
    let extent = object.extent.unwrap_or(ev.bytes);
    let ob = Obligation { facts, offset, bytes: ev.bytes, extent };
    pointer::hosts_in_kernel(cx, tools, run, ev, &object, &ob).map(AccessExamination::of)
}

/// Builds the obligation of an access in an object; also returns whether it uses facts on values that the launch's
/// threads exchange.
pub(crate) fn obligation(
    tools: &mut RootTools<'_>,
    launch: Option<&ExecutedLaunch>,
    access: &InObject<'_>,
) -> (Obligation, bool) {
    let InObject { event: ev, target, facts, extent, .. } = *access;
    let extent = launch.map_or(extent, |r| r.decided.term(&mut tools.e.arena, extent));
    let exchanged = launch.and_then(|r| r.invariants.facts(&mut tools.e, &[facts, target.offset]));
    let facts = exchanged.map_or(facts, |more| tools.e.arena.and(facts, more));
    let checked =
        launch.and_then(|r| quantified_facts::instances(&mut tools.e.arena, &r.launch.always, &[facts, target.offset]));
    let facts = checked.map_or(facts, |more| tools.e.arena.and(facts, more));
    let of_objects = tools.e.of_objects(&[facts, target.offset, ev.bytes, extent]);
    let facts = of_objects.map_or(facts, |more| tools.e.arena.and(facts, more));
    let stated = tools.e.facts_of_elements(&[facts, target.offset]);
    let facts = stated.map_or(facts, |more| tools.e.arena.and(facts, more));
    let same = tools.e.same_inputs(&[facts, target.offset, ev.bytes, extent]);
    let facts = same.map_or(facts, |more| tools.e.arena.and(facts, more));
    let sums = prefix_sum::instances(&mut tools.e.arena, &[facts, target.offset, extent]);
    let facts = sums.map_or(facts, |more| tools.e.arena.and(facts, more));
    let always = launch.map_or(&[][..], |r| &r.launch.always);
    let multiplied = product_facts::instances(&mut tools.e.arena, always, &[facts, target.offset, extent]);
    let facts = multiplied.map_or(facts, |more| tools.e.arena.and(facts, more));
    (Obligation { facts, offset: target.offset, bytes: ev.bytes, extent }, exchanged.is_some())
}

/// Announces an access to the decider, as a glance will ask for it.
pub(crate) fn expect(tools: &mut RootTools<'_>, launch: &ExecutedLaunch, event: &AccessEvent) {
    let [target] = &event.targets[..] else { return };
    let Base::Object(o) = target.base else { return };
    let Some(extent) = tools.e.object(o).extent else { return };
    let decided = launch.decided.term(&mut tools.e.arena, extent);
    let ob = Obligation { facts: event.path, offset: target.offset, bytes: event.bytes, extent: decided };
    if ob.is_settled(&mut tools.e.arena) {
        return;
    }
    let object = tools.e.object(o).clone();
    let facts = tools.e.arena.and(event.path, target.cond);
    let access = InObject { event, object: &object, target, facts, extent };
    let (ob, _) = glanced(tools, Some(launch), &access);
    tools.decider.expect(&mut tools.e.arena, &ob);
}

/// Builds the obligation of an access for a glance: what follows from large facts waits for the first look.
fn glanced(tools: &mut RootTools<'_>, launch: Option<&ExecutedLaunch>, access: &InObject<'_>) -> (Obligation, bool) {
    let light = tools.for_a_glance(access.facts);
    if light == access.facts {
        return obligation(tools, launch, access);
    }
    let extent = launch.map_or(access.extent, |r| r.decided.term(&mut tools.e.arena, access.extent));
    (Obligation { facts: light, offset: access.target.offset, bytes: access.event.bytes, extent }, false)
}

fn in_object<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    ev: &AccessEvent,
    asked: AccessQuery<'_>,
    (o, target, facts): (ObjId, &GuardedTarget, TermId),
) -> AccessExamination {
    let AccessQuery { launch, effort } = asked;
    let object = tools.e.object(o).clone();
    let Some(extent) = object.extent else {
        let name = object.name;
        return AccessExamination::of(AccessVerdict::Unknown(match object.kind {
            ObjKind::Parameter => UnknownReason::ExtentOfParameter(name),
            _ => UnknownReason::ExtentOf(name),
        }));
    };
    if cx.is_spent() {
        return AccessExamination {
            outcome: AccessVerdict::Unknown(UnknownReason::ProgramWork),
            more: FurtherEffort::Work,
        };
    }
    let access = InObject { event: ev, object: &object, target, facts, extent };
    let (ob, exchanged) =
        if effort == Effort::Glance { glanced(tools, launch, &access) } else { obligation(tools, launch, &access) };
    let access = InObject { facts: ob.facts, extent: ob.extent, ..access };
    explanation::obligation(cx, &tools.e, &access, &ob);
    let mut unknowns = cone::unknowns(&tools.e, &[ob.offset, ob.extent, ob.bytes]);
    for which in cone::choices(&tools.e, target.cond) {
        if !unknowns.contains(&which) {
            unknowns.push(which);
        }
    }
    // Results of small inputs need no search. With several targets only a model shows which one is meant.
    let at_once = |tools: &RootTools<'_>| match effort {
        // A file of a model is smaller than one of a small run.
        Effort::Full => !trials(cx, tools).with_files,
        Effort::First => tools.root.entry && trials(cx, tools).with_tensors,
        Effort::Glance => false,
    };
    if let Some(run) = launch.filter(|_| ev.targets.len() == 1 && !cx.bare && at_once(tools)) {
        let bad = OutOfBounds { event: ev, object: &object, obligation: &ob, unknowns: unknowns.clone() };
        if let Some(found) = candidates::seen(cx, tools, run, bad, effort != Effort::Full) {
            return AccessExamination::of(found);
        }
    }
    let may_be_vain = effort != Effort::Full || cx.attempt.hurried;
    let why = may_be_vain.then(|| free_extent::reason(&mut tools.e.arena, &ob)).flatten();
    if let Some(look) = why.as_ref().and_then(|why| in_vain(tools, effort, why)) {
        return look;
    }
    let look = decided(cx, tools, &access, asked, (&ob, exchanged, unknowns));
    if why.is_some() {
        tools.vain_glances = if look.outcome.is_safe() { 0 } else { tools.vain_glances + 1 };
    }
    match launch {
        Some(run) if look.outcome.is_safe() => {
            if effort == Effort::Glance && super::concern(&tools.e, run, ev) {
                return AccessExamination::put_off();
            }
            let mut looks = vec![look];
            looks.extend(super::ALL.iter().map(|rule| rule.in_object(cx, tools, run, &access, effort)));
            AccessExamination::worst(looks)
        }
        _ => look,
    }
}

/// Returns the look at an access whose extent nothing bounds, unless a glance may still show that no path leads to it.
fn in_vain(tools: &RootTools<'_>, effort: Effort, why: &UnknownReason) -> Option<AccessExamination> {
    let more = match effort {
        Effort::Glance if tools.vain_glances < MAX_VAIN_GLANCES => return None,
        Effort::Glance => return Some(AccessExamination::put_off()),
        Effort::First => FurtherEffort::Replay,
        Effort::Full => FurtherEffort::Nothing,
    };
    inside::explain(|| "    -> undecided: nothing bounds the extent".into());
    Some(AccessExamination { outcome: AccessVerdict::Unknown(why.clone()), more })
}

/// Decides the obligation of an access to an object. `exchanged`: the obligation builds on invariants of the launch.
fn decided<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    access: &InObject<'_>,
    AccessQuery { launch, effort }: AccessQuery<'_>,
    (ob, exchanged, unknowns): (&Obligation, bool, Vec<UnknownReason>),
) -> AccessExamination {
    // Without a known launch there is no use for a small model.
    let rough = launch.is_none() || effort == Effort::Glance || effort == Effort::First && !unknowns.is_empty();
    let Decided { decision, mut cut } = if rough { tools.decide_roughly(cx, ob) } else { tools.decide(cx, ob) };
    explanation::decision(&tools.e, &decision, cut);
    if effort == Effort::Glance && !matches!(decision, Decision::Safe | Decision::SafeIfNoWrap(_)) {
        return match (decision, unknowns.into_iter().next()) {
            // The reason stands if no work is left for more than the glance.
            (Decision::Fails(_), Some(why)) => {
                AccessExamination { outcome: AccessVerdict::Unknown(why), more: FurtherEffort::Work }
            }
            _ => AccessExamination::put_off(),
        };
    }
    // Facts on the kernel's own stores need a full look, or a case without unknowns.
    let open = matches!(decision, Decision::Fails(_) | Decision::Unknown(_))
        && (effort == Effort::Full || unknowns.is_empty());
    let other = launch.filter(|_| open).and_then(|run| with_stores(cx, tools, run, ob));
    cut = other.as_ref().map_or(cut, |other| other.cut);
    let other = other.map(|other| other.decision).filter(|d| !matches!(d, Decision::Unknown(_)));
    if let Some(other) = &other {
        inside::explain(|| "  with what the kernel itself stores where it reads".into());
        explanation::decision(&tools.e, other, cut);
    }
    let exchanged = exchanged || other.is_some();
    let look = match other.unwrap_or(decision) {
        Decision::Safe => AccessExamination::of(safe_if(vec![], launch.filter(|_| exchanged))),
        Decision::SafeIfNoWrap(ops) => AccessExamination::of(safe_if(ops, launch.filter(|_| exchanged))),
        Decision::Unknown(why) => AccessExamination::of(
            launch
                .filter(|_| effort == Effort::Full && !cx.bare && trials(cx, tools).with_files)
                .and_then(|run| {
                    let (event, object) = (access.event, access.object);
                    let bad = OutOfBounds { event, object, obligation: ob, unknowns: unknowns.clone() };
                    candidates::seen(cx, tools, run, bad, false)
                })
                .unwrap_or(AccessVerdict::Unknown(why)),
        ),
        Decision::Fails(c) => match (launch, unknowns.first()) {
            (_, _) if cx.bare => AccessExamination::of(AccessVerdict::Unknown(UnknownReason::OnlyAssumed)),
            (None, _) => AccessExamination::of(AccessVerdict::Unknown(UnknownReason::NoLaunch)),
            (Some(_), Some(u)) if effort == Effort::First => {
                AccessExamination { outcome: AccessVerdict::Unknown(u.clone()), more: FurtherEffort::Replay }
            }
            (Some(run), _) => {
                let bad = |unknowns: Vec<UnknownReason>| OutOfBounds {
                    event: access.event,
                    object: access.object,
                    obligation: ob,
                    unknowns,
                };
                let outcome = candidates::replayed(cx, tools, run, bad(unknowns.clone()), (c, &mut cut));
                let again = if matches!(outcome, AccessVerdict::Unknown(_)) {
                    pointer::unset_index(cx, tools, run, access.event, access.object, (ob, &unknowns), &mut cut)
                        .or_else(|| on_the_whole_way(cx, tools, run, bad(unknowns), &mut cut))
                } else {
                    None
                };
                AccessExamination::of(again.unwrap_or(outcome))
            }
        },
    };
    if cut { AccessExamination { more: FurtherEffort::Work, ..look } } else { look }
}

/// Returns safe, provided that these operations do not wrap, nor those that the launch's invariants rest on.
fn safe_if(mut ops: Vec<String>, with_invariants: Option<&ExecutedLaunch>) -> AccessVerdict {
    for op in with_invariants.map_or(&[][..], |run| run.invariants.operations()) {
        if !ops.contains(op) {
            ops.push(op.clone());
        }
    }
    if ops.is_empty() { AccessVerdict::Safe } else { AccessVerdict::SafeIfNoWrap(ops) }
}

/// Retries an access whose model led to no verdict under all conditions of the path to the launch, including those
/// unrelated to its arguments.
fn on_the_whole_way<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    access: OutOfBounds<'_>,
    cut: &mut bool,
) -> Option<AccessVerdict> {
    if cx.is_spent() {
        return None;
    }
    let ob = access.obligation;
    let mut all = vec![ob.facts, run.launch.path];
    all.extend(run.launch.always.iter().map(|x| x.of_the_ends(&mut tools.e.arena)));
    let facts = tools.e.arena.and_all(all);
    if facts == ob.facts {
        return None;
    }
    let ob = Obligation { facts, ..ob.clone() };
    let decided = tools.decide(cx, &ob);
    *cut = decided.cut;
    match decided.decision {
        Decision::Safe => Some(safe_if(vec![], Some(run))),
        Decision::SafeIfNoWrap(ops) => Some(safe_if(ops, Some(run))),
        Decision::Unknown(_) => None,
        Decision::Fails(c) => {
            Some(candidates::replayed(cx, tools, run, OutOfBounds { obligation: &ob, ..access }, (c, cut)))
                .filter(AccessVerdict::is_finding)
        }
    }
}

/// Decides with reads-from facts: a value read from memory that the kernel writes is the value at the launch, or one
/// that some thread stores.
fn with_stores(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    ob: &Obligation,
) -> Option<Decided> {
    let extent = |e: &mut Executor<'_>, o: ObjId| {
        let extent = e.object(o).extent?;
        Some(run.decided.term(&mut e.arena, extent))
    };
    let exchange = Exchange { launch: &run.launch, run: &run.run, extent: &extent };
    let stored = exchange.facts(&mut tools.e, &[ob.facts, ob.offset])?;
    let bounds = run.invariants.facts(&mut tools.e, &[stored]);
    let checked = quantified_facts::instances(&mut tools.e.arena, &run.launch.always, &[stored]);
    let sums = prefix_sum::instances(&mut tools.e.arena, &[ob.facts, ob.offset, ob.extent, stored]);
    let facts =
        tools.e.arena.and_all([ob.facts, stored].into_iter().chain(bounds).chain(checked).chain(sums).collect());
    Some(tools.decide(cx, &Obligation { facts, ..ob.clone() }))
}
