//! What an operator would have to check so that one access of it stays in bounds.
//!
//! In: an access that goes out of bounds, the launch that makes it, the tensors with which it does. Out: a condition on what the operator is given, as
//! contracts are written: that a tensor is contiguous or has so many dimensions, where those of the witness do not; else what is left of the
//! obligation when the variables of threads and loops are eliminated, for tensors that are laid out as they are made; of an index tensor the same of
//! each of its elements. It decides nothing.

use super::given::{self, Way};
use super::wording::readable;
use super::{conditions, elements, tensors};
use crate::check::context::{Run, Tools};
use crate::check::findings::position::position_of;
use crate::check::obligations::obligation::{Decision, Obligation};
use crate::contracts::Cond;
use crate::report::finding::{MissingCheck, TensorArgument};
use crate::rules::Rule;
use crate::symbolic::memory::tensors::OF_STORAGE;
use std::collections::BTreeMap;

/// Characters of a condition; nobody writes a longer check.
const LONGEST: usize = 160;

/// An access that goes out of bounds.
pub(in crate::check) struct Wrong<'a> {
    pub rule: Rule,
    pub obligation: &'a Obligation,
    /// The name of what it goes out of.
    pub object: &'a str,
    /// The tensors with which it does.
    pub arguments: &'a BTreeMap<String, TensorArgument>,
}

/// The condition, and where the operator is defined.
pub(in crate::check) fn missing(tools: &mut Tools<'_>, run: &Run, wrong: &Wrong<'_>) -> Option<MissingCheck> {
    let condition = match wrong.rule {
        Rule::DataIndex => left_of(tools, run, wrong.obligation, true)?,
        _ => of_layout_and_sizes(tools, run, wrong)?,
    };
    if condition.len() > LONGEST {
        return None;
    }
    let func = tools.root.func;
    let f = tools.e.program.func(func);
    let function = position_of(tools.e.program.users_loc(func.module, f.loc));
    Some(MissingCheck { condition, function })
}

/// Of a tensor that is not laid out as it is made, that it is, where that is enough; else with what sizes must keep to. Of one whose rank nobody checks
/// the rank that is asked for.
fn of_layout_and_sizes(tools: &mut Tools<'_>, run: &Run, wrong: &Wrong<'_>) -> Option<String> {
    let tensor = wrong.object.strip_suffix(OF_STORAGE);
    let strided = tensor.filter(|name| wrong.arguments.get(*name).is_some_and(|t| !t.is_packed()));
    if let Some(name) = strided {
        let layout = format!("{name}.is_contiguous()");
        let path = run.launch.path;
        let solved = tensors::solved_of_packed(&mut tools.e.arena, path);
        let ob = tensors::put_into(&mut tools.e.arena, &solved, path, wrong.obligation)?;
        if matches!(tools.decider.decide_roughly(&mut tools.e.arena, &ob), Decision::Safe | Decision::SafeIfNoWrap(_)) {
            return Some(layout);
        }
        let sizes = left_of(tools, run, wrong.obligation, false)?;
        return Some(format!("{layout} && {sizes}"));
    }
    left_of(tools, run, wrong.obligation, false).or_else(|| {
        let rank = tensors::hypotheses(&mut tools.e, tools.root.func, &[run.launch.path]);
        let asked = format!("{}.dim() ==", tensor?);
        rank.iter().map(ToString::to_string).find(|c| c.starts_with(&asked))
    })
}

/// What is left of the obligation: of what index tensors hold where it depends on that.
fn left_of(tools: &mut Tools<'_>, run: &Run, ob: &Obligation, of_elements: bool) -> Option<String> {
    let root = tools.root.func;
    let mut names = given::names(tools, root);
    let path = run.launch.path;
    let solved = tensors::solved_of_packed(&mut tools.e.arena, path);
    names.checked = given::checked(&mut tools.e.arena, &[Way { path, solved: &solved }], &names);
    let of_tensors = tensors::put_into(&mut tools.e.arena, &solved, path, ob);
    names.solved = solved;
    let ob = of_tensors.as_ref().unwrap_or(ob);
    let condition = if of_elements {
        let needs = elements::of(tools, root, &mut names, ob)?;
        let (a, now) = (&tools.e.arena, needs.now.iter());
        let now = now.map(|c| names.condition(a, *c)).collect::<Option<Vec<_>>>()?;
        let each = needs.each.iter().map(|each| names.of_each(a, each)).collect::<Option<Vec<_>>>()?;
        Cond::all(now.into_iter().chain(each).collect())
    } else {
        let found = conditions::of(&mut tools.e.arena, &mut tools.decider, &names, ob)?;
        let all = tools.e.arena.and_all(found.all);
        names.condition(&tools.e.arena, all)?
    };
    Some(readable(&condition).to_string())
}
