//! One kernel under any launch: a condition for each of its accesses, and of all of these the few that say the same.

use super::conditions::{self, Found, implies};
use super::evidence::{self, Executed};
use super::wording::{Name, Names};
use super::{Condition, Inferred, Open, Place};
use crate::check::context::{Context, InObject, Tools};
use crate::check::counterexample::degenerate::Sizes;
use crate::check::engine::Engine;
use crate::check::engine::budgets;
use crate::check::findings::position::position_of;
use crate::check::obligations::cone;
use crate::check::obligations::obligation::{Decision, Obligation};
use crate::check::rules::bounds;
use crate::contracts::{Cond, simplify};
use crate::host::Root;
use crate::ir::{FuncRef, Function, Module, Param, TypeKind};
use crate::reasons::UnknownReason;
use crate::symbolic::exec::events::{AccessEvent, LaunchConfig};
use crate::symbolic::memory::value::{Base, Value};
use crate::symbolic::terms::term::TermId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A condition that accesses have in common.
struct Shared {
    condition: TermId,
    wraps: Vec<String>,
    covers: Vec<Place>,
    /// Where it was found: events by their numbers.
    of: Vec<(usize, Obligation)>,
}

/// What was found of one place.
#[derive(Default)]
struct At {
    conditions: Vec<(Found, usize, Obligation)>,
    open: Option<String>,
}

/// What a kernel relies on, of so many of its program.
pub(super) fn infer(engine: &mut Engine<'_>, kernel: FuncRef, of: usize) -> Inferred {
    engine.cx.all = engine.cx.phase(budgets::idle(of) * 4, 100);
    let contracts = &engine.cx.options.contracts;
    let (e, run, config) = engine.any_launch(kernel, contracts);
    let root = Root { func: kernel, trusted: false };
    let mut tools = engine.tools(e, &root, Sizes::default(), Arc::default());
    let names = names(&mut tools, kernel, &config.0, &config.1);
    let cx = engine.cx;
    let mut places: BTreeMap<Place, At> = BTreeMap::new();
    for (number, ev) in run.accesses.iter().enumerate() {
        let (loc, array) = cx.place_of(ev);
        let at = places.entry(Place { position: position_of(loc), array }).or_default();
        if at.open.is_some() {
            continue;
        }
        match of_access(&cx, &mut tools, &names, ev) {
            Ok(found) => at.conditions.extend(found.into_iter().map(|(f, ob)| (f, number, ob))),
            Err(why) => at.open = Some(why.to_string()),
        }
    }
    let func = cx.program.func(kernel);
    let safe = places.values().filter(|at| at.open.is_none() && at.conditions.is_empty()).count();
    let (mut shared, mut open): (Vec<Shared>, Vec<Open>) = (vec![], vec![]);
    for (place, at) in places {
        if let Some(reason) = at.open {
            open.push(Open { place, reason });
            continue;
        }
        for (found, number, ob) in at.conditions {
            share(&mut shared, found, &place, (number, ob));
        }
    }
    let mut conditions = vec![];
    let axioms = tools.e.launch_axioms(&config.0);
    let axioms = tools.e.arena.and_all(axioms);
    let launch = Executed { config: &config.0, run: &run, axioms };
    for s in fewest(&mut tools, shared) {
        let of: Vec<_> = s.of.into_iter().map(|(number, ob)| (&run.accesses[number], ob)).collect();
        let evidence = evidence::of(&mut tools, &launch, s.condition, &of);
        match names.condition(&tools.e.arena, s.condition).map(|c| readable(&c)) {
            Some(condition) => conditions.push(Condition { condition, evidence, wraps: s.wraps, covers: s.covers }),
            None => open.extend(
                s.covers
                    .into_iter()
                    .map(|place| Open { place, reason: "its condition cannot be written as a contract".to_owned() }),
            ),
        }
    }
    conditions
        .sort_by(|x, y| (x.covers.first(), x.condition.to_string()).cmp(&(y.covers.first(), y.condition.to_string())));
    Inferred {
        function: func.display.clone(),
        symbol: func.name.clone(),
        numbers: numbers(cx.program.module(kernel.module), func),
        position: position_of(cx.program.users_loc(kernel.module, func.loc)),
        conditions,
        safe,
        open,
        partly: run.gave_up.as_ref().map(ToString::to_string),
    }
}

fn numbers(m: &Module, func: &Function) -> Vec<(String, u32, bool)> {
    let number = |p: &Param| match m.ty(p.ty).kind {
        TypeKind::Int(bits) => Some((p.name.clone(), bits, !func.is_unsigned(&p.name))),
        _ => None,
    };
    func.params.iter().filter_map(number).collect()
}

/// In the normal form, where that is no longer than what was found.
fn readable(c: &Cond) -> Cond {
    let normal = simplify(c);
    if normal.to_string().len() <= c.to_string().len() { normal } else { c.clone() }
}

/// The words for parameters, extents and launch. Extents that nobody knows become symbols.
fn names(tools: &mut Tools<'_>, kernel: FuncRef, config: &LaunchConfig, args: &[Value]) -> Names {
    let mut names = Names::default();
    names.add_launch(config.grid, config.block, config.shared);
    let func = tools.e.program.func(kernel);
    for (i, (param, arg)) in func.params.iter().zip(args).enumerate() {
        match arg {
            Value::Int(t) => {
                names.all.insert(*t, Name::Parameter(param.name.clone()));
            }
            Value::Ptr(targets) => {
                let [target] = targets.as_slice() else { continue };
                let Base::Object(o) = target.base else { continue };
                if let Ok(extent) = tools.e.extent_of_parameter(kernel, o, &param.name) {
                    names.all.insert(extent, Name::Extent(param.name.clone(), func.element_bytes(i)));
                }
            }
            _ => {}
        }
    }
    names
}

/// The conditions for all targets of an access; none where it is safe anyway.
fn of_access(
    cx: &Context<'_>,
    tools: &mut Tools<'_>,
    names: &Names,
    ev: &AccessEvent,
) -> Result<Vec<(Found, Obligation)>, UnknownReason> {
    let mut all = vec![];
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
        let (ob, _): (Obligation, bool) = bounds::obligation(tools, None, &access);
        if matches!(tools.decider.decide_roughly(&mut tools.e.arena, &ob), Decision::Safe | Decision::SafeIfNoWrap(_)) {
            continue;
        }
        match conditions::of(&mut tools.e.arena, &mut tools.decider, names, &ob) {
            Some(found) => all.push((found, ob)),
            None => {
                let unknowns = cone::unknowns(&tools.e, &[ob.offset, ob.extent, ob.bytes]);
                return Err(unknowns.into_iter().next().unwrap_or(UnknownReason::NoCondition));
            }
        }
    }
    Ok(all)
}

fn share(all: &mut Vec<Shared>, found: Found, place: &Place, of: (usize, Obligation)) {
    match all.iter_mut().find(|s| s.condition == found.condition) {
        Some(s) => {
            if !s.covers.contains(place) {
                s.covers.push(place.clone());
            }
            s.wraps.extend(found.wraps.into_iter().filter(|w| !s.wraps.contains(w)).collect::<Vec<_>>());
            s.of.push(of);
        }
        None => {
            let (condition, wraps) = (found.condition, found.wraps);
            all.push(Shared { condition, wraps, covers: vec![place.clone()], of: vec![of] });
        }
    }
}

/// Conditions beyond which they are not compared with each other.
const COMPARED: usize = 40;

/// Without those that others imply: these cover what they covered.
fn fewest(tools: &mut Tools<'_>, all: Vec<Shared>) -> Vec<Shared> {
    if all.len() > COMPARED {
        return all;
    }
    let mut kept: Vec<Shared> = vec![];
    for new in all {
        let implied =
            kept.iter().position(|k| implies(&mut tools.e.arena, &mut tools.decider, k.condition, new.condition));
        if let Some(i) = implied {
            merge(&mut kept[i], new);
            continue;
        }
        let mut new = new;
        let mut i = 0;
        while i < kept.len() {
            if implies(&mut tools.e.arena, &mut tools.decider, new.condition, kept[i].condition) {
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

fn merge(into: &mut Shared, other: Shared) {
    into.of.extend(other.of);
    into.covers.extend(other.covers);
    into.covers.sort();
    into.covers.dedup();
    into.wraps.extend(other.wraps.into_iter().filter(|w| !into.wraps.contains(w)).collect::<Vec<_>>());
}
