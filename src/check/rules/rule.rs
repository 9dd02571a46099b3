//! Interface of a rule: one file that lists the classes of its findings and implements its checks.
//!
//! Each rule implements [`Rule`] and is in the list of [`super::list`]; the engine and the other rules go through
//! that list. A rule gets a context, the tools and an event, and returns a look or reports findings to the tally. It
//! must not depend on the order of application.

use crate::context::{Context, InObject, Place, Run, Tools};
use crate::obligations::verdict::{Effort, Look, Outcome};
use base::rules::Rule as Class;
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
pub(crate) trait Tally {
    /// Whether a proved finding exists at a source position.
    fn is_proved(&self, place: &Place) -> bool;

    /// Takes the outcome of an event that is not a counted access: only findings are counted, and undecided outcomes
    /// become notes.
    fn note(&mut self, place: Place, func: FuncRef, outcome: Outcome);

    /// Records a counted access as undecided, overriding other verdicts.
    fn leave_open(&mut self, event: &AccessEvent, func: FuncRef, why: Outcome);
}

/// A rule.
pub(crate) trait Rule: Sync {
    /// Returns the classes of its findings, which determine their names, levels and pages.
    fn classes(&self) -> &'static [Class];

    /// Whether an access may have obligations beyond staying in its object.
    fn concerns(&self, _e: &Executor<'_>, _run: &Run, _event: &AccessEvent) -> bool {
        false
    }

    /// Looks at an access that stays in its object.
    fn in_object(
        &self,
        _cx: &Context<'_>,
        _tools: &mut Tools<'_>,
        _run: &Run,
        _access: &InObject<'_>,
        _effort: Effort,
    ) -> Look {
        Look::of(Outcome::Safe)
    }

    /// Checks what the host does below a root.
    fn in_host(&self, _cx: &Context<'_>, _tools: &mut Tools<'_>, _events: &HostEvents, _tally: &mut dyn Tally) {}

    /// Checks all launches below a root together, beside their accesses.
    fn in_launches(&self, _cx: &Context<'_>, _tools: &mut Tools<'_>, _runs: &[Run], _tally: &mut dyn Tally) {}

    /// Checks a kernel's events under one launch, beside its accesses.
    fn in_kernel(&self, _cx: &Context<'_>, _tools: &mut Tools<'_>, _run: &Run, _tally: &mut dyn Tally) {}
}
