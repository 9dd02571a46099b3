//! Inputs of a host function, in the words of contracts: names of its symbols, and its own checks.
//!
//! In: an execution of the function, and the conditions on the paths to its launches. Out: names; and conditions that
//! are no part of the function's requirements, since inputs that violate them launch nothing. This module decides
//! nothing.

use super::tensors;
use super::wording::{SymbolName, SymbolNames};
use crate::context::{ExecutedLaunch, RootTools};
use engine::symbolic::terms::arena::Arena;
use engine::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};
use ir::FuncRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// The path to a launch.
pub(super) struct LaunchPath<'a> {
    /// Conditions of the path.
    pub path: TermId,
    /// Tensor properties on the path, solved for others.
    pub solved: &'a FxHashMap<TermId, TermId>,
}

/// Returns bounds of integers, and conditions on tensors, that hold on the path to each of the launches: inputs that
/// violate them launch nothing.
pub(super) fn checked(a: &mut Arena, launch_paths: &[LaunchPath<'_>], names: &SymbolNames) -> FxHashSet<TermId> {
    let mut paths = vec![];
    for way in launch_paths {
        let path = a.substitute(way.path, way.solved);
        let mut all: FxHashSet<TermId> = a.conjuncts(path).into_iter().collect();
        all.extend(a.conjuncts(way.path));
        let factors = tensors::positive_factors(a, path);
        all.extend(a.conjuncts(factors));
        paths.push(all);
    }
    let mut paths = paths.into_iter();
    let Some(mut all) = paths.next() else { return FxHashSet::default() };
    for path in paths {
        all.retain(|c| path.contains(c));
    }
    let positive = |t: TermId| if let Term::Not(x) = a.get(t) { *x } else { t };
    let is_bound = |t: TermId| match a.get(positive(t)) {
        Term::Le(_) => true,
        Term::EqZ(_) => tensors::is_of_tensors(a, t),
        _ => false,
    };
    let of_numbers = |t: TermId| a.cone(&[t]).iter().all(|x| !matches!(names.all.get(x), Some(SymbolName::Null(_))));
    all.retain(|c| is_bound(*c) && of_numbers(*c));
    all
}

/// Returns names for the function's parameters and the extents behind them.
pub(super) fn names(tools: &mut RootTools<'_>, f: FuncRef) -> SymbolNames {
    let mut names = SymbolNames::default();
    let func = tools.e.program.func(f);
    let symbols: Vec<(SymId, String)> = (0..)
        .zip(tools.e.arena.symbols())
        .filter_map(|(i, s)| match &s.kind {
            SymKind::Input(InputSource::Param { function, name }) if *function == func.display => {
                Some((SymId(i), name.clone()))
            }
            _ => None,
        })
        .collect();
    for (s, name) in symbols.into_iter().filter(|(_, n)| func.params.iter().any(|p| p.name == *n)) {
        let t = tools.e.arena.symbol_term(s);
        names.all.insert(t, SymbolName::Parameter(name));
    }
    names.add_given(&mut tools.e, f);
    names
}

/// Returns names for the operator's inputs, and what of them is no part of a condition. `keeps_guards`: the condition keeps the
/// guards that it is found with, as one on the elements of an array or on optional tensors.
pub(super) fn words_of(
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    solved: &FxHashMap<TermId, TermId>,
    keeps_guards: bool,
) -> SymbolNames {
    let mut names = names(tools, tools.root.func);
    let path = run.launch.path;
    names.checked = checked(&mut tools.e.arena, &[LaunchPath { path, solved }], &names);
    if tools.call.is_some() && !keeps_guards {
        // The guards of the launch are added where they matter ([`super::dispatch`]).
        let a = &mut tools.e.arena;
        let solved_path = a.substitute(path, solved);
        names.checked.extend([path, solved_path].into_iter().flat_map(|p| a.conjuncts(p)));
    }
    let launched = tools.e.launch_axioms(&run.launch.config);
    let a = &mut tools.e.arena;
    let held: Vec<TermId> =
        launched.into_iter().map(|c| a.substitute(c, solved)).chain(names.checked.clone()).collect();
    names.checked.extend(held.into_iter().flat_map(|c| [c, a.unwrapped(c)]));
    names
}

/// Returns names for the operator's inputs, and their properties where its tensors are packed, solved for others.
pub(super) fn words_of_packed(
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
) -> (SymbolNames, FxHashMap<TermId, TermId>) {
    let solved = tensors::solved_of_packed(&mut tools.e.arena, run.launch.path);
    let mut names = words_of(tools, run, &solved, false);
    names.solved.clone_from(&solved);
    (names, solved)
}
