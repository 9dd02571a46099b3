//! Entry points of a program: `main`, and functions without a known caller.

use super::files;
use super::variables;
use base::reasons::UnknownReason;
use contracts::EntrySelector;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::memory::object::{ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::InputSource;
use ir::initialisers::Initialisers;
use ir::reach::Reach;
use ir::registered::{is_bound_only, registered, registers};
use ir::{Callee, Const, FuncRef, GlobalRef, Linkage, Op, Operand, Program, Side, Terminator};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

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
    let called = launching(program).called;
    let reach = Reach::of(program, |f| is_launch(&f.name));
    let mut others = vec![];
    for (r, _, f) in functions() {
        let linked = matches!(f.linkage, Linkage::External | Linkage::Instance | Linkage::Weak);
        let exported = linked && !reach.is_harmless(r);
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
        } else {
            others.push(r);
        }
    }
    // Of functions that call each other, the first.
    let mut followed: FxHashSet<FuncRef> = FxHashSet::default();
    out.iter()
        .map(|root| root.func)
        .chain(reach.taken().iter().copied())
        .for_each(|f| called_from(program, f, &mut followed));
    for r in others {
        if !followed.contains(&r) {
            out.push(HostRoot { func: r, trusted: false, entry: false, bound: false });
            called_from(program, r, &mut followed);
        }
    }
    out
}

/// Adds a function, and those to which it leads by calls of functions by name.
fn called_from(program: &Program, f: FuncRef, all: &mut FxHashSet<FuncRef>) {
    let mut open = vec![f];
    while let Some(f) = open.pop() {
        if all.insert(f) {
            open.extend(callees(program, f));
        }
    }
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

/// Whether a function of CUDA launches a kernel.
fn is_launch(name: &str) -> bool {
    ["cudaLaunch", "cuLaunch"].iter().any(|p| name.starts_with(p))
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
            if is_launch(&program.func(callee).name) {
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

/// Returns the arguments of a function and its initial state, whatever was called before.
pub fn root_state(e: &mut ExecutionContext<'_>, root: &HostRoot) -> (Vec<Value>, State) {
    state_of(e, root, false)
}

/// Returns the arguments of a root and the state that [`initialised`] continues.
pub fn root_state_before(e: &mut ExecutionContext<'_>, root: &HostRoot) -> (Vec<Value>, State) {
    state_of(e, root, true)
}

fn state_of(
    e: &mut ExecutionContext<'_>,
    HostRoot { func: root, bound, .. }: &HostRoot,
    before_constructors: bool,
) -> (Vec<Value>, State) {
    let (root, bound) = (*root, *bound);
    let mut s = e.initial_state();
    files::standard_input(e, &mut s);
    e.nothing_under_way(&mut s);
    e.nothing_captured(&mut s);
    e.nothing_in_stream_order(&mut s);
    e.no_thread_started(&mut s);
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
    if super::host_threads::starts_threads(program) {
        super::graphs::leave_contents_open(e, &mut s);
        e.unknown_threads_run();
    }
    let args: Vec<Value> = (0..func.params.len()).map(|i| e.root_argument(&mut s, m, root, i, bound)).collect();
    if before_constructors {
        start_settled(e, &mut s, root);
    }
    e.ensure_written(&mut s);
    for a in &args {
        e.ensure_pointees(&mut s, a);
    }
    e.fill_given_handles(&mut s);
    (args, s)
}

/// Returns the state in which a root is called: `main` after the constructors of variables, in module order where
/// the order of translation units is unspecified; another root with the variables that constructors alone write. `None` if
/// these do not end.
pub fn initialised(e: &mut Executor<'_>, root: FuncRef, state: State) -> Option<State> {
    if e.program.func(root).name != "main" {
        return Some(settle(e, root, state));
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

/// Most initialisers that are executed before a root other than `main`.
const INITIALISERS: usize = 64;

/// Returns the variables that a root may mention and that nothing writes after the constructors, each with its guards: registries of
/// functions. Whatever was called before, they hold the same; all others may hold anything.
fn settled_variables(e: &ExecutionContext<'_>, root: FuncRef) -> BTreeMap<GlobalRef, BTreeSet<GlobalRef>> {
    let reach = e.limits.effort().call_graph();
    let once = reach.initialised_once(e.program);
    let Some(mentions) = reach.mentions(root).filter(|_| !once.is_empty()) else { return BTreeMap::new() };
    let mentioned = reach.globals(mentions).globals;
    mentioned.into_iter().filter_map(|g| Some((g, once.guards(g)?.clone()))).collect()
}

/// Gives variables and their guards the contents that they have before any constructor runs.
fn start_settled(e: &mut ExecutionContext<'_>, s: &mut State, root: FuncRef) {
    for (variable, guards) in settled_variables(e, root) {
        for g in guards.into_iter().chain([variable]) {
            let rest = match e.program.global(g).init {
                Some(Const::Zero(_)) | None => UncoveredContents::Zero,
                Some(_) => UncoveredContents::Init,
            };
            let o = e.global_object(g.module, g.global);
            e.starts_with(s, o, ObjState::new(rest));
        }
    }
}

/// Executes the constructors of the variables that nothing else writes. Where one is not followed to its end, or may not have
/// run, its variables may hold anything.
fn settle(e: &mut Executor<'_>, root: FuncRef, state: State) -> State {
    let variables = settled_variables(e, root);
    if variables.is_empty() {
        return state;
    }
    let graph = e.limits.effort().call_graph();
    let mut initialisers = Initialisers::reached(e.program, &graph, root);
    let all: FxHashSet<GlobalRef> =
        variables.iter().flat_map(|(variable, guards)| guards.iter().chain([variable])).copied().collect();
    initialisers.keep_for(&all);
    let is_known = !initialisers.unknown && initialisers.in_order.len() <= INITIALISERS;
    // Code outside that a constructor calls writes them no more than it does later.
    e.runtime.of_constructors = all;
    let mut after = state.clone();
    let mut unknown: FxHashSet<GlobalRef> = FxHashSet::default();
    for i in initialisers.in_order.iter().filter(|_| is_known) {
        let before = after.clone();
        match e.beside_host(|e| e.call(i.function, vec![], before, 0)) {
            Some((_, mut next)) => {
                // What it does not write is as before, whatever code outside it calls.
                for g in e.runtime.of_constructors.clone().into_iter().filter(|g| !i.variables.contains(g)) {
                    let o = e.global_object(g.module, g.global);
                    if let Some(held) = after.mem.get(&o) {
                        next.mem.insert(o, held.clone());
                    }
                }
                after = next;
            }
            None => unknown.extend(&i.variables),
        }
    }
    let mut state = State { path: after.path, ..state };
    e.runtime.of_constructors.clear();
    for (variable, guards) in variables {
        let ran = is_known && guards.iter().all(|guard| !unknown.contains(guard) && is_set(e, &mut after, *guard));
        let object = e.global_object(variable.module, variable.global);
        let is_settled = ran
            && !unknown.contains(&variable)
            && after.mem.get(&object).is_some_and(|held| leads_to_no_memory(e, held));
        for g in guards.into_iter().chain([variable]) {
            let o = e.global_object(g.module, g.global);
            match after.mem.get(&o).filter(|_| is_settled) {
                Some(held) => {
                    state.mem.insert(o, held.clone());
                    e.runtime.settled.insert(g);
                    e.runtime.of_constructors.insert(g);
                }
                None if !e.runtime.settled.contains(&g) => {
                    let why = UnknownReason::Global(e.program.global(g).source_name.clone());
                    e.havoc(&mut state, o, &why, false);
                }
                None => {}
            }
        }
    }
    state
}

/// Whether contents are numbers, functions and addresses of variables: what others name may have ended since.
fn leads_to_no_memory(e: &ExecutionContext<'_>, held: &ObjState) -> bool {
    let lasts = |t: &GuardedTarget| match t.base {
        Base::Func(_) | Base::Null => true,
        Base::Object(o) => matches!(e.object(o).kind, ObjKind::HostGlobal(_)),
        Base::Unknown(_) => false,
    };
    let is_plain = |v: &Value| match v {
        Value::Int(_) => true,
        Value::Ptr(to) => to.iter().all(lasts),
        _ => false,
    };
    !matches!(held.rest, UncoveredContents::Either(_)) && held.cells.values().all(|(_, v)| is_plain(v))
}

/// Whether the first byte of a guard is known not to be zero (Itanium C++ ABI, 3.3.2).
fn is_set(e: &mut Executor<'_>, s: &mut State, guard: GlobalRef) -> bool {
    let o = e.global_object(guard.module, guard.global);
    let Value::Ptr(at) = e.pointer(o, 0) else { return false };
    e.load_number(s, &at, 1).is_some_and(|t| e.arena.as_int(t).is_some_and(|v| v & 0xff != 0))
}
