//! Check that an operator lacks for one access to stay in bounds.
//!
//! In: an out-of-bounds access, the launch that makes it, and the tensors for which it fails. Out: a condition on the
//! operator's inputs, in contract syntax. If the witness's tensors are not contiguous or differ in rank, the
//! condition requires contiguity or a rank. Otherwise it is the rest of the obligation after the elimination of
//! thread and loop variables, for packed tensors; for an index tensor, the same for each of its elements. This module
//! decides nothing.

use super::dispatch::for_all_arguments;
use super::elements::SufficientConditions;
use super::evaluated::{is_optional, where_given, without_zero_divisors};
use super::given;
use super::guards::NeededCheck;
use super::refusals::refuse_right_inputs;
use super::wording::{SymbolNames, readable, requirement};
use super::{conditions, dimensions, elements, rows, tensors};
use crate::context::{CheckContext, ExecutedLaunch, RootTools};
use crate::findings::position::position_of;
use crate::obligations::cone;
use crate::obligations::obligation::{Decision, Obligation};
use base::rules::Rule;
use contracts::ast::{Binary, TermKind};
use contracts::{Cond, ContractTerm};
pub use engine::symbolic::memory::tensors::OF_STORAGE;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{Term, TermId};
use finding::dlpack::Carried;
use finding::{MissingCheck, Position, TensorArgument};
use ir::{Function, Module, Param, TypeKind};
use models::dlpack::{NDARRAY, STRUCTURE, carrier};
use models::tensors::is_of_stable_abi;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Most characters of a condition; nobody writes a longer check. A comparison of four sizes of one tensor with those
/// of another fits.
const LONGEST: usize = 240;

/// An out-of-bounds access.
pub(crate) struct OutOfBoundsAccess<'a> {
    pub rule: Rule,
    pub obligation: &'a Obligation,
    /// Name of the object that it exceeds.
    pub object: &'a str,
    /// Tensors for which it fails.
    pub arguments: &'a BTreeMap<String, TensorArgument>,
}

/// Returns the condition, and the position of the operator's definition.
pub(crate) fn missing(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    wrong: &OutOfBoundsAccess<'_>,
) -> Option<MissingCheck> {
    let condition = match of_strides(cx, tools, run, wrong) {
        Some(condition) => condition,
        None if wrong.rule == Rule::DataIndex => left_of(cx, tools, run, wrong)?,
        None if is_bounded_by_unknowns(tools, run, wrong.obligation) => return None,
        None => of_layout_and_sizes(cx, tools, run, wrong)?,
    };
    check_for_all(cx, tools, run, (wrong.object, wrong.obligation.facts), condition)
}

/// Whether a number that is not followed bounds the index of an access, such as a product with a float: what is left of the
/// obligation without that number would refuse right calls.
fn is_bounded_by_unknowns(tools: &RootTools<'_>, run: &ExecutedLaunch, access: &Obligation) -> bool {
    let a = &tools.e.arena;
    let before = a.conjuncts(run.launch.path);
    let of_index = a.symbols_of(&[access.offset]);
    a.conjuncts(access.facts).into_iter().filter(|c| !before.contains(c)).any(|c| {
        matches!(a.get(c), Term::Le(_))
            && a.symbols_of(&[c]).iter().any(|s| of_index.contains(s))
            && !cone::unknowns(&tools.e, &[c]).is_empty()
    })
}

/// Returns the condition of one launch as a check of an operator's arguments.
pub(super) fn check_for_all(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    (object, facts): (&str, TermId),
    condition: String,
) -> Option<MissingCheck> {
    let object = object.strip_suffix(OF_STORAGE).unwrap_or(object);
    let condition = match contracts::parse(&condition) {
        Ok(condition) => {
            let condition = for_all_arguments(cx, tools, run, NeededCheck { object, facts, condition })?;
            let condition = where_given(tools.e.program.func(tools.root.func), condition)?.without_repeats();
            let condition = without_zero_divisors(cx, tools, condition).presence_first();
            if refuses_all(cx, tools, &condition) {
                return None;
            }
            condition.to_string()
        }
        Err(_) => condition,
    };
    if condition.len() > LONGEST {
        return None;
    }
    let func = tools.root.func;
    let f = tools.e.program.func(func);
    let function = position_of(tools.e.program.users_loc(func.module, f.loc));
    Some(check_of((tools.e.program.module(func.module), f), condition, function))
}

/// Whether no call passes a check that comes back from the operator today.
fn refuses_all(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, condition: &Cond) -> bool {
    let Some(call) = tools.call.clone() else { return false };
    let stated = requirement(condition.clone());
    let passed = tools.e.required_of_call(tools.root.func, &call.args, &call.entry, &stated);
    let Some(passed) = passed else { return false };
    let both = tools.e.arena.and(call.returns, passed);
    matches!(tools.happens(cx, both).decision, Decision::Safe)
}

/// Returns a check of an operator, to be written with the functions of the library that calls it.
pub(crate) fn check_of((m, f): (&Module, &Function), condition: String, function: Position) -> MissingCheck {
    let carried = |(i, p): (usize, &Param)| {
        if is_optional(f, p) {
            return Some((p.name.clone(), Carried::Optional));
        }
        let how = match carrier(m, f, i)?.class {
            NDARRAY => Carried::Ndarray,
            STRUCTURE => Carried::Structure,
            _ => Carried::TensorView,
        };
        Some((p.name.clone(), how))
    };
    let mut carriers: BTreeMap<String, Carried> = f.params.iter().enumerate().filter_map(carried).collect();
    carriers.retain(|name, how| *how != Carried::Optional || condition.contains(&format!("{name}.")));
    let is_of =
        |p: &Param, bits: std::ops::Range<u32>| matches!(m.ty(p.ty).kind, TypeKind::Int(n) if bits.contains(&n));
    let named = |is_meant: &dyn Fn(&Param) -> bool| {
        f.params.iter().filter(|p| is_meant(p)).map(|p| p.name.clone()).collect::<BTreeSet<String>>()
    };
    MissingCheck {
        condition,
        function,
        stable: is_of_stable_abi(f),
        contract: false,
        carriers,
        narrow: named(&|p| is_of(p, 2..64)),
        wide: named(&|p| is_of(p, 64..65)),
        unsigned: named(&|p| is_of(p, 2..65) && f.is_unsigned(&p.name)),
    }
}

/// Requires, for a tensor that is indexed by its own strides, that each index is less than the size of its dimension: no
/// layout is assumed. `None` for other tensors, and where the access may then go wrong all the same.
fn of_strides(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    wrong: &OutOfBoundsAccess<'_>,
) -> Option<String> {
    let name = wrong.object.strip_suffix(OF_STORAGE)?;
    let element = wrong.arguments.get(name)?.element_bytes().filter(|n| *n > 0)?;
    let of_elements = wrong.rule == Rule::DataIndex;
    let path = run.launch.path;
    let a = &mut tools.e.arena;
    let obligation = tensors::without_products(a, wrong.obligation);
    let solved = tensors::solved(a, path);
    let conditions = a.and(path, obligation.facts);
    let dimensions = tensors::sizes_and_strides(a, conditions, &solved, name)?;
    let offset = a.substitute(obligation.offset, &solved);
    let offset = a.unwrapped(offset);
    let bytes = a.as_int(obligation.bytes).filter(|bytes| bytes % element == 0)?;
    let goals = dimensions::goals_of_strides(a, offset, (element, bytes / element), &dimensions)?;
    // Sizes and indices are those of a packed tensor, too, whose facts are simpler.
    let packed = tensors::solved_of_packed(a, path);
    let ob = tensors::put_into(a, &packed, path, &obligation).unwrap_or(obligation);
    let ob = tensors::in_words(a, &ob);
    let goals = goals.into_iter().map(|goal| a.substitute(goal, &packed)).collect();
    let mut names = words(tools, run, &packed, of_elements);
    names.solved = packed;
    let condition = of_dimensions(cx, tools, &mut names, (&ob, goals), of_elements)?;
    let condition = readable(&condition);
    (of_elements || suffices(cx, tools, &condition, wrong.obligation)).then(|| condition.to_string())
}

/// Whether an access is in bounds in every call that a check lets pass.
fn suffices(cx: &CheckContext<'_>, tools: &mut RootTools<'_>, condition: &Cond, access: &Obligation) -> bool {
    let Some(call) = tools.call.clone() else { return false };
    let stated = requirement(condition.clone());
    let Some(passed) = tools.e.required_of_call(tools.root.func, &call.args, &call.entry, &stated) else {
        return false;
    };
    let checked = Obligation { facts: tools.e.arena.and(access.facts, passed), ..access.clone() };
    matches!(tools.decide_roughly(cx, &checked).decision, Decision::Safe | Decision::SafeIfNoWrap(_))
}

/// Returns names for the operator's inputs. A condition on elements or optional tensors keeps the guards that it is found
/// with.
fn words(
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    solved: &FxHashMap<TermId, TermId>,
    of_elements: bool,
) -> SymbolNames {
    let f = tools.e.program.func(tools.root.func);
    let keeps_guards = of_elements || f.params.iter().any(|p| is_optional(f, p));
    given::words_of(tools, run, solved, keeps_guards)
}

/// Requires, for a tensor that is not packed, contiguity, if that suffices, else contiguity and a condition on sizes.
/// For a tensor whose rank is unchecked, requires the assumed rank.
fn of_layout_and_sizes(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    wrong: &OutOfBoundsAccess<'_>,
) -> Option<String> {
    let tensor = wrong.object.strip_suffix(OF_STORAGE);
    let strided = tensor.filter(|name| wrong.arguments.get(*name).is_some_and(|t| !t.is_packed()));
    if let Some(name) = strided {
        let layout = format!("{name}.is_contiguous()");
        let path = run.launch.path;
        let solved = tensors::solved_of_packed(&mut tools.e.arena, path);
        let ob = tensors::put_into(&mut tools.e.arena, &solved, path, wrong.obligation)?;
        if matches!(tools.decide_roughly(cx, &ob).decision, Decision::Safe | Decision::SafeIfNoWrap(_)) {
            return both(tools, name, &layout, "");
        }
        // Of a tensor of any rank only the product of all sizes is known.
        if let Some(storage) = rows::packed(tools, run, wrong, &solved).filter(|storage| storage.is_open) {
            let solved = storage.with_extent(&mut tools.e.arena, &solved);
            let ob = tensors::put_into(&mut tools.e.arena, &solved, path, wrong.obligation)?;
            if matches!(tools.decide_roughly(cx, &ob).decision, Decision::Safe | Decision::SafeIfNoWrap(_)) {
                return both(tools, name, &layout, "");
            }
        }
        let sizes = left_of(cx, tools, run, wrong)?;
        return both(tools, name, &layout, &sizes);
    }
    let path = run.launch.path;
    let fewest = tensor.and_then(|name| tensors::of_fewest_dimensions(&mut tools.e.arena, path, name).zip(Some(name)));
    if let Some(((rank, no_more), name)) = fewest {
        let mut solved = tensors::solved_of_packed(&mut tools.e.arena, path);
        solved.extend(no_more);
        let ob = tensors::put_into(&mut tools.e.arena, &solved, path, wrong.obligation)?;
        if matches!(tools.decide_roughly(cx, &ob).decision, Decision::Safe | Decision::SafeIfNoWrap(_)) {
            return both(tools, name, &format!("{name}.dim() == {rank}"), "");
        }
    }
    let solved = tensors::solved_of_packed(&mut tools.e.arena, path);
    let storage = rows::packed(tools, run, wrong, &solved);
    if let Some(storage) = &storage {
        let mut names = given::names(tools, tools.root.func);
        let of_rows = rows::of_rows(cx, tools, run, wrong, (storage, &mut names), &solved);
        if of_rows.is_some() {
            return of_rows;
        }
    }
    if let (Some(storage), Some(name)) = (storage.filter(|s| s.is_open && !s.is_known), tensor) {
        let solved = storage.with_extent(&mut tools.e.arena, &solved);
        let sizes = left_under(cx, tools, run, wrong, solved)?;
        return both(tools, name, &format!("{name}.is_contiguous()"), &sizes);
    }
    left_under(cx, tools, run, wrong, solved)
}

/// Joins a condition on a tensor's layout or rank and one on sizes, if there is one. An optional tensor has them only if
/// it is given.
fn both(tools: &RootTools<'_>, tensor: &str, layout: &str, sizes: &str) -> Option<String> {
    let given = tools.e.program.func(tools.root.func);
    let is_absent = format!("{tensor}.has_value() != 1");
    let mut all = vec![contracts::parse(layout).ok()?];
    if !sizes.is_empty() {
        all.push(contracts::parse(sizes.strip_prefix(&format!("{is_absent} || ")).unwrap_or(sizes)).ok()?);
    }
    let all = Cond::all(all);
    let is_optional = given.params.iter().any(|p| p.name == tensor && is_optional(given, p));
    let parts = if is_optional { vec![contracts::parse(&is_absent).ok()?, all] } else { vec![all] };
    Some(Cond::any(parts).to_string())
}

/// Returns the rest of the obligation: a condition on the contents of index tensors where the obligation depends on
/// them. It is stated by dimension where the index can be split into dimensions.
fn left_of(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    wrong: &OutOfBoundsAccess<'_>,
) -> Option<String> {
    let solved = tensors::solved_of_packed(&mut tools.e.arena, run.launch.path);
    left_under(cx, tools, run, wrong, solved)
}

/// Returns the rest of the obligation, with these tensor properties solved.
fn left_under(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    wrong: &OutOfBoundsAccess<'_>,
    solved: FxHashMap<TermId, TermId>,
) -> Option<String> {
    let of_elements = wrong.rule == Rule::DataIndex;
    let path = run.launch.path;
    let mut names = words(tools, run, &solved, of_elements);
    let obligation = tensors::without_products(&mut tools.e.arena, wrong.obligation);
    let of_tensors = tensors::put_into(&mut tools.e.arena, &solved, path, &obligation);
    let ob = tensors::in_words(&mut tools.e.arena, of_tensors.as_ref().unwrap_or(&obligation));
    let sizes = tensors::sizes(&mut tools.e.arena, path, &solved, wrong.object.strip_suffix(OF_STORAGE), &ob);
    (names.solved, names.copies) = (solved, true);
    let given = wrong.object.strip_suffix(OF_STORAGE).and_then(|name| wrong.arguments.get(name)?.element_bytes());
    let in_dimensions = sizes.and_then(|sizes| in_dimensions(cx, tools, &mut names, (&ob, given), &sizes, of_elements));
    let condition = in_dimensions.or_else(|| in_storage(cx, tools, &mut names, &ob, of_elements))?;
    if condition.terms().into_iter().any(multiplies_quotient) {
        return None;
    }
    Some(readable(&condition).to_string())
}

/// Returns a condition under which the access lies in the storage.
fn in_storage(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    names: &mut SymbolNames,
    ob: &Obligation,
    of_elements: bool,
) -> Option<Cond> {
    if of_elements {
        let needs = elements::of(cx, tools, tools.root.func, names, ob)?;
        return worded(&tools.e.arena, names, &needs);
    }
    let found = conditions::of(&mut tools.e.arena, &mut tools.decider.with(cx.attempt), names, ob)?;
    let a = &mut tools.e.arena;
    let (zero, end) = (a.int(0), a.add(ob.offset, ob.bytes));
    let (after, before) = (a.le(zero, ob.offset), a.le(end, ob.extent));
    let goal = a.and(after, before);
    if refuse_right_inputs(cx, tools, names, (ob.facts, goal), &found.all) {
        return None;
    }
    let a = &mut tools.e.arena;
    let all = a.and_all(found.all);
    let all = conditions::without_choices(a, all);
    names.condition(a, all)
}

/// Returns a condition under which each index is less than the size of its dimension. An access to a caller's tensor
/// may take several of its elements (`reinterpret_cast<float4 *>(x.data_ptr<float>())`).
fn in_dimensions(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    names: &mut SymbolNames,
    (ob, element): (&Obligation, Option<i128>),
    sizes: &[TermId],
    of_elements: bool,
) -> Option<Cond> {
    let a = &mut tools.e.arena;
    let offset = a.unwrapped(ob.offset);
    let bytes = a.as_int(ob.bytes).filter(|n| *n > 0)?;
    let sizes: Vec<TermId> = sizes.iter().map(|t| a.unwrapped(*t)).collect();
    let element = element.filter(|n| *n > 0).unwrap_or(bytes);
    if bytes % element != 0 {
        return None;
    }
    let goals = dimensions::goals(a, offset, (element, bytes / element), &sizes)?;
    of_dimensions(cx, tools, names, (ob, goals), of_elements)
}

/// Returns a condition under which these goals of an access hold: each index is less than the size of its dimension.
fn of_dimensions(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    names: &mut SymbolNames,
    (ob, goals): (&Obligation, Vec<TermId>),
    of_elements: bool,
) -> Option<Cond> {
    let a = &mut tools.e.arena;
    let facts = a.unwrapped(ob.facts);
    if of_elements {
        let needs = elements::of_goals(cx, tools, tools.root.func, names, (facts, &goals, ob.offset))?;
        return worded(&tools.e.arena, names, &needs);
    }
    let found = conditions::of_goals(a, &mut tools.decider.with(cx.attempt), names, facts, &goals)?;
    let goal = a.and_all(goals);
    if refuse_right_inputs(cx, tools, names, (facts, goal), &found) {
        return None;
    }
    let a = &mut tools.e.arena;
    let found: Vec<TermId> = found.into_iter().map(|c| conditions::without_choices(a, c)).collect();
    found.into_iter().map(|c| names.condition(a, c)).collect::<Option<Vec<_>>>().map(Cond::all)
}

/// Whether a quotient is multiplied by another non-constant: the rest of an index that was not split, which is
/// stricter than anybody means.
fn multiplies_quotient(t: &ContractTerm) -> bool {
    let has_quotient = |t: &ContractTerm| {
        let (mut open, mut found) = (vec![t], false);
        while let Some(t) = open.pop() {
            found |= matches!(t.kind, TermKind::Binary(Binary::Div | Binary::Rem, ..));
            open.extend(t.parts());
        }
        found
    };
    let is_number = |t: &ContractTerm| matches!(t.kind, TermKind::Int(_));
    match &t.kind {
        TermKind::Binary(Binary::Mul, a, b) if has_quotient(a) && !is_number(b) || has_quotient(b) && !is_number(a) => {
            true
        }
        _ => t.parts().into_iter().any(multiplies_quotient),
    }
}

fn worded(a: &Arena, names: &SymbolNames, needs: &SufficientConditions) -> Option<Cond> {
    let now = needs.now.iter().map(|c| names.condition(a, *c)).collect::<Option<Vec<_>>>()?;
    let each = needs.each.iter().map(|each| names.of_each(a, each)).collect::<Option<Vec<_>>>()?;
    Some(Cond::all(now.into_iter().chain(each).collect()))
}
