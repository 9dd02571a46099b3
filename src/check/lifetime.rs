//! `use-after-free` and `double-free`: what is done with memory that was freed.
//!
//! In: the events that met freed memory. Out: findings at the calls, or the launches, that do it.

use super::calls::{Suspect, Tools, position, users_call};
use super::engine::Place;
use super::finding::loc_of;
use super::outcome::Outcome;
use super::show;
use crate::ir::Program;
use crate::report::finding::{Direction, Related, Rule};
use crate::symbolic::exec::{AccessKind, Site};
use crate::symbolic::lifetime::{Deed, Freed, StaleEvent};
use crate::witness::Fault;

/// What the host does with freed memory; `None` where the place of the call is not known.
pub(super) fn of_host(tools: &mut Tools<'_>, event: &StaleEvent) -> Option<(Place, Outcome)> {
    let program = tools.e.program;
    let call = users_call(program, &event.stack)?;
    let array = named(program, call, 0, &tools.e.object(event.object).name);
    let suspect = suspect(tools, event, array.clone());
    let decision = tools.decider.happens(&mut tools.e.arena, event.path);
    let outcome = suspect.judge(tools, decision);
    Some(((loc_of(program, call), array), outcome))
}

fn suspect(tools: &mut Tools<'_>, event: &StaleEvent, array: String) -> Suspect {
    let zero = tools.e.arena.int(0);
    let object = tools.e.object(event.object).clone();
    let related = where_freed(tools.e.program, &event.freed, &event.stack);
    let (rule, fault, offset, bytes, direction, side, message) = match event.deed {
        Deed::FreedAgain => (Rule::DoubleFree, Fault::FreedAgain, zero, zero, Direction::Write, None, format!("`{array}` is freed twice")),
        Deed::Used { kind, offset, bytes } => {
            let (what, direction) = match kind {
                AccessKind::Read => ("read", Direction::Read),
                AccessKind::Write => ("write", Direction::Write),
                AccessKind::Atomic => ("atomic update", Direction::Atomic),
            };
            (Rule::UseAfterFree, Fault::Freed, offset, bytes, direction, Some(direction), format!("{what} of `{array}` after it was freed"))
        }
    };
    Suspect {
        rule, fault, stack: event.stack.to_vec(), object, array, direction, side, facts: event.path, offset, bytes,
        essential: vec![event.freed.cond], message, related,
    }
}

/// Where memory was freed, as seen from the place where it is used: in the function that both come from.
fn where_freed(program: &Program, freed: &Freed, used: &[Site]) -> Vec<Related> {
    let mut out: Vec<Related> = vec![];
    let mut add = |site: Option<Site>, what: &str| {
        let Some(p) = site.map(|s| position(program, s)) else { return };
        let r = Related { position: p, what: what.to_owned() };
        if r.position.line > 0 && !out.contains(&r) { out.push(r); }
    };
    for at in &freed.at {
        let common = at.iter().zip(used).take_while(|(a, b)| a == b).count();
        let inner = users_call(program, at);
        add(inner, "freed here");
        // Where the innermost places are one, the calls that lead there differ.
        if inner == users_call(program, used) && common + 1 < at.len() {
            add(at.get(common).copied(), "called from here first");
            add(used.get(common).copied(), "and from here again");
        }
    }
    out
}

/// The source's name of an argument of a call, else that of the memory.
fn named(program: &Program, call: Site, argument: usize, object: &str) -> String {
    match show::argument(program, call, argument) { Some(name) => name, None if object.is_empty() => "memory".to_owned(), None => object.to_owned() }
}
