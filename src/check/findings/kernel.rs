//! Findings about one launch: faults of its kernel at a source position, other than accesses out of bounds.
//!
//! In: an access of a kernel and a model in which it is faulty. Out: the finding that the replay of this model
//! supports.

use super::build::{AccessCounterexample, FindingStrength, level};
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::replay_result::SoughtFault;
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Obligation};
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::Object;
use engine::symbolic::terms::term::TermId;
use finding::Finding;

/// An access, its obligation, and its possible fault.
pub(crate) struct Suspected<'a> {
    pub rule: Rule,
    pub wanted: SoughtFault,
    pub event: &'a AccessEvent,
    pub object: &'a Object,
    pub obligation: &'a Obligation,
    /// Terms that decide the fault, apart from the path: unknowns in these make an incomplete replay worthless.
    pub essential: &'a [TermId],
    pub message: String,
}

impl Suspected<'_> {
    /// Builds the finding at a source position, from a model in which the fault happens; `Err` gives the reason why
    /// there is none.
    pub fn replayed(
        self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        run: &ExecutedLaunch,
        c: &Counterexample,
        place: ArrayPosition,
    ) -> Result<Finding, UnknownReason> {
        let judged = tools.replay(cx, run, self.event, c, self.wanted);
        let unknowns = cone::unknowns(&tools.e, self.essential);
        let worth = FindingStrength::of(&judged, &tools.root, tools.e.program, unknowns)?;
        let bad = AccessCounterexample {
            root: &tools.root,
            run,
            event: self.event,
            object: self.object,
            obligation: self.obligation,
            counterexample: c,
        };
        let mut finding = bad.finding(&tools.e, &tools.judge, &judged, worth, place);
        finding.rule = self.rule;
        finding.message = self.message;
        finding.level = level(self.rule, finding.verdict, finding.degenerate);
        Ok(finding)
    }
}
