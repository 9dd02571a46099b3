//! `false-assumption`: claims of a kernel about itself that a launch violates.
//!
//! In: claims of a kernel that may not hold. Out: findings at them. [`crate::pipeline`]'s ablation reports results that
//! rest on a valid claim.

use super::rule::{DecisionReceiver, RuleCheck};
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::replay_result::SoughtFault;
use crate::findings::kernel::Suspected;
use crate::findings::position::{below_the_user, loc_of, users_call};
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, AccessKind, ClaimEvent};
use engine::symbolic::memory::object::{ObjKind, Object};
use engine::symbolic::terms::term::TermId;
use ir::Program;
use witness::AccessFault;

/// The rule `false-assumption`.
pub(crate) struct Claims;

impl RuleCheck for Claims {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::FalseAssumption]
    }

    fn in_kernel(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        tally: &mut dyn DecisionReceiver,
    ) {
        for event in &run.run.claims {
            let Some(place) = place(tools.e.program, event) else { continue };
            if tally.is_proved(&place) {
                continue;
            }
            let (found, cut) = tools.decided_by(cx, |tools| of_kernel(cx, tools, run, event, place.clone()));
            // Accesses that rest on an assert name it themselves; here only a violated assert is reported.
            let found = found.filter(|o| o.is_finding() || event.removed.is_none());
            if let Some(outcome) = found {
                tally.note(place, run.kernel, outcome.unless(cut));
            }
        }
    }
}

/// Returns the position of such a finding: the claim, with its text in the source.
pub(crate) fn place(program: &Program, event: &ClaimEvent) -> Option<ArrayPosition> {
    let site = users_call(program, &event.stack)?;
    Some((loc_of(program, site), event.written.to_string()))
}

/// Decides one claim; `None` where it holds.
fn of_kernel(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    event: &ClaimEvent,
    place: ArrayPosition,
) -> Option<AccessVerdict> {
    let happens = match tools.happens(cx, event.path).decision {
        Decision::Fails(c) => c,
        Decision::Unknown(why) => return Some(AccessVerdict::Unknown(why)),
        Decision::Safe => return None,
        Decision::SafeIfNoWrap(operations) => tools.happens_by_wrapping(cx, event.path, &operations)?,
    };
    let zero = tools.e.arena.int(0);
    // A claim concerns no memory.
    let nothing = Object {
        kind: ObjKind::DeviceLocal,
        name: event.written.to_string(),
        extent: None,
        site: None,
        func: None,
        array: false,
    };
    let access = AccessEvent::without_targets(event.stack.clone(), zero, AccessKind::Read, event.path)?;
    let obligation = Obligation { facts: event.path, offset: zero, bytes: zero, extent: zero };
    let essential: [TermId; 1] = [event.broken];
    let suspected = Suspected {
        rule: Rule::FalseAssumption,
        wanted: SoughtFault::Fault(AccessFault::FalseClaim),
        event: &access,
        object: &nothing,
        obligation: &obligation,
        essential: &essential,
        message: if event.removed.is_some() {
            format!("`{}` does not hold in this launch, and the build removes it", event.written)
        } else {
            format!("`{}` is false in this launch", event.written)
        },
    };
    let itself = format!("({}:{})", place.0.file.rsplit('/').next().unwrap_or_default(), place.0.line);
    Some(match suspected.replayed(cx, tools, run, &happens, place) {
        Ok(mut f) => {
            f.related = below_the_user(tools.e.program, &event.stack, "the claim itself");
            f.assumptions.retain(|a| !(a.starts_with('`') && a.contains(&itself)));
            AccessVerdict::Found(Box::new(f))
        }
        Err(why) => AccessVerdict::Unknown(why),
    })
}
