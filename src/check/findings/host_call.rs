//! Faults of host calls: from the condition of a fault to a finding.
//!
//! In: a condition, the call and the memory that it concerns. Out: the outcome, by a model and its replay.

use super::build::{FindingStrength, level, narrow};
use super::position::{below_the_user, numbers, position, position_of, users_call};
use super::source_names::SourceNames;
use super::steps::{self, StepValues};
use crate::context::{CheckContext, RootTools};
use crate::counterexample::concrete_trials::trials;
use crate::counterexample::replay::ReplayAttempt;
use crate::counterexample::replay_result::ReplayResult;
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Decision};
use crate::obligations::verdict::AccessVerdict;
use crate::solver::WrapMode;
use base::reasons::UnknownReason;
use base::rules::Rule;
use engine::symbolic::exec::events::{AccessEvent, AccessKind};
use engine::symbolic::exec::site::Site;
use engine::symbolic::memory::object::{ObjKind, Object};
use engine::symbolic::terms::term::TermId;
use finding::{Access, Allocation, Direction, Finding, MemorySpace, Related, Sites, Witness, WitnessInput};
use std::rc::Rc;
use witness::{AccessFault, RequiredCondition};

/// A possible fault of a call.
pub(crate) struct Suspect {
    pub rule: Rule,
    pub fault: AccessFault,
    /// Calls from the root inwards, the faulty one last.
    pub stack: Vec<Site>,
    pub object: Object,
    /// Source name of the pointer.
    pub array: String,
    pub direction: Direction,
    /// Side of a copy on which the replay must find the fault.
    pub side: Option<Direction>,
    /// Contract that the replay must find violated.
    pub contract: Option<RequiredCondition>,
    /// Condition of the fault.
    pub facts: TermId,
    /// Offset and width, in bytes, of the read or write.
    pub offset: TermId,
    pub bytes: TermId,
    /// Terms that decide the fault, apart from the path: unknowns in these make an incomplete replay worthless.
    pub essential: Vec<TermId>,
    pub message: String,
    pub related: Vec<Related>,
}

impl Suspect {
    /// Judges a decision by replay.
    pub fn judge(&self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>, decision: Decision) -> AccessVerdict {
        let (c, judged) = match decision {
            Decision::Safe => return AccessVerdict::Safe,
            Decision::SafeIfNoWrap(ops) => return AccessVerdict::SafeIfNoWrap(ops),
            Decision::Unknown(why) => match self.tried(cx, tools) {
                Some(found) => found,
                None => return AccessVerdict::Unknown(why),
            },
            Decision::Fails(c) => match self.replay(cx, tools, &c) {
                reached @ ReplayResult::Reached { .. } => (c, reached),
                judged => self.tried(cx, tools).unwrap_or((c, judged)),
            },
        };
        // A degenerate fault that no replay reached is not reported.
        if c.degenerate && !matches!(judged, ReplayResult::Reached { .. }) {
            return AccessVerdict::Unknown(UnknownReason::OnlyDegenerate);
        }
        let unknowns = cone::unknowns(&tools.e, &self.essential);
        match FindingStrength::of(&judged, &tools.root, tools.e.program, unknowns) {
            Ok(worth) => AccessVerdict::Found(Box::new(self.finding(tools, &c, &judged, worth))),
            Err(why) => AccessVerdict::Unknown(why),
        }
    }

    fn replay(&self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>, c: &Counterexample) -> ReplayResult {
        tools.judge.judge_call(
            &tools.e.arena,
            &self.depends(),
            &self.stack,
            &c.model,
            (self.fault, self.contract.as_ref(), self.side),
            ReplayAttempt::within(cx.attempt.until),
        )
    }

    /// Returns small inputs on which a copy was seen to go out of bounds, where a replay reaches that.
    fn tried(&self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>) -> Option<(Counterexample, ReplayResult)> {
        let side = self.side.filter(|_| self.fault == AccessFault::Bounds)?;
        let model = trials(cx, tools).of_call(&self.stack, side)?;
        let degenerate = tools.decider.sizes.degenerate(&tools.e.arena, &model);
        let c = Counterexample { model, mode: WrapMode::Assume, degenerate };
        let judged = self.replay(cx, tools, &c);
        matches!(judged, ReplayResult::Reached { .. }).then_some((c, judged))
    }

    /// Returns the fault as an access, for faults in a kernel.
    pub fn access(&self) -> Option<AccessEvent> {
        let kind = match self.direction {
            Direction::Read => AccessKind::Read,
            Direction::Write => AccessKind::Write,
            Direction::Atomic => AccessKind::Atomic,
        };
        AccessEvent::without_targets(Rc::new(self.stack.clone()), self.bytes, kind, self.facts)
    }

    fn depends(&self) -> Vec<TermId> {
        let mut all = vec![self.facts, self.offset, self.bytes];
        all.extend(self.object.extent);
        all
    }

    fn finding(
        &self,
        tools: &RootTools<'_>,
        &Counterexample { ref model, mode, degenerate }: &Counterexample,
        judged: &ReplayResult,
        worth: FindingStrength,
    ) -> Finding {
        let (a, program, root) = (&tools.e.arena, tools.e.program, tools.root.func);
        let value = |t: TermId| model.value(a, t, mode);
        let depends = self.depends();
        let call = self.stack.last().copied();
        let mut w = Witness {
            inputs: tools
                .judge
                .inputs(a, &depends, model)
                .into_iter()
                .map(|(name, value)| WitnessInput { name, value })
                .collect(),
            run: tools.judge.run(a, &depends, model),
            grid: [0; 3],
            block: [0; 3],
            thread: [0; 3],
            offset_bytes: narrow(value(self.offset)),
            extent_bytes: narrow(self.object.extent.and_then(value)),
            replay: worth.replay,
            sites: call.map(|c| Sites {
                root: [root.module.0, root.func.0],
                access: numbers(c),
                callers: self.stack.iter().rev().skip(1).rev().copied().map(numbers).collect(),
                launch: None,
                part: None,
            }),
        };
        let mut bytes = value(self.bytes).and_then(|v| u64::try_from(v).ok()).unwrap_or(0);
        if let ReplayResult::Reached { bad, .. } = judged {
            w.offset_bytes = bad.offset;
            w.extent_bytes = i64::try_from(bad.object.extent).unwrap_or(i64::MAX);
            bytes = bad.bytes;
        }
        let at = users_call(program, &self.stack);
        let mut assumptions: Vec<String> =
            tools.e.assumptions_in(&[self.facts]).iter().map(ToString::to_string).collect();
        assumptions.extend_from_slice(&worth.assumptions);
        let of_allocation = self.object.site.map(|(m, l)| position_of(program.loc(m, l)));
        let names = SourceNames::at(&tools.e, of_allocation.clone().unwrap_or_default());
        let mut finding = Finding {
            fingerprint: String::new(),
            rule: self.rule,
            level: level(self.rule, worth.verdict, degenerate),
            verdict: worth.verdict,
            degenerate,
            occurrences: 1,
            program: String::new(),
            root: program.func(root).display.clone(),
            message: self.message.clone(),
            access: Access {
                position: at.map(|s| position(program, s)).unwrap_or_default(),
                kernel: at.map(|s| program.func(s.func).display.clone()).unwrap_or_default(),
                array: self.array.clone(),
                partition: None,
                direction: self.direction,
                space: space(&self.object.kind),
                index: String::new(),
                bytes,
            },
            allocation: of_allocation.map(|p| Allocation {
                file: p.file,
                line: p.line,
                column: p.column,
                extent: self.object.extent.map_or_else(String::new, |t| names.show(t)),
            }),
            launch: None,
            related: [&self.related[..], &below_the_user(program, &self.stack, "the call itself")].concat(),
            arguments: w.run.tensors.clone(),
            witness: Some(w),
            confirmation: None,
            steps: vec![],
            confirmation_not_run: None,
            assumptions,
            unknowns: worth.unknowns_of_finding(),
            missing_check: None,
            architecture: None,
            fix: None,
        };
        let at_call = SourceNames::at(&tools.e, at.map(|s| position(program, s)).unwrap_or_default());
        let values = StepValues {
            e: &tools.e,
            value: &value,
            extent: self.object.extent,
            variables: [names.used(), at_call.of_line()].concat(),
            launch: None,
            index: None,
            copied: (self.fault == AccessFault::Bounds).then_some(self.bytes),
        };
        finding.steps = steps::until_access(&finding, &values);
        finding
    }
}

fn space(kind: &ObjKind) -> MemorySpace {
    match kind {
        ObjKind::Constant(_) => MemorySpace::Constant,
        ObjKind::DeviceHeap | ObjKind::Managed | ObjKind::DeviceGlobal(_) | ObjKind::Parameter => MemorySpace::Global,
        _ => MemorySpace::Host,
    }
}
