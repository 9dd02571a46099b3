//! Findings about one launch: what its kernel does at a place, other than going out of bounds.
//!
//! In: an access of a kernel and a model in which it is wrong. Out: what the replay of that model makes of it.

use super::build::{Bad, Worth, level};
use crate::context::{Place, Run, Tools};
use crate::counterexample::replay::Wanted;
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Obligation};
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::Object;
use engine::symbolic::terms::term::TermId;
use finding::Finding;

/// One access, what it is meant for and what may be wrong with it.
pub(crate) struct Suspected<'a> {
    pub rule: Rule,
    pub wanted: Wanted,
    pub event: &'a AccessEvent,
    pub object: &'a Object,
    pub obligation: &'a Obligation,
    /// What decides it, apart from the way there: unknowns in these make a replay that is cut short worth nothing.
    pub essential: &'a [TermId],
    pub message: String,
}

impl Suspected<'_> {
    /// The finding at a place, from a model in which it happens; `Err` says why it is none.
    pub fn replayed(
        self,
        tools: &mut Tools<'_>,
        run: &Run,
        c: &Counterexample,
        place: Place,
    ) -> Result<Finding, UnknownReason> {
        let judged = tools.judge.judge(&tools.e.arena, &run.launch, &run.run.thread, self.event, c, self.wanted);
        let unknowns = cone::unknowns(&tools.e, self.essential);
        let worth = Worth::of(&judged, &tools.root, tools.e.program, unknowns)?;
        let bad = Bad {
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
