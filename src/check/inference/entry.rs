//! One function of the host whose callers are not known: what it must be given, for the kernels that it launches.

use super::Inferred;
use super::evidence;
use super::gather::{Launched, Partly, inferred};
use super::wording::{Name, Names};
use crate::check::context::{Run, Tools};
use crate::check::counterexample::degenerate::Sizes;
use crate::check::engine::{Engine, budgets};
use crate::host::Root;
use crate::ir::FuncRef;
use crate::symbolic::terms::arena::Arena;
use crate::symbolic::terms::term::{InputSource, SymId, SymKind, Term, TermId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What a function relies on; `None` where it launches nothing, and was followed to its end.
pub(super) fn infer(engine: &mut Engine<'_>, root: &Root) -> Option<Inferred> {
    let prepared = engine.prepare(root);
    if prepared.runs.is_empty() && prepared.gave_up.is_none() {
        return None;
    }
    let runs = prepared.runs;
    let mut tools = engine.tools(prepared.executor, root, Sizes::default(), Arc::default());
    engine.cx.all = engine.cx.phase(budgets::FIRST_LOOKS, 100);
    let mut names = names(&mut tools, root.func);
    names.checked = checked(&tools.e.arena, &runs, &names);
    let launched: Vec<_> = runs
        .iter()
        .map(|run| {
            let beyond = || engine.places_beyond(run.kernel, &run.run);
            let partly = run.partly.clone().map(|why| Partly { why, beyond: beyond() });
            Launched { accesses: &run.run.accesses, run: Some(run), partly }
        })
        .collect();
    let found = inferred(&engine.cx, &mut tools, (root.func, &names), &launched, &|tools, condition, of| {
        evidence::of_entry(tools, &runs, condition, of)
    });
    let partly = prepared.gave_up.or_else(|| runs.iter().find_map(|r| r.run.gave_up.clone()));
    Some(Inferred { partly: partly.map(|why| why.to_string()), ..found })
}

/// Bounds of numbers on the way to each of the launches: whoever breaks them launches nothing.
fn checked(a: &Arena, runs: &[Run], names: &Names) -> FxHashSet<TermId> {
    let mut paths = runs.iter().map(|run| a.conjuncts(run.launch.path));
    let Some(first) = paths.next() else { return FxHashSet::default() };
    let mut all: FxHashSet<TermId> = first.into_iter().collect();
    for path in paths {
        all.retain(|c| path.contains(c));
    }
    let is_bound = |t: TermId| match a.get(t) {
        Term::Le(_) => true,
        Term::Not(x) => matches!(a.get(*x), Term::Le(_)),
        _ => false,
    };
    let of_numbers = |t: TermId| a.cone(&[t]).iter().all(|x| !matches!(names.all.get(x), Some(Name::Null(_))));
    all.retain(|c| is_bound(*c) && of_numbers(*c));
    all
}

/// The words for its parameters and the extents behind them.
fn names(tools: &mut Tools<'_>, f: FuncRef) -> Names {
    let mut names = Names::default();
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
        names.all.insert(t, Name::Parameter(name));
    }
    names.add_given(&mut tools.e, f);
    names
}
