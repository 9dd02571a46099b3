//! One host function with unknown callers: the inputs that it needs for the kernels that it launches.

use super::evidence;
use super::gather::{IncompleteExecution, LaunchAccesses, inferred};
use super::given::{LaunchPath, checked, names};
use super::tensors;
use super::{Evidence, Inferred, SafetyCondition, SourceAccess};
use crate::context::{CheckContext, RootTools};
use crate::counterexample::degenerate::Sizes;
use crate::pipeline::{Engine, budgets};
use contracts::{Cond, Contract, Requirement};
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::terms::term::TermId;
use ir::FuncRef;
use library::host::HostRoot;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Requirements of a function, with the accesses of its launches.
pub(super) struct EntryRequirements {
    pub found: Inferred,
    /// First access at each position.
    pub accesses: BTreeMap<SourceAccess, LaunchedAccess>,
}

/// Access of a launch.
pub(super) struct LaunchedAccess {
    pub kernel: FuncRef,
    pub event: AccessEvent,
    /// Width in bytes, if it is constant.
    pub bytes: Option<u64>,
}

/// Infers a function's requirements; `None` where it launches nothing and its execution completed.
///
/// Code assumes more about tensors than their sizes. Where conditions on sizes alone do not cover every access,
/// conditions are sought under the hypotheses that the tensors have the assumed layout ([`tensors::hypotheses`]);
/// these hypotheses then become conditions as well.
pub(super) fn infer(engine: &mut Engine<'_>, root: &HostRoot) -> Option<EntryRequirements> {
    let LaunchResults { found, hypotheses, accesses } = of_runs(engine, root)?;
    if hypotheses.is_empty() || found.open.is_empty() {
        return Some(EntryRequirements { found, accesses });
    }
    let name = engine.cx.program.func(root.func).name.clone();
    let stated = |condition: &Cond| Requirement {
        text: condition.to_string(),
        condition: condition.clone(),
        origin: "a hypothesis".to_owned(),
        at: None,
    };
    let mut options = engine.cx.options.clone();
    options.contracts.push(Contract {
        function: name,
        requires: hypotheses.iter().map(stated).collect(),
        modifies_nothing: None,
    });
    let mut engine = Engine::new(engine.cx.program, &options);
    let under = of_runs(&mut engine, root)?.found;
    if under.open.len() >= found.open.len() {
        return Some(EntryRequirements { found, accesses });
    }
    let covers: Vec<_> =
        found.open.iter().map(|o| &o.place).filter(|p| under.open.iter().all(|o| o.place != **p)).cloned().collect();
    let taken = hypotheses.into_iter().map(|condition| SafetyCondition {
        condition,
        evidence: Evidence::Sufficient,
        wraps: vec![],
        covers: covers.clone(),
    });
    let found = Inferred { conditions: taken.chain(under.conditions).collect(), ..under };
    Some(EntryRequirements { found, accesses })
}

/// Results for the launches of a function, and hypotheses that might be assumed besides.
struct LaunchResults {
    found: Inferred,
    hypotheses: Vec<Cond>,
    accesses: BTreeMap<SourceAccess, LaunchedAccess>,
}

fn of_runs(engine: &mut Engine<'_>, root: &HostRoot) -> Option<LaunchResults> {
    let prepared = engine.prepare(root);
    if prepared.runs.is_empty() && prepared.gave_up.is_none() {
        return None;
    }
    let runs = prepared.runs;
    let mut tools = engine.tools(prepared.executor, root, Sizes::default(), Arc::default());
    engine.cx.all = engine.cx.phase(budgets::FIRST_LOOKS, 100);
    let mut names = names(&mut tools, root.func);
    let launched: Vec<_> = runs
        .iter()
        .map(|run| {
            let solved = tensors::solved(&mut tools.e.arena, run.launch.path);
            let beyond = || engine.places_beyond(run.kernel, &run.run);
            let partly = run.partly.clone().map(|why| IncompleteExecution { why, beyond: beyond() });
            LaunchAccesses {
                accesses: &run.run.accesses,
                unaligned: &run.run.unaligned,
                run: Some(run),
                solved,
                partly,
            }
        })
        .collect();
    let launch_paths: Vec<LaunchPath<'_>> =
        runs.iter().zip(&launched).map(|(run, l)| LaunchPath { path: run.launch.path, solved: &l.solved }).collect();
    names.checked = checked(&mut tools.e.arena, &launch_paths, &names);
    // Facts that hold of every launch that runs, and of all objects, are no part of a condition.
    for run in &runs {
        let limits = tools.e.launch_axioms(&run.launch.config);
        names.checked.extend(limits.into_iter().flat_map(|c| tools.e.arena.conjuncts(c)).collect::<Vec<_>>());
    }
    let of_objects = tools.e.all_of_objects();
    names.checked.extend(tools.e.arena.conjuncts(of_objects));
    let paths: Vec<TermId> = runs.iter().map(|run| run.launch.path).collect();
    let hypotheses = tensors::hypotheses(&mut tools.e, root.func, &paths);
    let required = tools.e.assumptions.required;
    let anyway = tools.e.arena.and_all([Some(of_objects), required].into_iter().flatten().collect());
    let evidence = |cx: &CheckContext<'_>, tools: &mut RootTools<'_>, condition, of: &_| {
        evidence::of_entry(cx, tools, &runs, condition, of)
    };
    let found = inferred(&engine.cx, &mut tools, (root.func, &mut names), &launched, (anyway, &evidence));
    let mut accesses = BTreeMap::new();
    for run in &runs {
        for ev in &run.run.accesses {
            let place = SourceAccess::from(engine.cx.place_of(ev));
            let bytes = tools.e.arena.as_int(ev.bytes).and_then(|n| u64::try_from(n).ok());
            accesses.entry(place).or_insert_with(|| LaunchedAccess { kernel: run.kernel, event: ev.clone(), bytes });
        }
    }
    let partly = prepared.gave_up.or_else(|| runs.iter().find_map(|r| r.run.gave_up.clone()));
    Some(LaunchResults { found: Inferred { partly: partly.map(|why| why.to_string()), ..found }, hypotheses, accesses })
}
