//! One proof for all launches of a kernel: its requirements are found once, under an arbitrary launch, and each launch
//! is only shown to meet them.
//!
//! In: the launches of a root. Out: the positions that are safe at all launches of their kernel, and the launches at
//! which nothing is left to decide. Of these only the last of each kind of arguments is executed, for findings that a proof
//! of bounds does not show. A launch that misses a requirement, or whose memory is of a kind that an arbitrary
//! launch does not have (it may have been freed, or the host may write it meanwhile), is executed by itself.

use super::launches::{KernelRequirements, PlaceRequirement};
use super::wording::requirement;
use crate::context::ArrayPosition;
use crate::obligations::decide::{Decider, DecisionAttempt};
use crate::obligations::obligation::{Decision, Obligation};
use crate::options::SummarisedKernels;
use crate::pipeline::any_launch::stays_in_objects;
use crate::pipeline::prepare::run_within_steps;
use crate::pipeline::{Engine, budgets};
use crate::solver::{FactContext, WrapMode};
use crate::summaries::LaunchSummaries;
use base::work::{Allotment, Work, done};
use contracts::ast::{Comparison, ContractFunction, Dim3Member, LaunchProperty, TermKind};
use contracts::{Cond, ContractTerm, Requirement, Span};
use engine::symbolic::exec::events::LaunchEvent;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::inputs::contract_facts::ContractParty;
use engine::symbolic::kernel::launch::KernelRun;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, Value};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::TermId;
use ir::{FuncRef, Param, TypeKind};
use library::host::HostRoot;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Least number of launches of a kernel for which it is worth finding its requirements.
const LAUNCHES: usize = 4;
/// Number of launches up to which those that are safe only if nothing wraps are looked at by themselves: that may show
/// more, and costs most of what the summary saves.
const FEW: usize = 8;
/// Bytes of the widest access, to which addresses are aligned: `double4_32a` (CUDA 13.0).
const WIDEST: i128 = 32;
/// Most bytes of terms that a launch may make, and most accesses of a kernel: the search for requirements takes a multiple.
const TERMS: u64 = 16 << 20;
const ACCESSES: usize = 200;
/// Launches that miss a requirement, after which it is not asked of others.
const MISSED: usize = 2;

/// A launch with what is known where it is made.
struct KnownLaunch {
    number: usize,
    launch: LaunchEvent,
    facts: TermId,
    /// The facts, prepared for bounds of terms.
    context: FactContext,
}

/// Whether a requirement holds at a launch.
enum Met {
    Yes,
    /// Yes, where these operations of the host do not wrap.
    IfNoWrap(Vec<String>),
    No,
}

impl<'p> Engine<'p> {
    /// Finds the requirements of kernels with many launches, and the launches that meet them. The executor is left as
    /// it was.
    pub(crate) fn summarise(
        &mut self,
        e: &mut Executor<'p>,
        root: &HostRoot,
        launches: &[LaunchEvent],
    ) -> LaunchSummaries {
        let mut out = LaunchSummaries::default();
        let mut groups: BTreeMap<FuncRef, Vec<usize>> = BTreeMap::new();
        for (i, l) in launches.iter().enumerate() {
            if let Ok(kernel) = l.kernel {
                groups.entry(kernel).or_default().push(i);
            }
        }
        let all = self.cx.options.summarise == SummarisedKernels::All;
        groups.retain(|_, launches| all || launches.len() >= LAUNCHES);
        // What a kernel launches is seen where it is executed.
        groups.retain(|kernel, _| !self.by_kernels.launches(*kernel));
        // Reports name the conditions that somebody assumed: each launch is then executed with them. Kernels that may
        // overlap with others read what nobody knows.
        if groups.is_empty() || e.assumptions.in_effect() || e.runtime.overlapping {
            return out;
        }
        let before = self.cx.all;
        let whole = before.min(self.cx.phase(budgets::SUMMARIES, 10));
        for (kernel, numbers) in groups {
            let mut scratch = {
                let arena = std::mem::take(&mut e.arena);
                let mut scratch = e.clone();
                scratch.arena = arena;
                scratch
            };
            scratch.own_linear_work();
            let mark = scratch.arena.mark();
            self.cx.all = whole.min(self.cx.phase(budgets::SUMMARY, 10));
            if let Some(most) = self.worth(&mut scratch, root, kernel, (&numbers, launches)) {
                self.cx.all = self.cx.all.min(Allotment::of(most));
                let known: Vec<KnownLaunch> =
                    numbers.iter().filter_map(|i| self.known(&mut scratch, root, (*i, &launches[*i]))).collect();
                self.summarise_kernel(&mut scratch, kernel, &known, &mut out);
            }
            let mut arena = std::mem::take(&mut scratch.arena);
            arena.rewind(mark);
            e.arena = arena;
        }
        self.cx.all = before;
        out
    }

    fn known(&self, e: &mut Executor<'p>, root: &HostRoot, (number, l): (usize, &LaunchEvent)) -> Option<KnownLaunch> {
        let (launch, _, facts) = self.known_launch(e, root, l)?;
        let facts = e.arena.and_all([facts, vec![launch.path]].concat());
        let all = e.arena.conjuncts(facts);
        let context = FactContext::new(&mut e.arena, &all, WrapMode::Assume);
        Some(KnownLaunch { number, launch, facts, context })
    }

    /// Returns the work that a summary of a kernel is worth, by what one of its launches costs to execute; `None` where all
    /// cost little, or this one cannot be executed to its end.
    fn worth(
        &self,
        e: &mut Executor<'p>,
        root: &HostRoot,
        kernel: FuncRef,
        (numbers, launches): (&[usize], &[LaunchEvent]),
    ) -> Option<Work> {
        if self.cx.options.summarise == SummarisedKernels::All {
            return Some(self.cx.scaled(budgets::SUMMARY));
        }
        let first = numbers.iter().find_map(|i| self.known(e, root, (*i, &launches[*i])))?;
        if !is_plain(e, kernel, &first) {
            return None;
        }
        let (begun, terms) = (done(), e.arena.bytes());
        let facts = e.arena.conjuncts(first.facts);
        let run = run_within_steps(e, kernel, &first.launch, &facts);
        let cost = (done() - begun) * numbers.len() as u64;
        let is_small = e.arena.bytes() - terms <= TERMS && run.accesses.len() <= ACCESSES;
        if run.gave_up.is_some() || !is_small || cost < self.cx.scaled(budgets::SUMMARY_LEAST) {
            return None;
        }
        let open = self.open_at_a_glance(e, &run);
        match numbers.len() {
            // Each launch costs its execution alone.
            _ if open == 0 => Some(cost / 2).filter(|_| cost > self.cx.scaled(budgets::SUMMARY)),
            // Each costs looks at these accesses, too.
            n if n > FEW => Some((cost * 2).max(self.cx.scaled(budgets::FIRST) * open * 4)),
            _ => Some((cost / 2).max(self.cx.scaled(budgets::FIRST) * open)),
        }
    }

    /// Returns the number of accesses of a launch that a glance leaves undecided.
    fn open_at_a_glance(&self, e: &mut Executor<'p>, run: &KernelRun) -> u64 {
        let mut fresh = Decider::default();
        let mut decider = fresh.with(self.cx.at_a_glance().attempt);
        run.accesses.iter().filter(|ev| !stays_in_objects(e, &mut decider, ev)).count() as u64
    }

    fn summarise_kernel(
        &mut self,
        e: &mut Executor<'p>,
        kernel: FuncRef,
        known: &[KnownLaunch],
        out: &mut LaunchSummaries,
    ) {
        if known.is_empty() || known.iter().any(|l| !is_plain(e, kernel, l)) {
            return;
        }
        let each = self.cx.scaled(budgets::SUMMARY_EACH);
        let mut decider = Decider::default();
        // An arbitrary launch has no pointer beyond the end of its object.
        let ends: Vec<Requirement> = self.extents(kernel).into_iter().map(requirement).collect();
        let is_within = |e: &mut Executor<'p>, decider: &mut Decider, l: &KnownLaunch| {
            ends.iter().all(|r| {
                e.required_of_launch(kernel, &l.launch, r, ContractParty::Caller).is_none()
                    || matches!(meets(e, decider, self.cx.all, each, kernel, l, r), Met::Yes)
            })
        };
        if !known.iter().all(|l| is_within(e, &mut decider, l)) {
            return;
        }
        let given: Vec<Requirement> = self
            .in_common(e, kernel, known)
            .into_iter()
            .map(requirement)
            .filter(|r| {
                known.iter().all(|l| matches!(meets(e, &mut decider, self.cx.all, each, kernel, l, r), Met::Yes))
            })
            .collect();
        let Some(required) = self.requirements_at_launches(kernel, &given, each) else { return };
        // What no launch needs is safe whatever the launch; for each condition, what the launches give.
        let mut missed = vec![0; required.conditions.len()];
        let met: Vec<Vec<Met>> = known
            .iter()
            .map(|l| {
                let ask = |(i, r): (usize, &Requirement)| {
                    if missed[i] >= MISSED {
                        return Met::No;
                    }
                    let met = meets(e, &mut decider, self.cx.all, each, kernel, l, r);
                    missed[i] += usize::from(matches!(met, Met::No));
                    met
                };
                required.conditions.iter().enumerate().map(ask).collect()
            })
            .collect();
        self.note_summary(e, kernel, known, (&required, &met), out);
    }

    /// Returns the conditions that a kernel's pointers are not beyond the end of their objects.
    fn extents(&self, kernel: FuncRef) -> Vec<Cond> {
        let func = self.cx.program.func(kernel);
        let module = self.cx.program.module(kernel.module);
        let is_pointer = |p: &&Param| matches!(module.ty(p.ty).kind, TypeKind::Ptr(_)) && !p.name.is_empty();
        let extent = |p: &Param| ContractTerm::apply(ContractFunction::Extent, vec![ContractTerm::name(&p.name)]);
        let pointers = func.params.iter().filter(is_pointer).filter(|p| p.byval.is_none());
        pointers.map(|p| Cond::compare(Comparison::Ge, extent(p), ContractTerm::int(0))).collect()
    }

    /// Notes what is safe at all launches, and the launches at which nothing is left to decide.
    fn note_summary(
        &self,
        e: &Executor<'p>,
        kernel: FuncRef,
        known: &[KnownLaunch],
        (required, met): (&KernelRequirements, &[Vec<Met>]),
        out: &mut LaunchSummaries,
    ) {
        let aligned: Vec<bool> = known.iter().map(|l| is_aligned(e, l, required.alignment)).collect();
        let at = |l: usize, place: &ArrayPosition| {
            required.places[place].as_ref().filter(|_| aligned[l]).and_then(|p| outcome(p, &met[l]))
        };
        let everywhere: FxHashSet<ArrayPosition> = required
            .places
            .keys()
            .filter(|place| (0..known.len()).all(|l| at(l, place).is_some_and(|wraps| wraps.is_empty())))
            .cloned()
            .collect();
        if required.claims {
            return;
        }
        out.safe.insert(kernel, everywhere);
        let last_of: FxHashMap<_, usize> = known.iter().map(|l| (kind_of(e, l), l.number)).collect();
        out.shown.extend(last_of.into_values());
        let outcomes = out.outcomes.entry(kernel).or_default();
        for (i, l) in known.iter().enumerate() {
            let all: Option<Vec<_>> = required.places.keys().map(|place| Some((place, at(i, place)?))).collect();
            let Some(all) = all else { continue };
            let is_few = known.len() <= FEW && self.cx.options.summarise == SummarisedKernels::WhereCheaper;
            if is_few && all.iter().any(|(_, wraps)| !wraps.is_empty()) {
                continue;
            }
            out.decided.insert(l.number);
            for (place, wraps) in all {
                let known: &mut Vec<String> = outcomes.entry(place.clone()).or_default();
                known.extend(wraps.into_iter().filter(|w| !known.contains(w)).collect::<Vec<_>>());
            }
        }
    }

    /// Returns what plainly holds at all of a kernel's launches: equal or bounded numbers, and numbers that are one.
    fn in_common(&self, e: &Executor<'p>, kernel: FuncRef, known: &[KnownLaunch]) -> Vec<Cond> {
        let mut columns: Vec<(ContractTerm, Vec<TermId>)> = vec![];
        let params = &self.cx.program.func(kernel).params;
        for (i, param) in params.iter().enumerate().filter(|(_, p)| !p.name.is_empty()) {
            let number = |l: &KnownLaunch| if let Some(Value::Int(t)) = l.launch.args.get(i) { Some(*t) } else { None };
            if let Some(all) = known.iter().map(number).collect::<Option<Vec<_>>>() {
                columns.push((ContractTerm::name(&param.name), all));
            }
        }
        let property = |p: LaunchProperty| ContractTerm::new(TermKind::Launch(p), Span::default());
        for (i, axis) in [Dim3Member::X, Dim3Member::Y, Dim3Member::Z].into_iter().enumerate() {
            let grid = known.iter().map(|l| l.launch.config.grid[i]).collect();
            let block = known.iter().map(|l| l.launch.config.block[i]).collect();
            columns.push((property(LaunchProperty::Grid(axis)), grid));
            columns.push((property(LaunchProperty::Block(axis)), block));
        }
        columns.push((property(LaunchProperty::DynamicShared), known.iter().map(|l| l.launch.config.shared).collect()));
        let mut out = vec![];
        let mut first_of: FxHashMap<&[TermId], &ContractTerm> = FxHashMap::default();
        for (name, all) in &columns {
            out.extend(bounds_of(&e.arena, name, all, known));
            if all.iter().all(|t| e.arena.as_int(*t).is_some()) {
                continue;
            }
            match first_of.get(&all[..]) {
                Some(first) => out.push(Cond::compare(Comparison::Eq, name.clone(), (*first).clone())),
                None => drop(first_of.insert(all, name)),
            }
        }
        out
    }
}

/// Returns the equality of a number at all launches with a constant, else its bounds.
fn bounds_of(a: &Arena, name: &ContractTerm, all: &[TermId], known: &[KnownLaunch]) -> Vec<Cond> {
    let bound = |op, value| Cond::compare(op, name.clone(), ContractTerm::int(value));
    // The same bound at every launch; each is proved there.
    let ranges = all.iter().zip(known).map(|(t, l)| l.context.range(a, *t));
    let Interval { lo, hi } = ranges.reduce(Interval::union).unwrap_or_default();
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo == hi => vec![bound(Comparison::Eq, lo)],
        _ => lo.map(|lo| bound(Comparison::Ge, lo)).into_iter().chain(hi.map(|hi| bound(Comparison::Le, hi))).collect(),
    }
}

/// Whether an arbitrary launch stands for this one: it has no cluster and no attributes, its pointers lead to memory of
/// the device that nobody else changes, and none of that may have been freed.
fn is_plain(e: &Executor<'_>, kernel: FuncRef, l: &KnownLaunch) -> bool {
    let module = e.program.module(kernel.module);
    let params = e.program.func(kernel).params.iter().map(|p| &module.ty(p.ty).kind);
    let attributes = &l.launch.config.attributes;
    let is_usual = attributes.cluster.is_none() && !attributes.cluster_open && attributes.unknown.is_none();
    let is_alone = |base: &Base| match base {
        Base::Null => true,
        Base::Object(o) => {
            let is_of_device = matches!(
                e.object(*o).kind,
                ObjKind::DeviceHeap | ObjKind::DeviceGlobal(_) | ObjKind::DeviceLocal | ObjKind::Parameter
            );
            is_of_device && l.launch.memory.get(o).is_none_or(|state| state.freed.is_none())
        }
        Base::Unknown(_) | Base::Func(_) => false,
    };
    is_usual
        && l.launch.config.limits.cluster.is_none_or(|blocks| blocks == [1; 3])
        && l.launch.args.iter().zip(params).all(|(arg, of)| match arg {
            Value::Ptr(p) => p.iter().all(|t| is_alone(&t.base)),
            Value::Int(_) | Value::Bool(_) | Value::Real(_) => true,
            // Conditions that mention it do not hold.
            Value::Unknown(_) => matches!(of, TypeKind::Int(_) | TypeKind::Float(_)),
            Value::Aggregate(_) => false,
        })
}

/// Kind of a launch's arguments: of each pointer the kind of its memory and its alignment, of each number whether it is a
/// constant.
fn kind_of(e: &Executor<'_>, l: &KnownLaunch) -> Vec<(i128, i128)> {
    let mut out = vec![];
    for arg in &l.launch.args {
        match arg {
            Value::Ptr(p) => out.extend(p.iter().flat_map(|t| [(memory_kind(e, &t.base), 0), residue(e, t.offset)])),
            Value::Int(t) => out.push((i128::from(e.arena.as_int(*t).is_some()), 0)),
            _ => {}
        }
        out.push((-1, -1));
    }
    out
}

fn memory_kind(e: &Executor<'_>, base: &Base) -> i128 {
    let Base::Object(o) = base else { return 0 };
    match e.object(*o).kind {
        ObjKind::DeviceHeap => 1,
        ObjKind::DeviceGlobal(_) => 2,
        ObjKind::DeviceLocal => 3,
        _ => 4,
    }
}

/// Returns a number modulo a divisor of the widest access, and this divisor: the largest for which the number is known.
fn residue(e: &Executor<'_>, t: TermId) -> (i128, i128) {
    let p = e.arena.poly(t);
    let gcd = |a: i128, b: i128| (1..=a).rev().find(|d| a % d == 0 && b % d == 0).unwrap_or(1);
    let modulus = p.terms.iter().filter(|(m, _)| !m.is_empty()).fold(WIDEST, |all, (_, c)| gcd(all, *c));
    (p.constant().rem_euclid(modulus), modulus)
}

/// Whether the pointers of a launch are known to be multiples of a divisor, as those of an arbitrary launch are.
fn is_aligned(e: &Executor<'_>, l: &KnownLaunch, alignment: u32) -> bool {
    let is_multiple = |t: TermId| {
        let (rest, modulus) = residue(e, t);
        let alignment = i128::from(alignment);
        modulus % alignment == 0 && rest % alignment == 0
    };
    l.launch.args.iter().all(|arg| match arg {
        Value::Ptr(p) => p.iter().all(|t| {
            let begins = if let Base::Object(o) = t.base { e.begins_at(o) } else { alignment };
            begins >= alignment && is_multiple(t.offset)
        }),
        _ => true,
    })
}

/// Returns the operations that must not wrap for a position to be safe at a launch; `None` where it may not be safe.
fn outcome(required: &PlaceRequirement, met: &[Met]) -> Option<Vec<String>> {
    let mut wraps = required.wraps.clone();
    for i in &required.conditions {
        match &met[*i] {
            Met::Yes => {}
            Met::IfNoWrap(operations) => wraps.extend(operations.iter().cloned()),
            Met::No => return None,
        }
    }
    Some(wraps)
}

/// Decides whether a launch meets a requirement.
fn meets(
    e: &mut Executor<'_>,
    decider: &mut Decider,
    all: Allotment,
    each: Work,
    kernel: FuncRef,
    l: &KnownLaunch,
    required: &Requirement,
) -> Met {
    if all.is_spent() {
        return Met::No;
    }
    let Some(condition) = e.required_of_launch(kernel, &l.launch, required, ContractParty::Caller) else {
        return Met::No;
    };
    let mut wraps = vec![];
    for goal in e.arena.conjuncts(condition) {
        if e.arena.as_bool(goal) == Some(true) {
            continue;
        }
        // The obligation of an access that never stays in its object: its path must be infeasible.
        let broken = e.arena.not(goal);
        let facts = e.arena.and(l.facts, broken);
        let (before, nothing) = (e.arena.int(-1), e.arena.int(0));
        let never = Obligation { facts, offset: before, bytes: nothing, extent: nothing };
        let attempt = DecisionAttempt { until: all, ..Default::default() }.with_work(each);
        match decider.with(attempt).decide_roughly(&mut e.arena, &never).decision {
            Decision::Safe => {}
            Decision::SafeIfNoWrap(operations) => wraps.extend(operations),
            Decision::Fails(_) | Decision::Unknown(_) => return Met::No,
        }
    }
    if wraps.is_empty() { Met::Yes } else { Met::IfNoWrap(wraps) }
}
