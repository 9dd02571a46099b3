//! Conditions of one function, from the accesses of its executions: one for each obligation, merged into a smaller,
//! equivalent set.

use super::alignment::{self, UnalignedAddress};
use super::conditions::{self, implies};
use super::elements::{self, ElementCondition, SufficientConditions};
use super::tensors;
use super::together::that_hold_together;
use super::wording::{SymbolNames, readable};
use super::{AccessWithoutCondition, Evidence, Inferred, SafetyCondition, SourceAccess};
use crate::context::{self, CheckContext, ExecutedLaunch, InObject, RootTools};
use crate::findings::position::position_of;
use crate::obligations::obligation::{Decision, Obligation};
use crate::obligations::{self, cone};
use crate::pipeline::budgets;
use crate::rules::bounds;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{AccessEvent, UnalignedEvent};
use engine::symbolic::memory::value::Base;
use engine::symbolic::terms::term::TermId;
use ir::{FuncRef, Function, Module, Param, TypeKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Accesses of a kernel in one launch.
pub(super) struct LaunchAccesses<'a> {
    pub accesses: &'a [AccessEvent],
    /// Accesses that may be unaligned.
    pub unaligned: &'a [UnalignedEvent],
    /// The launch, where the host makes it.
    pub run: Option<&'a ExecutedLaunch>,
    /// Tensor properties on the path to the launch, solved for others.
    pub solved: FxHashMap<TermId, TermId>,
    /// Set where the execution did not complete.
    pub partly: Option<IncompleteExecution>,
}

/// An incomplete execution. It covers no access: code beyond may reach the visited accesses again, in another state.
pub(super) struct IncompleteExecution {
    pub why: UnknownReason,
    /// Positions that the execution did not reach.
    pub beyond: Vec<context::ArrayPosition>,
}

/// Indices of an access's launch and of the access in it.
pub(super) type AccessIndex = (usize, usize);

/// Returns the evidence for a condition that these obligations need.
pub(super) type EvidenceSearch<'a> =
    dyn Fn(&CheckContext<'_>, &mut RootTools<'_>, TermId, &[(AccessIndex, Obligation)]) -> Evidence + 'a;

/// Requirement of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AccessRequirement {
    /// A condition on the function's inputs.
    Now(TermId),
    /// A condition on array contents.
    Each(ElementCondition),
}

impl AccessRequirement {
    /// Whether this requirement implies another one.
    fn implies(&self, other: &Self, cx: &CheckContext<'_>, tools: &mut RootTools<'_>) -> bool {
        match (self, other) {
            (Self::Now(x), Self::Now(y)) => implies(&mut tools.e.arena, &mut tools.decider.with(cx.attempt), *x, *y),
            (Self::Each(x), Self::Each(y)) => x.implies(y, cx, tools),
            _ => false,
        }
    }
}

/// A condition that several accesses share.
pub(super) struct SharedCondition {
    pub need: AccessRequirement,
    wraps: Vec<String>,
    pub covers: Vec<SourceAccess>,
    /// Obligations that led to the condition.
    of: Vec<(AccessIndex, Obligation)>,
}

/// Results for one source position.
#[derive(Default)]
pub(super) struct PositionResults {
    pub needs: Vec<(AccessRequirement, Vec<String>, AccessIndex, Obligation)>,
    /// Operations that must not wrap where the position needs no condition.
    pub wraps: Vec<String>,
    pub open: Option<String>,
}

/// Results for one access.
#[derive(Default)]
struct AccessResults {
    needs: Vec<(AccessRequirement, Vec<String>, Obligation)>,
    wraps: Vec<String>,
}

/// Infers a function's requirements, given that `anyway` always holds.
pub(super) fn inferred(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    (f, names): (FuncRef, &mut SymbolNames),
    launched: &[LaunchAccesses<'_>],
    (anyway, evidence): (TermId, &EvidenceSearch<'_>),
) -> Inferred {
    let places = of_places(cx, tools, (f, names), launched);
    let func = cx.program.func(f);
    let decided = || places.iter().filter(|(_, at)| at.open.is_none() && at.needs.is_empty());
    let safe = decided().filter(|(_, at)| at.wraps.is_empty()).count();
    let safe_if_no_wrap = decided().filter(|(_, at)| !at.wraps.is_empty()).map(|(place, _)| place.clone()).collect();
    let (mut shared, mut open): (Vec<SharedCondition>, Vec<AccessWithoutCondition>) = (vec![], vec![]);
    for (place, at) in places {
        if let Some(reason) = at.open {
            open.push(AccessWithoutCondition { place, reason });
            continue;
        }
        for (need, wraps, number, ob) in at.needs {
            share(&mut shared, (need, wraps), &place, (number, ob));
        }
    }
    let mut conditions = vec![];
    let shared = fewest(cx, tools, shared);
    let work = cx.scaled(budgets::FIRST);
    let (shared, against) = that_hold_together(tools, (anyway, work), shared);
    open.extend(against);
    for s in shared {
        let (evidence, said) = match &s.need {
            AccessRequirement::Now(c) => {
                let said = names.condition(&tools.e.arena, *c).map(|c| readable(&c));
                (evidence(cx, tools, *c, &s.of), said)
            }
            // A replay does not model array contents.
            AccessRequirement::Each(each) => (Evidence::Sufficient, names.of_each(&tools.e.arena, each)),
        };
        match said {
            Some(condition) => {
                conditions.push(SafetyCondition { condition, evidence, wraps: s.wraps, covers: s.covers });
            }
            None => open.extend(s.covers.into_iter().map(|place| AccessWithoutCondition {
                place,
                reason: "its condition cannot be written as a contract".to_owned(),
            })),
        }
    }
    conditions
        .sort_by(|x, y| (x.covers.first(), x.condition.to_string()).cmp(&(y.covers.first(), y.condition.to_string())));
    Inferred {
        function: func.display.clone(),
        symbol: func.name.clone(),
        kernel: func.kernel,
        numbers: numbers(cx.program.module(f.module), func),
        position: position_of(cx.program.users_loc(f.module, func.loc)),
        conditions,
        safe,
        safe_if_no_wrap,
        open,
        partly: None,
    }
}

/// Returns the results for each position that these launches reach.
pub(super) fn of_places(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    (f, names): (FuncRef, &mut SymbolNames),
    launched: &[LaunchAccesses<'_>],
) -> BTreeMap<SourceAccess, PositionResults> {
    let mut places: BTreeMap<SourceAccess, PositionResults> = BTreeMap::new();
    let place = SourceAccess::from;
    for (l, launched) in launched.iter().enumerate() {
        if let Some(IncompleteExecution { why, beyond }) = &launched.partly {
            let visited = launched.accesses.iter().map(|ev| cx.place_of(ev));
            for of in visited.chain(beyond.iter().cloned()) {
                places.entry(place(of)).or_default().open.get_or_insert_with(|| why.to_string());
            }
            continue;
        }
        names.solved.clone_from(&launched.solved);
        for (n, ev) in launched.accesses.iter().enumerate() {
            let at = places.entry(place(cx.place_of(ev))).or_default();
            if at.open.is_some() {
                continue;
            }
            match of_access(cx, tools, (f, names), launched, ev) {
                Ok(AccessResults { needs, wraps }) => {
                    at.needs.extend(needs.into_iter().map(|(need, wraps, ob)| (need, wraps, (l, n), ob)));
                    at.wraps.extend(wraps);
                }
                Err(why) => at.open = Some(why.to_string()),
            }
        }
        for event in launched.unaligned {
            let same = |ev: &AccessEvent| ev.stack == event.stack && ev.kind == event.kind;
            let Some(access) = event.access() else { continue };
            let at = places.entry(place(cx.place_of(&access))).or_default();
            if at.open.is_some() {
                continue;
            }
            let Some(n) = launched.accesses.iter().position(same) else {
                at.open = Some(UnknownReason::AlignmentOfCallers(event.align).to_string());
                continue;
            };
            match of_alignment(cx, tools, names, launched, event) {
                Ok(AccessResults { needs, wraps }) => {
                    at.needs.extend(needs.into_iter().map(|(need, wraps, ob)| (need, wraps, (l, n), ob)));
                    at.wraps.extend(wraps);
                }
                Err(why) => at.open = Some(why.to_string()),
            }
        }
    }
    places
}

/// Returns the condition for an access to be aligned; none where it is aligned anyway.
fn of_alignment(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    names: &SymbolNames,
    launched: &LaunchAccesses<'_>,
    event: &UnalignedEvent,
) -> Result<AccessResults, UnknownReason> {
    let mut all = AccessResults::default();
    if cx.is_spent() {
        return Err(UnknownReason::ProgramWork);
    }
    match obligations::alignment::decide(cx, tools, event) {
        Decision::Safe => return Ok(all),
        Decision::SafeIfNoWrap(operations) => {
            all.wraps = operations;
            return Ok(all);
        }
        Decision::Unknown(why @ UnknownReason::AlignmentOfVariable(..)) => return Err(why),
        Decision::Fails(_) | Decision::Unknown(_) => {}
    }
    let extent = tools.e.object(event.object).extent.unwrap_or(event.bytes);
    let ob = Obligation { facts: event.path, offset: event.offset, bytes: event.bytes, extent };
    let path = launched.run.map_or_else(|| tools.e.arena.bool(true), |run| run.launch.path);
    let of_tensors = tensors::put_into(&mut tools.e.arena, &launched.solved, path, &ob);
    let asked = of_tensors.as_ref().unwrap_or(&ob);
    let happens = tools.e.arena.substitute(event.happens, &launched.solved);
    let address = UnalignedAddress { offset: asked.offset, align: event.align, path: asked.facts, happens };
    let found = alignment::of(&mut tools.e.arena, &mut tools.decider.with(cx.attempt), names, address);
    let condition = found.ok_or(UnknownReason::AlignmentOfCallers(event.align))?;
    all.needs.extend(
        tools.e.arena.conjuncts(condition).into_iter().map(|c| (AccessRequirement::Now(c), vec![], ob.clone())),
    );
    Ok(all)
}

fn numbers(m: &Module, func: &Function) -> Vec<(String, u32, bool)> {
    let number = |p: &Param| match m.ty(p.ty).kind {
        TypeKind::Int(bits) => Some((p.name.clone(), bits, !func.is_unsigned(&p.name))),
        _ => None,
    };
    func.params.iter().filter_map(number).collect()
}

/// Returns the conditions for all targets of an access; none where it is safe anyway.
fn of_access(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    (f, names): (FuncRef, &mut SymbolNames),
    launched: &LaunchAccesses<'_>,
    ev: &AccessEvent,
) -> Result<AccessResults, UnknownReason> {
    let mut all = AccessResults::default();
    for target in ev.targets.iter() {
        let facts = tools.e.arena.and(ev.path, target.cond);
        if tools.e.arena.as_bool(facts) == Some(false) {
            continue;
        }
        if cx.is_spent() {
            return Err(UnknownReason::ProgramWork);
        }
        let o = match &target.base {
            Base::Object(o) => *o,
            Base::Unknown(lost) => return Err(bounds::lost_pointer(lost)),
            Base::Null => return Err(UnknownReason::NullPointer),
            Base::Func(_) => return Err(UnknownReason::FunctionPointer),
        };
        let object = tools.e.object(o).clone();
        let extent = object.extent.ok_or_else(|| UnknownReason::ExtentOf(object.name.clone()))?;
        let access = InObject { event: ev, object: &object, target, facts, extent };
        let (ob, _): (Obligation, bool) = bounds::obligation(tools, launched.run, &access);
        let ob = tensors::without_products(&mut tools.e.arena, &ob);
        match tools.decide_roughly(cx, &ob).decision {
            Decision::Safe => continue,
            Decision::SafeIfNoWrap(operations) => {
                all.wraps.extend(operations);
                continue;
            }
            Decision::Fails(_) | Decision::Unknown(_) => {}
        }
        let of_tensors =
            launched.run.and_then(|run| tensors::put_into(&mut tools.e.arena, &launched.solved, run.launch.path, &ob));
        let asked = of_tensors.as_ref().unwrap_or(&ob);
        if let Some(found) = conditions::of(&mut tools.e.arena, &mut tools.decider.with(cx.attempt), names, asked) {
            all.needs
                .extend(found.all.into_iter().map(|c| (AccessRequirement::Now(c), found.wraps.clone(), ob.clone())));
            continue;
        }
        let Some(SufficientConditions { now, each, wraps }) = elements::of(cx, tools, f, names, asked) else {
            let unknowns = cone::unknowns(&tools.e, &[ob.offset, ob.extent, ob.bytes]);
            return Err(unknowns.into_iter().next().unwrap_or(UnknownReason::NoCondition));
        };
        let needs = now.into_iter().map(AccessRequirement::Now).chain(each.into_iter().map(AccessRequirement::Each));
        all.needs.extend(needs.map(|need| (need, wraps.clone(), ob.clone())));
    }
    Ok(all)
}

fn share(
    all: &mut Vec<SharedCondition>,
    (need, wraps): (AccessRequirement, Vec<String>),
    place: &SourceAccess,
    of: (AccessIndex, Obligation),
) {
    match all.iter_mut().find(|s| s.need == need) {
        Some(s) => {
            if !s.covers.contains(place) {
                s.covers.push(place.clone());
            }
            s.wraps.extend(wraps.into_iter().filter(|w| !s.wraps.contains(w)).collect::<Vec<_>>());
            s.of.push(of);
        }
        None => all.push(SharedCondition { need, wraps, covers: vec![place.clone()], of: vec![of] }),
    }
}

/// Most conditions that are compared with each other.
const COMPARED: usize = 40;

/// Removes conditions that others imply; these take over the covered positions.
fn fewest(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, all: Vec<SharedCondition>) -> Vec<SharedCondition> {
    if all.len() > COMPARED {
        return all;
    }
    let mut kept: Vec<SharedCondition> = vec![];
    for new in all {
        let implied = kept.iter().position(|k| k.need.implies(&new.need, cx, tools));
        if let Some(i) = implied {
            merge(&mut kept[i], new);
            continue;
        }
        let mut new = new;
        let mut i = 0;
        while i < kept.len() {
            if new.need.implies(&kept[i].need, cx, tools) {
                let old = kept.remove(i);
                merge(&mut new, old);
            } else {
                i += 1;
            }
        }
        kept.push(new);
    }
    kept
}

fn merge(into: &mut SharedCondition, other: SharedCondition) {
    into.of.extend(other.of);
    into.covers.extend(other.covers);
    into.covers.sort();
    into.covers.dedup();
    into.wraps.extend(other.wraps.into_iter().filter(|w| !into.wraps.contains(w)).collect::<Vec<_>>());
}
