//! `misaligned`: loads, stores and structure copies whose address is no multiple of the required alignment.
//!
//! In: kernel accesses that are not certainly aligned. Out: findings at them.

use super::rule::{Rule, Tally};
use crate::context::{Context, Place, Run, Tools};
use crate::counterexample::replay::Wanted;
use crate::findings::kernel::Suspected;
use crate::findings::position::{loc_of, seen};
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::Outcome;
use base::rules::Rule as Class;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, UnalignedEvent};
use engine::symbolic::terms::term::TermId;

/// The rule `misaligned`.
pub(crate) struct Alignment;

impl Rule for Alignment {
    fn classes(&self) -> &'static [Class] {
        &[Class::Misaligned]
    }

    fn in_kernel(&self, cx: &Context<'_>, tools: &mut Tools<'_>, run: &Run, tally: &mut dyn Tally) {
        for event in &run.run.unaligned {
            if cx.is_spent() {
                return;
            }
            let Some(place) = place(tools, event) else { continue };
            if tally.is_proved(&place) {
                continue;
            }
            let (found, cut) = tools.noting_cuts(|tools| of_kernel(tools, run, event, place.clone()));
            if let Some(outcome) = found {
                tally.note(place, run.kernel, outcome.unless(cut));
            }
        }
    }
}

/// Returns the source position of such a finding.
fn place(tools: &Tools<'_>, event: &UnalignedEvent) -> Option<Place> {
    let (site, text) = seen(tools.e.program, &event.stack, *event.stack.last()?, event.kind);
    Some((loc_of(tools.e.program, site), text.array))
}

/// Decides one event; `None` where it gives no finding.
fn of_kernel(tools: &mut Tools<'_>, run: &Run, event: &UnalignedEvent, place: Place) -> Option<Outcome> {
    // An offset that depends on an unknown may well be aligned for every actual value.
    if !cone::unknowns(&tools.e, &[event.offset]).is_empty() {
        return None;
    }
    let Decision::Fails { model, mode, degenerate } = tools.decider.happens(&mut tools.e.arena, event.path) else {
        return None;
    };
    let object = tools.e.object(event.object).clone();
    let what = match event.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic update",
    };
    let message = format!("{what} of `{}` at an address that is no multiple of {}", place.1, event.align);
    let obligation = Obligation {
        facts: event.path,
        offset: event.offset,
        bytes: event.bytes,
        extent: object.extent.unwrap_or(event.bytes),
    };
    let access = AccessEvent::without_targets(event.stack.clone(), event.bytes, event.kind, event.path)?;
    let essential: [TermId; 1] = [event.offset];
    let s = Suspected {
        rule: Class::Misaligned,
        wanted: Wanted::Unaligned(event.align),
        event: &access,
        object: &object,
        obligation: &obligation,
        essential: &essential,
        message,
    };
    match s.replayed(tools, run, &Counterexample { model, mode, degenerate }, place) {
        Ok(f) => Some(Outcome::Found(Box::new(f))),
        Err(why) => Some(Outcome::Unknown(why)),
    }
}
