//! `use-after-free` and `double-free`: operations on freed memory.
//!
//! In: the events that met freed memory. Out: findings at the calls, or the launches, that cause them.

use super::memcpy;
use super::rule::{DecisionReceiver, HostEvents, RuleCheck};
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::replay_result::SoughtFault;
use crate::counterexample::surroundings;
use crate::findings::explanation;
use crate::findings::host_call::Suspect;
use crate::findings::kernel::Suspected;
use crate::findings::position::{
    below_launch, below_the_user, inner_places, launched_at, loc_of, named, position, seen, users_call,
};
use crate::obligations::decide::Decided;
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use base::inside;
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, StaleEvent, StaleOperation};
use engine::symbolic::exec::site::Site;
use engine::symbolic::memory::object::FreeState;
use engine::symbolic::memory::value::{Base, Value};
use finding::steps::{READ_IN_KERNEL, StepKind, WRITTEN_IN_KERNEL};
use finding::{Direction, Related};
use ir::Program;
use rustc_hash::FxHashMap;
use witness::AccessFault;

/// Most uses of possibly freed memory by one launch that are examined for each source position of a finding; those that
/// cannot happen do not count.
const TRIES: usize = 8;

/// The rules `use-after-free` and `double-free`.
pub(crate) struct Lifetime;

impl RuleCheck for Lifetime {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::UseAfterFree, Rule::DoubleFree]
    }

    fn in_host(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        events: &HostEvents,
        tally: &mut dyn DecisionReceiver,
    ) {
        for event in &events.stale {
            let wanted = explanation::is_wanted_call(cx.program, &event.stack);
            let (found, cut) = inside::at_the_place(wanted, || tools.noting_cuts(|tools| of_host(cx, tools, event)));
            if let (Some((place, outcome)), Some(site)) = (found, event.site()) {
                tally.note(place, site.func, outcome.unless(cut));
            }
        }
    }

    /// Reports at most one finding for each source position.
    fn in_kernel(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        tally: &mut dyn DecisionReceiver,
    ) {
        let mut tried: FxHashMap<ArrayPosition, usize> = FxHashMap::default();
        for event in &run.run.stale {
            let Some((place, _)) = place_in_kernel(tools, run, event) else { continue };
            if tally.is_proved(&place) {
                continue;
            }
            let wanted = explanation::is_wanted_call(cx.program, &event.stack)
                || explanation::is_wanted_call(cx.program, &[run.launch.site]);
            let times = tried.entry(place.clone()).or_default();
            let (found, cut) = if cx.is_spent() || *times == TRIES {
                (Some((place, AccessVerdict::Unknown(UnknownReason::ProgramWork))), false)
            } else {
                inside::at_the_place(wanted, || tools.noting_cuts(|tools| of_kernel(cx, tools, run, event)))
            };
            let Some((place, outcome)) = found else { continue };
            *times = (*times + 1).min(TRIES);
            let outcome = outcome.unless(cut);
            inside::at_the_place(wanted, || explanation::outcome(&outcome));
            match (&outcome, used(run, event)) {
                (AccessVerdict::Unknown(_) | AccessVerdict::SafeIfNoWrap(_), Some(access)) => {
                    tally.record(access, run.kernel, outcome);
                }
                _ => tally.note(place, run.kernel, outcome),
            }
        }
    }
}

/// Decides a host operation on freed memory; `None` where the position of the call is unknown.
fn of_host(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    event: &StaleEvent,
) -> Option<(ArrayPosition, AccessVerdict)> {
    let program = tools.e.program;
    let call = users_call(program, &event.stack)?;
    let argument = match event.deed {
        StaleOperation::FreedAgain => 0,
        StaleOperation::Used { kind, .. } => memcpy::argument(program, call, kind),
    };
    let array = named(program, call, argument, &tools.e.object(event.object).name);
    if cx.is_spent() {
        return Some(((loc_of(program, call), array), AccessVerdict::Unknown(UnknownReason::ProgramWork)));
    }
    let suspect = suspect(tools, event, array.clone());
    explanation::stale(&tools.e, event);
    let Decided { decision, cut } = tools.happens(cx, event.path);
    explanation::happens(&tools.e, &decision, cut);
    let decision = surroundings::as_in_replays(tools, decision, &[event.path], |tools, more| {
        let path = tools.e.arena.and(event.path, more);
        tools.happens(cx, path).decision
    });
    let outcome = suspect.judge(cx, tools, decision);
    explanation::outcome(&outcome);
    Some(((loc_of(program, call), array), outcome))
}

/// Decides a kernel operation on freed memory. If the memory was freed before the launch, the finding is at the
/// launch.
fn of_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &StaleEvent,
) -> Option<(ArrayPosition, AccessVerdict)> {
    let program = tools.e.program;
    let (place, before) = place_in_kernel(tools, run, event)?;
    explanation::stale(&tools.e, event);
    let Decided { decision, cut } = tools.happens(cx, event.path);
    explanation::happens(&tools.e, &decision, cut);
    let happens = match decision {
        Decision::Fails(c) => c,
        Decision::Unknown(why) => return Some((place, AccessVerdict::Unknown(why))),
        Decision::SafeIfNoWrap(ops) => return Some((place, AccessVerdict::SafeIfNoWrap(ops))),
        Decision::Safe => return None,
    };
    let suspect = suspect(tools, event, place.1.clone());
    let access = suspect.access()?;
    let obligation = Obligation {
        facts: event.path,
        offset: suspect.offset,
        bytes: suspect.bytes,
        extent: suspect.object.extent.unwrap_or(suspect.bytes),
    };
    let message =
        if before { format!("`{}` is used by a kernel after it was freed", place.1) } else { suspect.message };
    let suspected = Suspected {
        rule: suspect.rule,
        wanted: SoughtFault::Fault(suspect.fault),
        event: &access,
        object: &suspect.object,
        obligation: &obligation,
        essential: &suspect.essential,
        message,
    };
    let mut finding = match suspected.replayed(cx, tools, run, &happens, place.clone()) {
        Ok(f) => f,
        Err(why) => return Some((place, AccessVerdict::Unknown(why))),
    };
    let inner = match event.deed {
        StaleOperation::FreedAgain => below_the_user(program, &event.stack, "the second free itself"),
        StaleOperation::Used { kind, .. } => inner_places(program, &event.stack, kind),
    };
    finding.related = suspect.related;
    if before {
        finding.related.extend(below_launch(program, &run.launch));
        finding.access.index = String::new();
        finding.steps.retain(|s| s.kind != StepKind::Index);
        let verb = match event.deed {
            StaleOperation::Used { kind: AccessKind::Read, .. } => READ_IN_KERNEL,
            _ => WRITTEN_IN_KERNEL,
        };
        finding.related.extend(users_call(program, &event.stack).map(|s| Related {
            position: position(program, s),
            what: verb.into(),
            inner: false,
        }));
    }
    finding.related.extend(inner);
    Some((place, AccessVerdict::Found(Box::new(finding))))
}

/// Returns the kernel access that an event concerns.
fn used<'r>(run: &'r ExecutedLaunch, event: &StaleEvent) -> Option<&'r AccessEvent> {
    matches!(event.deed, StaleOperation::Used { .. })
        .then(|| run.run.accesses.iter().find(|a| a.stack == event.stack))
        .flatten()
}

/// Returns the source position of a finding about a kernel, and whether the memory was freed before the launch.
fn place_in_kernel(tools: &RootTools<'_>, run: &ExecutedLaunch, event: &StaleEvent) -> Option<(ArrayPosition, bool)> {
    let program = tools.e.program;
    if run.launch.memory.contains_key(&event.object) {
        let argument = run
            .launch
            .args
            .iter()
            .position(|v| matches!(v, Value::Ptr(p) if p.iter().any(|t| t.base == Base::Object(event.object))));
        let at = launched_at(program, &run.launch);
        // A library's argument names are meaningless to users.
        let argument = argument.filter(|_| at == run.launch.site);
        let name = named(program, at, argument.unwrap_or(usize::MAX), &tools.e.object(event.object).name);
        return Some(((loc_of(program, at), name), true));
    }
    let site = users_call(program, &event.stack)?;
    let array = match event.deed {
        StaleOperation::FreedAgain => named(program, site, 0, ""),
        StaleOperation::Used { kind, .. } => seen(program, &event.stack, *event.stack.last()?, kind).1.array,
    };
    Some(((loc_of(program, site), array), false))
}

fn suspect(tools: &mut RootTools<'_>, event: &StaleEvent, array: String) -> Suspect {
    let zero = tools.e.arena.int(0);
    let object = tools.e.object(event.object).clone();
    let related = where_freed(tools.e.program, &event.freed, &event.stack);
    let (rule, fault, offset, bytes, direction, side, message) = match event.deed {
        StaleOperation::FreedAgain => (
            Rule::DoubleFree,
            AccessFault::FreedAgain,
            zero,
            zero,
            Direction::Write,
            None,
            format!("`{array}` is freed twice"),
        ),
        StaleOperation::Used { kind, offset, bytes } => {
            let (what, direction) = match kind {
                AccessKind::Read => ("read", Direction::Read),
                AccessKind::Write => ("write", Direction::Write),
                AccessKind::Atomic => ("atomic update", Direction::Atomic),
            };
            (
                Rule::UseAfterFree,
                AccessFault::Freed,
                offset,
                bytes,
                direction,
                Some(direction),
                format!("{what} of `{array}` after it was freed"),
            )
        }
    };
    Suspect {
        rule,
        fault,
        stack: event.stack.to_vec(),
        object,
        array,
        direction,
        side,
        contract: None,
        facts: event.path,
        offset,
        bytes,
        essential: vec![event.freed.cond],
        message,
        related,
    }
}

/// Returns the positions of the frees, relative to the use: in the function from which both are called.
fn where_freed(program: &Program, freed: &FreeState, used: &[Site]) -> Vec<Related> {
    let mut out: Vec<Related> = vec![];
    let mut add = |site: Option<Site>, what: &str| {
        let Some(p) = site.map(|s| position(program, s)) else { return };
        let r = Related { position: p, what: what.to_owned(), inner: false };
        if r.position.line > 0 && !out.contains(&r) {
            out.push(r);
        }
    };
    for at in &freed.at {
        let inner = users_call(program, at);
        if inner != users_call(program, used) {
            add(inner, "freed here");
            continue;
        }
        // Either different calls lead to this one position, or different iterations of some loop.
        let common = at.iter().zip(used).take_while(|(a, b)| a == b).count();
        if common < at.len() {
            add(at.get(common).copied(), "called from here first");
            add(used.get(common).copied(), "and from here again");
        } else {
            add(inner, "freed here in an earlier iteration");
        }
    }
    out
}
