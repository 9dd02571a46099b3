//! `misaligned`: loads, stores and structure copies whose address is no multiple of the required alignment.
//!
//! In: kernel accesses that are not certainly aligned. Out: findings at them.

use super::rule::{DecisionReceiver, RuleCheck};
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::candidates::named;
use crate::counterexample::replay_result::SoughtFault;
use crate::findings::build::level;
use crate::findings::kernel::Suspected;
use crate::findings::position::{loc_of, seen};
use crate::inference::alignment;
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use crate::obligations::{self, cone};
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, AlignmentNeed, UnalignedEvent};
use engine::symbolic::terms::term::TermId;
use finding::Verdict;

/// Returns the assumption behind a finding at an access that may need less.
fn assumption(event: &UnalignedEvent) -> Option<String> {
    match event.needed {
        AlignmentNeed::Width => None,
        AlignmentNeed::Merged => {
            Some("that nvcc makes one wide access of neighbouring ones, as the alignment of the type allows".to_owned())
        }
        AlignmentNeed::Presumed => Some(format!("that the type of the cast is aligned to {} bytes", event.align)),
    }
}

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
            let Some((place, access)) = place(tools, event).zip(event.access()) else { continue };
            if tally.is_proved(&place) {
                continue;
            }
            let (outcome, cut) =
                tools.decided_by(cx, |tools| of_kernel(cx, tools, run, (event, &access), place.clone()));
            match outcome.unless(cut) {
                found @ AccessVerdict::Found(_) => tally.note(place, run.kernel, found),
                AccessVerdict::Safe => {}
                open => tally.record(&access, run.kernel, open),
            }
        }
    }
}

/// Returns the source position of such a finding.
fn place(tools: &RootTools<'_>, event: &UnalignedEvent) -> Option<ArrayPosition> {
    let (site, text) = seen(tools.e.program, &event.stack, *event.stack.last()?, event.kind);
    Some((loc_of(tools.e.program, site), text.array))
}

/// Decides one event.
fn of_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    (event, access): (&UnalignedEvent, &AccessEvent),
    place: ArrayPosition,
) -> AccessVerdict {
    let c = match obligations::alignment::decide(cx, tools, event) {
        Decision::Fails(c) => c,
        Decision::Safe => return AccessVerdict::Safe,
        Decision::SafeIfNoWrap(operations) => return AccessVerdict::SafeIfNoWrap(operations),
        Decision::Unknown(why) => return AccessVerdict::Unknown(why),
    };
    // An offset that depends on an unknown may well be aligned for every actual value.
    if let Some(unknown) = cone::unknowns(&tools.e, &[event.offset]).into_iter().next() {
        return AccessVerdict::Unknown(unknown);
    }
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
    let essential: [TermId; 1] = [event.offset];
    let s = Suspected {
        rule: Rule::Misaligned,
        wanted: SoughtFault::Unaligned(event.align),
        event: access,
        object: &object,
        obligation: &obligation,
        essential: &essential,
        message,
    };
    let mut finding = match s.replayed(cx, tools, run, &c, place) {
        Ok(finding) => finding,
        Err(why) => return AccessVerdict::Unknown(why),
    };
    if let Some(assumption) = assumption(event).filter(|_| finding.verdict == Verdict::Proved) {
        finding.verdict = Verdict::Possible;
        finding.assumptions.push(assumption);
        finding.level = level(finding.rule, finding.verdict, finding.degenerate);
    }
    if !finding.arguments.is_empty() {
        finding.missing_check =
            named(cx, tools, access, |cx, tools| alignment::missing(cx, tools, run, event, (&finding, &obligation)));
    }
    AccessVerdict::Found(Box::new(finding))
}

/// Decides such an event of a kernel without a known launch, where nothing is found.
pub(crate) fn of_any_launch(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    event: &UnalignedEvent,
) -> Option<(AccessEvent, AccessVerdict)> {
    let outcome = match obligations::alignment::decide(cx, tools, event) {
        Decision::Safe => return None,
        Decision::SafeIfNoWrap(operations) => AccessVerdict::SafeIfNoWrap(operations),
        Decision::Fails(_) => AccessVerdict::Unknown(UnknownReason::AlignmentOfCallers(event.align)),
        Decision::Unknown(why @ UnknownReason::AlignmentOfVariable(..)) => AccessVerdict::Unknown(why),
        Decision::Unknown(why) => AccessVerdict::Unknown(UnknownReason::NoLaunchOpen(Box::new(why))),
    };
    Some((event.access()?, outcome))
}
