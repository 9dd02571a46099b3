//! Interface of a rule: one file that lists the classes of its findings and implements its checks.
//!
//! Each rule implements [`RuleCheck`] and is in the list [`super::ALL`]; the engine and the other rules go through
//! that list. A rule gets a context, the tools and an event, and returns a look or reports findings to the tally. It
//! must not depend on the order of application.

use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, InObject, RootTools};
use crate::obligations::verdict::{AccessExamination, AccessVerdict, Effort};
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, ContractEvent, CopyEvent, StaleEvent};
use engine::symbolic::exec::executor::Executor;
use ir::FuncRef;

/// Host events below one root, apart from launches.
pub(crate) struct HostEvents {
    /// Uses and frees of possibly freed memory.
    pub stale: Vec<StaleEvent>,
    /// Sides of copies.
    pub copies: Vec<CopyEvent>,
    /// Calls and launches that may violate a contract.
    pub contracts: Vec<ContractEvent>,
}

/// Receiver of decisions.
pub(crate) trait DecisionReceiver {
    /// Whether a proved finding exists at a source position.
    fn is_proved(&self, place: &ArrayPosition) -> bool;

    /// Takes the outcome of an event that is not a counted access: only findings are counted, and undecided outcomes
    /// become notes.
    fn note(&mut self, place: ArrayPosition, func: FuncRef, outcome: AccessVerdict);

    /// Takes the outcome of a side of a copy or fill; `note` says the rest.
    fn note_copy(&mut self, place: ArrayPosition, func: FuncRef, outcome: AccessVerdict);

    /// Records a verdict of a counted access; the worst of its verdicts stands.
    fn record(&mut self, event: &AccessEvent, func: FuncRef, outcome: AccessVerdict);
}

/// A rule.
pub(crate) trait RuleCheck: Sync {
    /// Returns the classes of its findings, which determine their names, levels and pages.
    fn classes(&self) -> &'static [Rule];

    /// Whether an access may have obligations beyond staying in its object.
    fn concerns(&self, _e: &Executor<'_>, _run: &ExecutedLaunch, _event: &AccessEvent) -> bool {
        false
    }

    /// Looks at an access that stays in its object.
    fn in_object(
        &self,
        _cx: &CheckContext<'_>,
        _tools: &mut RootTools<'_>,
        _run: &ExecutedLaunch,
        _access: &InObject<'_>,
        _effort: Effort,
    ) -> AccessExamination {
        AccessExamination::of(AccessVerdict::Safe)
    }

    /// Checks what the host does below a root.
    fn in_host(
        &self,
        _cx: &CheckContext<'_>,
        _tools: &mut RootTools<'_>,
        _events: &HostEvents,
        _tally: &mut dyn DecisionReceiver,
    ) {
    }

    /// Checks all launches below a root together, beside their accesses.
    fn in_launches(
        &self,
        _cx: &CheckContext<'_>,
        _tools: &mut RootTools<'_>,
        _runs: &[ExecutedLaunch],
        _tally: &mut dyn DecisionReceiver,
    ) {
    }

    /// Checks a kernel's events under one launch, beside its accesses.
    fn in_kernel(
        &self,
        _cx: &CheckContext<'_>,
        _tools: &mut RootTools<'_>,
        _run: &ExecutedLaunch,
        _tally: &mut dyn DecisionReceiver,
    ) {
    }
}
