//! `memcpy-out-of-bounds`: ranges that the host's CUDA calls copy or fill lie within both objects.
//!
//! In: one event for each side of each call. Out: findings at the calls.

use super::pointer;
use super::rule::{DecisionReceiver, HostEvents, RuleCheck};
use crate::context::{ArrayPosition, CheckContext, RootTools};
use crate::counterexample::surroundings;
use crate::findings::build::structures_disagree;
use crate::findings::explanation;
use crate::findings::host_call::Suspect;
use crate::findings::position::{loc_of, named, users_call};
use crate::obligations::decide::Decided;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use base::inside;
use base::reasons::UnknownReason;
use base::rules::Rule;
use base::work::{Work, done};
use engine::symbolic::exec::events::{AccessKind, CopyEvent};
use engine::symbolic::exec::site::Site;
use engine::symbolic::memory::object::ObjId;
use engine::symbolic::memory::tensors::OF_STORAGE;
use engine::symbolic::memory::value::{Base, GuardedTarget};
use finding::Direction;
use ir::{Callee, Program};
use rustc_hash::FxHashMap;
use witness::AccessFault;

/// Work on the copies of one call after which no further call path to it is examined.
const CALL_WORK: Work = Work::seconds(1);

/// The rule `memcpy-out-of-bounds`.
pub(crate) struct Memcpy;

impl RuleCheck for Memcpy {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::MemcpyOutOfBounds]
    }

    /// Examines a call once for each call path that leads to it, and for each loop iteration.
    fn in_host(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        events: &HostEvents,
        tally: &mut dyn DecisionReceiver,
    ) {
        let mut spent: FxHashMap<Site, Work> = FxHashMap::default();
        for event in &events.copies {
            let spent = spent.entry(event.side.site).or_default();
            let before = done();
            let wanted = explanation::is_wanted_call(cx.program, &event.side.stack);
            // What is not examined for want of work is undecided, whatever was decided on other ways to the call.
            let examined = !cx.is_spent() && *spent <= CALL_WORK;
            let (found, cut) =
                inside::at_the_place(wanted, || tools.noting_cuts(|tools| of_host(cx, tools, event, examined)));
            for (place, outcome) in found {
                tally.note_copy(place, event.side.site.func, outcome.unless(cut));
            }
            *spent = *spent + (done() - before);
        }
    }
}

/// Decides one side of a copy; returns the outcomes, findings or undecided, by memory. All are undecided if the copy is not
/// `examined`.
fn of_host(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    copy: &CopyEvent,
    examined: bool,
) -> Vec<(ArrayPosition, AccessVerdict)> {
    let event = &copy.side;
    let Some(call) = users_call(tools.e.program, &event.stack) else { return vec![] };
    event
        .targets
        .iter()
        .filter_map(|t| {
            let name = match t.base {
                Base::Object(o) => tools.e.object(o).name.clone(),
                Base::Null => String::new(),
                Base::Func(_) | Base::Unknown(_) => return None,
            };
            let array = match name.strip_suffix(OF_STORAGE) {
                Some(tensor) => tensor.to_owned(),
                None => named(tools.e.program, call, argument(tools.e.program, call, event.kind), &name),
            };
            let facts = tools.e.arena.and(event.path, t.cond);
            if tools.e.arena.as_bool(facts) == Some(false) {
                return None;
            }
            let place = (loc_of(tools.e.program, call), array.clone());
            let outcome = match t.base {
                Base::Object(o) if !examined => {
                    tools.e.object(o).extent?;
                    AccessVerdict::Unknown(UnknownReason::ProgramWork)
                }
                _ if !examined => AccessVerdict::Unknown(UnknownReason::ProgramWork),
                Base::Object(o) => side(cx, tools, copy, t, o, &place)?,
                _ => pointer::null_in_copy(cx, tools, event, (facts, t.offset), array)?,
            };
            explanation::outcome(&outcome);
            Some((place, outcome))
        })
        .collect()
}

/// Decides one side in one object; `None` where the object's size is unknown.
fn side(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    copy: &CopyEvent,
    t: &GuardedTarget,
    o: ObjId,
    place: &ArrayPosition,
) -> Option<AccessVerdict> {
    let event = &copy.side;
    let object = tools.e.object(o).clone();
    let extent = object.extent?;
    let facts = tools.e.arena.and(event.path, t.cond);
    let of_objects = tools.e.of_objects(&[facts, t.offset, event.bytes, extent]);
    let facts = of_objects.map_or(facts, |more| tools.e.arena.and(facts, more));
    let obligation = Obligation { facts, offset: t.offset, bytes: event.bytes, extent };
    explanation::side(&tools.e, place, &object, &obligation);
    let Decided { decision, cut } = tools.decide(cx, &obligation);
    explanation::decision(&tools.e, &decision, cut);
    if matches!(decision, Decision::Safe) {
        return Some(AccessVerdict::Safe);
    }
    let terms = [facts, t.offset, event.bytes, extent];
    let decision = surroundings::as_in_replays(tools, decision, &terms, |tools, more| {
        let facts = tools.e.arena.and(facts, more);
        tools.decide(cx, &Obligation { facts, ..obligation.clone() }).decision
    });
    let array = place.1.clone();
    let decision = not_empty(cx, tools, copy, &obligation, decision);
    let (verb, direction) = match event.kind {
        AccessKind::Read => ("reads", Direction::Read),
        _ => ("writes", Direction::Write),
    };
    let disagree = tools.root.entry && structures_disagree(&tools.e, &object, &[t.offset, event.bytes, extent]);
    let suspect = Suspect {
        rule: if disagree { Rule::UncheckedArgument } else { Rule::MemcpyOutOfBounds },
        fault: AccessFault::Bounds,
        stack: event.stack.to_vec(),
        object,
        message: format!("`{}` {verb} beyond `{array}`", called(tools.e.program, event.site)),
        array,
        direction,
        side: Some(direction),
        contract: None,
        facts,
        offset: t.offset,
        bytes: event.bytes,
        essential: vec![t.offset, t.cond, event.bytes, extent],
        related: vec![],
    };
    Some(suspect.judge(cx, tools, decision))
}

/// Returns a failure in which no allocation is empty, if there is one; otherwise the failure is degenerate.
fn not_empty(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    copy: &CopyEvent,
    obligation: &Obligation,
    first: Decision,
) -> Decision {
    let Decision::Fails(c) = &first else { return first };
    if c.model.value(&tools.e.arena, copy.not_empty, c.mode) == Some(1) {
        return first;
    }
    let facts = tools.e.arena.and(obligation.facts, copy.not_empty);
    match tools.decide(cx, &Obligation { facts, ..obligation.clone() }).decision {
        better @ Decision::Fails(_) => better,
        _ => Decision::Fails(Counterexample { degenerate: true, ..c.clone() }),
    }
}

/// Returns the called function's name, without parameters.
fn called(program: &Program, call: Site) -> String {
    let Some((callee, _)) = program.call_at(call.func, call.block, call.inst) else { return "a copy".to_owned() };
    match callee {
        Callee::Direct(id) => {
            let display = &program.func(program.resolve_func(call.func.module, *id)).display;
            let head = display.split(['(', '<']).next().unwrap_or(display);
            let name = head.rsplit([' ', ':']).next().unwrap_or(head);
            // A later version of an interface of the driver: programs write its name without the version.
            let name = name.strip_suffix("_v2").filter(|n| n.starts_with("cu")).unwrap_or(name);
            let library = ["thrust::", "cub::"].into_iter().find(|l| head.starts_with(l)).unwrap_or_default();
            format!("{library}{name}")
        }
        Callee::Indirect(_) => "a copy".to_owned(),
    }
}

/// Returns the index of the argument that is read from or written to.
pub(super) fn argument(program: &Program, call: Site, kind: AccessKind) -> usize {
    let read = kind == AccessKind::Read;
    match called(program, call).trim_end_matches("Async") {
        "cudaMemcpy" | "cudaMemcpyToSymbol" | "cudaMemcpyFromSymbol" if read => 1,
        "cudaMemcpy2D" | "cudaMemcpyPeer" if read => 2,
        "cudaMemcpy"
        | "cudaMemcpyToSymbol"
        | "cudaMemcpyFromSymbol"
        | "cudaMemcpy2D"
        | "cudaMemcpyPeer"
        | "cudaMemset"
        | "cudaMemset2D"
            if !read =>
        {
            0
        }
        // A function of the program: the relevant argument is unknown.
        _ => usize::MAX,
    }
}
