//! `contract`: who calls or launches a function keeps to its contract.
//!
//! In: calls and launches of the host under which a contract may not hold. Out: findings at them.

use super::rule::{HostEvents, Rule, Tally};
use crate::check::context::{Context, Place, Tools};
use crate::check::findings::host_call::Suspect;
use crate::check::findings::position::{loc_of, users_call};
use crate::check::obligations::verdict::Outcome;
use crate::report::finding::{Direction, Position, Related};
use crate::rules::Rule as Class;
use crate::symbolic::exec::events::ContractEvent;
use crate::symbolic::exec::site::Site;
use crate::symbolic::memory::object::{ObjKind, Object};
use crate::witness::{Fault, Required};
use rustc_hash::FxHashSet;

/// The rule.
pub(in crate::check) struct Contracts;

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
            // Rounds of a loop often ask for the same.
            if tally.is_proved(&place) || !seen.insert((call, &event.required.text, event.path.0)) {
                continue;
            }
            let (outcome, cut) = tools.noting_cuts(|tools| of_call(tools, event, &place));
            tally.note(place, event.function, outcome.unless(cut));
        }
    }
}

fn of_call(tools: &mut Tools<'_>, event: &ContractEvent, place: &Place) -> Outcome {
    let decision = tools.decider.happens(&mut tools.e.arena, event.path);
    let program = tools.e.program;
    let func = program.func(event.function);
    let zero = tools.e.arena.int(0);
    let stated = Related {
        position: event.required.place().map_or_else(Position::default, |(file, line)| Position {
            file,
            line,
            column: 0,
        }),
        what: format!("the contract of `{}`", func.display),
        inner: false,
    };
    let suspect = Suspect {
        rule: Class::Contract,
        fault: Fault::BrokenContract,
        stack: event.stack.to_vec(),
        // It is about no memory of its own.
        object: Object {
            kind: ObjKind::HostLocal,
            name: func.display.clone(),
            extent: None,
            site: None,
            func: None,
            array: false,
        },
        array: place.1.clone(),
        direction: Direction::Read,
        side: None,
        contract: Some(Required { function: event.function, condition: event.required.condition.clone() }),
        facts: event.path,
        offset: zero,
        bytes: zero,
        essential: vec![event.broken],
        message: format!("this breaks the contract of `{}`: `{}` does not hold", func.display, event.required.text),
        related: if stated.position.file.is_empty() { vec![] } else { vec![stated] },
    };
    suspect.judge(tools, decision)
}
