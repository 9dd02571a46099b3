//! What a rule is: one file that says which classes of findings it makes, and what it asks of what.
//!
//! Each rule implements [`Rule`] and stands in the list of [`super::list`]; the engine and the other rules go through that list. A rule is
//! given a context, the tools and an event, and gives back a look or tells the tally what it found. It must not know when it is asked.

use crate::context::{Context, InObject, Place, Run, Tools};
use crate::obligations::verdict::{Effort, Look, Outcome};
use base::rules::Rule as Class;
use engine::symbolic::exec::events::{AccessEvent, ContractEvent, CopyEvent, StaleEvent};
use engine::symbolic::exec::executor::Executor;
use ir::FuncRef;

/// What the host itself does below one root, apart from launches.
pub(crate) struct HostEvents {
    /// What is used, or freed again, after it may have been freed.
    pub stale: Vec<StaleEvent>,
    /// Each side of each copy.
    pub copies: Vec<CopyEvent>,
    /// Calls and launches that may not keep to a contract.
    pub contracts: Vec<ContractEvent>,
}

/// Who keeps what was decided.
pub(crate) trait Tally {
    /// Whether a place is proved to be wrong already.
    fn is_proved(&self, place: &Place) -> bool;

    /// Takes what was found of an event that is no access which a user would count: only findings are counted, and notes are made of what is open.
    fn note(&mut self, place: Place, func: FuncRef, outcome: Outcome);

    /// Takes that an access which a user would count is open, whatever else is decided of it.
    fn leave_open(&mut self, event: &AccessEvent, func: FuncRef, why: Outcome);
}

/// One rule.
pub(crate) trait Rule: Sync {
    /// The classes of its findings. Their names, levels and pages hang on these.
    fn classes(&self) -> &'static [Class];

    /// Whether an access may have to keep to more than its object.
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

    /// Looks at what the host does below a root.
    fn in_host(&self, _cx: &Context<'_>, _tools: &mut Tools<'_>, _events: &HostEvents, _tally: &mut dyn Tally) {}

    /// Looks at what all launches below a root do together, beside their accesses.
    fn in_launches(&self, _cx: &Context<'_>, _tools: &mut Tools<'_>, _runs: &[Run], _tally: &mut dyn Tally) {}

    /// Looks at what a kernel does under one launch, beside its accesses.
    fn in_kernel(&self, _cx: &Context<'_>, _tools: &mut Tools<'_>, _run: &Run, _tally: &mut dyn Tally) {}
}
