//! From a bad access to a [`Finding`] in the user's terms.
//!
//! In: an access, the model in which it is bad, and the result of the replay. Out: the finding. This module decides
//! nothing.

use super::position::{inner_places, launched_at, loc_of, numbers, position_of, seen};
use super::run_values::IndexInRun;
use super::source_names::{SizeVariable, SourceNames};
use super::steps::{self, LaunchValues, StepValues};
use crate::context::{ArrayPosition, ExecutedLaunch};
use crate::counterexample::replay::{Judge, depends, direction};
use crate::counterexample::replay_result::ReplayResult;
use crate::obligations::cone;
use crate::obligations::obligation::{Counterexample, Obligation};
use base::reasons::{ModelChoice, UnknownReason};
use base::rules::{Level, Rule};
use engine::symbolic::exec::events::{AccessEvent, AccessKind, LaunchEvent};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::memory::object::{ObjKind, Object};
pub use engine::symbolic::memory::tensors::{OF_HANDLE, OF_STORAGE};
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};
use finding::names::base_name;
use finding::{
    Access, Allocation, Finding, Launch, MemorySpace, PartSites, Position, Replay, Sites, TensorArgument, Verdict,
    Witness, WitnessInput,
};
use ir::{Program, Side};
use library::host::HostRoot;
use std::collections::{BTreeMap, BTreeSet};
use witness::{self, PartTarget};

/// An access that a model leads out of bounds.
pub(crate) struct AccessCounterexample<'a> {
    pub root: &'a HostRoot,
    pub run: &'a ExecutedLaunch,
    pub event: &'a AccessEvent,
    pub object: &'a Object,
    pub obligation: &'a Obligation,
    pub counterexample: &'a Counterexample,
}

/// Reason why an out-of-bounds access to shared memory may do what was meant.
const SHARED_ADDRESSES: &str =
    "that the device does not compute shared addresses in 32 bits: modulo 2^32 this one is inside";

/// Assumption on `rand` behind a finding.
const BY_CHANCE: &str = "that `rand` returns other numbers than on this machine";
/// Assumption behind an access through an address that was read out of bounds.
const ASTRAY: &str = "that an earlier out-of-bounds read, which leads here, gave such a number";

/// Assumption on the schedule behind a finding.
const IN_TURN: &str = "that threads run one after another: other threads also write what it depends on";

/// Strength of a finding: verdict, replay, assumptions and unknowns.
pub(crate) struct FindingStrength {
    pub verdict: Verdict,
    pub replay: Replay,
    pub assumptions: Vec<String>,
    pub unknowns: Vec<UnknownReason>,
}

impl FindingStrength {
    /// Derives the strength from the replay of a model; `Err` gives the reason why it is no finding.
    pub fn of(
        judged: &ReplayResult,
        root: &HostRoot,
        program: &Program,
        unknowns: Vec<UnknownReason>,
    ) -> Result<Self, UnknownReason> {
        let (verdict, replay, assumptions) = match judged {
            ReplayResult::Reached { bad, assumptions } => {
                let called = (!root.trusted)
                    .then(|| format!("`{}` is called with these arguments", program.func(root.func).display));
                let elsewhere = bad.is_inside_in_hardware().then(|| SHARED_ADDRESSES.to_owned());
                let doubts: Vec<String> = called.into_iter().chain(elsewhere).collect();
                let verdict = if doubts.is_empty() { Verdict::Proved } else { Verdict::Possible };
                (verdict, Replay::Reached, [&assumptions[..], &doubts].concat())
            }
            ReplayResult::NotReached(why) => {
                let set = ModelChoice(unknowns.into_iter().next().map(Box::new));
                return Err(UnknownReason::NotReached(set, Box::new(why.clone())));
            }
            ReplayResult::ByChance(_) => (Verdict::Possible, Replay::Incomplete, vec![BY_CHANCE.to_owned()]),
            ReplayResult::InTurn { by_chance, .. } => {
                if !root.trusted {
                    return Err(UnknownReason::OtherThreads);
                }
                (
                    Verdict::Possible,
                    Replay::Incomplete,
                    by_chance.then(|| BY_CHANCE.to_owned()).into_iter().chain([IN_TURN.to_owned()]).collect(),
                )
            }
            ReplayResult::Astray { why, assumptions } => {
                if !root.trusted {
                    return Err(why.clone());
                }
                (Verdict::Possible, Replay::Incomplete, [&[ASTRAY.to_owned()], &assumptions[..]].concat())
            }
            ReplayResult::Incomplete(why) => {
                if let Some(u) = unknowns.first() {
                    return Err(u.clone());
                }
                if !root.trusted {
                    return Err(why.clone());
                }
                (Verdict::Possible, Replay::Incomplete, vec![format!("replay stopped: {why}")])
            }
        };
        Ok(Self { verdict, replay, assumptions, unknowns })
    }

    /// Returns the unknowns that a finding rests on; none where it is proved.
    pub fn unknowns_of_finding(&self) -> Vec<String> {
        match self.verdict {
            Verdict::Proved => vec![],
            Verdict::Possible => self.unknowns.iter().map(ToString::to_string).collect(),
        }
    }
}

impl AccessCounterexample<'_> {
    fn is_on_memory(&self) -> bool {
        !matches!(
            self.object.kind,
            ObjKind::SharedStatic(_) | ObjKind::SharedDynamic | ObjKind::DeviceLocal | ObjKind::Constant(_)
        )
    }

    /// Whether an entry point misses a check between arguments: the extent of its accesses depends on several
    /// arguments.
    fn has_unchecked_arguments(&self, e: &Executor<'_>, arguments: &BTreeMap<String, TensorArgument>) -> bool {
        if !self.root.entry || !self.is_on_memory() {
            return false;
        }
        let launch = &self.run.launch;
        let before = e.arena.conjuncts(launch.path);
        let mut terms = e.arena.conjuncts(self.event.path);
        terms.retain(|t| !before.contains(t));
        terms.extend([self.obligation.offset, self.obligation.extent]);
        terms.extend(launch.config.grid);
        terms.extend(launch.config.block);
        // A contract says how plain pointers and numbers fit together; another rule reports violations.
        let mut involved = arguments_in(e, &terms);
        involved.retain(|(_, is_object)| *is_object || !arguments.is_empty());
        let involved: BTreeSet<String> = involved.into_iter().map(|(name, _)| name).collect();
        let has_a_layout_of_its_own = |name: &str| arguments.get(name).is_some_and(|t| !t.is_packed());
        let any_rank = |name: &str| arguments.contains_key(name) && !is_fixed(e, &before, &format!("{name}.dim()"));
        // Tensors of DLPack have a width of their elements among their properties.
        let any_width = |name: &str| {
            let asked = format!("{name}.dtype().bits");
            let depends = e.arena.symbols_of(&before).into_iter().any(|s| is_property(e, s, &asked));
            depends && !is_fixed(e, &before, &asked)
        };
        let accessed = self.object.name.strip_suffix(OF_STORAGE).filter(|name| arguments.contains_key(*name));
        let any_type = |name: &str| {
            let asked = format!("{name}.scalar_type()");
            let depends =
                e.arena.symbols_of(&[&before[..], &terms].concat()).into_iter().any(|s| is_property(e, s, &asked));
            depends && !is_fixed(e, &before, &asked)
        };
        involved.len() > 1
            || involved.iter().any(|a| has_a_layout_of_its_own(a) || any_rank(a) || any_width(a))
            || accessed.is_some_and(|tensor| any_type(tensor) || self.has_strides_of_a_choice(e, &before))
    }

    /// Whether a number that the launch's path fixes is a factor of the index: `case 128: rows<128><<<…>>>(x)` for rows of
    /// an argument's length.
    fn has_strides_of_a_choice(&self, e: &Executor<'_>, before: &[TermId]) -> bool {
        let is_number = |s: SymId| matches!(&e.arena.symbol(s).kind, SymKind::Input(InputSource::Param { .. }));
        let fixed = before.iter().filter_map(|c| {
            let Term::EqZ(t) = *e.arena.get(*c) else { return None };
            let [one] = e.arena.symbols_of(&[t])[..] else { return None };
            let terms = e.arena.poly(t).terms;
            is_number(one).then(|| terms.iter().filter(|(m, _)| m.is_empty()).map(|(_, c)| c.abs()).sum::<i128>())
        });
        let sums = e.arena.cone(&[self.obligation.offset]).into_iter().flat_map(|t| e.arena.poly(t).terms);
        let factors: Vec<i128> = sums.filter(|(m, _)| !m.is_empty()).map(|(_, c)| c).collect();
        fixed.filter(|n| *n > 1).any(|n| factors.iter().any(|factor| factor % n == 0))
    }

    fn rule(&self, e: &Executor<'_>, arguments: &BTreeMap<String, TensorArgument>) -> Rule {
        if cone::reads_data(e, self.obligation.facts, self.obligation.offset) {
            return Rule::DataIndex;
        }
        // Where the obligation has unknowns, the tried arguments decide the rule.
        let mut decide = vec![self.obligation.offset, self.obligation.extent];
        // What leads to an access of a caller's tensor may come from numbers that are not followed: a product with a float.
        if self.object.name.ends_with(OF_STORAGE) {
            let before = e.arena.conjuncts(self.run.launch.path);
            decide.extend(e.arena.conjuncts(self.event.path).into_iter().filter(|c| !before.contains(c)));
        }
        let is_open = || !cone::unknowns(e, &decide).is_empty();
        if self.root.entry && self.is_on_memory() && !arguments.is_empty() && is_open() {
            let by_elements = arguments.values().any(|t| t.elements.values().any(|n| *n != 0));
            return if by_elements { Rule::DataIndex } else { Rule::UncheckedArgument };
        }
        // Elements of files that reach the index through memory that is not followed.
        let model = &self.counterexample.model;
        let of_files = || !model.files.is_empty() || model.applications.keys().any(|(function, _)| function.is_file());
        if self.is_on_memory() && !cone::unknowns(e, &[self.obligation.offset]).is_empty() && of_files() {
            return Rule::DataIndex;
        }
        if self.has_unchecked_arguments(e, arguments) {
            return Rule::UncheckedArgument;
        }
        match self.object.kind {
            ObjKind::SharedStatic(_) | ObjKind::SharedDynamic => Rule::OobShared,
            ObjKind::DeviceLocal => Rule::OobLocal,
            ObjKind::Constant(_) => Rule::OobConstant,
            _ => Rule::OobGlobal,
        }
    }

    fn witness(&self, e: &Executor<'_>, judge: &Judge<'_>, judged: &ReplayResult, replay: Replay) -> Witness {
        let (a, ev, launch) = (&e.arena, self.event, &self.run.launch);
        let depends = depends(launch, ev);
        let value = |t: TermId| self.counterexample.model.value(a, t, self.counterexample.mode);
        let mut w = Witness {
            inputs: judge
                .inputs(a, &depends, &self.counterexample.model)
                .iter()
                .map(|(n, v)| WitnessInput { name: n.clone(), value: v.clone() })
                .collect(),
            run: judge.run(a, &depends, &self.counterexample.model),
            grid: triple(launch.config.grid.map(value)),
            block: triple(self.run.run.thread.bid.map(value)),
            thread: triple(self.run.run.thread.tid.map(value)),
            offset_bytes: narrow(value(self.obligation.offset)),
            extent_bytes: narrow(value(self.obligation.extent)),
            replay,
            sites: Some(Sites {
                root: [self.root.func.module.0, self.root.func.func.0],
                access: numbers(ev.site),
                callers: ev.stack.iter().rev().skip(1).rev().copied().map(numbers).collect(),
                launch: Some(numbers(launch.site)),
                part: None,
            }),
        };
        if let ReplayResult::Reached { bad, .. } | ReplayResult::ByChance(bad) | ReplayResult::InTurn { bad, .. } =
            judged
        {
            w.grid = bad.grid;
            w.block = bad.block;
            w.thread = bad.thread;
            w.offset_bytes = bad.offset;
            w.extent_bytes = i64::try_from(bad.object.extent).unwrap_or(i64::MAX);
        }
        w
    }

    /// Builds the finding at a source position.
    pub fn finding(
        &self,
        e: &Executor<'_>,
        judge: &Judge<'_>,
        judged: &ReplayResult,
        worth: FindingStrength,
        (loc, array): ArrayPosition,
    ) -> Finding {
        let program = e.program;
        let a = &e.arena;
        let (ev, launch) = (self.event, &self.run.launch);
        let space = match self.object.kind {
            ObjKind::SharedStatic(_) | ObjKind::SharedDynamic => MemorySpace::Shared,
            ObjKind::DeviceLocal => MemorySpace::Local,
            ObjKind::Constant(_) => MemorySpace::Constant,
            _ => MemorySpace::Global,
        };
        let what = verb(ev.kind);
        let direction = direction(ev.kind);
        let w = self.witness(e, judge, judged, worth.replay);
        let arguments = w.run.tensors.clone();
        let whole = !arguments.is_empty() && w.extent_bytes > 0 && arguments.values().all(|t| !t.sizes.contains(&0));
        let degenerate = self.counterexample.degenerate && !whole;
        let rule = self.rule(e, &arguments);
        let place = if w.offset_bytes < 0 { "before the start" } else { "past the end" };
        let message = format!("{what} {place} of `{array}`");
        let launch_loc = loc_of(program, launched_at(program, launch));
        let (at, text) = seen(program, &ev.stack, ev.site, ev.kind);
        let of_allocation = self.object.site.map(|(m, l)| position_of(program.loc(m, l)));
        let at_allocation = SourceNames::at(e, of_allocation.clone().unwrap_or_default());
        let at_launch = SourceNames::at(e, position_of(launch_loc.clone()));
        let dims = |t: [TermId; 3]| dims(&t.map(|x| at_launch.show(x)));
        let mut assumptions: Vec<String> =
            e.assumptions_in(&[self.obligation.facts]).iter().map(ToString::to_string).collect();
        assumptions.extend_from_slice(&worth.assumptions);
        let mut finding = Finding {
            fingerprint: String::new(),
            rule,
            level: level(rule, worth.verdict, degenerate),
            verdict: worth.verdict,
            degenerate,
            occurrences: 1,
            program: String::new(),
            root: program.func(self.root.func).display.clone(),
            message,
            access: Access {
                position: Position { file: loc.file, line: loc.line, column: loc.column },
                kernel: program.func(self.run.kernel).display.clone(),
                array,
                partition: None,
                direction,
                space,
                index: text.index.clone(),
                bytes: self
                    .counterexample
                    .model
                    .value(a, self.obligation.bytes, self.counterexample.mode)
                    .and_then(|v| u64::try_from(v).ok())
                    .unwrap_or(0),
            },
            allocation: of_allocation.map(|p| Allocation {
                file: p.file,
                line: p.line,
                column: p.column,
                extent: at_allocation.show(self.obligation.extent),
            }),
            launch: Some(Launch {
                file: launch_loc.file,
                line: launch_loc.line,
                column: launch_loc.column,
                grid: dims(launch.config.grid),
                block: dims(launch.config.block),
                shared: at_launch.show(launch.config.shared),
            }),
            related: inner_places(program, &ev.stack, ev.kind),
            witness: Some(w),
            confirmation: None,
            steps: vec![],
            confirmation_not_run: None,
            assumptions,
            unknowns: worth.unknowns_of_finding(),
            arguments,
            missing_check: None,
            architecture: None,
            fix: None,
        };
        let mut variables = at_allocation.used();
        for v in at_launch.used().into_iter().chain(at_launch.of_line()) {
            if !variables.contains(&v) {
                variables.push(v);
            }
        }
        finding.steps = self.steps(e, judged, &finding, variables, steps::index_in_run(e, ev, (at, &text), judged));
        finding
    }

    /// Returns the steps of a finding, with the values of the model or of the run that reached it.
    fn steps(
        &self,
        e: &Executor<'_>,
        judged: &ReplayResult,
        finding: &Finding,
        variables: Vec<SizeVariable>,
        index: Option<IndexInRun>,
    ) -> Vec<finding::steps::Step> {
        let launch = &self.run.launch;
        let value = |t: TermId| self.counterexample.model.value(&e.arena, t, self.counterexample.mode);
        let dims = |t: [TermId; 3]| triple(t.map(value));
        let (grid, block) = match steps::reached(judged) {
            Some(bad) => (bad.grid, bad.block_dim),
            None => (dims(launch.config.grid), dims(launch.config.block)),
        };
        let is_known = grid.iter().chain(&block).all(|n| *n > 0);
        let values = StepValues {
            e,
            value: &value,
            extent: Some(self.obligation.extent),
            variables,
            launch: is_known.then(|| LaunchValues {
                grid,
                block,
                shared: value(launch.config.shared),
                by: launching_kernel(e.program, launch),
            }),
            index,
            copied: None,
        };
        steps::until_access(finding, &values)
    }
}

/// Returns the kernel whose thread makes a launch, by its qualified name; `None` for one by the host.
fn launching_kernel(program: &Program, launch: &LaunchEvent) -> Option<String> {
    let outer = launch.stack.first().map_or(launch.site.func, |s| s.func);
    let is_kernel = program.module(outer.module).side == Side::Device;
    is_kernel.then(|| base_name(&program.func(outer).display))
}

/// Whether the conditions fix a property of a tensor, by the expression that asks for it.
fn is_fixed(e: &Executor<'_>, conditions: &[TermId], asked: &str) -> bool {
    let of = |c: &TermId| matches!(e.arena.symbols_of(&[*c]).as_slice(), [one] if is_property(e, *one, asked));
    conditions.iter().any(|c| matches!(e.arena.get(*c), Term::EqZ(_)) && of(c))
}

fn is_property(e: &Executor<'_>, s: SymId, asked: &str) -> bool {
    matches!(&e.arena.symbol(s).kind, SymKind::Input(InputSource::Given { path, .. }) if path == asked)
}

/// Whether a failure in caller-given memory requires that the caller's structures disagree: some terms depend on
/// several of them. A pointer member belongs to the structure that contains it.
pub(crate) fn structures_disagree(e: &Executor<'_>, object: &Object, terms: &[TermId]) -> bool {
    let structure = |(name, is_object): (String, bool)| match name.rsplit_once("->") {
        Some((owner, _)) if !is_object => Some(owner.to_owned()),
        _ => is_object.then_some(name),
    };
    let structures: BTreeSet<String> = arguments_in(e, terms).into_iter().filter_map(structure).collect();
    matches!(object.kind, ObjKind::Parameter) && structures.len() > 1
}

/// Returns the root's arguments that some terms depend on, each with whether it is a tensor or structure rather than
/// a plain value.
fn arguments_in(e: &Executor<'_>, terms: &[TermId]) -> BTreeSet<(String, bool)> {
    let argument = |kind: &SymKind| match kind {
        SymKind::Input(InputSource::Given { object, .. } | InputSource::Count { object, .. }) => {
            Some((object.strip_suffix(OF_HANDLE).unwrap_or(object).to_owned(), true))
        }
        SymKind::Input(InputSource::Param { name, .. }) => {
            let extent = name.strip_prefix("extent(").and_then(|n| n.strip_suffix(')'));
            let tensor = extent.and_then(|name| name.strip_suffix(OF_STORAGE));
            match tensor {
                Some(tensor) => Some((tensor.to_owned(), true)),
                None => Some((extent.unwrap_or(name).to_owned(), false)),
            }
        }
        _ => None,
    };
    e.arena.symbols_of(terms).into_iter().filter_map(|s| argument(&e.arena.symbol(s).kind)).collect()
}

/// Names an access kind in messages.
pub(crate) fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic update",
    }
}

/// Returns the sites of the part that an access must stay in, for replays of its witness.
pub(crate) fn part_sites(parts: &PartTarget) -> PartSites {
    let numbers = |s: &witness::ProgramPoint| [s.func.module.0, s.func.func.0, s.block.0, s.inst];
    match parts {
        PartTarget::Named { own, others } => {
            PartSites::Named { own: numbers(own), others: others.iter().map(numbers).collect() }
        }
        PartTarget::Row { gep, bytes } => PartSites::Row { gep: numbers(gep), bytes: *bytes },
    }
}

fn triple(v: [Option<i128>; 3]) -> [u64; 3] {
    v.map(|x| x.and_then(|x| u64::try_from(x).ok()).unwrap_or(0))
}

pub(crate) fn narrow(v: Option<i128>) -> i64 {
    v.and_then(|v| i64::try_from(v).ok()).unwrap_or(0)
}

/// Formats `(x, y, z)` without trailing ones.
fn dims(t: &[String; 3]) -> String {
    match (t[1].as_str(), t[2].as_str()) {
        ("1", "1") => t[0].clone(),
        (_, "1") => format!("({}, {})", t[0], t[1]),
        _ => format!("({}, {}, {})", t[0], t[1], t[2]),
    }
}

/// Returns the rule's own level where the violation is proved and not degenerate, else a warning.
pub(crate) fn level(rule: Rule, verdict: Verdict, degenerate: bool) -> Level {
    if verdict == Verdict::Proved && !degenerate { rule.info().level } else { Level::Warn }
}
