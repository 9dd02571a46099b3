//! `misaligned`: loads, stores and structure copies whose address is no multiple of the required alignment.
//!
//! In: kernel accesses that are not certainly aligned. Out: findings at them.

use super::rule::{DecisionReceiver, RuleCheck};
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::replay_result::SoughtFault;
use crate::findings::kernel::Suspected;
use crate::findings::position::{loc_of, seen};
use crate::obligations::cone;
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, UnalignedEvent};
use engine::symbolic::terms::term::TermId;

/// The rule `misaligned`.
pub(crate) struct Alignment;

impl RuleCheck for Alignment {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::Misaligned]
    }

    fn in_kernel(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        tally: &mut dyn DecisionReceiver,
    ) {
        for event in &run.run.unaligned {
            if cx.is_spent() {
                return;
            }
            let Some(place) = place(tools, event) else { continue };
            if tally.is_proved(&place) {
                continue;
            }
            let (found, cut) = tools.noting_cuts(|tools| of_kernel(cx, tools, run, event, place.clone()));
            if let Some(outcome) = found {
                tally.note(place, run.kernel, outcome.unless(cut));
            }
        }
    }
}

/// Returns the source position of such a finding.
fn place(tools: &RootTools<'_>, event: &UnalignedEvent) -> Option<ArrayPosition> {
    let (site, text) = seen(tools.e.program, &event.stack, *event.stack.last()?, event.kind);
    Some((loc_of(tools.e.program, site), text.array))
}

/// Decides one event; `None` where it gives no finding.
fn of_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &UnalignedEvent,
    place: ArrayPosition,
) -> Option<AccessVerdict> {
    // An offset that depends on an unknown may well be aligned for every actual value.
    if !cone::unknowns(&tools.e, &[event.offset]).is_empty() {
        return None;
    }
    let Decision::Fails(c) = tools.happens(cx, event.path).decision else {
        return None;
    };
    let object = tools.e.object(event.object).clone();
    let what = match event.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic update",
    };
    let message = format!("{what} of `{}` at an address that is not a multiple of {}", place.1, event.align);
    let obligation = Obligation {
        facts: event.path,
        offset: event.offset,
        bytes: event.bytes,
        extent: object.extent.unwrap_or(event.bytes),
    };
    let access = AccessEvent::without_targets(event.stack.clone(), event.bytes, event.kind, event.path)?;
    let essential: [TermId; 1] = [event.offset];
    let s = Suspected {
        rule: Rule::Misaligned,
        wanted: SoughtFault::Unaligned(event.align),
        event: &access,
        object: &object,
        obligation: &obligation,
        essential: &essential,
        message,
    };
    Some(
        s.replayed(cx, tools, run, &c, place)
            .map_or_else(AccessVerdict::Unknown, |f| AccessVerdict::Found(Box::new(f))),
    )
}
