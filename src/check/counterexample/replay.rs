//! From a model to inputs, and from inputs to a verdict: replay by the concrete interpreter.
//!
//! In: a model, an access or a call, and the fault that a replay must show. Out: reached or not, and why. Earlier
//! replays in the same root are remembered. The module knows neither how the solver works nor what its answer is for.

use super::devices::{no_such_device, of_device_taken};
use super::input_files::ReadFiles;
use super::lists::RootLists;
use super::model_inputs::{contents_held, held, shown, uses_first_parameter, values};
use super::option_values::{self, OptionValues};
use super::recorded;
use super::replay_result::{ReplayResult, SoughtFault, undecided};
use super::strings::RootStrings;
use super::tensors;
use crate::obligations::obligation::Counterexample;
use crate::options::CheckOptions;
use crate::solver::Model;
use base::inside;
use base::reasons::{ReasonCode, UnknownReason};
use base::work::{Allotment, Work, done};
use engine::symbolic::exec::events::{AccessEvent, AccessKind, LaunchConfig, LaunchEvent};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::site::Site;
use engine::symbolic::kernel::context::ThreadIndices;
use engine::symbolic::memory::callers;
pub use engine::symbolic::memory::tensors::OF_STORAGE;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, TermId};
use finding::{Direction, RunFile, RunInputs};
use ir::Program;
use ir::registered::registered_name;
use library::host::HostRoot;
use models::devices::PROPERTIES;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use witness::{
    self, AccessFault, ConcreteInputs, IsolatedLaunch, PatientPasses, ReplayOutcome, RequiredCondition, RunBudget,
    TargetAccess, TriedThreads,
};

/// Steps and work that every replay gets.
const SHORT: (u64, Work) = (5_000_000, Work::seconds(1));
/// Work of a replay beyond which later replays get less.
const LONG: Work = Work::seconds(1);

/// Settings of one replay.
#[derive(Clone, Copy)]
pub(crate) struct ReplayAttempt {
    /// Numbers that `rand` repeats; empty: those that it returns here.
    pub random: &'static [u32],
    /// Whether the replay is one of many: then it gets no more than a few million steps.
    pub short: bool,
    /// Work of this and other replays together.
    pub until: Allotment,
}

impl ReplayAttempt {
    pub const fn within(until: Allotment) -> Self {
        Self { random: &[], short: false, until }
    }
}

/// Replays the witnesses of one root.
#[derive(Clone)]
pub(crate) struct Judge<'p> {
    program: &'p Program,
    root: HostRoot,
    opened: ReadFiles,
    /// Current budget of a replay; long replays reduce it for later ones.
    budget: RunBudget,
    first: RunBudget,
    /// Number of replays that the limit of an attempt ended early: a larger one may decide more.
    pub cuts: u64,
    /// Whether launches have so many threads that only the model's own thread is certain to be examined.
    few: bool,
    /// Work spent on other inputs for the accesses of one source position and launch.
    pub other_inputs: FxHashMap<(Site, Vec<Site>, Site), Work>,
    /// Number of attempts to name the check that an access lacks.
    pub named: FxHashMap<(Site, Vec<Site>), u32>,
    /// Outcomes of replays: accesses in loop iterations, and several models, often ask for the same one.
    said: FxHashMap<(ConcreteInputs, TargetAccess), ReplayOutcome>,
    /// Contract of the root.
    required: Vec<RequiredCondition>,
    /// Conditions on the objects that its caller gives: meanings of types, and invariants.
    of_objects: Vec<TermId>,
    /// Names of the tensor storages that its caller gives, by object and version of contents.
    tensor_contents: FxHashMap<(i128, i128), String>,
    /// Strings that its caller gives.
    strings: RootStrings,
    /// Lists of integers that its caller gives.
    lists: RootLists,
    /// Whether the root examines the number of arguments.
    counts_arguments: bool,
    /// Progress of patient passes, by inputs.
    patience: FxHashMap<ConcreteInputs, PatientPasses>,
    /// Values of options beyond their first.
    option_values: OptionValues,
}

/// Most replays that are remembered, and most bytes of their files.
const REMEMBERED: usize = 2000;
const REMEMBERED_BYTES: usize = 4096;

impl<'p> Judge<'p> {
    pub fn new(program: &'p Program, root: HostRoot, e: &Executor<'_>, options: &CheckOptions) -> Self {
        let (opened, of_objects) = (ReadFiles::by(e), e.assumptions.of_objects().to_vec());
        let budget = RunBudget { device_memory: options.device_memory, ..RunBudget::default() };
        // The other half of the memory is for existing terms.
        let memory = options.memory.map_or(budget.memory, |m| budget.memory.min(m / 2));
        let (root_function, func) = (root.func, program.func(root.func));
        let counts_arguments = uses_first_parameter(func);
        let contracts = options.contracts.iter().filter(|c| c.is_of(&func.name, &func.display));
        let required = contracts
            .flat_map(|c| &c.requires)
            .map(|r| RequiredCondition { function: root.func, condition: r.condition.clone() })
            .collect();
        let budget = RunBudget { memory, ..budget };
        Self {
            program,
            root,
            opened,
            required,
            of_objects,
            tensor_contents: e
                .tensor_contents()
                .map(|(o, version, name)| ((i128::from(o.0), i128::from(version)), format!("{name}{OF_STORAGE}")))
                .collect(),
            strings: RootStrings::of(program, root_function),
            lists: RootLists::of(program, root_function),
            counts_arguments,
            budget,
            first: budget,
            cuts: 0,
            few: false,
            other_inputs: FxHashMap::default(),
            named: FxHashMap::default(),
            said: FxHashMap::default(),
            patience: FxHashMap::default(),
            option_values: OptionValues::of(&e.arena),
        }
    }

    /// Returns the inputs in the user's terms, in order.
    pub fn inputs(&self, a: &Arena, depends: &[TermId], model: &Model) -> Vec<(String, String)> {
        let mut by_source: BTreeMap<InputSource, i128> = BTreeMap::new();
        for (source, v) in values(a, depends, model) {
            by_source.entry(source).or_insert(v);
        }
        let given = by_source.get(&InputSource::Argc).copied().unwrap_or(i128::MAX);
        by_source.retain(|s, _| !matches!(s, InputSource::Argv(i) if i128::from(*i) >= given));
        let last = by_source
            .keys()
            .filter_map(|s| if let InputSource::Argv(i) = s { Some(i128::from(*i)) } else { None })
            .max();
        let options = by_source.keys().any(|s| matches!(s, InputSource::Option { .. }));
        // The arguments determine their number.
        if options || last.is_some_and(|i| i + 1 >= given) {
            by_source.remove(&InputSource::Argc);
        }
        of_device_taken(&mut by_source);
        if !model.files.is_empty() {
            by_source.retain(|s, _| !s.is_of_file());
        }
        by_source
            .into_iter()
            .filter_map(|(s, v)| shown(&s, v))
            .chain(self.opened.chosen(model))
            .chain(self.opened.elements(model))
            .chain(self.strings.shown(model.text))
            .chain(self.lists.shown(|| self.concrete(a, depends, model).0))
            .collect()
    }

    /// Replays a model in which an access fails.
    pub fn judge(
        &mut self,
        a: &Arena,
        (launch, thread): (&LaunchEvent, &ThreadIndices),
        ev: &AccessEvent,
        c: &Counterexample,
        wanted: SoughtFault,
        attempt: ReplayAttempt,
    ) -> ReplayResult {
        let Counterexample { model, mode, .. } = c;
        let (inputs, missing) = self.concrete(a, &depends(launch, ev), model);
        let inputs = ConcreteInputs { random: attempt.random.to_vec(), ..inputs };
        let coordinate =
            |t: [TermId; 3]| t.map(|t| model.value(a, t, *mode).and_then(|v| u64::try_from(v).ok()).unwrap_or(0));
        let (block, th) = (coordinate(thread.bid), coordinate(thread.tid));
        let (mut align, mut parts, mut contract) = (None, None, None);
        let fault = match wanted {
            SoughtFault::Fault(f) => Some(f),
            SoughtFault::Unaligned(by) => {
                align = Some(by);
                Some(AccessFault::Misaligned)
            }
            SoughtFault::Out(of) => {
                parts = Some(of);
                None
            }
            SoughtFault::Broken(required) => {
                contract = Some(required);
                Some(AccessFault::BrokenContract)
            }
        };
        let target = TargetAccess {
            site: site(ev.site),
            callers: Some(ev.stack.iter().rev().skip(1).rev().copied().map(site).collect()),
            launch_site: Some(site(launch.site)),
            launch: None,
            threads: TriedThreads::List(vec![(block, th)]),
            fault,
            direction: Some(direction(ev.kind)),
            align,
            parts,
            contract,
        };
        match self.seek(&inputs, &target, missing.as_ref(), attempt) {
            // The program may contradict the thread that the model chose: try any thread of the block, then of the
            // launch.
            ReplayResult::NotReached(why) => {
                let target = TargetAccess { threads: TriedThreads::Any, ..target };
                match self.seek(&inputs, &target, missing.as_ref(), attempt) {
                    ReplayResult::Incomplete(_) if self.few => ReplayResult::NotReached(why),
                    judged => judged,
                }
            }
            judged => judged,
        }
    }

    /// Replays a call of the host: `stack` leads to it and ends with it.
    pub fn judge_call(
        &mut self,
        a: &Arena,
        depends: &[TermId],
        stack: &[Site],
        model: &Model,
        (fault, contract, direction): (AccessFault, Option<&RequiredCondition>, Option<Direction>),
        attempt: ReplayAttempt,
    ) -> ReplayResult {
        let (inputs, missing) = self.concrete(a, depends, model);
        let Some((call, callers)) = stack.split_last() else {
            return ReplayResult::Incomplete(UnknownReason::CallNotKnown);
        };
        let target = TargetAccess {
            site: site(*call),
            callers: Some(callers.iter().copied().map(site).collect()),
            launch_site: None,
            launch: None,
            threads: TriedThreads::Any,
            fault: Some(fault),
            direction,
            align: None,
            parts: None,
            contract: contract.cloned(),
        };
        self.seek(&inputs, &target, missing.as_ref(), attempt)
    }

    /// Returns whether an access of a root kernel goes out of bounds in the launch that a model describes, without
    /// any host code.
    pub fn goes_out_alone(
        &self,
        a: &Arena,
        (config, thread): (&LaunchConfig, &ThreadIndices),
        ev: &AccessEvent,
        c: &Counterexample,
    ) -> bool {
        // Values that the model does not set may be anything.
        let value = |t: TermId, least: u32| match c.model.value(a, t, c.mode) {
            Some(v) => u32::try_from(v).ok(),
            None => Some(least),
        };
        let triple = |t: [TermId; 3], least| Some([value(t[0], least)?, value(t[1], least)?, value(t[2], least)?]);
        let (Some(grid), Some(block), Some(shared)) =
            (triple(config.grid, 1), triple(config.block, 1), value(config.shared, 0))
        else {
            return false;
        };
        let coordinate = |t: [TermId; 3]| triple(t, 0).unwrap_or_default().map(u64::from);
        let mut depends = vec![ev.path, ev.bytes, config.shared];
        depends.extend(config.grid.into_iter().chain(config.block));
        depends.extend(ev.targets.iter().flat_map(|t| [t.cond, t.offset]));
        let (inputs, _) = self.concrete(a, &depends, &c.model);
        let launch = Some(IsolatedLaunch { grid, block, shared: u64::from(shared) });
        let target = TargetAccess {
            site: site(ev.site),
            callers: Some(ev.stack.iter().rev().skip(1).rev().copied().map(site).collect()),
            launch_site: None,
            launch: None,
            threads: TriedThreads::List(vec![(coordinate(thread.bid), coordinate(thread.tid))]),
            fault: Some(AccessFault::Bounds),
            direction: Some(direction(ev.kind)),
            align: None,
            parts: None,
            contract: None,
        };
        let budget = RunBudget { steps: SHORT.0, work: SHORT.1, ..self.first };
        let outcome =
            witness::replay(self.program, self.root.func, &ConcreteInputs { launch, ..inputs }, &target, &budget);
        inside::explain(|| format!("    a launch alone: {outcome:?}"));
        matches!(outcome, ReplayOutcome::Reached { .. })
    }

    /// Runs one replay. Failing to reach the access decides nothing where inputs are missing.
    fn seek(
        &mut self,
        inputs: &ConcreteInputs,
        target: &TargetAccess,
        missing: Option<&UnknownReason>,
        attempt: ReplayAttempt,
    ) -> ReplayResult {
        let mut outcome = self.replay(inputs, target, attempt);
        let fuller = outcome.launches_nothing().then(|| self.with_further_values(inputs, target, attempt)).flatten();
        let inputs = fuller.as_ref().unwrap_or(inputs);
        if fuller.is_some() {
            outcome = self.replay(inputs, target, attempt);
        }
        // Attempts with other inputs are many, and each explains little.
        let explain = |text: &dyn Fn() -> String| {
            if !attempt.short {
                inside::explain(text);
            }
        };
        explain(&|| {
            let said = match &outcome {
                ReplayOutcome::Reached { .. } => "reaches it, and it goes wrong there".to_owned(),
                ReplayOutcome::NotReached { why } => format!("does not reach it: {why}"),
                ReplayOutcome::Incomplete { why } => format!("is incomplete: {why}"),
                ReplayOutcome::Astray { why, .. } => {
                    format!("comes there by an address that was read out of bounds: {why}")
                }
            };
            let files: Vec<&str> = inputs.files.keys().map(String::as_str).collect();
            format!("    a replay with arguments {:?}, files {files:?} {said}", inputs.argv)
        });
        match (outcome, missing) {
            (ReplayOutcome::Reached { bad, assumptions }, _) => ReplayResult::Reached { bad, assumptions },
            // No known device runs it.
            (_, Some(why @ UnknownReason::Replay(..))) => ReplayResult::NotReached(why.clone()),
            (_, Some(why)) => ReplayResult::Incomplete(why.clone()),
            (ReplayOutcome::Incomplete { why }, None) => ReplayResult::Incomplete(undecided(why)),
            (ReplayOutcome::Astray { why, assumptions }, None) => {
                ReplayResult::Astray { why: undecided(why), assumptions }
            }
            (ReplayOutcome::NotReached { why }, None) => {
                ReplayResult::NotReached(UnknownReason::Replay(why, ReasonCode::Replay))
            }
        }
    }

    /// Returns inputs whose options have further values, where the given ones launch nothing and these do.
    fn with_further_values(
        &mut self,
        inputs: &ConcreteInputs,
        target: &TargetAccess,
        attempt: ReplayAttempt,
    ) -> Option<ConcreteInputs> {
        let parts = self.option_values.parts_of(&inputs.argv)?;
        let with = |argv: Vec<String>| ConcreteInputs { argv, ..inputs.clone() };
        let mut launches = |argv: &[String]| !self.replay(&with(argv.to_vec()), target, attempt).launches_nothing();
        let argv = option_values::with_further(parts, &mut launches).filter(|argv| launches(argv))?;
        // `concrete` gives inputs without numbers of `rand`.
        self.option_values.note(ConcreteInputs { random: vec![], ..inputs.clone() }, argv.clone());
        Some(with(argv))
    }

    /// Replays, or returns the recorded outcome of a replay that had no smaller budget.
    fn replay(&mut self, inputs: &ConcreteInputs, target: &TargetAccess, attempt: ReplayAttempt) -> ReplayOutcome {
        let key = (inputs.clone(), target.clone());
        if let Some(outcome) = self.said.get(&key) {
            return outcome.clone();
        }
        let small = inputs.stdin.len() + inputs.files.values().map(Vec::len).sum::<usize>() <= REMEMBERED_BYTES;
        let start = done();
        let mut patience = self.patience.get(inputs).cloned().unwrap_or_default();
        let steps = if attempt.short { self.budget.steps.min(SHORT.0) } else { self.budget.steps };
        let left = attempt.until.left();
        let budget = RunBudget { steps, work: self.budget.work.min(left), ..self.budget };
        let outcome = recorded::replay(self.program, self.root.func, inputs, target, &budget, &mut patience);
        if small && self.patience.len() < REMEMBERED {
            self.patience.insert(key.0.clone(), patience);
        }
        // More steps may decide more.
        let open = matches!(outcome, ReplayOutcome::Incomplete { .. } | ReplayOutcome::Astray { .. });
        let cut = open && left < self.budget.work && attempt.until.is_spent();
        self.cuts += u64::from(cut);
        if small && !cut && !(attempt.short && open) && self.said.len() < REMEMBERED {
            self.said.insert(key, outcome.clone());
        }
        self.took(start);
        outcome
    }

    /// Limits all further replays in work and in bytes written. An access that the model's own thread does not reach
    /// then counts as not reached where the other threads are too many to examine.
    pub fn replay_within(&mut self, most: Work, bytes: u64) {
        self.few = true;
        self.budget.work = self.budget.work.min(most);
        self.budget.memory = self.budget.memory.min(bytes);
    }

    fn took(&mut self, start: Work) {
        if done() - start >= LONG {
            self.budget.steps = (self.budget.steps / 2).max(SHORT.0);
            self.budget.work = (self.budget.work / 2).max(SHORT.1);
        }
    }

    /// Returns the program's inputs as the replay got them; empty where the model determines too little to run it.
    pub fn run(&self, a: &Arena, depends: &[TermId], model: &Model) -> RunInputs {
        let (inputs, _) = self.concrete(a, depends, model);
        #[expect(clippy::cast_possible_truncation, reason = "two's complement of at most 64 bits")]
        let args = inputs.args.into_iter().map(|v| v as i64).collect();
        let operator = registered_name(self.program, self.root.func);
        let mut run = RunInputs {
            argv: inputs.argv,
            args,
            extents: inputs.extents,
            null: inputs.null,
            held: inputs.held,
            tensors: inputs.tensors,
            call: None,
            device: inputs.device,
            operator,
            stdin: String::from_utf8_lossy(&inputs.stdin).into_owned(),
            files: inputs.files.into_iter().map(|(name, bytes)| RunFile { name, bytes }).collect(),
        };
        let name = run.operator.as_deref();
        run.call = name.and_then(|name| witness::python::call(self.program, self.root.func, name, &run));
        run
    }

    /// Returns object and version of the storage contents of a tensor that the caller gives.
    pub fn contents_of(&self, handle: &str) -> Option<(i128, i128)> {
        let mut all: Vec<_> =
            self.tensor_contents.iter().filter(|(_, of)| of.strip_suffix(OF_STORAGE) == Some(handle)).collect();
        all.sort();
        all.first().map(|(place, _)| **place)
    }

    /// Returns the inputs of a run; `None` where they are incomplete with respect to the model.
    pub fn given(&self, a: &Arena, model: &Model) -> Option<ConcreteInputs> {
        let (inputs, missing) = self.concrete(a, &[], model);
        missing.is_none().then_some(inputs)
    }

    /// Sets the starting budget to where other tasks of the same root ended: their long replays leave less for later
    /// ones.
    pub const fn begin_with(&mut self, most: RunBudget) {
        self.budget = most;
    }

    /// Returns the budget of a run before all replays.
    pub const fn first_limits(&self) -> RunBudget {
        self.first
    }

    /// Returns the current budget of a run.
    pub const fn limits(&self) -> RunBudget {
        self.budget
    }

    /// Returns the inputs of a run, and the reason why they may be incomplete with respect to the model.
    fn concrete(&self, a: &Arena, depends: &[TermId], model: &Model) -> (ConcreteInputs, Option<UnknownReason>) {
        let mut inputs = ConcreteInputs::default();
        let mut argv: BTreeMap<u32, i128> = BTreeMap::new();
        let mut argc = None;
        let mut params: BTreeMap<String, i128> = BTreeMap::new();
        let mut options: BTreeMap<u32, (String, i128)> = BTreeMap::new();
        let mut words: BTreeMap<u32, String> = BTreeMap::new();
        let values = values(a, depends, model);
        for (source, v) in &values {
            match source {
                InputSource::Argc => argc = Some(*v),
                InputSource::Argv(i) => {
                    argv.entry(*i).or_insert(*v);
                }
                InputSource::Option { ordinal, word } => {
                    options.insert(*ordinal, (word.clone(), *v));
                }
                InputSource::Param { name, .. } => {
                    params.insert(name.clone(), *v);
                }
                InputSource::ArgvWord { index, word } => {
                    if *v == 0 {
                        words.insert(*index, word.clone());
                    }
                }
                // There is one device, the first one.
                InputSource::Device { property, device: None | Some(0), .. } => {
                    let p = &PROPERTIES[*property];
                    let v = i64::try_from(*v).unwrap_or(i64::MAX);
                    inputs.device.entry(p.name.to_owned()).or_insert(p.attained(v));
                }
                InputSource::ArgvLen(_)
                | InputSource::Device { .. }
                | InputSource::World(_)
                // All of these are given below, whether or not anything depends on them.
                | InputSource::Given { .. }
                | InputSource::Count { .. }
                | InputSource::Read { .. }
                | InputSource::File { .. }
                | InputSource::Word { .. }
                | InputSource::FileSize(_) => {}
            }
        }
        let contents = self.opened.contents(a, &values, model, &argv);
        // A program that does not count its arguments is given all that it reads, including those that the access
        // does not depend on.
        let read = a
            .symbols()
            .iter()
            .filter_map(|s| if let SymKind::Input(InputSource::Argv(i)) = &s.kind { Some(i) } else { None })
            .filter(|_| !self.counts_arguments);
        let top = argv.keys().chain(contents.argv.keys()).chain(words.keys()).chain(read).max().copied().unwrap_or(0);
        // Arguments beyond the model's `argc` are omitted on purpose.
        let n = argc.and_then(|v| u32::try_from(v).ok()).unwrap_or(top + 1).min(256);
        inputs.argv = (1..n)
            .map(|i| {
                contents
                    .argv
                    .get(&i)
                    .or_else(|| words.get(&i))
                    .cloned()
                    .unwrap_or_else(|| argv.get(&i).copied().unwrap_or(1).to_string())
            })
            .collect();
        // Options follow all arguments that the program reads by position; the last of equal options counts.
        if argv.is_empty() && contents.argv.is_empty() && words.is_empty() && !options.is_empty() {
            inputs.argv.clear();
        }
        for (word, v) in options.into_values() {
            match word.strip_suffix(' ') {
                Some(word) => inputs.argv.extend([word.to_owned(), v.to_string()]),
                None => inputs.argv.push(format!("{word}{v}")),
            }
        }
        inputs.stdin = contents.stdin;
        inputs.files = contents.named;
        let missing = contents.missing.or_else(|| no_such_device(self.program, &inputs));
        let f = self.program.func(self.root.func);
        if f.name != "main" {
            inputs.args = f.params.iter().map(|p| params.get(&p.name).copied().unwrap_or(1)).collect();
            let extent = |name: &str| params.get(&format!("extent({name})")).and_then(|v| u64::try_from(*v).ok());
            inputs.held = held(a, &values, &f.display);
            let names = || f.params.iter().map(|p| &p.name).chain(inputs.held.iter().filter_map(|h| h.pointer_to()));
            let is_null = |name: &str| params.get(&format!("{}{name}", callers::NULL)) == Some(&1);
            inputs.null = names().filter(|name| is_null(name)).cloned().collect();
            inputs.extents = names().filter_map(|name| Some((name.clone(), extent(name)?))).collect();
            inputs.tensors = tensors::complete(self.program, &mut inputs.held, &mut inputs.extents);
            let contents = contents_held(model, &self.tensor_contents, &inputs.extents);
            tensors::note_contents(&mut inputs.tensors, &contents);
            inputs.held.extend(contents);
            inputs.held.extend(self.strings.held(model.text));
            self.lists.hold(&mut inputs, model.text);
            inputs.required.clone_from(&self.required);
            let too_large = inputs.tensors.values().any(|t| !t.can_be_made());
            inputs.impossible = too_large || self.are_impossible(a, &values, model);
        }
        self.option_values.complete(&mut inputs);
        (inputs, missing)
    }

    /// Whether these inputs violate a condition on what a caller gives. Values that the model does not set decide
    /// nothing.
    fn are_impossible(&self, a: &Arena, values: &[(InputSource, i128)], model: &Model) -> bool {
        let value = |s: SymId| match &a.symbol(s).kind {
            SymKind::Input(source @ (InputSource::Given { .. } | InputSource::Count { .. })) => {
                Some(values.iter().find(|(of, _)| of == source).map_or(1, |(_, v)| *v))
            }
            _ => model.values.get(&s).copied(),
        };
        self.of_objects.iter().any(|c| a.eval(*c, &value) == Some(0))
    }
}

/// Returns the terms through which an access depends on the program's inputs.
pub(crate) fn depends(launch: &LaunchEvent, ev: &AccessEvent) -> Vec<TermId> {
    let mut roots = vec![ev.path, launch.path, ev.bytes, launch.config.shared];
    roots.extend(launch.config.grid);
    roots.extend(launch.config.block);
    roots.extend(ev.targets.iter().flat_map(|t| [t.cond, t.offset]));
    roots
}

/// Returns the direction of an access; a copy has one site for what it reads and what it writes.
pub(crate) const fn direction(kind: AccessKind) -> Direction {
    match kind {
        AccessKind::Read => Direction::Read,
        AccessKind::Write => Direction::Write,
        AccessKind::Atomic => Direction::Atomic,
    }
}

pub(crate) fn site(s: Site) -> witness::ProgramPoint {
    witness::ProgramPoint { func: s.func, block: s.block, inst: s.inst }
}
