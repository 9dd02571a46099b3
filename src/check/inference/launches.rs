//! Requirements of a kernel of which many launches are known: what each of its accesses asks of a launch.
//!
//! In: a kernel, and conditions that hold at all its launches. Out: for each position the conditions under which it is
//! safe, in contract syntax. Nothing is assumed: the caller proves the conditions at each launch. The kernel is executed
//! once, under an arbitrary launch, so that its cost does not depend on the number of launches (a procedure summary:
//! Sharir and Pnueli, Two approaches to interprocedural data flow analysis, 1981).

use super::SourceAccess;
use super::gather::{AccessRequirement, LaunchAccesses, of_places};
use super::kernel::names;
use super::wording::{SymbolNames, requirement};
use crate::concurrency::bounds::Invariants;
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, InObject, RootTools};
use crate::counterexample::degenerate::Sizes;
use crate::findings::position::position_of;
use crate::obligations::specialise::DecidedValues;
use crate::obligations::verdict::{AccessVerdict, Effort};
use crate::pipeline::Engine;
use crate::rules::{self, layout::UsedParts, subarray};
use base::work::Work;
use contracts::Requirement;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, Value};
use ir::FuncRef;
use library::host::HostRoot;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Requirements of a kernel's accesses on a launch.
#[derive(Debug, Default)]
pub(crate) struct KernelRequirements {
    /// The conditions, each once.
    pub conditions: Vec<Requirement>,
    /// Requirements by position; `None` where no condition was found.
    pub places: BTreeMap<ArrayPosition, Option<PlaceRequirement>>,
    /// Whether the kernel makes claims that each launch has to be examined for.
    pub claims: bool,
    /// Divisor that the pointers of a launch must have, in bytes, for the kernel's accesses to be aligned.
    pub alignment: u32,
}

/// Requirement of one position on a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceRequirement {
    /// Indices of conditions that must all hold.
    pub conditions: Vec<usize>,
    /// Operations of the kernel that must not wrap.
    pub wraps: Vec<String>,
}

impl Engine<'_> {
    /// Returns what a kernel's accesses ask of its launches, at all of which `given` holds; `None` where its execution
    /// did not complete.
    pub(crate) fn requirements_at_launches(
        &mut self,
        kernel: FuncRef,
        given: &[Requirement],
        each: Work,
    ) -> Option<KernelRequirements> {
        let (e, run, launch, given) = self.any_known_launch(kernel, given);
        // Reports name what somebody assumed at each launch.
        if run.gave_up.is_some() || e.assumptions.in_effect() {
            return None;
        }
        let root = HostRoot { func: kernel, trusted: false, entry: false, bound: false };
        let mut tools = self.tools(e, &root, Sizes::default(), Arc::default());
        let mut names = names(&mut tools, kernel, &launch.config, &launch.args);
        for term in given {
            names.checked.extend(tools.e.arena.conjuncts(term));
        }
        let of_objects = tools.e.all_of_objects();
        names.checked.extend(tools.e.arena.conjuncts(of_objects));
        let layout = UsedParts::of(&run);
        let (decided, invariants, number) = (DecidedValues::default(), Invariants::default(), usize::MAX);
        let (partly, summaries) = (None, None);
        let run = ExecutedLaunch { launch, decided, number, kernel, run, layout, invariants, partly, summaries };
        let cx = CheckContext { bare: true, ..self.cx.within(self.cx.all).with_work(each) };
        Some(of_run(&cx, &mut tools, &mut names, &run))
    }
}

fn of_run(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    names: &mut SymbolNames,
    launch: &ExecutedLaunch,
) -> KernelRequirements {
    let (run, direct) = (&launch.run, pointees(&launch.launch.args));
    let mut beside: BTreeMap<SourceAccess, Vec<String>> = BTreeMap::new();
    let mut positions: BTreeMap<SourceAccess, ArrayPosition> = BTreeMap::new();
    let mut elsewhere: BTreeSet<SourceAccess> = BTreeSet::new();
    for ev in &run.accesses {
        let at = cx.place_of(ev);
        let place = SourceAccess { position: position_of(at.0.clone()), array: at.1.clone() };
        match beside_bounds(cx, tools, launch, ev) {
            Some(wraps) if is_of_launch(tools, &direct, ev) => beside.entry(place.clone()).or_default().extend(wraps),
            _ => drop(elsewhere.insert(place.clone())),
        }
        positions.entry(place).or_insert(at);
    }
    let unaligned = &run.unaligned;
    let launched =
        [LaunchAccesses { accesses: &run.accesses, unaligned, run: None, solved: FxHashMap::default(), partly: None }];
    let found = of_places(cx, tools, (launch.kernel, names), &launched);
    let mut out = KernelRequirements {
        claims: !(run.claims.is_empty() && run.contracts.is_empty()),
        alignment: run.alignment,
        ..Default::default()
    };
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    for (place, at) in found {
        let Some(position) = positions.remove(&place) else { continue };
        let is_open = at.open.is_some() || elsewhere.contains(&place);
        let mut required = (!is_open).then(|| PlaceRequirement { conditions: vec![], wraps: at.wraps });
        for (need, wraps, ..) in at.needs {
            let said = match &need {
                AccessRequirement::Now(c) => names.condition(&tools.e.arena, *c),
                AccessRequirement::Each(_) => None,
            };
            let (Some(this), Some(said)) = (&mut required, said) else {
                required = None;
                break;
            };
            let said = requirement(said);
            let number = *numbers.entry(said.text.clone()).or_insert_with(|| {
                out.conditions.push(said);
                out.conditions.len() - 1
            });
            this.conditions.push(number);
            this.wraps.extend(wraps);
        }
        if let Some(this) = &mut required {
            this.wraps.extend(beside.remove(&place).unwrap_or_default());
            this.conditions.sort_unstable();
            this.conditions.dedup();
            this.wraps.sort();
            this.wraps.dedup();
        }
        out.places.insert(position, required);
    }
    out
}

/// Decides what rules beside bounds ask of an access, under an arbitrary launch: the operations that must not wrap; `None`
/// where it may be broken.
fn beside_bounds(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    launch: &ExecutedLaunch,
    ev: &AccessEvent,
) -> Option<Vec<String>> {
    let mut wraps = vec![];
    if !rules::concern(&tools.e, launch, ev) {
        return Some(wraps);
    }
    for target in ev.targets.iter() {
        let Base::Object(o) = target.base else { return None };
        let object = tools.e.object(o).clone();
        let (extent, facts) = (object.extent?, tools.e.arena.and(ev.path, target.cond));
        let access = InObject { event: ev, object: &object, target, facts, extent };
        if !subarray::stays_in_rows(cx, tools, &access) {
            return None;
        }
        for rule in rules::ALL {
            match rule.in_object(cx, tools, launch, &access, Effort::First).outcome {
                AccessVerdict::Safe => {}
                AccessVerdict::SafeIfNoWrap(operations) => wraps.extend(operations),
                AccessVerdict::Found(_) | AccessVerdict::Unknown(_) => return None,
            }
        }
    }
    Some(wraps)
}

/// Returns the objects that pointer arguments point to.
fn pointees(args: &[Value]) -> FxHashSet<Base> {
    let targets = args.iter().filter_map(|a| if let Value::Ptr(p) = a { Some(p.iter()) } else { None });
    targets.flatten().map(|t| t.base.clone()).collect()
}

/// Whether an access concerns only the launch's own memory, that of its pointer arguments, and variables: memory behind
/// pointers that the kernel loads may be of another kind at some launch.
fn is_of_launch(tools: &RootTools<'_>, direct: &FxHashSet<Base>, ev: &AccessEvent) -> bool {
    ev.targets.iter().all(|t| match &t.base {
        Base::Object(o) => tools.e.object(*o).kind != ObjKind::Parameter || direct.contains(&t.base),
        _ => false,
    })
}
