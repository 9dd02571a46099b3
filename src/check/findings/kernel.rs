//! Findings about one launch: what its kernel does at a place, other than going out of bounds.
//!
//! In: an access of a kernel and a model in which it is wrong. Out: what the replay of that model makes of it.

use super::build::{Bad, Worth};
use super::host_call::Tools;
use crate::check::counterexample::replay::Wanted;
use crate::check::engine::Place;
use crate::check::obligations::cone;
use crate::check::obligations::obligation::Obligation;
use crate::check::solver::{Model, WrapMode};
use crate::ir::FuncRef;
use crate::kernel::KernelRun;
use crate::report::finding::{Finding, Level, Rule, Verdict};
use crate::symbolic::exec::executor::{AccessEvent, LaunchEvent};
use crate::symbolic::memory::object::Object;
use crate::symbolic::terms::term::TermId;

/// A launch whose kernel was executed.
pub(in crate::check) struct Launched<'a> {
    pub launch: &'a LaunchEvent,
    pub kernel: FuncRef,
    pub run: &'a KernelRun,
}

/// A model in which something happens.
pub(in crate::check) struct Happens {
    pub model: Model,
    pub mode: WrapMode,
    pub degenerate: bool,
}

/// One access, what it is meant for and what may be wrong with it.
pub(in crate::check) struct Suspected<'a> {
    pub rule: Rule,
    pub wanted: Wanted,
    pub event: &'a AccessEvent,
    pub object: &'a Object,
    pub obligation: &'a Obligation,
    /// What decides it, apart from the way there: unknowns in these make a replay that is cut short worth nothing.
    pub essential: &'a [TermId],
    pub message: String,
}

impl Launched<'_> {
    /// The finding at a place; `Err` says why it is none.
    pub fn replayed(
        &self,
        tools: &mut Tools<'_>,
        s: Suspected<'_>,
        h: &Happens,
        place: Place,
    ) -> Result<Finding, String> {
        let judged =
            tools.judge.judge(&tools.e.arena, self.launch, &self.run.thread, s.event, &h.model, h.mode, s.wanted);
        let unknowns = cone::unknowns(&tools.e, s.essential);
        let worth = Worth::of(&judged, &tools.root, tools.e.program, unknowns)?;
        let bad = Bad {
            root: &tools.root,
            launch: self.launch,
            thread: &self.run.thread,
            kernel: self.kernel,
            event: s.event,
            object: s.object,
            obligation: s.obligation,
            model: &h.model,
            mode: h.mode,
            degenerate: h.degenerate,
        };
        let mut finding = bad.finding(&tools.e, &tools.judge, &judged, worth, place);
        finding.rule = s.rule;
        finding.message = s.message;
        finding.level = if finding.verdict == Verdict::Proved && !finding.degenerate {
            s.rule.default_level()
        } else {
            Level::Warn
        };
        Ok(finding)
    }
}
