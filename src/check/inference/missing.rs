//! What an operator would have to check so that one access of it stays in bounds.
//!
//! In: an access that goes out of bounds, the launch that makes it, the tensors with which it does. Out: a condition on what the operator is given, as
//! contracts are written: that a tensor is contiguous or has so many dimensions, where those of the witness do not; else what is left of the
//! obligation when the variables of threads and loops are eliminated, for tensors that are laid out as they are made; of an index tensor the same of
//! each of its elements. It decides nothing.

use super::{conditions, elements, entry, gather, tensors};
use crate::check::context::{Run, Tools};
use crate::check::findings::position::position_of;
use crate::check::obligations::obligation::Obligation;
use crate::contracts::Cond;
use crate::report::finding::{MissingCheck, TensorArgument};
use crate::rules::Rule;
use std::collections::BTreeMap;

/// Characters of a condition; nobody writes a longer check.
const LONGEST: usize = 160;

/// The condition, and where the operator is defined.
pub(in crate::check) fn missing(
    tools: &mut Tools<'_>,
    run: &Run,
    ob: &Obligation,
    (rule, arguments): (Rule, &BTreeMap<String, TensorArgument>),
) -> Option<MissingCheck> {
    let condition = match rule {
        Rule::DataIndex => left_of(tools, run, ob, true),
        _ => of_layout(arguments).or_else(|| left_of(tools, run, ob, false)),
    }?;
    let func = tools.root.func;
    let f = tools.e.program.func(func);
    let function = position_of(tools.e.program.users_loc(func.module, f.loc));
    Some(MissingCheck { condition, function })
}

/// A layout or a rank that the code takes for granted, by tensors that have another.
fn of_layout(arguments: &BTreeMap<String, TensorArgument>) -> Option<String> {
    if let Some((name, _)) = arguments.iter().find(|(_, t)| !t.is_packed()) {
        return Some(format!("{name}.is_contiguous()"));
    }
    let (name, t) = arguments.iter().find(|(_, t)| t.sizes.len() > 1 && t.sizes.contains(&0))?;
    Some(format!("{name}.dim() == {}", t.sizes.len() - 1))
}

/// What is left of the obligation: of what index tensors hold where it depends on that.
fn left_of(tools: &mut Tools<'_>, run: &Run, ob: &Obligation, of_elements: bool) -> Option<String> {
    let root = tools.root.func;
    let mut names = entry::names(tools, root);
    let solved = tensors::solved_of_packed(&mut tools.e.arena, run.launch.path);
    names.solved.clone_from(&solved);
    let launched = gather::Launched { accesses: &run.run.accesses, run: Some(run), solved, partly: None };
    names.checked = entry::checked(&mut tools.e.arena, std::slice::from_ref(&launched), &names);
    let of_tensors = gather::in_numbers_of_tensors(&mut tools.e.arena, &launched, ob);
    let ob = of_tensors.as_ref().unwrap_or(ob);
    let condition = if of_elements {
        let needs = elements::of(tools, root, &mut names, ob)?;
        let (a, now) = (&tools.e.arena, needs.now.iter());
        let now = now.map(|c| names.condition(a, *c)).collect::<Option<Vec<_>>>()?;
        let each = needs.each.iter().map(|each| names.of_each(a, each)).collect::<Option<Vec<_>>>()?;
        Cond::all(now.into_iter().chain(each).collect())
    } else {
        let found = conditions::of(&mut tools.e.arena, &mut tools.decider, &names, ob)?;
        names.condition(&tools.e.arena, found.condition)?
    };
    let text = gather::readable(&condition).to_string();
    (text.len() <= LONGEST).then_some(text)
}
