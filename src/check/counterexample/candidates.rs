//! Value of a bad access's counterexample: its replay, and other inputs where that does not reach the access.
//!
//! In: an access, and a model in which it is out of bounds. Out: a finding, or the reason why there is none. The
//! candidates are tried in turn: the model's own inputs, inputs on which a whole run went out of bounds, a model in
//! which earlier reads of the kernel lie in bounds or more threads reach a counter, small inputs in place of the
//! model's, and one sequential schedule. This module must not depend on how the access was decided.

use super::concrete_trials::trials;
use super::replay::ReplayAttempt;
use super::replay_result::{ReplayResult, SoughtFault};
use super::sequential::in_turn;
use super::surroundings;
use crate::concurrency::atomic_counters;
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::findings::build::{AccessCounterexample, FindingStrength};
use crate::inference::missing::{OutOfBoundsAccess, missing};
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use crate::solver::{Model, WrapMode};
use base::reasons::UnknownReason;
use base::rules::Rule;
use base::work::{Allotment, Work, done, settle};
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::Object;
use engine::symbolic::memory::tensors::OF_STORAGE;
use engine::symbolic::terms::term::{SymId, SymKind};
use finding::TensorArgument;
use witness::AccessFault;

/// Inputs that are tried where a replay does not reach an access, and the most work for them.
const OTHER_INPUTS: [i128; 10] = [2, 3, 4, 1, 5, 7, 8, 12, 16, 33];
const OTHER_INPUTS_WORK: Work = Work::millis(300);
/// Limit of that work for one source position, as a multiple, however many launches and models lead there.
const OTHER_INPUTS_TIMES: u64 = 3;
/// Most work of one query, and of all, when a missing check is named; and most attempts for one source position.
const NAMING_QUERY: Work = Work::millis(200);
const NAMING_WORK: Work = Work::seconds(1);
const NAMING_TIMES: u32 = 2;

const BOUNDS: SoughtFault = SoughtFault::Fault(AccessFault::Bounds);

/// An access that a model leads out of bounds, and the unknowns that the model sets.
pub(crate) struct OutOfBounds<'a> {
    pub event: &'a AccessEvent,
    pub object: &'a Object,
    pub obligation: &'a Obligation,
    pub unknowns: Vec<UnknownReason>,
}

impl OutOfBounds<'_> {
    fn finding(
        self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        c: &Counterexample,
        judged: &ReplayResult,
        cut: &mut bool,
    ) -> Result<AccessVerdict, UnknownReason> {
        let worth = FindingStrength::of(judged, &tools.root, cx.program, self.unknowns)?;
        let bad = AccessCounterexample {
            root: &tools.root,
            run,
            event: self.event,
            object: self.object,
            obligation: self.obligation,
            counterexample: c,
        };
        let place = cx.place_of(self.event);
        let mut finding = bad.finding(&tools.e, &tools.judge, judged, worth, place);
        if matches!(finding.rule, Rule::UncheckedArgument | Rule::DataIndex) && !finding.arguments.is_empty() {
            let object = &self.object.name;
            let tensor = object.strip_suffix(OF_STORAGE).and_then(|name| finding.arguments.get(name));
            finding.degenerate |= tensor.is_some_and(TensorArgument::is_empty);
            let (rule, obligation, arguments) = (finding.rule, self.obligation, &finding.arguments);
            let wrong = OutOfBoundsAccess { rule, obligation, object, arguments };
            finding.missing_check = named(cx, tools, self.event, |cx, tools| {
                // What was found with tensors, no larger budget decides otherwise.
                *cut = false;
                missing(cx, tools, run, &wrong)
            });
        }
        Ok(AccessVerdict::Found(Box::new(finding)))
    }
}

/// Names the check that an access lacks, a few times for one source position. This decides nothing, so it does not
/// matter whether a budget ends it, and its cost is not charged to the accesses' budget unless somebody waits.
pub(crate) fn named<R>(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    event: &AccessEvent,
    name: impl FnOnce(&CheckContext<'_>, &mut RootTools<'_>) -> Option<R>,
) -> Option<R> {
    let times = tools.judge.named.entry((event.site, event.stack.to_vec())).or_default();
    *times += 1;
    if *times > NAMING_TIMES {
        return None;
    }
    if cx.is_hurried() {
        return name(&cx.with_work(cx.attempt.limits.work.min(NAMING_QUERY)), tools);
    }
    let begun = done();
    let out = name(&cx.within(Allotment::of(NAMING_WORK)).with_work(NAMING_QUERY), tools);
    settle(begun, Work::NONE);
    out
}

/// Returns a finding where small inputs lead out of bounds; such a finding needs no model of unknown values. Before
/// any search, `meant` excludes inputs with a size below 1, because a search may find sizes that are meant.
pub(crate) fn seen<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    access: OutOfBounds<'_>,
    meant: bool,
) -> Option<AccessVerdict> {
    let (c, judged) = tried(cx, tools, run, access.event)?;
    if meant && c.degenerate { None } else { access.finding(cx, tools, run, &c, &judged, &mut false).ok() }
}

/// Returns small inputs under which the access was out of bounds in a run of the whole program, and a replay that
/// reaches it.
fn tried<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
) -> Option<(Counterexample, ReplayResult)> {
    let (model, random) = trials(cx, tools).inputs(&tools.e.arena, &run.launch, &run.run.thread, ev)?;
    let mut judged =
        reached(tools, run, ev, &model, ReplayAttempt { random, ..ReplayAttempt::within(cx.attempt.until) })?;
    if let ReplayResult::Reached { bad, .. } = &judged
        && !random.is_empty()
    {
        judged = ReplayResult::ByChance(bad.clone());
    }
    let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
    Some((assuming(model, degenerate), judged))
}

/// Replays a model; the replay decides what the model is worth. `cut`: whether a budget ended the last decision on
/// the access.
pub(crate) fn replayed<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    mut access: OutOfBounds<'_>,
    (c, cut): (Counterexample, &mut bool),
) -> AccessVerdict {
    let (ev, ob) = (access.event, access.obligation);
    let (mut judged, mut c) = (tools.replay(cx, run, ev, &c, BOUNDS), c);
    if !matches!(judged, ReplayResult::Reached { .. })
        && let Some(other) = tried(cx, tools, run, ev)
            .or_else(|| another(cx, tools, run, ev, (ob, cut)))
            .or_else(|| with_other_inputs(cx, tools, run, ev, &c.model))
    {
        (c, judged) = other;
    }
    if !matches!(judged, ReplayResult::Reached { .. } | ReplayResult::Astray { .. })
        && let Some(other) = astray(cx, tools, run, ev, ob, &c)
    {
        (c, judged) = other;
    }
    if matches!(judged, ReplayResult::NotReached(_) | ReplayResult::Incomplete(_))
        && let Some(other) = in_turn(cx, tools, run, ev)
    {
        (c, judged) = other;
    }
    if matches!(judged, ReplayResult::Incomplete(_)) && access.unknowns.is_empty() {
        access.unknowns = cone::unknown_iterations(&tools.e, ob.facts, ob.offset);
        access.unknowns.extend(cone::unknown_bounds(&tools.e, ob.facts, ob.offset));
    }
    access.finding(cx, tools, run, &c, &judged, cut).unwrap_or_else(AccessVerdict::Unknown)
}

/// Replaces the model's inputs by small ones on which the access uses an address that was itself read out of bounds.
fn astray<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
    ob: &Obligation,
    first: &Counterexample,
) -> Option<(Counterexample, ReplayResult)> {
    let inputs = trials(cx, tools).astray(ev)?.clone();
    let mut c = first.clone();
    c.model.values.extend(inputs.values);
    // The obligation must still be violated under these inputs.
    let value = |t| c.model.value(&tools.e.arena, t, c.mode);
    let (offset, bytes, extent) = (value(ob.offset)?, value(ob.bytes)?, value(ob.extent)?);
    if offset >= 0 && offset + bytes <= extent {
        return None;
    }
    let judged = tools.replay(cx, run, ev, &c, BOUNDS);
    matches!(judged, ReplayResult::Astray { .. }).then_some((c, judged))
}

/// Finds another model, with a replay that reaches the access: one with the pitches and the device that the replay has, one in which
/// the kernel's earlier reads lie inside, so that their values are known, or one in which enough threads reach the access that a counter leaves its bounds.
fn another<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
    (ob, cut): (&Obligation, &mut bool),
) -> Option<(Counterexample, ReplayResult)> {
    let replayed = surroundings::of_replays(tools, &[ob.facts, ob.offset, ob.extent]);
    let inside = cone::reads_inside(&mut tools.e, &run.run, ev);
    let inside = (!inside.is_empty()).then(|| tools.e.arena.and_all(inside));
    for more in replayed.into_iter().chain(inside) {
        if cx.is_spent() {
            break;
        }
        let facts = tools.e.arena.and(ob.facts, more);
        let other = tools.decide(cx, &Obligation { facts, ..ob.clone() });
        *cut = other.cut;
        if let Decision::Fails(c) = other.decision
            && c.mode == WrapMode::Assume
            && let Some(judged) = reached(tools, run, ev, &c.model, ReplayAttempt::within(cx.attempt.until))
        {
            return Some((c, judged));
        }
    }
    for shape in atomic_counters::SHAPES {
        if cx.is_spent() {
            return None;
        }
        let Some((model, degenerate)) = atomic_counters::model(cx, tools, &run.run, ev, ob, shape) else { continue };
        if let Some(judged) = reached(tools, run, ev, &model, ReplayAttempt::within(cx.attempt.until)) {
            return Some((assuming(model, degenerate), judged));
        }
    }
    None
}

/// Tries small inputs in place of the model's. The model also sets other values, such as memory contents; the program
/// may contradict these under the model's inputs and agree with them under others.
fn with_other_inputs(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
    first: &Model,
) -> Option<(Counterexample, ReplayResult)> {
    let begin = done();
    let place = (ev.site, ev.stack.to_vec(), run.launch.site);
    let spent = tools.judge.other_inputs.get(&place).copied().unwrap_or_default();
    let until = Allotment::of(OTHER_INPUTS_WORK.min(OTHER_INPUTS_WORK * OTHER_INPUTS_TIMES - spent));
    let found = of_other_inputs(cx, tools, run, ev, first, until);
    *tools.judge.other_inputs.entry(place).or_default() = spent + (done() - begin);
    found
}

fn of_other_inputs(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
    first: &Model,
    until: Allotment,
) -> Option<(Counterexample, ReplayResult)> {
    let inputs: Vec<SymId> =
        first.values.keys().copied().filter(|s| matches!(tools.e.arena.symbol(*s).kind, SymKind::Input(_))).collect();
    let kind = |s: &SymId| tools.e.arena.symbol(*s).kind.clone();
    // All inputs together, then each source alone.
    let mut groups = vec![inputs.clone()];
    for s in &inputs {
        let same: Vec<SymId> = inputs.iter().copied().filter(|o| kind(o) == kind(s)).collect();
        if !groups.contains(&same) {
            groups.push(same);
        }
    }
    for group in groups {
        for v in OTHER_INPUTS {
            if until.is_spent() {
                return None;
            }
            let mut model = first.clone();
            for s in &group {
                model.values.insert(*s, v);
            }
            if model == *first {
                continue;
            }
            let attempt = ReplayAttempt { short: true, ..ReplayAttempt::within(cx.attempt.until) };
            let Some(judged) = reached(tools, run, ev, &model, attempt) else { continue };
            let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
            return Some((assuming(model, degenerate), judged));
        }
    }
    None
}

/// Returns a replay that reaches the access, by inputs under which nothing wraps.
fn reached(
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
    model: &Model,
    attempt: ReplayAttempt,
) -> Option<ReplayResult> {
    let c = assuming(model.clone(), false);
    let thread = (&run.launch, &run.run.thread);
    let judged = tools.judge.judge(&tools.e.arena, thread, ev, &c, BOUNDS, attempt);
    matches!(judged, ReplayResult::Reached { .. }).then_some(judged)
}

fn assuming(model: Model, degenerate: bool) -> Counterexample {
    Counterexample { model, mode: WrapMode::Assume, degenerate }
}
