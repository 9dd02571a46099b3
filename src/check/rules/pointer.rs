//! `invalid-pointer`: a kernel or a copy uses null, a pointer that was never set, or memory that only the host may
//! use.
//!
//! In: accesses and copies whose pointer may be such a one. Out: findings. Some systems allow pageable host memory in
//! kernels: such a finding is at most *possible*, and is not reported where the replay needed assumptions.

use super::rule::RuleCheck;
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::concrete_trials::trials;
use crate::counterexample::replay_result::SoughtFault;
use crate::findings::build::narrow;
use crate::findings::host_call::Suspect;
use crate::findings::kernel::Suspected;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use crate::solver::WrapMode;
use base::reasons::UnknownReason;
use base::rules::Level;
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, AccessKind};
use engine::symbolic::memory::object::{ObjId, ObjKind, Object};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::TermId;
use finding::{Direction, NEVER_SET, Replay, Verdict};
use witness::AccessFault;

/// Assumption of a finding about host memory.
pub(super) const WHETHER_PAGEABLE: &str =
    "whether kernels may use pageable host memory on the systems that this runs on";

/// The rule `invalid-pointer`. Its checks of accesses are part of [`super::bounds`], since a pointer may be null or
/// not.
pub(crate) struct InvalidPointer;

impl RuleCheck for InvalidPointer {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::InvalidPointer]
    }
}

/// Returns the empty object that null points to.
fn nothing() -> Object {
    Object { kind: ObjKind::Opaque, name: String::new(), extent: None, site: None, func: None, array: false }
}

fn verb(kind: AccessKind) -> (&'static str, Direction) {
    match kind {
        AccessKind::Read => ("read", Direction::Read),
        AccessKind::Write => ("write", Direction::Write),
        AccessKind::Atomic => ("atomic update", Direction::Atomic),
    }
}

/// Decides a kernel's access through a pointer that is null under these facts; `offset` is then the address.
pub(crate) fn null_in_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &AccessEvent,
    facts: TermId,
    offset: TermId,
) -> AccessVerdict {
    let open = || AccessVerdict::Unknown(UnknownReason::NullPointer);
    let happens = match tools.happens(cx, facts).decision {
        Decision::Safe => return AccessVerdict::Safe,
        Decision::Fails(c) => c,
        Decision::SafeIfNoWrap(ops) => return AccessVerdict::SafeIfNoWrap(ops),
        Decision::Unknown(_) => return open(),
    };
    let extent = tools.e.arena.int(0);
    let obligation = Obligation { facts, offset, bytes: event.bytes, extent };
    let conditions: Vec<TermId> = event.targets.iter().map(|t| t.cond).collect();
    let message = match constant_address(&tools.e.arena, offset) {
        Some(address) => format!("{} at the constant address {address:#x}, which holds no object", verb(event.kind).0),
        None => format!("{} through `{}`, which is null", verb(event.kind).0, cx.place_of(event).1),
    };
    let s = Suspected {
        rule: Rule::InvalidPointer,
        wanted: SoughtFault::Fault(AccessFault::Null),
        event,
        object: &nothing(),
        obligation: &obligation,
        essential: &conditions,
        message,
    };
    match s.replayed(cx, tools, run, &happens, cx.place_of(event)) {
        // Where the replay stops early, a null pointer from a host path is only undecided.
        Ok(f) if f.verdict == Verdict::Proved || f.witness.as_ref().is_some_and(|w| w.replay == Replay::Reached) => {
            AccessVerdict::Found(Box::new(f))
        }
        _ => open(),
    }
}

/// Returns an address that the program makes from an integer constant, as null is made from 0; `None` near null,
/// where null's members and elements lie.
fn constant_address(a: &Arena, offset: TermId) -> Option<i128> {
    const NEAR_NULL: i128 = 1 << 16;
    Some(a.constant_of(offset)).filter(|n| *n >= NEAR_NULL)
}

/// Decides a kernel's access at an address that depends on an unset variable, under these facts; `None` where it is
/// no finding. `cut`: whether a budget ended the last decision on the access.
pub(crate) fn unset_index(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &AccessEvent,
    object: &Object,
    (obligation, unknowns): (&Obligation, &[UnknownReason]),
    cut: &mut bool,
) -> Option<AccessVerdict> {
    let variable = unknowns.iter().find_map(|why| match why {
        // A variable in a loop may be unset in the first iteration.
        UnknownReason::Unwritten(name) | UnknownReason::InLoop(name) if !name.is_empty() => Some(name),
        _ => None,
    })?;
    let happens = tools.happens(cx, obligation.facts);
    *cut = happens.cut;
    let Decision::Fails(c) = happens.decision else { return None };
    let message = format!(
        "{} of `{}` at an index that depends on `{variable}`, which {NEVER_SET}",
        verb(event.kind).0,
        cx.place_of(event).1
    );
    let conditions: Vec<TermId> = event.targets.iter().map(|t| t.cond).collect();
    let s = Suspected {
        rule: Rule::InvalidPointer,
        wanted: SoughtFault::Fault(AccessFault::UnsetIndex),
        event,
        object,
        obligation,
        essential: &conditions,
        message,
    };
    let found = s.replayed(cx, tools, run, &c, cx.place_of(event)).ok()?;
    (found.verdict == Verdict::Proved).then(|| AccessVerdict::Found(Box::new(found)))
}

/// Decides a kernel's access through a pointer read from unwritten memory, under these facts.
fn unset_in_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &AccessEvent,
    (facts, happens): (TermId, Counterexample),
) -> AccessVerdict {
    let (offset, extent) = (tools.e.arena.int(0), tools.e.arena.int(0));
    let obligation = Obligation { facts, offset, bytes: event.bytes, extent };
    let message = format!("{} of `{}` through a pointer that {NEVER_SET}", verb(event.kind).0, cx.place_of(event).1);
    let conditions: Vec<TermId> = event.targets.iter().map(|t| t.cond).collect();
    let s = Suspected {
        rule: Rule::InvalidPointer,
        wanted: SoughtFault::Fault(AccessFault::Unset),
        event,
        object: &nothing(),
        obligation: &obligation,
        essential: &conditions,
        message,
    };
    s.replayed(cx, tools, run, &happens, cx.place_of(event))
        .map_or_else(AccessVerdict::Unknown, |f| AccessVerdict::Found(Box::new(f)))
}

/// Decides an access through a pointer that was never set, under these facts.
pub(crate) fn unset<'p>(
    cx: &CheckContext<'p>,
    tools: &mut RootTools<'p>,
    run: &ExecutedLaunch,
    ev: &AccessEvent,
    facts: TermId,
) -> AccessVerdict {
    let happens = match tools.happens(cx, facts).decision {
        Decision::Safe => return AccessVerdict::Safe,
        Decision::Fails(c) => c,
        Decision::SafeIfNoWrap(ops) => return AccessVerdict::SafeIfNoWrap(ops),
        Decision::Unknown(_) => return AccessVerdict::Unknown(UnknownReason::PathTaken),
    };
    let open = match unset_in_kernel(cx, tools, run, ev, (facts, happens)) {
        AccessVerdict::Unknown(why) => why,
        found => return found,
    };
    // The program may contradict the model, in memory contents for example, but not under all inputs.
    let small = trials(cx, tools)
        .inputs(&tools.e.arena, &run.launch, &run.run.thread, ev)
        .filter(|(_, random)| random.is_empty())
        .map(|(m, _)| m);
    let Some(model) = small else { return AccessVerdict::Unknown(open) };
    let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
    unset_in_kernel(cx, tools, run, ev, (facts, Counterexample { model, mode: WrapMode::Assume, degenerate }))
}

/// Whether an object is host memory that the host has not registered with devices.
pub(crate) fn is_hosts_own(tools: &RootTools<'_>, o: ObjId) -> bool {
    if tools.e.heap.is_registered(o) {
        return false;
    }
    match tools.e.object(o).kind {
        ObjKind::HostHeap | ObjKind::HostLocal => true,
        ObjKind::HostGlobal(g) => !tools.e.program.is_managed(g),
        _ => false,
    }
}

/// Decides a kernel's access to host memory; `None` where it is no finding.
pub(crate) fn hosts_in_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &AccessEvent,
    object: &Object,
    obligation: &Obligation,
) -> Option<AccessVerdict> {
    let Decision::Fails(c) = tools.happens(cx, obligation.facts).decision else { return None };
    let message = format!("{} of `{}`, which is host memory", verb(event.kind).0, cx.place_of(event).1);
    let essential = [obligation.facts];
    let s = Suspected {
        rule: Rule::InvalidPointer,
        wanted: SoughtFault::Fault(AccessFault::HostMemory),
        event,
        object,
        obligation,
        essential: &essential,
        message,
    };
    let mut f = s.replayed(cx, tools, run, &c, cx.place_of(event)).ok()?;
    // The replay's assumptions may include that the device can use this memory.
    if f.verdict != Verdict::Proved || !f.assumptions.is_empty() {
        return None;
    }
    f.verdict = Verdict::Possible;
    if let Some(w) = &mut f.witness {
        // The interpreter's addresses of the host stack mean nothing to a kernel.
        w.offset_bytes = narrow(c.model.value(&tools.e.arena, obligation.offset, c.mode));
        w.extent_bytes = narrow(c.model.value(&tools.e.arena, obligation.extent, c.mode));
    }
    f.level = Level::Warn;
    f.unknowns = vec![WHETHER_PAGEABLE.into()];
    Some(AccessVerdict::Found(Box::new(f)))
}

/// Decides one side of a copy through null.
pub(crate) fn null_in_copy(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    event: &AccessEvent,
    (facts, offset): (TermId, TermId),
    array: String,
) -> Option<AccessVerdict> {
    let one = tools.e.arena.int(1);
    let some = tools.e.arena.le(one, event.bytes);
    let facts = tools.e.arena.and(facts, some);
    let decision = tools.happens(cx, facts).decision;
    if !matches!(decision, Decision::Fails(_)) {
        return None;
    }
    let direction = verb(event.kind).1;
    let what = if direction == Direction::Read { "from" } else { "to" };
    let suspect = Suspect {
        rule: Rule::InvalidPointer,
        fault: AccessFault::Null,
        stack: event.stack.to_vec(),
        object: nothing(),
        message: format!("copy {what} `{array}`, which is null"),
        array,
        direction,
        side: Some(direction),
        contract: None,
        facts,
        offset,
        bytes: event.bytes,
        essential: vec![facts],
        related: vec![],
    };
    match suspect.judge(cx, tools, decision) {
        AccessVerdict::Found(f) if f.verdict == Verdict::Proved => Some(AccessVerdict::Found(f)),
        _ => None,
    }
}
