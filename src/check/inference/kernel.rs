//! One kernel under an arbitrary launch.

use super::Inferred;
use super::evidence::{self, Executed};
use super::gather::{IncompleteExecution, LaunchAccesses, inferred};
use super::wording::{SymbolName, SymbolNames};
use crate::context::{CheckContext, RootTools};
use crate::counterexample::degenerate::Sizes;
use crate::pipeline::Engine;
use crate::pipeline::budgets;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::LaunchConfig;
use engine::symbolic::memory::value::Value;
use ir::FuncRef;
use library::host::HostRoot;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Infers the requirements of a kernel, one of `of` in its program.
pub(super) fn infer(engine: &mut Engine<'_>, kernel: FuncRef, of: usize) -> Inferred {
    engine.cx.all = engine.cx.phase(budgets::asked_for(of), 100);
    let contracts = &engine.cx.options.contracts;
    let (e, run, (config, args)) = engine.any_launch(kernel, contracts);
    let root = HostRoot { func: kernel, trusted: false, entry: false, bound: false };
    let mut tools = engine.tools(e, &root, Sizes::default(), Arc::default());
    let mut names = names(&mut tools, kernel, &config, &args);
    let axioms = tools.e.launch_axioms(&config);
    let axioms = tools.e.arena.and_all(axioms);
    let launch = Executed { config: &config, run: &run, axioms };
    let partly = run.gave_up.clone().map(|why| IncompleteExecution {
        why: UnknownReason::KernelNotFollowed(Box::new(why)),
        beyond: engine.places_beyond(kernel, &run),
    });
    let launched = [LaunchAccesses {
        accesses: &run.accesses,
        unaligned: &run.unaligned,
        run: None,
        solved: FxHashMap::default(),
        partly,
    }];
    let of_objects = tools.e.all_of_objects();
    names.checked.extend(tools.e.arena.conjuncts(of_objects));
    let required = tools.e.assumptions.required;
    let anyway = tools.e.arena.and_all([Some(axioms), Some(of_objects), required].into_iter().flatten().collect());
    let evidence = |cx: &CheckContext<'_>, tools: &mut RootTools<'_>, condition, of: &_| {
        evidence::of_kernel(cx, tools, &launch, condition, of)
    };
    let found = inferred(&engine.cx, &mut tools, (kernel, &mut names), &launched, (anyway, &evidence));
    Inferred { partly: run.gave_up.as_ref().map(ToString::to_string), ..found }
}

/// Returns names for parameters, extents and the launch. Unknown extents become symbols.
pub(super) fn names(tools: &mut RootTools<'_>, kernel: FuncRef, config: &LaunchConfig, args: &[Value]) -> SymbolNames {
    let mut names = SymbolNames::default();
    names.add_launch(config.grid, config.block, config.shared);
    for (param, arg) in tools.e.program.func(kernel).params.iter().zip(args) {
        if let Value::Int(t) = arg {
            names.all.insert(*t, SymbolName::Parameter(param.name.clone()));
        }
    }
    names.add_given(&mut tools.e, kernel);
    names
}
