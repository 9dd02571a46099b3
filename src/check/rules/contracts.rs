//! `contract`: callers and launchers of a function satisfy its contract.
//!
//! In: calls and launches by the host, and calls in kernels, that may violate a contract. Out: findings at them.

use super::rule::{DecisionReceiver, HostEvents, RuleCheck};
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::replay_result::SoughtFault;
use crate::findings::host_call::Suspect;
use crate::findings::kernel::Suspected;
use crate::findings::position::{below_the_user, loc_of, users_call};
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, ContractEvent};
use engine::symbolic::exec::site::Site;
use engine::symbolic::memory::object::{ObjKind, Object};
use engine::symbolic::terms::term::TermId;
use finding::{Direction, Position, Related};
use ir::Program;
use rustc_hash::FxHashSet;
use witness::{AccessFault, RequiredCondition};

/// The rule `contract`.
pub(crate) struct Contracts;

impl RuleCheck for Contracts {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::Contract]
    }

    fn in_host(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        events: &HostEvents,
        tally: &mut dyn DecisionReceiver,
    ) {
        let mut seen: FxHashSet<(Site, &str, u32)> = FxHashSet::default();
        for event in &events.contracts {
            let Some(call) = users_call(cx.program, &event.stack) else { continue };
            let place: ArrayPosition = (loc_of(cx.program, call), event.required.text.clone());
            // Iterations of a loop often raise the same question.
            if tally.is_proved(&place) || !seen.insert((call, &event.required.text, event.path.0)) {
                continue;
            }
            let (outcome, cut) = tools.decided_by(cx, |tools| of_call(cx, tools, event, &place));
            tally.note(place, event.function, outcome.unless(cut));
        }
    }

    fn in_kernel(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        tally: &mut dyn DecisionReceiver,
    ) {
        let mut seen: FxHashSet<(Site, &str, u32)> = FxHashSet::default();
        for event in &run.run.contracts {
            let Some(call) = users_call(cx.program, &event.stack) else { continue };
            let place: ArrayPosition = (loc_of(cx.program, call), event.required.text.clone());
            if tally.is_proved(&place) || !seen.insert((call, &event.required.text, event.path.0)) {
                continue;
            }
            let (found, cut) = tools.decided_by(cx, |tools| in_launch(cx, tools, run, event, place.clone()));
            if let Some(outcome) = found {
                tally.note(place, run.kernel, outcome.unless(cut));
            }
        }
    }
}

/// Describes a violated contract, and the position where it is stated.
fn words(program: &Program, event: &ContractEvent) -> (String, Vec<Related>) {
    let display = &program.func(event.function).display;
    let message = format!("this breaks the contract of `{display}`: `{}` does not hold", event.required.text);
    let stated = event.required.place().map(|(file, line)| Related {
        position: Position { file, line, column: 0 },
        what: format!("the contract of `{display}`"),
        inner: false,
    });
    (message, stated.into_iter().filter(|s| !s.position.file.is_empty()).collect())
}

/// Returns the object of a contract violation, which concerns no memory.
fn nothing(program: &Program, event: &ContractEvent, kind: ObjKind) -> Object {
    let name = program.func(event.function).display.clone();
    Object { kind, name, extent: None, site: None, func: None, array: false }
}

fn sought(event: &ContractEvent) -> RequiredCondition {
    RequiredCondition { function: event.function, condition: event.required.condition.clone() }
}

fn of_call(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    event: &ContractEvent,
    place: &ArrayPosition,
) -> AccessVerdict {
    let path = with_stated(tools, event.path);
    let decision = tools.happens(cx, path).decision;
    let program = tools.e.program;
    let zero = tools.e.arena.int(0);
    let (message, related) = words(program, event);
    let suspect = Suspect {
        rule: Rule::Contract,
        fault: AccessFault::BrokenContract,
        stack: event.stack.to_vec(),
        object: nothing(program, event, ObjKind::HostLocal),
        array: place.1.clone(),
        direction: Direction::Read,
        side: None,
        contract: Some(sought(event)),
        facts: path,
        offset: zero,
        bytes: zero,
        essential: vec![event.broken],
        message,
        related,
    };
    suspect.judge(cx, tools, decision)
}

/// Adds to a path what the caller's own contract states of the elements that the path reads.
fn with_stated(tools: &mut RootTools<'_>, path: TermId) -> TermId {
    let stated = tools.e.facts_of_elements(&[path]);
    stated.map_or(path, |more| tools.e.arena.and(path, more))
}

/// Decides a call in a kernel; `None` where it satisfies the contract.
fn in_launch(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &ContractEvent,
    place: ArrayPosition,
) -> Option<AccessVerdict> {
    let path = with_stated(tools, event.path);
    let happens = match tools.happens(cx, path).decision {
        Decision::Fails(c) => c,
        Decision::Unknown(why) => return Some(AccessVerdict::Unknown(why)),
        Decision::Safe => return None,
        Decision::SafeIfNoWrap(operations) => tools.happens_by_wrapping(cx, path, &operations)?,
    };
    let program = tools.e.program;
    let zero = tools.e.arena.int(0);
    let nothing = nothing(program, event, ObjKind::DeviceLocal);
    let access = AccessEvent::without_targets(event.stack.clone(), zero, AccessKind::Read, event.path)?;
    let obligation = Obligation { facts: path, offset: zero, bytes: zero, extent: zero };
    let (message, related) = words(program, event);
    let suspected = Suspected {
        rule: Rule::Contract,
        wanted: SoughtFault::Broken(sought(event)),
        event: &access,
        object: &nothing,
        obligation: &obligation,
        essential: &[event.broken],
        message,
    };
    Some(match suspected.replayed(cx, tools, run, &happens, place) {
        Ok(mut f) => {
            f.related = [related, below_the_user(program, &event.stack, "the call itself")].concat();
            AccessVerdict::Found(Box::new(f))
        }
        Err(why) => AccessVerdict::Unknown(why),
    })
}
