//! One program: its roots are executed, each launch's kernel is run, each access decided.

use super::assumed::Assumed;
use super::decide::{Decider, Decision, Obligation};
use super::show;
use super::solver::{Limits, Model, WrapMode};
use super::witness::{Judged, Judge};
use super::specialise::{self, Decided};
use super::{Options, ProgramReport, Standing};
use crate::host::{Root, roots};
use crate::ir::{FuncRef, Program, Side, SourceLoc};
use crate::kernel::KernelRun;
use crate::report::finding::{Access, Allocation, Direction, Finding, Launch, Level, Position, Replay, Rule, Sites, Space, Summary, Undecided, Verdict, Witness, WitnessInput};
use crate::symbolic::assumptions::Assumptions;
use crate::symbolic::exec::{AccessEvent, AccessKind, Executor, LaunchEvent, Site};
use crate::symbolic::memory::{ObjKind, Object};
use crate::symbolic::term::{SymKind, Term, TermId};
use crate::symbolic::value::{Base, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Milliseconds that each obligation gets before any gets more.
const FIRST_MILLIS: u32 = 250;

/// Verdict of one access in one context.
#[derive(Clone, Debug)]
enum Outcome {
    Safe,
    SafeIfNoWrap(Vec<String>),
    Unknown(String),
    Found(Box<Finding>),
}

impl Outcome {
    /// Rank of the findings.
    const FOUND: u8 = 3;

    /// Whether more time cannot make it worse.
    fn is_final(&self) -> bool { matches!(self, Self::Found(f) if f.verdict == Verdict::Proved && !f.degenerate) }

    /// Worst last.
    fn rank(&self) -> u8 {
        match self { Self::Safe => 0, Self::SafeIfNoWrap(_) => 1, Self::Unknown(_) => 2, Self::Found(f) if f.verdict == Verdict::Possible => 3, Self::Found(_) => 4 }
    }
}

/// A launch whose kernel was executed.
struct Run {
    launch: LaunchEvent,
    decided: Decided,
    kernel: FuncRef,
    run: KernelRun,
}

/// Where an access stands: one row of the counts.
pub(super) type Place = (SourceLoc, String);

pub(super) struct Engine<'p> {
    program: &'p Program,
    options: &'p Options,
    deadline: Instant,
    places: BTreeMap<Place, (Outcome, String, u32)>,
    kernels: FxHashSet<FuncRef>,
    launched: FxHashSet<FuncRef>,
    launches: u32,
    /// Whether models that rest on unknowns wait for their replay, and whether one did.
    postponing: bool,
    postponed: bool,
    report: ProgramReport,
    pub assumed: Assumed,
}

impl<'p> Engine<'p> {
    pub fn new(program: &'p Program, options: &'p Options) -> Self {
        // Some of the time is for what comes after the last verdict.
        let deadline = Instant::now() + Duration::from_secs(u64::from(options.seconds)) * 9 / 10;
        Self { assumed: Assumed::default(), program, options, deadline, places: BTreeMap::new(), kernels: FxHashSet::default(), launched: FxHashSet::default(), launches: 0, postponing: false, postponed: false, report: ProgramReport::default() }
    }

    pub fn run(mut self) -> ProgramReport {
        let start = Instant::now();
        self.visit();
        self.without_assumptions();
        self.finish(start)
    }

    /// An engine with the same time left that has seen nothing yet.
    pub(super) fn again(&self) -> Self { Self { deadline: self.deadline, ..Self::new(self.program, self.options) } }

    pub(super) fn safe_places(&self) -> impl Iterator<Item = Place> { self.places.iter().filter(|(_, (o, ..))| o.rank() < 2).map(|(p, _)| p.clone()) }

    pub(super) fn out_of_time(&self) -> bool { Instant::now() > self.deadline }

    /// How bad a place is; `None` where nothing came to it.
    pub(super) fn rank(&self, place: &Place) -> Option<u8> { self.places.get(place).map(|(o, ..)| o.rank()) }

    /// Executes the program from all its roots and decides every access.
    pub(super) fn visit(&mut self) {
        for root in roots(self.program, &self.options.roots) { self.run_root(&root); }
        let idle: Vec<FuncRef> = self.program.functions()
            .filter(|(r, m, f)| m.side == Side::Device && f.kernel && !f.is_declaration() && !self.launched.contains(r))
            .map(|(r, ..)| r).collect();
        for k in idle { self.run_idle(k); }
    }

    fn executor(&self) -> Executor<'p> {
        let mut e = Executor::new(self.program);
        e.device_memory = self.options.device_memory;
        e.budget.deadline = Some(self.deadline);
        e.assumptions = Assumptions::new(&self.options.assume, self.assumed.asked.is_some());
        e
    }

    fn run_root(&mut self, root: &Root) {
        let mut e = self.executor();
        let (args, state) = e.root_state(root.func);
        drop(e.call(root.func, args, state, 0));
        let name = self.program.func(root.func).name.clone();
        let host_gave_up = e.gave_up.take();
        if let Some(why) = &host_gave_up { self.report.notes.push(format!("`{name}` was not followed to its end: {why}")); }
        self.report.notes.append(&mut e.notes);
        let mut decider = Decider::new(Limits { millis: self.options.solver_ms.min(FIRST_MILLIS), ..Limits::default() });
        let mut judge = Judge::new(self.program, root.clone());
        let launches = std::mem::take(&mut e.launches);
        let mut runs = vec![];
        let mut times: FxHashMap<FuncRef, u32> = FxHashMap::default();
        for l in &launches { if let Ok(k) = l.kernel { *times.entry(k).or_default() += 1; } }
        let safe: FxHashMap<FuncRef, FxHashSet<Vec<Site>>> = times.into_iter().filter(|(_, n)| *n > 1).map(|(k, _)| (k, self.safe_under_any_launch(k))).collect();
        for l in &launches {
            self.launches += 1;
            let Ok(kernel) = l.kernel else {
                if let Err(symbol) = &l.kernel { self.report.notes.push(format!("the kernel `{symbol}` is not defined in this program")); }
                continue;
            };
            self.kernels.insert(kernel);
            if host_gave_up.is_none() { self.launched.insert(kernel); }
            let Some((l, decided)) = specialise::launch(&mut e, l) else { continue };
            let l = &l;
            let mut facts = relevant(&e, l);
            facts.extend(e.launch_axioms(&l.config));
            if self.program.func(root.func).name == "main" { let stated = e.assumed_of_inputs(root.func, &mentioned(&e, l, &facts)); facts.extend(stated); }
            e.budget.steps = 2_000_000;
            let run = e.run_kernel(kernel, l, facts);
            if let Some(why) = &run.gave_up { self.report.notes.push(format!("`{}` was not followed to its end: {why}", self.program.func(kernel).display)); }
            self.unvisited(kernel, &run.accesses, run.gave_up.as_deref());
            runs.push(Run { launch: l.clone(), decided, kernel, run });
        }
        // Every access gets a little time before any gets a lot.
        let mut hard: Vec<(&Run, &AccessEvent)> = vec![];
        // Replays of what rests on unknowns seldom end well: they come last.
        let mut later: Vec<(&Run, &AccessEvent)> = vec![];
        self.postponing = true;
        for run in &runs {
            for ev in &run.run.accesses {
                let place = self.place_of(ev);
                if self.assumed.skips(&place) { continue; }
                self.assumed.note(&e, &place, ev);
                if safe.get(&run.kernel).is_some_and(|s| s.contains(&*ev.stack)) { self.put(run.kernel, ev, Outcome::Safe); continue; }
                if self.counts_as_proved(ev) { continue; }
                let (outcome, cut) = self.access(&mut e, &mut decider, &mut judge, root, Some(run), run.kernel, ev);
                if cut && !outcome.is_final() { hard.push((run, ev)); } else if std::mem::take(&mut self.postponed) { later.push((run, ev)); } else { self.put(run.kernel, ev, partial(outcome, run, host_gave_up.as_deref())); }
            }
        }
        self.postponing = false;
        hard.append(&mut later);
        let mut left = u32::try_from(hard.len()).unwrap_or(u32::MAX);
        for (run, ev) in hard {
            let remaining = u32::try_from(self.deadline.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(u32::MAX);
            decider.limits.millis = (2 * (remaining / left)).max(FIRST_MILLIS).min(self.options.solver_ms);
            left -= 1;
            if self.counts_as_proved(ev) { continue; }
            let (outcome, _) = self.access(&mut e, &mut decider, &mut judge, root, Some(run), run.kernel, ev);
            self.put(run.kernel, ev, partial(outcome, run, host_gave_up.as_deref()));
        }
        self.report.problems.append(&mut e.assumptions.problems);
        // A kernel whose launches may lie beyond the point where the host was given up counts as not launched by us.
        for l in &launches { if let Ok(k) = l.kernel { self.launched.insert(k); } }
    }

    /// Accesses of a kernel, by their call stacks, that are safe whatever it is launched with: indices of local arrays and
    /// the like need not be looked at again for each of its launches.
    fn safe_under_any_launch(&mut self, kernel: FuncRef) -> FxHashSet<Vec<Site>> {
        let (mut e, run) = self.any_launch(kernel);
        if run.gave_up.is_some() { return FxHashSet::default(); }
        let mut decider = Decider::new(Limits { millis: FIRST_MILLIS / 2, ..Limits::default() });
        let (mut safe, mut open): (FxHashSet<Vec<Site>>, FxHashSet<Vec<Site>>) = Default::default();
        for ev in &run.accesses {
            if open.contains(&*ev.stack) || Instant::now() > self.deadline { open.insert(ev.stack.to_vec()); continue; }
            let all = ev.targets.iter().all(|t| {
                let facts = e.arena.and(ev.path, t.cond);
                if e.arena.as_bool(facts) == Some(false) { return true; }
                let Base::Object(o) = t.base else { return false };
                let Some(extent) = e.object(o).extent else { return false };
                matches!(decider.decide(&mut e.arena, &Obligation { facts, offset: t.offset, bytes: ev.bytes, extent }), Decision::Safe)
            });
            if all { safe.insert(ev.stack.to_vec()); } else { open.insert(ev.stack.to_vec()); }
        }
        safe.retain(|s| !open.contains(s));
        for ev in run.accesses.iter().filter(|ev| safe.contains(&*ev.stack)) { let place = self.place_of(ev); self.assumed.note(&e, &place, ev); }
        safe
    }

    /// A kernel executed under an arbitrary launch.
    fn any_launch(&self, kernel: FuncRef) -> (Executor<'p>, KernelRun) {
        let mut e = self.executor();
        let name = self.program.func(kernel).name.clone();
        let config = e.unknown_launch(&name);
        let args = e.unknown_arguments(kernel);
        let state = e.initial_state();
        let site = Site { func: kernel, block: crate::ir::BlockId(0), inst: 0 };
        let l = LaunchEvent { site, stack: std::rc::Rc::new(vec![]), kernel: Ok(kernel), config, args, memory: state.mem, path: state.path };
        let facts = e.launch_axioms(&l.config);
        let run = e.run_kernel(kernel, &l, facts);
        (e, run)
    }

    /// A place already proved to be wrong is not looked at again.
    fn counts_as_proved(&mut self, ev: &AccessEvent) -> bool {
        let place = self.place_of(ev);
        let Some((Outcome::Found(f), _, n)) = self.places.get_mut(&place) else { return false };
        if f.verdict != Verdict::Proved || f.degenerate { return false; }
        *n += 1;
        true
    }

    /// A kernel without a known launch: only what holds for every launch is said.
    fn run_idle(&mut self, kernel: FuncRef) {
        self.kernels.insert(kernel);
        let (mut e, run) = self.any_launch(kernel);
        let mut decider = Decider::new(Limits { millis: self.options.solver_ms.min(1000), ..Limits::default() });
        let root = Root { func: kernel, trusted: false };
        let mut judge = Judge::new(self.program, root.clone());
        for ev in &run.accesses {
            let place = self.place_of(ev);
            if self.assumed.skips(&place) { continue; }
            self.assumed.note(&e, &place, ev);
            let outcome = match self.access(&mut e, &mut decider, &mut judge, &root, None, kernel, ev).0 {
                Outcome::Found(_) => Outcome::Unknown("no launch of this kernel is known".into()),
                o => o,
            };
            self.put(kernel, ev, outcome);
        }
        self.unvisited(kernel, &run.accesses, run.gave_up.as_deref());
    }

    /// Accesses that a run that was given up never came to.
    fn unvisited(&mut self, kernel: FuncRef, seen: &[AccessEvent], why: Option<&str>) {
        let Some(why) = why else { return };
        let visited: FxHashSet<Site> = seen.iter().map(|e| e.site).collect();
        let mut called = vec![kernel];
        let mut next = 0;
        while let Some(func) = called.get(next).copied() {
            next += 1;
            let f = self.program.func(func);
            for (b, block) in f.blocks.iter().enumerate() {
                for (i, inst) in block.insts.iter().enumerate() {
                    if let crate::ir::Op::Call { callee: crate::ir::Callee::Direct(id), .. } = &inst.op {
                        let to = self.program.resolve_func(func.module, *id);
                        if !called.contains(&to) { called.push(to); }
                    }
                    let site = Site { func, block: crate::ir::BlockId(u32::try_from(b).unwrap_or(0)), inst: u32::try_from(i).unwrap_or(0) };
                    let loc = self.program.loc(func.module, inst.loc);
                    if loc.system || visited.contains(&site) || !is_array_access(f, inst) { continue; }
                    let text = show::access(self.program, site);
                    self.put_at((loc, text.array), kernel, Outcome::Unknown(why.to_owned()));
                }
            }
        }
    }

    fn put(&mut self, kernel: FuncRef, ev: &AccessEvent, outcome: Outcome) {
        let (loc, array) = self.place_of(ev);
        self.put_at((loc, array), kernel, outcome);
    }

    fn put_at(&mut self, place: Place, kernel: FuncRef, outcome: Outcome) {
        let display = self.program.func(kernel).display.clone();
        match self.places.get_mut(&place) {
            None => { self.places.insert(place, (outcome, display, 1)); }
            Some((old, _, n)) => {
                if outcome.rank() >= 3 && old.rank() >= 3 { *n += 1; }
                let better = match (&*old, &outcome) {
                    // Of two findings the one that is not degenerate.
                    (Outcome::Found(a), Outcome::Found(b)) if a.verdict == b.verdict => a.degenerate && !b.degenerate,
                    (a, b) => b.rank() > a.rank(),
                };
                if better { *old = outcome; }
            }
        }
    }

    /// Source position (of the innermost call outside system headers) and array.
    fn place_of(&self, ev: &AccessEvent) -> Place {
        let site = ev.stack.iter().rev().copied().find(|s| { let l = self.loc_of(*s); l.line > 0 && !l.system }).unwrap_or(ev.site);
        let text = show::access(self.program, if site == ev.site { ev.site } else { site });
        (self.loc_of(site), text.array)
    }

    fn loc_of(&self, s: Site) -> SourceLoc {
        let b = &self.program.func(s.func).blocks[s.block.index()];
        self.program.loc(s.func.module, b.insts.get(s.inst as usize).map_or(b.term_loc, |i| i.loc))
    }

    #[expect(clippy::too_many_arguments, reason = "one access in its whole context")]
    fn access(&mut self, e: &mut Executor<'p>, decider: &mut Decider, judge: &mut Judge<'p>, root: &Root, launch: Option<&Run>, kernel: FuncRef, ev: &AccessEvent) -> (Outcome, bool) {
        let mut worst = Outcome::Safe;
        let mut cut = false;
        for t in ev.targets.iter() {
            let facts = e.arena.and(ev.path, t.cond);
            if e.arena.as_bool(facts) == Some(false) { continue; }
            let outcome = match &t.base {
                Base::Object(o) => {
                    let object = e.object(*o).clone();
                    match object.extent {
                        None if matches!(object.kind, ObjKind::Parameter) => Outcome::Unknown(format!("the extent of `{}` is not known: no known code calls this", object.name)),
                        None => Outcome::Unknown(format!("the extent of `{}` is not known", object.name)),
                        Some(extent) => {
                            let extent = launch.map_or(extent, |r| r.decided.term(&mut e.arena, extent));
                            if Instant::now() > self.deadline { Outcome::Unknown("the time limit was reached".into()) } else {
                                let ob = Obligation { facts, offset: t.offset, bytes: ev.bytes, extent };
                                let decision = decider.decide(&mut e.arena, &ob);
                                cut |= decider.cut;
                                match decision {
                                    Decision::Safe => Outcome::Safe,
                                    Decision::SafeIfNoWrap(ops) => Outcome::SafeIfNoWrap(ops),
                                    Decision::Unknown(why) => Outcome::Unknown(why),
                                    Decision::Fails { model, mode, degenerate } => self.found(e, judge, root, launch, kernel, ev, &object, &ob, &model, mode, degenerate),
                                }
                            }
                        }
                    }
                }
                Base::Null => Outcome::Unknown("a null pointer".into()),
                Base::Func(_) => Outcome::Unknown("a pointer to a function".into()),
                Base::Unknown(r) => Outcome::Unknown(format!("the pointer is {r}")),
            };
            if outcome.rank() > worst.rank() { worst = outcome; }
        }
        (worst, cut)
    }

    /// A model was found: replay decides what it is worth.
    #[expect(clippy::too_many_arguments, reason = "one access in its whole context")]
    fn found(&mut self, e: &Executor<'p>, judge: &mut Judge<'p>, root: &Root, launch: Option<&Run>, kernel: FuncRef, ev: &AccessEvent, object: &Object, ob: &Obligation, model: &Model, mode: WrapMode, degenerate: bool) -> Outcome {
        let unknowns = essential_unknowns(e, ob);
        if self.assumed.asked.is_some() { return Outcome::Unknown("not safe without what is assumed".into()); }
        if self.postponing && let Some(u) = unknowns.first() {
            self.postponed = true;
            return Outcome::Unknown(u.clone());
        }
        let Some(Run { launch, run: KernelRun { thread, .. }, .. }) = launch else { return Outcome::Unknown("no launch of this kernel is known".into()) };
        let judged = judge.judge(&e.arena, launch, thread, ev, model, mode);
        let (verdict, replay, assumptions) = match &judged {
            Judged::Reached { assumptions, .. } if root.trusted => (Verdict::Proved, Replay::Reached, assumptions.clone()),
            Judged::Reached { assumptions, .. } => {
                let mut a = assumptions.clone();
                a.push(format!("`{}` is called with these arguments", self.program.func(root.func).display));
                (Verdict::Possible, Replay::Reached, a)
            }
            Judged::NotReached(why) => return Outcome::Unknown(format!("a model was found, but replay did not reach it: {why}")),
            Judged::Incomplete(why) => {
                if let Some(u) = unknowns.first() { return Outcome::Unknown(u.clone()); }
                if !root.trusted { return Outcome::Unknown(why.clone()); }
                (Verdict::Possible, Replay::Incomplete, vec![format!("replay stopped: {why}")])
            }
        };
        let (loc, array) = self.place_of(ev);
        let text = show::access(self.program, ev.site);
        let rule = match object.kind {
            ObjKind::SharedStatic(_) | ObjKind::SharedDynamic => Rule::OobShared,
            ObjKind::DeviceLocal => Rule::OobLocal,
            ObjKind::Constant(_) => Rule::OobConstant,
            _ => Rule::OobGlobal,
        };
        let space = match rule { Rule::OobShared => Space::Shared, Rule::OobLocal => Space::Local, Rule::OobConstant => Space::Constant, _ => Space::Global };
        let direction = match ev.kind { AccessKind::Read => Direction::Read, AccessKind::Write => Direction::Write, AccessKind::Atomic => Direction::Atomic };
        let a = &e.arena;
        let value = |t: TermId| model.value(a, t, mode);
        let mut w = Witness {
            inputs: judge.inputs(a, root, launch, ev, model).iter().map(|(n, v)| WitnessInput { name: n.clone(), value: v.clone() }).collect(),
            run: judge.run(a, launch, ev, model),
            grid: triple(launch.config.grid.map(&value)),
            block: triple(thread.bid.map(&value)),
            thread: triple(thread.tid.map(&value)),
            offset_bytes: narrow(value(ob.offset)),
            extent_bytes: narrow(value(ob.extent)),
            replay,
            sites: Some(Sites { root: [root.func.module.0, root.func.func.0], access: numbers(ev.site), callers: ev.stack.iter().rev().skip(1).rev().copied().map(numbers).collect(), launch: Some(numbers(launch.site)) }),
        };
        if let Judged::Reached { bad, .. } = &judged {
            w.grid = bad.grid;
            w.block = bad.block;
            w.thread = bad.thread;
            w.offset_bytes = bad.offset;
            w.extent_bytes = i64::try_from(bad.object.extent).unwrap_or(i64::MAX);
        }
        let what = match direction { Direction::Read => "read", Direction::Write => "write", Direction::Atomic => "atomic update" };
        let place = if w.offset_bytes < 0 { "before the start" } else { "past the end" };
        let message = format!("{what} {place} of `{array}`");
        let program = self.program;
        let launch_loc = self.loc_of(launch.site);
        let dims = |t: [TermId; 3]| dims(&t.map(|x| show::term(a, x)));
        Outcome::Found(Box::new(Finding {
            fingerprint: String::new(), rule,
            level: if verdict == Verdict::Proved && !degenerate { rule.default_level() } else { Level::Warn },
            verdict, degenerate, occurrences: 1, program: String::new(),
            root: program.func(root.func).display.clone(), message,
            access: Access {
                position: Position { file: loc.file, line: loc.line, column: loc.column },
                kernel: program.func(kernel).display.clone(), array, partition: None, direction, space, index: text.index,
                bytes: value(ob.bytes).and_then(|v| u64::try_from(v).ok()).unwrap_or(0),
            },
            allocation: object.site.map(|(m, l)| { let p = program.loc(m, l); Allocation { file: p.file, line: p.line, column: p.column, extent: show::term(a, ob.extent) } }),
            launch: Some(Launch { file: launch_loc.file, line: launch_loc.line, column: launch_loc.column, grid: dims(launch.config.grid), block: dims(launch.config.block), shared: show::term(a, launch.config.shared) }),
            witness: Some(w), confirmation: None,
            assumptions: { let mut all: Vec<String> = e.assumptions_in(&[ob.facts]).iter().map(ToString::to_string).collect(); all.extend(assumptions); all },
            unknowns: if verdict == Verdict::Proved { vec![] } else { unknowns },
        }))
    }

    fn finish(mut self, start: Instant) -> ProgramReport {
        let mut s = Summary { programs: 1, kernels: u32::try_from(self.kernels.len()).unwrap_or(0), launches: self.launches, ..Summary::default() };
        for ((loc, array), (outcome, kernel, n)) in self.places {
            s.accesses += 1;
            let standing = match outcome { Outcome::Safe | Outcome::SafeIfNoWrap(_) => Standing::Safe, Outcome::Unknown(_) => Standing::Open, Outcome::Found(_) => Standing::Found };
            let position = Position { file: loc.file.clone(), line: loc.line, column: loc.column };
            self.report.places.push(super::Place { position, kernel: kernel.clone(), array: array.clone(), standing });
            let place = (loc.clone(), array.clone());
            if self.assumed.resting.contains(&place) {
                s.safe_assuming += 1;
                self.report.notes.push(format!("{}:{}:{}: `{array}` {}", loc.file, loc.line, loc.column, self.assumed.words(&place)));
            }
            match outcome {
                Outcome::Safe => s.safe += 1,
                Outcome::SafeIfNoWrap(ops) => {
                    s.safe_if_no_wrap += 1;
                    self.report.notes.push(format!("{}:{}:{}: `{array}` is safe if {} does not wrap", loc.file, loc.line, loc.column, ops.join(" and ")));
                }
                Outcome::Unknown(reason) => {
                    s.unknown += 1;
                    self.report.undecided.push(Undecided { position: Position { file: loc.file, line: loc.line, column: loc.column }, kernel, array, reason });
                }
                Outcome::Found(mut f) => {
                    if f.verdict == Verdict::Proved { s.proved += 1 } else { s.possible += 1 }
                    f.occurrences = n;
                    self.report.findings.push(*f);
                }
            }
        }
        s.seconds = start.elapsed().as_secs_f64();
        self.report.summary = s;
        self.report
    }
}

/// Terms through which a launch depends on the program's inputs.
fn mentioned(e: &Executor<'_>, l: &LaunchEvent, facts: &[TermId]) -> Vec<TermId> {
    let mut all = facts.to_vec();
    all.push(l.config.shared);
    all.extend(l.config.grid.iter().chain(&l.config.block));
    for v in &l.args {
        match v {
            Value::Int(t) | Value::Bool(t) => all.push(*t),
            Value::Ptr(p) => all.extend(p.iter().flat_map(|t| [t.cond, t.offset])),
            Value::Real(r) => all.push(r.num),
            Value::Aggregate(_) | Value::Unknown(_) => {}
        }
    }
    all.extend(e.objects.iter().filter_map(|o| o.extent));
    all
}

/// What may be said of an access where the kernel or the host was not followed to its end: beyond that point it may be
/// reached again, otherwise.
fn partial(outcome: Outcome, run: &Run, host: Option<&str>) -> Outcome {
    let why = match (&run.run.gave_up, host) {
        (Some(why), _) => format!("the kernel was not followed to its end: {why}"),
        (None, Some(why)) => format!("the host code was not followed to its end: {why}"),
        (None, None) => return outcome,
    };
    if outcome.rank() < Outcome::FOUND { Outcome::Unknown(why) } else { outcome }
}

/// The launch's conditions, less those on host loops and unknowns that nothing in the launch depends on: fewer facts
/// prove less, so this is sound; a witness is replayed in full anyway.
fn relevant(e: &Executor<'_>, l: &LaunchEvent) -> Vec<TermId> {
    let mut roots = vec![l.config.shared];
    roots.extend(l.config.grid);
    roots.extend(l.config.block);
    let mut value = |v: &Value| match v {
        Value::Int(t) | Value::Bool(t) => roots.push(*t),
        Value::Ptr(p) => roots.extend(p.iter().flat_map(|t| [t.cond, t.offset])),
        Value::Real(r) => roots.push(r.num),
        Value::Aggregate(_) | Value::Unknown(_) => {}
    };
    l.args.iter().for_each(&mut value);
    for (o, st) in &l.memory {
        if matches!(e.object(*o).kind, ObjKind::DeviceLocal | ObjKind::DeviceGlobal(_) | ObjKind::Constant(_) | ObjKind::Managed) { st.cells.values().for_each(|(_, v)| value(v)); }
    }
    roots.extend(l.memory.keys().filter(|o| matches!(e.object(**o).kind, ObjKind::DeviceHeap | ObjKind::Managed)).filter_map(|o| e.object(*o).extent));
    let known: FxHashSet<_> = e.arena.symbols_of(&roots).into_iter().collect();
    e.arena.conjuncts(l.path).into_iter().filter(|c| {
        e.arena.symbols_of(&[*c]).into_iter().all(|s| known.contains(&s) || matches!(e.arena.symbol(s).kind, SymKind::Input(_)))
    }).collect()
}

/// Reasons of what is not modelled in an obligation's own terms: a model may set such values at will.
fn essential_unknowns(e: &Executor<'_>, ob: &Obligation) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for t in e.arena.cone(&[ob.offset, ob.extent, ob.bytes]) {
        let reason = match e.arena.get(t) {
            Term::Sym(s) | Term::BoolSym(s) => match &e.arena.symbol(*s).kind { SymKind::Unknown { reason } => Some(reason.clone()), SymKind::Content { what, .. } => Some(what.clone()), _ => None },
            Term::Apply { name, .. } if name == "content" => Some("what a buffer holds".into()),
            _ => None,
        };
        if let Some(r) = reason && !out.contains(&r) { out.push(r); }
    }
    out
}

fn numbers(s: Site) -> [u32; 4] { [s.func.module.0, s.func.func.0, s.block.0, s.inst] }

fn triple(v: [Option<i128>; 3]) -> [u64; 3] { v.map(|x| x.and_then(|x| u64::try_from(x).ok()).unwrap_or(0)) }

fn narrow(v: Option<i128>) -> i64 { v.and_then(|v| i64::try_from(v).ok()).unwrap_or(0) }

/// `(x, y, z)` without trailing ones.
fn dims(t: &[String; 3]) -> String {
    match (t[1].as_str(), t[2].as_str()) {
        ("1", "1") => t[0].clone(),
        (_, "1") => format!("({}, {})", t[0], t[1]),
        _ => format!("({}, {}, {})", t[0], t[1], t[2]),
    }
}

/// Whether an instruction accesses memory through something other than a plain variable.
fn is_array_access(f: &crate::ir::Function, inst: &crate::ir::Inst) -> bool {
    use crate::ir::{Op, Operand};
    let (Op::Load { ptr, .. } | Op::Store { ptr, .. } | Op::AtomicRmw { ptr, .. } | Op::CmpXchg { ptr, .. }) = &inst.op else { return false };
    let Operand::Value(v) = ptr else { return true };
    !f.blocks.iter().flat_map(|b| &b.insts).any(|i| i.result == Some(*v) && matches!(i.op, Op::Alloca { .. }))
}

