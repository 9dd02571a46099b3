//! Launches in the CUDA runtime API (CUDA Runtime API reference 13.0): the configuration, the kernel and its arguments
//! become a [`LaunchEvent`].

use super::cuda;
use super::dlpack;
use super::graphs;
use super::launch_shapes;
use super::libc;
use super::runs;
use super::table::HostTable;
use super::variables;
use super::waits;
use base::reasons::UnknownReason;
use engine::symbolic::exec::captures::CaptureUnderWay;
use engine::symbolic::exec::events::{LaunchAttributes, LaunchConfig, LaunchEvent, LaunchLimits};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::inputs::contract_facts::{ContractCall, ContractParty};
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use ir::{FuncRef, Param, Program};
use std::rc::Rc;

/// Configurations and launches.
pub(super) const LAUNCHES: HostTable = &[
    (&["__cudaPushCallConfiguration"], |e, c, s| push_configuration(e, c, s)),
    (&["__cudaPopCallConfiguration"], |e, c, s| pop_configuration(e, c, s)),
    (&["cudaLaunchKernel", "cudaLaunchCooperativeKernel"], |e, c, s| launch_kernel(e, c, s)),
    (&["cudaLaunchKernelExC"], |e, c, s| launch_kernel_ex(e, c, s)),
    (&["cudaFuncSetAttribute"], |e, c, s| func_set_attribute(e, c, s)),
];

fn push_configuration(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let grid = packed(e, c, 0, 1);
    let block = packed(e, c, 2, 3);
    let shared = libc::int_arg(e, c, 4, 64);
    let shared = e.interpret(shared, 64, false);
    let stream = waits::note_stream(e, c, 5, &mut s);
    let (limits, attributes) = (LaunchLimits::default(), LaunchAttributes::default());
    s.pending = Some(Rc::new(LaunchConfig { grid, block, shared, stream, limits, attributes }));
    super::success(e, s)
}

fn pop_configuration(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let Some(cfg) = s.pending.take() else {
        e.havoc_reachable(&mut s, c.args, &UnknownReason::LaunchConfiguration);
        return super::success(e, s);
    };
    for (i, dims) in [(0, cfg.grid), (1, cfg.block)] {
        let p = cuda::pointer_arg(e, c, i);
        for (k, t) in dims.into_iter().enumerate() {
            let delta = e.arena.int(4 * k as i128);
            let q = e.offset_targets(&p, delta);
            e.store_value(&mut s, &q, Value::Int(t), 4);
        }
    }
    let p = cuda::pointer_arg(e, c, 2);
    e.store_value(&mut s, &p, Value::Int(cfg.shared), 8);
    let p = cuda::pointer_arg(e, c, 3);
    let stream = waits::configured_stream(e, cfg.stream);
    e.store_value(&mut s, &p, stream, 8);
    super::success(e, s)
}

fn launch_kernel(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let Some(mut s) = dlpack::carried_are_laid_out(e, c.context, s) else { return Ok(None) };
    let name = c.base();
    let grid = packed(e, c, 1, 2);
    let block = packed(e, c, 3, 4);
    let shared = libc::int_arg(e, c, 6, 64);
    let shared = e.interpret(shared, 64, false);
    let stream = waits::note_stream(e, c, 7, &mut s);
    // All blocks must be resident at the same time: a single one is.
    let single = grid.iter().all(|n| e.arena.as_int(*n) == Some(1));
    let refusable = name == "cudaLaunchCooperativeKernel" && !single;
    let attributes = LaunchAttributes { refusable, ..LaunchAttributes::default() };
    let cfg = LaunchConfig { grid, block, shared, stream, limits: LaunchLimits::default(), attributes };
    let (f, args) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 5));
    launch(e, c, &mut s, &f, &args, &cfg);
    launched(e, name, s)
}

fn launch_kernel_ex(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let Some(mut s) = dlpack::carried_are_laid_out(e, c.context, s) else { return Ok(None) };
    let name = c.base();
    let cfg = launch_config(e, c, &mut s, 8);
    // The model does not read its stream, and an attribute may let it begin before earlier work has ended.
    e.overlap(&mut s);
    e.runtime.unordered = true;
    let (f, args) = (cuda::pointer_arg(e, c, 1), cuda::pointer_arg(e, c, 2));
    launch(e, c, &mut s, &f, &args, &cfg);
    launched(e, name, s)
}

fn func_set_attribute(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    if !e.program.func(c.func).is_declaration() {
        return Err(Box::new(s));
    }
    let name = c.base();
    if runs::set_attribute(e, c, &mut s) {
        return super::success(e, s);
    }
    let status = e.status(name);
    Ok(Some((status, s)))
}

/// Unpacks a `dim3` in registers: x and y packed into 64 bits, then z.
pub(crate) fn packed(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, xy: usize, z: usize) -> [TermId; 3] {
    let missing = || Value::unknown(UnknownReason::MissingArgument);
    let v = c.args.get(xy).cloned().unwrap_or_else(missing);
    let p = e.value_int(&v, 64);
    let v = c.args.get(z).cloned().unwrap_or_else(missing);
    let z = e.value_int(&v, 32);
    let z = e.interpret(z, 32, false);
    let p = e.interpret(p, 64, false);
    let x = e.arena.modulo(p, 1 << 32);
    let y = e.arena.floor_div(p, 1 << 32);
    [x, y, z]
}

/// Reads a `cudaLaunchConfig_t`: grid at 0, block at 12, bytes of dynamic shared memory at 24; then stream and
/// attributes.
pub(crate) fn launch_config(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    shared: u32,
) -> LaunchConfig {
    let config = cuda::pointer_arg(e, c, 0);
    let [gx, gy, gz, bx, by, bz, shared] =
        [(0, 4), (4, 4), (8, 4), (12, 4), (16, 4), (20, 4), (24, shared)].map(|(at, bytes)| {
            let delta = e.arena.int(at);
            let member = e.offset_targets(&config, delta);
            let bits = 8 * bytes;
            let v = match e.load_number(s, &member, u64::from(bytes)) {
                Some(t) => Value::Int(t),
                None => Value::unknown(UnknownReason::LaunchMember),
            };
            let t = e.value_int(&v, bits);
            e.interpret(t, bits, false)
        });
    let (grid, block) = ([gx, gy, gz], [bx, by, bz]);
    let (limits, attributes) = (LaunchLimits::default(), launch_shapes::launch_attributes(e, c, s));
    LaunchConfig { grid, block, shared, stream: None, limits, attributes }
}

/// Returns the status code of a launch.
pub(crate) fn launched(e: &mut MemoryDomain<'_>, name: &str, s: State) -> ModelOutcome {
    if !e.runtime.refusable {
        return super::success(e, s);
    }
    let status = e.status(name);
    Ok(Some((status, s)))
}

pub(crate) fn launch(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    f: &[GuardedTarget],
    args: &Rc<Vec<GuardedTarget>>,
    cfg: &LaunchConfig,
) {
    for t in f {
        // A launch of a null function is refused.
        if matches!(t.base, Base::Null) {
            continue;
        }
        let Base::Func(stub) = t.base else {
            let why = UnknownReason::KernelByPointer;
            e.limits.miss(|| why.clone());
            record_launch(e, s, t.cond, Err(why.to_string()), cfg, vec![]);
            variables::after_any_kernel(e, s, cfg.stream);
            continue;
        };
        let name = &e.program.func(stub).name;
        let symbol = Program::kernel_symbol_of_stub(name).unwrap_or_else(|| name.clone());
        let kernel = e.program.kernel_of_stub(stub.module, name);
        let tile = if kernel.is_none() { e.program.tile_kernel_of_stub(stub.module, name) } else { None };
        let (values, copies) = match kernel.or(tile) {
            Some(k) => kernel_arguments(e, s, k, args),
            None => (vec![], vec![]),
        };
        let kernel = kernel.ok_or(symbol);
        let cfg = &match &kernel {
            Ok(k) => {
                let cfg = launch_shapes::shaped(e, s, *k, cfg);
                runs::limited(e, s, *k, &cfg)
            }
            Err(_) => cfg.clone(),
        };
        let runs = kernel.as_ref().is_ok_and(|k| runs::surely_runs(e, *k, cfg));
        e.runtime.refusable |= !runs;
        e.runtime.launched = true;
        let captured = cfg.stream != Some(waits::DEFAULT) && e.capture_under_way(s) != CaptureUnderWay::No;
        if !e.runtime.captures.memory.is_empty() {
            let (given, anywhere) = e.given_by(s, &values);
            let used = e.reached_by_device(s, &given, anywhere);
            e.use_of_graph_memory(s, &used, c.base());
        }
        waits::uses_in_stream(e, c, s, &values, (cfg.stream, captured));
        // Others may change what it reads until it runs.
        let threads = e.runtime.host_threads;
        if captured {
            // A graph does it later, and again.
            let open = e.at_any_launch(s);
            let event = launch_event(e, &open, t.cond, kernel.clone(), cfg, values.clone());
            if e.is_recording() {
                e.events.launches.extend(event.clone());
            }
            graphs::keep(e, c, s, &values, event, vec![]);
        }
        let number = match (captured, threads) {
            (true, _) => None,
            (false, true) => {
                let open = e.at_any_launch(s);
                record_launch(e, &open, t.cond, kernel.clone(), cfg, values.clone());
                None
            }
            (false, false) => record_launch(e, s, t.cond, kernel.clone(), cfg, values.clone()),
        };
        let before = e.heap.version();
        match kernel {
            Ok(k) if captured || threads => e.havoc_device(s, Some(k), &values, None),
            Ok(k) => {
                let surely = f.len() == 1 && e.arena.as_bool(t.cond) == Some(true);
                if !surely || !runs || !e.launch_single(s, k, &values, cfg) {
                    e.havoc_device(s, Some(k), &values, cfg.stream);
                }
                e.left_by_launch(s, number.filter(|_| surely), before);
            }
            // A tile kernel may write its arguments, and what they lead to.
            Err(_) if tile.is_some() => e.havoc_device(s, None, &values, cfg.stream),
            Err(_) => variables::after_any_kernel(e, s, cfg.stream),
        }
        for o in copies {
            s.mem.remove(&o);
        }
    }
}

/// Returns the values of a kernel's parameters, and the objects for structures passed by value, which live as long
/// as the launch.
pub(crate) fn kernel_arguments(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    k: FuncRef,
    args: &Rc<Vec<GuardedTarget>>,
) -> (Vec<Value>, Vec<ObjId>) {
    let program = e.program;
    let func = program.func(k);
    let mut out = vec![];
    let mut copies = vec![];
    for (i, p) in func.params.iter().enumerate() {
        let delta = e.arena.int(8 * i as i128);
        let slot = e.offset_targets(args, delta);
        let place = e.load_pointer(s, &slot);
        let value = argument(e, s, (k, p), &place, &mut copies);
        out.push(value);
    }
    (out, copies)
}

/// Reads an argument of a kernel; a structure passed by value becomes an object of its own, which is added to `copies`.
pub(crate) fn argument(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    (kernel, p): (FuncRef, &Param),
    place: &Rc<Vec<GuardedTarget>>,
    copies: &mut Vec<ObjId>,
) -> Value {
    let Some(ty) = p.byval else { return e.load_typed(s, kernel, place, p.ty) };
    let bytes = e.program.module(kernel.module).size_of(ty);
    let extent = e.arena.int(i128::from(bytes));
    let o = e.heap.add(Object {
        kind: ObjKind::Constant(ir::GlobalRef { module: kernel.module, global: ir::GlobalId(u32::MAX) }),
        name: p.name.clone(),
        extent: Some(extent),
        site: None,
        func: Some(kernel),
        array: false,
    });
    e.heap.set_kind(o, ObjKind::DeviceLocal);
    s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    let cond = e.arena.bool(true);
    let offset = e.arena.int(0);
    let d = Rc::new(vec![GuardedTarget::new(cond, Base::Object(o), offset)]);
    e.copy(s, &d, place, extent);
    copies.push(o);
    Value::Ptr(d)
}

/// Records a launch. Returns its number, if launches are recorded.
pub(crate) fn record_launch(
    e: &mut ExecutionContext<'_>,
    s: &State,
    cond: TermId,
    kernel: Result<FuncRef, String>,
    config: &LaunchConfig,
    args: Vec<Value>,
) -> Option<usize> {
    if !e.is_recording() {
        return None;
    }
    let event = launch_event(e, s, cond, kernel, config, args)?;
    e.events.launches.push(event);
    Some(e.events.launches.len() - 1)
}

/// Returns the event of a launch in this state.
pub(crate) fn launch_event(
    e: &mut ExecutionContext<'_>,
    s: &State,
    cond: TermId,
    kernel: Result<FuncRef, String>,
    config: &LaunchConfig,
    args: Vec<Value>,
) -> Option<LaunchEvent> {
    let stack = Rc::new(e.call_stack().to_vec());
    let site = e.user_site(&stack)?;
    let mut path = e.arena.and(s.path, cond);
    if let Ok(k) = &kernel
        && !e.assumptions.owed.is_empty()
        && let Some(at) = stack.iter().rposition(|s| *s == site)
    {
        let called = ContractCall { f: *k, args: &args, launch: Some(config), by: ContractParty::Caller };
        path = e.owe_contracts(called, State { path, ..s.clone() }, &stack[..=at]).path;
    }
    Some(LaunchEvent {
        site,
        stack,
        kernel,
        config: config.clone(),
        args,
        memory: s.mem.clone(),
        path,
        always: s.always.clone(),
        loops: e.limits.effort().loops_around(),
    })
}
