//! Graphs of device work (CUDA Runtime API reference 13.0, Graph Management; CUDA C++ Programming Guide 13.0, CUDA Graphs):
//! captured from streams, or built by node.
//!
//! A graph keeps work with the arguments that it has when it is captured or when its node is made, and does it at each of its
//! launches, on the memory of that launch. Such work is judged where the program asks for it, in a state that leaves the
//! contents of device memory open ([`engine::symbolic::exec::captures`]). At a launch all that the device can write becomes
//! unknown, and memory that may have been freed meanwhile shows in a second event of the work.

use super::copies;
use super::cuda;
use super::cuda_launch;
use super::cuda_memory::{device_allocation, moved};
use super::table::HostTable;
use super::variables;
use super::waits;
use base::reasons::UnknownReason;
use engine::symbolic::exec::captures::{CaptureUnderWay, GraphNumber, GraphWork, KeptSide, MemoryOwner, NewNode};
use engine::symbolic::exec::events::{AccessKind, LaunchAttributes, LaunchConfig, LaunchEvent, LaunchLimits};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::graph_work::MemoryLeft;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::object::{ObjId, ObjKind};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Captures, graphs and their launches.
pub(super) const GRAPHS: HostTable = &[
    (&["cudaStreamBeginCapture", "cuStreamBeginCapture_v2"], |e, c, s| begin_capture(e, c, s)),
    (&["cudaStreamEndCapture", "cuStreamEndCapture"], |e, c, s| end_capture(e, c, s)),
    (&["cudaStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph"], |e, c, s| begin_capture_to(e, c, s)),
    (&["cudaStreamBeginRecaptureToGraph", "cuStreamBeginRecaptureToGraph"], |e, c, s| not_followed(e, c, s)),
    (&["cudaGraphCreate"], |e, c, s| create(e, c, s)),
    (
        &[
            "cudaGraphInstantiate",
            "cudaGraphInstantiateWithFlags",
            "cudaGraphInstantiateWithParams",
            "cudaGraphClone",
            "cuGraphInstantiateWithFlags",
        ],
        |e, c, s| instantiate(e, c, s),
    ),
    (&["cudaGraphLaunch", "cuGraphLaunch"], |e, c, s| graph_launch(e, c, s)),
    (&["cudaGraphAddKernelNode"], |e, c, s| node(e, c, s, Some(1), |e, c, s| launch_of(e, c, s, 4))),
    (&["cudaGraphAddMemcpyNode1D"], |e, c, s| node(e, c, s, Some(1), |e, c, s| copy_of(e, c, s, 4))),
    (&["cudaGraphAddMemcpyNode"], |e, c, s| node(e, c, s, Some(1), |e, c, s| volume_of(e, c, s, 4))),
    (&["cudaGraphAddMemsetNode"], |e, c, s| node(e, c, s, Some(1), |e, c, s| fill_of(e, c, s, 4))),
    (&["cudaGraphAddEmptyNode", "cudaGraphAddEventRecordNode", "cudaGraphAddEventWaitNode"], |e, c, s| {
        node(e, c, s, Some(1), |_, _, _| {})
    }),
    (&["cudaGraphAddMemAllocNode"], |e, c, s| node(e, c, s, Some(1), |e, c, s| memory_of(e, c, s, 4))),
    (&["cudaGraphAddMemFreeNode"], |e, c, s| node(e, c, s, Some(1), |e, c, s| free_of(e, c, s, 4))),
    (&["cudaGraphAddDependencies"], |e, c, s| add_dependencies(e, c, s)),
    (&["cudaGraphAddChildGraphNode"], |e, c, s| node(e, c, s, Some(1), |e, c, s| part_of(e, c, s, 4))),
    (&["cudaGraphAddNode"], |e, c, s| any_node(e, c, s)),
    (&["cudaGraphKernelNodeSetParams"], |e, c, s| changed_node(e, c, s, |e, c, s| launch_of(e, c, s, 1))),
    (&["cudaGraphMemcpyNodeSetParams1D"], |e, c, s| changed_node(e, c, s, |e, c, s| copy_of(e, c, s, 1))),
    (&["cudaGraphMemsetNodeSetParams"], |e, c, s| changed_node(e, c, s, |e, c, s| fill_of(e, c, s, 1))),
    (&["cudaGraphExecKernelNodeSetParams"], |e, c, s| node(e, c, s, None, |e, c, s| launch_of(e, c, s, 2))),
    (&["cudaGraphExecMemcpyNodeSetParams1D"], |e, c, s| node(e, c, s, None, |e, c, s| copy_of(e, c, s, 2))),
    (&["cudaGraphExecMemsetNodeSetParams"], |e, c, s| node(e, c, s, None, |e, c, s| fill_of(e, c, s, 2))),
    (&["cudaGraphExecUpdate"], |e, c, s| update(e, c, s)),
];

/// Records that a graph allocates the memory of this call at each of its launches.
pub(super) fn owns(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, owner: MemoryOwner) {
    let Some(o) = e.heap.allocated_at(c.context, c.site) else { return };
    let before = e.runtime.captures.memory.insert(o, owner);
    if owner.graph.is_none() || before.is_some_and(|before| (before.graph, before.node) != (owner.graph, owner.node)) {
        e.limits.miss(|| UnknownReason::MemoryOfGraph(c.base().to_owned()));
    }
}

/// Models a free that a graph does: of memory that it allocates, behind all that uses it.
pub(super) fn free_of_graph(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    p: &Rc<Vec<GuardedTarget>>,
) {
    let of_graphs = |t: &GuardedTarget| matches!(t.base, Base::Object(o) if e.runtime.captures.memory.contains_key(&o));
    if !p.iter().all(of_graphs) {
        e.limits.miss(|| UnknownReason::MemoryOfGraph(c.base().to_owned()));
        return;
    }
    let freed = e.objects_at(s, p);
    if let Some(NewNode { behind, .. }) = e.runtime.captures.making.clone() {
        let users = e.runtime.captures.users.iter().filter(|(o, _)| freed.contains(o));
        let ordered = users.into_iter().all(|(_, node)| node.zip(behind.as_ref()).is_some_and(|(n, b)| b.contains(&n)));
        if !ordered {
            e.limits.miss(|| UnknownReason::MemoryOfGraph(c.base().to_owned()));
        }
    }
    e.use_of_graph_memory(s, &freed, c.base());
    let of = match e.capture_under_way(s) {
        CaptureUnderWay::Into(of) => of,
        CaptureUnderWay::No => None,
    };
    // What another graph allocates, it frees when it is launched.
    let is_own = |o: &ObjId| of.is_some() && e.runtime.captures.memory.get(o).is_some_and(|m| m.graph == of);
    if !freed.iter().all(is_own) {
        e.limits.miss(|| UnknownReason::MemoryOfGraph(c.base().to_owned()));
        return;
    }
    for o in &freed {
        if let Some(owner) = e.runtime.captures.memory.get_mut(o) {
            owner.freed_inside = true;
        }
    }
    e.release(s, p);
}

/// Whether a function without a model makes or changes graphs: those that only ask have no effect on them.
pub(super) fn changes_graphs(e: &MemoryDomain<'_>, c: &LibraryCall<'_>) -> bool {
    let name = c.base();
    let Some(rest) = name.strip_prefix("cudaGraph").or_else(|| name.strip_prefix("cuGraph")) else { return false };
    let asks = rest.starts_with("ics") || rest.contains("Get") || rest.ends_with("UserObject");
    // What a function of the host does that a graph calls is lost, as that of any callback.
    let calls = rest == "AddHostNode";
    !asks && !calls && e.program.func(c.func).is_declaration()
}

/// Reports work in graphs as missed.
fn not_followed(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let name = c.base();
    e.limits.miss(|| UnknownReason::KernelGraph(name.to_string()));
    super::success(e, s)
}

/// Device work may overlap with all other from here on, in an order that is not followed.
pub(super) fn leave_contents_open(e: &mut MemoryDomain<'_>, s: &mut State) {
    e.overlap(s);
    e.runtime.unordered = true;
}

fn begin_capture(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    if e.capture_under_way(&s) != CaptureUnderWay::No {
        return not_followed(e, c, s);
    }
    leave_contents_open(e, &mut s);
    let (_, number) = waits::new_graph(e, c);
    e.set_capture(&mut s, CaptureUnderWay::Into(Some(number)));
    super::success(e, s)
}

/// `(stream, graph, …)`: captured work is added to a graph.
fn begin_capture_to(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    if e.capture_under_way(&s) != CaptureUnderWay::No {
        return not_followed(e, c, s);
    }
    leave_contents_open(e, &mut s);
    let of = graph_number(e, c, 1);
    e.set_capture(&mut s, CaptureUnderWay::Into(of));
    super::success(e, s)
}

/// Reports work as missed that a stream keeps in a graph, and that is not recorded.
pub(super) fn not_kept(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &State) {
    if e.capture_under_way(s) != CaptureUnderWay::No {
        let head: String = c.display.chars().take(60).collect();
        e.limits.miss(|| UnknownReason::KernelGraph(head));
    }
}

fn end_capture(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let of = match e.capture_under_way(&s) {
        CaptureUnderWay::Into(of) => of,
        CaptureUnderWay::No => None,
    };
    e.set_capture(&mut s, CaptureUnderWay::No);
    made(e, c, s, 1, |_| of)
}

/// Writes the handle of a new graph through an argument; `of` gives its number, from that of the handle.
fn made(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    out: usize,
    of: impl FnOnce(i64) -> GraphNumber,
) -> ModelOutcome {
    let (handle, number) = waits::new_graph(e, c);
    e.runtime.captures.handles.insert(number, of(number));
    let out = cuda::pointer_arg(e, c, out);
    e.store_value(&mut s, &out, handle, 8);
    super::success(e, s)
}

fn create(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    leave_contents_open(e, &mut s);
    made(e, c, s, 0, Some)
}

/// Returns the number of the graph that an argument names.
fn graph_number(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, i: usize) -> GraphNumber {
    let p = cuda::pointer_arg(e, c, i);
    let handle = waits::handle_number(e, &p)?;
    e.runtime.captures.handles.get(&handle).copied().flatten()
}

/// `(new handle, graph, …)`.
fn instantiate(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let of = graph_number(e, c, 1);
    made(e, c, s, 0, |_| of)
}

/// The executable graph may have any work from here on, and from the start of a loop's iterations.
fn update(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let p = cuda::pointer_arg(e, c, 0);
    match waits::handle_number(e, &p) {
        Some(handle) => {
            e.runtime.captures.handles.insert(handle, None);
        }
        None => e.runtime.captures.mixed = true,
    }
    let outputs = c.args.get(2..).unwrap_or_default().to_vec();
    e.havoc_reachable(&mut s, &outputs, &UnknownReason::Gives(c.base().to_owned()));
    Ok(Some((e.status(c.base()), s)))
}

/// Records the work of a call while a stream may be captured.
pub(super) fn keep(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &State,
    values: &[Value],
    launch: Option<LaunchEvent>,
    sides: Vec<KeptSide>,
) {
    let CaptureUnderWay::Into(of) = e.capture_under_way(s) else { return };
    let (given, anywhere) = e.given_by(s, values);
    if launch.is_some() {
        e.share_with_device(&given);
    }
    let stack = Rc::new(e.call_stack().to_vec());
    let launch = launch.map(Rc::new);
    let path = launch.as_ref().map_or(s.path, |l| l.path);
    let by = (c.context, c.site);
    e.runtime.captures.keep(GraphWork { of, by, times: 1, stack, path, launch, sides, given, anywhere });
}

/// Models a launch: the work happens with the memory of this state.
fn graph_launch(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let of = graph_number(e, c, 0);
    let stream = waits::note_stream(e, c, 1, &mut s);
    leave_contents_open(e, &mut s);
    e.runtime.launched = true;
    if let CaptureUnderWay::Into(outer) = e.capture_under_way(&s) {
        e.runtime.captures.include(outer, of);
    }
    let root = e.call_stack().first().map(|site| site.func);
    for work in e.runtime.captures.work_of(of) {
        let reached = e.reached_by_device(&s, &work.given, work.anywhere);
        let outer: Vec<ObjId> =
            reached.iter().copied().filter(|o| !e.runtime.captures.memory.contains_key(o)).collect();
        let ordered = e.in_stream_order(&s);
        let outer: Vec<ObjId> = outer.into_iter().filter(|o| ordered.contains(o)).collect();
        e.used_in_stream(&mut s, &outer, stream, c.base());
        // Memory that a graph allocates is there for its work, which was checked where it was asked for.
        let own = |e: &Executor<'_>, o: ObjId| {
            work.of.is_some() && e.runtime.captures.memory.get(&o).is_some_and(|m| m.graph == work.of)
        };
        let mut left = vec![];
        for o in reached {
            if !own(e, o) {
                left.push(e.may_be_gone(&s, o, &work, root));
            }
        }
        if left.contains(&MemoryLeft::PerhapsAnother) || work.times > 1 && left.contains(&MemoryLeft::PerhapsFreed) {
            e.limits.miss(|| UnknownReason::GraphMemory(c.base().to_string()));
        } else if left.contains(&MemoryLeft::PerhapsFreed) {
            e.work_again(&s, &work);
        }
    }
    // What it allocates and does not free is there again.
    let mut allocated: Vec<ObjId> = vec![];
    if of.is_some() && e.capture_under_way(&s) == CaptureUnderWay::No {
        let all = &e.runtime.captures.memory;
        allocated.extend(all.iter().filter(|(_, m)| m.graph == of && !m.freed_inside).map(|(o, _)| *o));
        allocated.sort_unstable();
    }
    e.allocated_by_graph(&mut s, &allocated);
    for o in &allocated {
        e.allocated_in_stream(&mut s, *o, stream);
    }
    variables::after_any_kernel(e, &mut s, stream);
    // Work of libraries that a graph keeps is not recorded: it may write any memory of the device.
    let written = e.open_to_device(&s);
    for o in &written {
        let why = UnknownReason::KernelWrites(e.object(*o).name.clone());
        e.note_written_by_device(*o);
        e.havoc(&mut s, *o, &why, false);
    }
    e.begin_writing(&mut s, written, stream);
    // Functions of the host that a graph calls.
    e.others_run(&mut s);
    cuda_launch::launched(e, c.base(), s)
}

/// Models a call that makes a node, or changes one of an executable graph: its work is that of a capture. `graph` is the
/// argument of the graph beside the new handle; else the first argument is the executable graph.
fn node(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    graph: Option<usize>,
    work: fn(&mut Executor<'_>, &LibraryCall<'_>, &mut State),
) -> ModelOutcome {
    let of = graph_number(e, c, graph.unwrap_or(0));
    if graph.is_none() {
        e.runtime.captures.making = Some(NewNode::default());
        add_work(e, c, &mut s, of, work);
        e.runtime.captures.making = None;
        return super::success(e, s);
    }
    let (handle, number) = waits::new_graph(e, c);
    let place = e.as_pointer(&handle);
    let number = waits::handle_number(e, &place).filter(|n| *n == number);
    let behind = number.and_then(|number| dependencies(e, c, &mut s, number));
    e.runtime.captures.making = Some(NewNode { number, behind: behind.clone() });
    add_work(e, c, &mut s, of, work);
    e.runtime.captures.making = None;
    if let Some((number, behind)) = number.zip(behind) {
        e.runtime.captures.nodes.insert(number, behind);
    }
    let out = cuda::pointer_arg(e, c, 0);
    e.store_value(&mut s, &out, handle, 8);
    if c.base() == "cudaGraphAddMemAllocNode" {
        let status = e.allocation_status();
        return Ok(Some((Value::Int(status), s)));
    }
    super::success(e, s)
}

/// Maximum number of dependencies of a node that are followed.
const MAX_DEPENDENCIES: i128 = 64;

/// Returns the nodes that a new one runs behind, itself included: `(…, dependencies, [their data,] their number, …)`.
fn dependencies(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    number: i64,
) -> Option<FxHashSet<i64>> {
    let count = if c.base() == "cudaGraphAddNode" { c.args.len().checked_sub(2)? } else { 3 };
    let count = copies::size_arg(e, c, count);
    let count = e.arena.as_int(count).filter(|n| *n <= MAX_DEPENDENCIES)?;
    let list = cuda::pointer_arg(e, c, 2);
    let mut behind = FxHashSet::from_iter([number]);
    for i in 0..count {
        let place = moved(e, &list, 8 * i);
        let node = e.load_pointer(s, &place);
        let node = waits::handle_number(e, &node)?;
        behind.extend(e.runtime.captures.nodes.get(&node)?);
    }
    Some(behind)
}

/// Records work for a graph as if it was captured.
fn add_work(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    of: GraphNumber,
    work: fn(&mut Executor<'_>, &LibraryCall<'_>, &mut State),
) {
    let outer = e.capture_under_way(s);
    leave_contents_open(e, s);
    e.set_capture(s, CaptureUnderWay::Into(of));
    work(e, c, s);
    e.set_capture(s, outer);
}

/// Models a change of a node of a graph that is not executable: its new work may belong to any graph.
fn changed_node(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    work: fn(&mut Executor<'_>, &LibraryCall<'_>, &mut State),
) -> ModelOutcome {
    e.runtime.captures.making = Some(NewNode::default());
    add_work(e, c, &mut s, None, work);
    e.runtime.captures.making = None;
    super::success(e, s)
}

/// `(new handle, graph, dependencies, [their data,] their number, parameters)`: the parameters have the kind of node at 0
/// (`cudaGraphNodeType`), and what a node of that kind is given at 16.
fn any_node(e: &mut Executor<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let last = c.args.len().saturating_sub(1);
    let p = cuda::pointer_arg(e, c, last);
    let kind = number(e, &mut s, &p, 0, 4);
    let Some(kind) = e.arena.as_int(kind) else { return not_followed(e, c, s) };
    let inner = Value::Ptr(moved(e, &p, 16));
    let mut args = c.args.to_vec();
    args[last] = inner;
    let given = LibraryCall { args: &args, ..*c };
    match kind {
        0 => node(e, &given, s, Some(1), |e, c, s| launch_of(e, c, s, c.args.len() - 1)),
        // Flags stand before the parameters of a copy.
        1 => {
            args[last] = Value::Ptr(moved(e, &p, 32));
            let given = LibraryCall { args: &args, ..*c };
            node(e, &given, s, Some(1), |e, c, s| volume_of(e, c, s, c.args.len() - 1))
        }
        2 => node(e, &given, s, Some(1), |e, c, s| fill_of(e, c, s, c.args.len() - 1)),
        5 => node(e, &given, s, Some(1), |_, _, _| {}),
        10 => node(e, &given, s, Some(1), |e, c, s| memory_of(e, c, s, c.args.len() - 1)),
        11 => {
            let place = moved(e, &p, 16);
            args[last] = Value::Ptr(e.load_pointer(&mut s, &place));
            let given = LibraryCall { args: &args, ..*c };
            node(e, &given, s, Some(1), |e, c, s| free_of(e, c, s, c.args.len() - 1))
        }
        // What a function of the host does that a graph calls is lost, as that of any callback.
        3 => Err(Box::new(s)),
        _ => not_followed(e, c, s),
    }
}

fn number(e: &mut ExecutionContext<'_>, s: &mut State, p: &[GuardedTarget], at: i128, bytes: u64) -> TermId {
    let place = moved(e, p, at);
    let bits = u32::try_from(8 * bytes).unwrap_or(64);
    let v = match e.load_number(s, &place, bytes) {
        Some(t) => Value::Int(t),
        None => Value::unknown(UnknownReason::LaunchMember),
    };
    let t = e.value_int(&v, bits);
    e.interpret(t, bits, false)
}

/// Reads a `cudaKernelNodeParams`: function, grid at 8, block at 20, bytes of shared memory at 32, arguments at 40.
fn launch_of(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) {
    let p = cuda::pointer_arg(e, c, i);
    let [gx, gy, gz, bx, by, bz, shared] = [8, 12, 16, 20, 24, 28, 32].map(|at| number(e, s, &p, at, 4));
    let (grid, block) = ([gx, gy, gz], [bx, by, bz]);
    let (limits, attributes) = (LaunchLimits::default(), LaunchAttributes::default());
    let cfg = LaunchConfig { grid, block, shared, stream: None, limits, attributes };
    let at = moved(e, &p, 40);
    let (f, args) = (e.load_pointer(s, &p), e.load_pointer(s, &at));
    cuda_launch::launch(e, c, s, &f, &args, &cfg);
}

/// `(…, to, from, bytes, kind)`.
fn copy_of(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) {
    let (to, from) = (cuda::pointer_arg(e, c, i), cuda::pointer_arg(e, c, i + 1));
    let n = copies::size_arg(e, c, i + 2);
    copies::kept_copy(e, c, s, (&to, &from), n);
}

fn volume_of(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) {
    let p = cuda::pointer_arg(e, c, i);
    copies::kept_volume(e, c, s, &p);
}

/// Reads a `cudaMemsetParams`: address, pitch, value, bytes of an element, elements of a row, rows.
fn fill_of(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) {
    let p = cuda::pointer_arg(e, c, i);
    let [pitch, width, height] = [8, 24, 32].map(|at| number(e, s, &p, at, 8));
    let unit = number(e, s, &p, 20, 4);
    let width = e.arena.mul(width, unit);
    let to = e.load_pointer(s, &p);
    copies::kept_fill(e, c, s, &to, [pitch, width, height]);
}

/// Reads a `cudaMemAllocNodeParams`: the size is at 104, and the address is written at 112.
fn memory_of(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) {
    let p = cuda::pointer_arg(e, c, i);
    let size = number(e, s, &p, 104, 8);
    let args = [Value::Ptr(moved(e, &p, 112))];
    let given = LibraryCall { args: &args, ..*c };
    if let Ok(Some((_, after))) = device_allocation(e, &given, s.clone(), size, ObjKind::DeviceHeap) {
        *s = after;
    }
    let graph = match e.capture_under_way(s) {
        CaptureUnderWay::Into(of) => of,
        CaptureUnderWay::No => None,
    };
    let node = e.runtime.captures.making.as_ref().and_then(|new| new.number);
    owns(e, c, MemoryOwner { graph: graph.filter(|_| node.is_some()), node, freed_inside: false });
}

fn free_of(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) {
    let p = cuda::pointer_arg(e, c, i);
    free_of_graph(e, c, s, &p);
}

/// Nodes that are put into an order later: that of memory which a graph allocates is not followed then.
fn add_dependencies(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    if !e.runtime.captures.memory.is_empty() {
        e.limits.miss(|| UnknownReason::MemoryOfGraph(c.base().to_owned()));
    }
    super::success(e, s)
}

fn part_of(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) {
    if let CaptureUnderWay::Into(of) = e.capture_under_way(s) {
        let part = graph_number(e, c, i);
        e.runtime.captures.include(of, part);
    }
}

/// Side of a copy or fill as a graph keeps it.
pub(super) fn side(targets: &Rc<Vec<GuardedTarget>>, bytes: TermId, kind: AccessKind) -> KeptSide {
    KeptSide { targets: targets.clone(), bytes, kind }
}
