//! Checks that hold for all arguments of a function, although only some lead to the launch that needs them.
//!
//! In: a condition that one launch needs, the launches of the function, and the condition under which it returns. Out: the
//! condition for all arguments. Calls that the function refuses need none. Where a `switch` chooses among instances of a kernel by
//! the value of an argument, the argument stands for its value (`w.size(0) >= x.size(1)` for `w.size(0) >= 128`). Calls that return without such a
//! launch are left out by guards ([`super::guards`]). This module decides nothing.

use super::given;
use super::guards::{NeededCheck, with_guards};
use super::wording::SymbolNames;
use crate::context::{CheckContext, ExecutedLaunch, LaunchPlace, RootTools};
use crate::findings::position::position_of;
use contracts::ast::{Comparison, CondKind, TermKind};
use contracts::{Cond, ContractTerm};
use engine::symbolic::memory::value::Value;
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::TermId;
use ir::FuncRef;

/// Smallest value that stands for the argument: smaller ones are in every condition.
const SMALLEST: i128 = 2;

/// An argument's value on the path to a launch.
#[derive(PartialEq, Eq)]
struct FixedArgument {
    argument: ContractTerm,
    value: i128,
}

/// Returns the condition as a check of all arguments; `None` where contracts cannot express which of them lead to the
/// launch.
pub(super) fn for_all_arguments(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    needed: NeededCheck<'_>,
) -> Option<Cond> {
    let names = given::names(tools, tools.root.func);
    let a = &tools.e.arena;
    let fixed = |path| compared(a, &names, path, Comparison::Eq);
    let own = fixed(run.launch.path);
    let program = tools.e.program;
    let place = |k: FuncRef| position_of(program.users_loc(k.module, program.func(k).loc));
    let is_alike = |l: &LaunchPlace| l.kernel.is_some_and(|kernel| place(kernel) == place(run.kernel));
    let others: Vec<LaunchPlace> = tools.launches.iter().filter(|l| l.path != run.launch.path).cloned().collect();
    let values: Vec<Vec<FixedArgument>> = others.iter().map(|l| fixed(l.path)).collect();
    let excluded: Vec<Vec<FixedArgument>> =
        others.iter().map(|l| compared(a, &names, l.path, Comparison::Ne)).collect();
    let is_alone = others.iter().all(is_alike);
    let (mut condition, mut only) = (needed.condition, vec![]);
    for fact in own {
        let differs = |of: &FixedArgument| of.argument == fact.argument && of.value != fact.value;
        if !values.iter().any(|of| of.iter().any(differs)) && !excluded.iter().any(|of| of.contains(&fact)) {
            continue;
        }
        let is_fixed = values.iter().all(|of| of.iter().any(|other| other.argument == fact.argument));
        let named = (is_alone && is_fixed && fact.value >= SMALLEST).then(|| by_name(&condition, &fact)).flatten();
        match named {
            Some(named) => condition = named,
            None => only.push(fact),
        }
    }
    // Launches of the same kernel with the same arguments need the same, but for those of other values of an argument that
    // stays a value.
    let is_other = |values: &[FixedArgument], excluded: &[FixedArgument]| {
        only.iter().any(|fact| {
            values.iter().any(|o| o.argument == fact.argument && o.value != fact.value) || excluded.contains(fact)
        })
    };
    let alike = others.iter().zip(values.iter().zip(&excluded));
    let is_same = |l: &LaunchPlace| is_alike(l) && has_same_arguments(tools, l, run);
    let alike = alike.filter(|(l, (values, excluded))| is_same(l) && !is_other(values, excluded)).map(|(l, _)| l.path);
    let alike: Vec<TermId> = alike.chain([run.launch.path]).collect();
    let Some(call) = tools.call.clone() else {
        let value = |fact: FixedArgument| Cond::compare(Comparison::Ne, fact.argument, ContractTerm::int(fact.value));
        return Some(Cond::any(only.into_iter().map(value).chain([condition]).collect()));
    };
    with_guards(cx, tools, run, (&call, alike), NeededCheck { condition, ..needed })
}

/// Whether launches of instances of one kernel are given the same pointers and numbers, as far as these are no constants
/// of their paths. What is passed by value lies in memory of its own at each launch.
fn has_same_arguments(tools: &RootTools<'_>, other: &LaunchPlace, run: &ExecutedLaunch) -> bool {
    let params = &tools.e.program.func(run.kernel).params;
    let is_number = |t: &TermId| tools.e.arena.as_int(*t).is_some();
    other.args.iter().zip(&run.launch.args).zip(params).all(|((a, b), param)| match (a, b) {
        (Value::Ptr(a), Value::Ptr(b)) => {
            param.byval.is_some()
                || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| (&a.base, a.offset) == (&b.base, b.offset))
        }
        (Value::Int(a), Value::Int(b)) => a == b || is_number(a) || is_number(b),
        _ => true,
    })
}

/// Returns the arguments that the path to a launch compares with a number in this way.
fn compared(a: &Arena, names: &SymbolNames, path: TermId, how: Comparison) -> Vec<FixedArgument> {
    let stated = a.conjuncts(path).into_iter().filter_map(|c| names.condition(a, c));
    stated
        .filter_map(|c| {
            let CondKind::Compare(op, argument, value) = c.kind else { return None };
            if op != how {
                return None;
            }
            let TermKind::Int(value) = value.kind else { return None };
            // `x.size(-1)` is a size by another name.
            let from_the_end = |t: &ContractTerm| matches!(t.kind, TermKind::Unary(..));
            let is_argument = match &argument.kind {
                TermKind::Name(_) => true,
                TermKind::Method(_, _, _, of) => !of.iter().any(from_the_end),
                _ => false,
            };
            is_argument.then_some(FixedArgument { argument: *argument, value })
        })
        .collect()
}

/// Returns the condition with the argument in place of its value; `None` if no side of a comparison is that value.
fn by_name(condition: &Cond, fact: &FixedArgument) -> Option<Cond> {
    match &condition.kind {
        CondKind::Compare(op, left, right) => {
            let is_value = |t: &ContractTerm| matches!(t.kind, TermKind::Int(n) if n == fact.value);
            let named = |t: &ContractTerm| if is_value(t) { fact.argument.clone() } else { t.clone() };
            (is_value(left) || is_value(right)).then(|| Cond::compare(*op, named(left), named(right)))
        }
        CondKind::And(all) => {
            let named: Vec<Option<Cond>> = all.iter().map(|c| by_name(c, fact)).collect();
            named.iter().any(Option::is_some).then(|| {
                Cond::all(named.into_iter().zip(all).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
            })
        }
        _ => None,
    }
}
