//! `contract`: callers and launchers of a function satisfy its contract.
//!
//! In: calls and launches by the host, and calls in kernels, that may violate a contract. Out: findings at them.

use super::rule::{HostEvents, Rule, Tally};
use crate::context::{Context, Place, Run, Tools};
use crate::counterexample::replay::Wanted;
use crate::findings::host_call::Suspect;
use crate::findings::kernel::Suspected;
use crate::findings::position::{below_the_user, loc_of, users_call};
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::Outcome;
use base::rules::Rule as Class;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, ContractEvent};
use engine::symbolic::exec::site::Site;
use engine::symbolic::memory::object::{ObjKind, Object};
use finding::{Direction, Position, Related};
use ir::Program;
use rustc_hash::FxHashSet;
use witness::{Fault, Required};

/// The rule `contract`.
pub(crate) struct Contracts;

impl Rule for Contracts {
    fn classes(&self) -> &'static [Class] {
        &[Class::Contract]
    }

    fn in_host(&self, cx: &Context<'_>, tools: &mut Tools<'_>, events: &HostEvents, tally: &mut dyn Tally) {
        let mut seen: FxHashSet<(Site, &str, u32)> = FxHashSet::default();
        for event in &events.contracts {
            if cx.is_spent() {
                return;
            }
            let Some(call) = users_call(cx.program, &event.stack) else { continue };
            let place: Place = (loc_of(cx.program, call), event.required.text.clone());
            // Iterations of a loop often raise the same question.
            if tally.is_proved(&place) || !seen.insert((call, &event.required.text, event.path.0)) {
                continue;
            }
            let (outcome, cut) = tools.noting_cuts(|tools| of_call(tools, event, &place));
            tally.note(place, event.function, outcome.unless(cut));
        }
    }

    fn in_kernel(&self, cx: &Context<'_>, tools: &mut Tools<'_>, run: &Run, tally: &mut dyn Tally) {
        let mut seen: FxHashSet<(Site, &str, u32)> = FxHashSet::default();
        for event in &run.run.contracts {
            if cx.is_spent() {
                return;
            }
            let Some(call) = users_call(cx.program, &event.stack) else { continue };
            let place: Place = (loc_of(cx.program, call), event.required.text.clone());
            if tally.is_proved(&place) || !seen.insert((call, &event.required.text, event.path.0)) {
                continue;
            }
            let (found, cut) = tools.noting_cuts(|tools| in_launch(tools, run, event, place.clone()));
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

fn sought(event: &ContractEvent) -> Required {
    Required { function: event.function, condition: event.required.condition.clone() }
}

fn of_call(tools: &mut Tools<'_>, event: &ContractEvent, place: &Place) -> Outcome {
    let decision = tools.decider.happens(&mut tools.e.arena, event.path);
    let program = tools.e.program;
    let zero = tools.e.arena.int(0);
    let (message, related) = words(program, event);
    let suspect = Suspect {
        rule: Class::Contract,
        fault: Fault::BrokenContract,
        stack: event.stack.to_vec(),
        object: nothing(program, event, ObjKind::HostLocal),
        array: place.1.clone(),
        direction: Direction::Read,
        side: None,
        contract: Some(sought(event)),
        facts: event.path,
        offset: zero,
        bytes: zero,
        essential: vec![event.broken],
        message,
        related,
    };
    suspect.judge(tools, decision)
}

/// Decides a call in a kernel; `None` where it satisfies the contract.
fn in_launch(tools: &mut Tools<'_>, run: &Run, event: &ContractEvent, place: Place) -> Option<Outcome> {
    let happens = match tools.decider.happens(&mut tools.e.arena, event.path) {
        Decision::Fails { model, mode, degenerate } => Counterexample { model, mode, degenerate },
        Decision::Unknown(why) => return Some(Outcome::Unknown(why)),
        Decision::Safe | Decision::SafeIfNoWrap(_) => return None,
    };
    let program = tools.e.program;
    let zero = tools.e.arena.int(0);
    let nothing = nothing(program, event, ObjKind::DeviceLocal);
    let access = AccessEvent::without_targets(event.stack.clone(), zero, AccessKind::Read, event.path)?;
    let obligation = Obligation { facts: event.path, offset: zero, bytes: zero, extent: zero };
    let (message, related) = words(program, event);
    let suspected = Suspected {
        rule: Class::Contract,
        wanted: Wanted::Broken(sought(event)),
        event: &access,
        object: &nothing,
        obligation: &obligation,
        essential: &[event.broken],
        message,
    };
    Some(match suspected.replayed(tools, run, &happens, place) {
        Ok(mut f) => {
            f.related = [related, below_the_user(program, &event.stack, "the call itself")].concat();
            Outcome::Found(Box::new(f))
        }
        Err(why) => Outcome::Unknown(why),
    })
}
