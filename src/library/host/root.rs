//! Entry points of a program: `main`, and functions without a known caller.

use super::files;
use super::variables;
use base::reasons::UnknownReason;
use contracts::EntrySelector;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::memory::object::{ObjKind, Object};
use engine::symbolic::memory::value::Value;
use engine::symbolic::terms::term::InputSource;
use ir::registered::{is_bound_only, registered, registers};
use ir::{Callee, Const, FuncRef, Linkage, Op, Operand, Program, Side, Terminator};
use rustc_hash::FxHashSet;

/// A function from which host code runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRoot {
    pub func: FuncRef,
    /// `main`, or named under `[roots]` or `[entry]`: its caller may pass anything that its contract allows.
    pub trusted: bool,
    /// Code outside the program calls it, with whatever its checks accept: named under `[entry]`, or a registered
    /// operator.
    pub entry: bool,
    /// The caller is a binding that makes an object of its own of each argument ([`is_bound_only`]); no other caller
    /// is stated.
    pub bound: bool,
}

/// Returns the roots of a program: `main`, functions named in the configuration, entry points and operators that it
/// registers. Without `main` and named functions, also external functions that no known function calls and that reach
/// a launch.
#[must_use]
pub fn roots(program: &Program, named: &[String], entry: &EntrySelector) -> Vec<HostRoot> {
    let mut out = vec![];
    let main = program.find_func(Side::Host, "main");
    if let Some(main) = main {
        out.push(HostRoot { func: main, trusted: true, entry: false, bound: false });
    }
    let functions = || program.functions().filter(|(_, m, f)| m.side == Side::Host && !f.is_declaration());
    for (r, _, f) in functions() {
        if Some(r) != main && named.iter().any(|n| f.answers_to(n)) {
            out.push(HostRoot { func: r, trusted: true, entry: false, bound: false });
        }
    }
    let alone = out.is_empty();
    let is_there = |out: &[HostRoot], r: FuncRef| out.iter().any(|o| o.func == r);
    for (r, _, f) in functions().filter(|(_, _, f)| Program::kernel_symbol_of_stub(&f.name).is_none()) {
        if entry.names(&f.name, &f.display) && !is_there(&out, r) {
            out.push(HostRoot { func: r, trusted: true, entry: true, bound: false });
        }
    }
    for r in registered(program) {
        if !is_there(&out, r) {
            out.push(HostRoot { func: r, trusted: true, entry: true, bound: is_bound_only(program, r) });
        }
    }
    if !alone {
        return out;
    }
    let LaunchingFunctions { called, launching } = launching(program);
    for (r, _, f) in functions() {
        let exported = matches!(f.linkage, Linkage::External) && launching.contains(&r);
        // Python loads a module by this function, and TVM-FFI calls operators through such ones: they run no kernel
        // of their own.
        let loads = f.name.starts_with("PyInit_") || registers(program.module(r.module), f);
        if loads || !exported || Program::kernel_symbol_of_stub(&f.name).is_some() || is_there(&out, r) {
            continue;
        }
        if entry.exports && !f.name.starts_with("_Z") {
            out.push(HostRoot { func: r, trusted: true, entry: true, bound: false });
        } else if !called.contains(&r) {
            out.push(HostRoot { func: r, trusted: false, entry: false, bound: false });
        }
    }
    out
}

/// Returns the host functions that lead to a launch by calls of functions by name.
#[must_use]
pub fn lead_to_launches(program: &Program) -> FxHashSet<FuncRef> {
    launching(program).launching
}

/// Host functions that others call or name, and those that lead to a launch.
struct LaunchingFunctions {
    called: FxHashSet<FuncRef>,
    launching: FxHashSet<FuncRef>,
}

fn launching(program: &Program) -> LaunchingFunctions {
    let mut called: FxHashSet<FuncRef> = FxHashSet::default();
    let mut launching: FxHashSet<FuncRef> = FxHashSet::default();
    let mut edges: Vec<(FuncRef, FuncRef)> = vec![];
    for (r, ..) in program.functions().filter(|(_, m, _)| m.side == Side::Host) {
        for callee in callees(program, r) {
            if callee != r {
                called.insert(callee);
                edges.push((r, callee));
            }
            if ["cudaLaunch", "cuLaunch"].iter().any(|p| program.func(callee).name.starts_with(p)) {
                launching.insert(r);
            }
        }
    }
    loop {
        let before = launching.len();
        for (a, b) in &edges {
            if launching.contains(b) {
                launching.insert(*a);
            }
        }
        if launching.len() == before {
            return LaunchingFunctions { called, launching };
        }
    }
}

/// Returns the functions that a function calls or names.
fn callees(program: &Program, r: FuncRef) -> Vec<FuncRef> {
    let f = program.func(r);
    let mut out = vec![];
    let mut add = |c: &Callee| {
        if let Callee::Direct(id) = c {
            out.push(program.resolve_func(r.module, *id));
        }
    };
    for b in &f.blocks {
        for i in &b.insts {
            if let Op::Call { callee, .. } = &i.op {
                add(callee);
            }
        }
        if let Terminator::Invoke { callee, .. } = &b.term {
            add(callee);
        }
    }
    for b in &f.blocks {
        for i in &b.insts {
            let operands: Vec<&Operand> = match &i.op {
                Op::Store { value, .. } => vec![value],
                Op::Call { args, .. } => args.iter().collect(),
                // A function that is named elsewhere is one more root.
                _ => vec![],
            };
            for o in operands {
                match o {
                    Operand::Const(Const::Func(id)) => out.push(program.resolve_func(r.module, *id)),
                    // A function that is looked up by its name.
                    Operand::Const(Const::Global { id, .. }) => {
                        out.extend(program.named_by_text(program.resolve_global(r.module, *id)));
                    }
                    _ => {}
                }
            }
        }
    }
    out
}

/// Returns the arguments of a root and its initial state.
pub fn root_state(e: &mut ExecutionContext<'_>, HostRoot { func: root, bound, .. }: &HostRoot) -> (Vec<Value>, State) {
    let (root, bound) = (*root, *bound);
    let mut s = e.initial_state();
    files::standard_input(e, &mut s);
    e.nothing_under_way(&mut s);
    let program = e.program;
    let func = program.func(root);
    let m = program.module(root.module);
    e.from_the_start = func.name == "main";
    if func.name == "main" {
        let argc = Value::Int(e.input(InputSource::Argc, 32));
        let o = e.heap.add(Object {
            kind: ObjKind::ArgvArray,
            name: "argv".into(),
            extent: None,
            site: None,
            func: None,
            array: true,
        });
        let argv = e.pointer(o, 0);
        variables::first_contents(e, &mut s);
        e.ensure_written(&mut s);
        return (vec![argc, argv], s);
    }
    let args: Vec<Value> = (0..func.params.len()).map(|i| e.root_argument(&mut s, m, root, i, bound)).collect();
    e.ensure_written(&mut s);
    for a in &args {
        e.ensure_pointees(&mut s, a);
    }
    e.fill_given_handles(&mut s);
    (args, s)
}

/// Returns the state in which a root is called: `main` after the constructors of variables, in module order where
/// the order of translation units is unspecified. `None` if these do not end.
pub fn initialised(e: &mut Executor<'_>, root: FuncRef, state: State) -> Option<State> {
    if e.program.func(root).name != "main" {
        return Some(state);
    }
    let mut state = state;
    let (Some(constructors), Some(destructors)) = (e.program.constructors(), e.program.destructors()) else {
        e.limits.miss(|| UnknownReason::AroundMain);
        return Some(state);
    };
    e.at_exit(&destructors);
    for f in constructors {
        if e.program.func(f).name == super::variables::REGISTERS {
            continue;
        }
        state = e.call(f, vec![], state, 0)?.1;
    }
    Some(state)
}
