//! Launches by device code (CUDA C++ Programming Guide 13.0, 4.18, CUDA Dynamic Parallelism), as clang 22 and NVVM write them: a buffer for
//! the arguments, which the thread fills, then the launch.
//!
//! In: the two calls. Out: a [`LaunchEvent`](engine::symbolic::exec::events::LaunchEvent) under the conditions of the launching thread, and
//! what the launched kernel may write. It runs beside the thread at some later time: it finds any contents, and what it may write is
//! unknown to the launching kernel from its begin to its end.

use crate::host::cuda_launch::{argument, launch_event};
use crate::host::launch_shapes;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{LaunchAttributes, LaunchConfig, LaunchLimits};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::LibraryCall;
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use ir::launched::is_launch_by_device;
use ir::{FuncRef, GlobalId, GlobalRef, ModuleId, Program, Side};
use models::row::NameKey;
use std::rc::Rc;

/// Calls that ask for memory for arguments: `(alignment, bytes)`.
const BUFFER: [&str; 2] = ["__cudaCDP2GetParameterBuffer", "cudaGetParameterBuffer"];

/// Launches: `(kernel, arguments, grid, block, bytes of dynamic shared memory, stream)`.
const LAUNCHES: [&str; 4] =
    ["__cudaCDP2LaunchDevice", "__cudaCDP2LaunchDevice_ptsz", "cudaLaunchDevice", "cudaLaunchDevice_ptsz"];

/// Other calls of the device runtime, which begin no work and write nothing but through their arguments.
const HARMLESS: [&str; 10] = [
    "__cudaCDP2GetLastError",
    "__cudaCDP2PeekAtLastError",
    "__cudaCDP2StreamCreateWithFlags",
    "__cudaCDP2StreamDestroy",
    "__cudaCDP2StreamWaitEvent",
    "__cudaCDP2StreamWaitEvent_ptsz",
    "__cudaCDP2EventCreateWithFlags",
    "__cudaCDP2EventRecord",
    "__cudaCDP2EventRecord_ptsz",
    "__cudaCDP2EventDestroy",
];

/// Returns the functions of the device runtime that the executor models.
pub fn keys() -> impl Iterator<Item = NameKey> {
    BUFFER.into_iter().chain(LAUNCHES).chain(HARMLESS).map(NameKey::whole)
}

/// Models a call of the device runtime; fails with the state where it is none of these.
pub(crate) fn device_runtime_call(
    e: &mut Executor<'_>,
    call: &LibraryCall<'_>,
    mut s: State,
) -> Result<Option<(Value, State)>, Box<State>> {
    let name = call.name;
    if BUFFER.contains(&name) {
        return Ok(parameter_buffer(e, call, s));
    }
    let launches = is_launch_by_device(name);
    if !launches && !HARMLESS.contains(&name) {
        return Err(Box::new(s));
    }
    let why = UnknownReason::ResultOf(call.display.to_owned());
    if launches {
        launch(e, call, &mut s);
    } else {
        e.havoc_pointees(&mut s, call.args, &why);
    }
    let m = e.program.module(call.site.func.module);
    let status = e.unknown_of(m, call.ty, &why);
    Ok(Some((status, s)))
}

/// Memory for the arguments of a launch; null if there is none left, if the program checks.
fn parameter_buffer(e: &mut ExecutionContext<'_>, call: &LibraryCall<'_>, s: State) -> Option<(Value, State)> {
    let size = e.value_int(call.args.get(1)?, 64);
    let size = e.interpret(size, 64, false);
    let fits = e.arena.bool(true);
    let (mut s, given) = e.scarce(s, fits, call.site)?;
    let object = Object {
        kind: ObjKind::DeviceLocal,
        name: String::new(),
        extent: Some(size),
        site: e.user_location(),
        func: None,
        // nvcc's code writes it as any memory.
        array: true,
    };
    let o = e.heap.allocate((call.context, call.site, 2), object);
    e.note_scarce(o, given);
    s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    Some((e.pointer(o, 0), s))
}

fn launch(e: &mut Executor<'_>, call: &LibraryCall<'_>, s: &mut State) {
    e.kernel.launches = true;
    heap_beside_launches(e, &UnknownReason::HeapBesideLaunches);
    let [kernels, buffer, grid, block] = [0, 1, 2, 3].map(|i| pointer(e, call, i));
    let (grid, block) = (dimensions(e, s, &grid), dimensions(e, s, &block));
    let shared = call.args.get(4).cloned().unwrap_or_else(|| Value::unknown(UnknownReason::MissingArgument));
    let shared = e.value_int(&shared, 32);
    let shared = e.interpret(shared, 32, false);
    let (limits, attributes) = (LaunchLimits::default(), LaunchAttributes::default());
    let config = LaunchConfig { grid, block, shared, stream: None, limits, attributes };
    for t in kernels.iter() {
        match &t.base {
            // A launch of a null function is refused.
            Base::Null => {}
            Base::Func(f) => launch_of(e, s, *f, (t.cond, &buffer), &config),
            _ => not_followed(e, UnknownReason::KernelByPointer),
        }
    }
}

/// Ends what is said of a kernel that has both memory of the device's heap and launches, where device code frees any: either may free what
/// the other one uses.
pub(crate) fn heap_beside_launches(e: &mut ExecutionContext<'_>, why: &UnknownReason) {
    if e.kernel.launches && e.kernel.allocates && frees_on_devices(e.program) {
        not_followed(e, why.clone());
    }
}

/// Whether some device code frees memory.
fn frees_on_devices(program: &Program) -> bool {
    let frees = |name: &str| name == "free" || name.starts_with("_Zdl") || name.starts_with("_Zda");
    program.functions().any(|(_, m, f)| m.side == Side::Device && f.is_declaration() && frees(&f.name))
}

/// Records the launch of a kernel under a condition, and what it may write.
fn launch_of(
    e: &mut Executor<'_>,
    s: &mut State,
    kernel: FuncRef,
    (cond, buffer): (TermId, &Rc<Vec<GuardedTarget>>),
    config: &LaunchConfig,
) {
    let func = e.program.func(kernel);
    if func.is_declaration() || !func.kernel {
        return not_followed(e, UnknownReason::ResultOf(func.display.clone()));
    }
    let (values, copies) = match arguments(e, s, kernel, buffer) {
        Ok(read) => read,
        Err(why) => return not_followed(e, why(func.display.clone())),
    };
    let config = launch_shapes::shaped(e, s, kernel, config);
    let threads = func.max_threads;
    let limits = LaunchLimits { threads, refusable: true, ..config.limits };
    let config = LaunchConfig { limits, ..config };
    let mut open = e.at_any_launch(s);
    for o in variables_of_devices(e) {
        e.havoc(&mut open, o, &UnknownReason::OtherDeviceWork, false);
    }
    if let Some(event) = launch_event(e, &open, cond, Ok(kernel), &config, values.clone())
        && e.is_recording()
    {
        e.events.launches.push(event);
    }
    e.note_written_by_launched(kernel, s, &values);
    for o in copies {
        s.mem.remove(&o);
    }
}

fn not_followed(e: &mut ExecutionContext<'_>, why: UnknownReason) {
    e.limits.miss(|| why.clone());
    e.kernel.unknown_code = true;
}

/// Returns the variables of devices that kernels can write: a launched kernel names them, or one that it launches.
fn variables_of_devices(e: &mut ExecutionContext<'_>) -> Vec<ObjId> {
    let program = e.program;
    let variables = (0u32..).zip(&program.modules).filter(|(_, m)| m.side == Side::Device).flat_map(|(mi, m)| {
        let all = (0u32..).zip(&m.globals).filter(|(_, g)| !g.constant);
        all.map(move |(gi, _)| GlobalRef { module: ModuleId(mi), global: GlobalId(gi) })
    });
    let all: Vec<ObjId> = variables.map(|g| e.global_object(g.module, g.global)).collect();
    all.into_iter().filter(|o| matches!(e.object(*o).kind, ObjKind::DeviceGlobal(_))).collect()
}

/// Values of arguments and the objects of structures among them, or the reason why they are unknown, which names the kernel.
type ReadArguments = Result<(Vec<Value>, Vec<ObjId>), fn(String) -> UnknownReason>;

/// Reads the arguments of a launch from its buffer, where they lie one behind the other, each aligned as its type.
fn arguments(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    kernel: FuncRef,
    buffer: &Rc<Vec<GuardedTarget>>,
) -> ReadArguments {
    let program = e.program;
    let m = program.module(kernel.module);
    let (mut values, mut copies, mut at) = (vec![], vec![], 0);
    for p in &program.func(kernel).params {
        let size = m.size_of(p.byval.unwrap_or(p.ty)).get();
        let align = if p.byval.is_some() { u64::from(p.align) } else { size };
        if !align.is_power_of_two() {
            return Err(UnknownReason::LaunchArguments);
        }
        at = u64::next_multiple_of(at, align);
        let delta = e.arena.int(i128::from(at));
        let place = e.offset_targets(buffer, delta);
        let value = argument(e, s, (kernel, p), &place, &mut copies);
        let members = copies.last().filter(|_| p.byval.is_some()).and_then(|o| s.mem.get(o)).map(|st| &st.cells);
        let held: Vec<&Value> = members.into_iter().flatten().map(|(_, (_, v))| v).collect();
        if held.into_iter().chain([&value]).any(|v| leads_to_own_memory(e, v, &copies)) {
            return Err(UnknownReason::OwnMemoryGiven);
        }
        values.push(value);
        at += size;
    }
    Ok((values, copies))
}

/// Whether a pointer leads to local or shared memory of the launching thread, which the launched kernel cannot use.
fn leads_to_own_memory(e: &ExecutionContext<'_>, v: &Value, copies: &[ObjId]) -> bool {
    let Value::Ptr(targets) = v else { return false };
    let objects = targets.iter().filter_map(|t| if let Base::Object(o) = t.base { Some(o) } else { None });
    objects.into_iter().any(|o| {
        !copies.contains(&o)
            && matches!(e.object(o).kind, ObjKind::DeviceLocal | ObjKind::SharedStatic(_) | ObjKind::SharedDynamic)
    })
}

fn pointer(e: &mut ExecutionContext<'_>, call: &LibraryCall<'_>, i: usize) -> Rc<Vec<GuardedTarget>> {
    call.args.get(i).map_or_else(|| Rc::new(vec![]), |v| e.as_pointer(v))
}

/// Reads a `dim3` from memory.
fn dimensions(e: &mut ExecutionContext<'_>, s: &mut State, at: &Rc<Vec<GuardedTarget>>) -> [TermId; 3] {
    [0, 4, 8].map(|i| {
        let delta = e.arena.int(i);
        let member = e.offset_targets(at, delta);
        let v = match e.load_number(s, &member, 4) {
            Some(t) => Value::Int(t),
            None => Value::unknown(UnknownReason::LaunchMember),
        };
        let t = e.value_int(&v, 32);
        e.interpret(t, 32, false)
    })
}
