//! Graphs of device work (CUDA Runtime API reference 13.0, Graph Management): captured from streams, or built by node. A
//! graph's work is done at its launches, with the arguments that it had when its nodes were made, on the memory of the launch.
//!
//! Nodes are done in the order in which the program made them: each is behind those that it depends on.

use super::arguments::{arg, read, short_name, write};
use super::cuda::handle;
use super::model::{ModelClass, ModelEntry, ModelTable};
use super::runtime::{Capture, DeviceGraph, DeviceWork, KeptWork, RowsOfCopy};
use super::volumes::{VolumeCopy, volume};
use super::work::{WorkFate, ensure_not_captured, fate, kept, memory_of_graph, perform_all, release_of_graph, submit};
use crate::device::configuration::{LaunchConfiguration, ShapeAttributes};
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use std::rc::Rc;

/// Captures, graphs and their launches.
pub(super) const GRAPHS: ModelTable = &[
    (&["cudaStreamBeginCapture", "cuStreamBeginCapture_v2"], begin_capture, ModelClass::Cuda),
    (&["cudaStreamEndCapture", "cuStreamEndCapture"], end_capture, ModelClass::Cuda),
    (&["cudaStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph"], begin_capture_to, ModelClass::Cuda),
    (&["cudaStreamBeginRecaptureToGraph", "cuStreamBeginRecaptureToGraph"], not_followed, ModelClass::Cuda),
    (&["cudaLaunchHostFunc", "cuLaunchHostFunc"], call_of_host, ModelClass::Cuda),
    (&["cudaStreamAddCallback", "cuStreamAddCallback"], callback, ModelClass::Cuda),
    // A skipped record or wait makes no stream part of a capture, and work on that stream then stops.
    (&["cudaEventRecord", "cuEventRecord"], record_event, ModelClass::Pure),
    (&["cudaStreamWaitEvent", "cuStreamWaitEvent"], wait_for_event, ModelClass::Pure),
    (&["cudaGraphCreate"], create, ModelClass::Cuda),
    (
        &[
            "cudaGraphInstantiate",
            "cudaGraphInstantiateWithFlags",
            "cudaGraphInstantiateWithParams",
            "cudaGraphClone",
            "cuGraphInstantiateWithFlags",
        ],
        instantiate,
        ModelClass::Cuda,
    ),
    (&["cudaGraphLaunch", "cuGraphLaunch"], graph_launch, ModelClass::Cuda),
    (&["cudaGraphAddKernelNode"], add_launch, ModelClass::Cuda),
    (&["cudaGraphAddMemcpyNode1D"], add_copy, ModelClass::Cuda),
    (&["cudaGraphAddMemcpyNode"], add_volume, ModelClass::Cuda),
    (&["cudaGraphAddMemsetNode"], add_fill, ModelClass::Cuda),
    (
        &["cudaGraphAddEmptyNode", "cudaGraphAddEventRecordNode", "cudaGraphAddEventWaitNode"],
        add_nothing,
        ModelClass::Cuda,
    ),
    (&["cudaGraphAddMemAllocNode"], add_memory, ModelClass::Cuda),
    (&["cudaGraphAddMemFreeNode"], add_release, ModelClass::Cuda),
    (&["cudaGraphAddChildGraphNode"], add_graph, ModelClass::Cuda),
    (&["cudaGraphAddHostNode"], add_call_of_host, ModelClass::Cuda),
    (&["cudaGraphAddNode"], add_any, ModelClass::Cuda),
    (&["cudaGraphAddDependencies"], add_dependencies, ModelClass::Cuda),
    (&["cudaGraphKernelNodeSetParams"], set_launch_in_graph, ModelClass::Cuda),
    (&["cudaGraphMemcpyNodeSetParams1D"], set_copy_in_graph, ModelClass::Cuda),
    (&["cudaGraphMemsetNodeSetParams"], set_fill_in_graph, ModelClass::Cuda),
    (&["cudaGraphExecUpdate"], update, ModelClass::Cuda),
    (&["cudaGraphExecKernelNodeSetParams"], set_launch, ModelClass::Cuda),
    (&["cudaGraphExecMemcpyNodeSetParams1D"], set_copy, ModelClass::Cuda),
    (&["cudaGraphExecMemsetNodeSetParams"], set_fill, ModelClass::Cuda),
    (
        &[
            "cudaGraphDestroy",
            "cudaGraphExecDestroy",
            "cudaGraphUpload",
            "cudaGraphDebugDotPrint",
            "cuGraphDestroy",
            "cuGraphExecDestroy",
            "cuGraphUpload",
        ],
        super::simple::zero,
        ModelClass::Pure,
    ),
];

/// Model of any other function that makes or changes graphs, by its name; those that only ask have none.
pub(super) fn other(name: &str) -> Option<ModelEntry> {
    let rest = name.strip_prefix("cudaGraph").or_else(|| name.strip_prefix("cuGraph"))?;
    let asks = rest.starts_with("ics") || rest.contains("Get") || rest.ends_with("UserObject");
    (!asks).then_some((not_followed, ModelClass::Cuda))
}

/// Handle of the default stream of each thread (`cudaStreamPerThread`), the last of the streams that nobody makes.
const PER_THREAD: u64 = 2;

const OK: ModelResult = Ok(Ret::Val(Val::ZERO));

fn not_followed(m: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, _: &[Val]) -> ModelResult {
    let name = short_name(m, call);
    Err(ThreadStop::Unknown(format!("`{name}`: a graph is made in a way that is not followed").into()))
}

fn begin_capture(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    begin(m, arg(a, 0), arg(a, 1), None)
}

/// `(stream, graph, dependencies, their data, their number, mode)`: captured work is added to a graph.
fn begin_capture_to(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    graph(m, arg(a, 1))?;
    begin(m, arg(a, 0), arg(a, 5), arg(a, 1).known())
}

fn begin(m: &mut Machine<'_>, stream: Val, mode: Val, into: Option<u64>) -> ModelResult {
    if m.cuda.capturing.is_some() {
        return Err(ThreadStop::Unknown("two streams are captured at the same time".into()));
    }
    // The default stream cannot be captured.
    let Some(stream) = stream.known().filter(|s| *s > PER_THREAD) else {
        return Err(ThreadStop::Unknown("which stream is captured is not known".into()));
    };
    m.cuda.capturing = Some(Capture { streams: vec![stream], events: vec![], mode, work: vec![], into });
    OK
}

fn end_capture(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    // Only the stream that began a capture ends it, after those that joined it have been waited for.
    let ends = m.cuda.capturing.as_ref().is_some_and(|c| c.streams.first() == arg(a, 0).known().as_ref());
    let Some(capture) = m.cuda.capturing.take().filter(|_| ends) else {
        return Err(ThreadStop::Unknown("which capture is ended is not known".into()));
    };
    let Some(into) = capture.into else { return made(m, th, call, arg(a, 1), capture.work, None) };
    if let Some(of) = m.cuda.graphs.get_mut(&into) {
        Rc::make_mut(&mut of.work).extend(capture.work);
    }
    write(m, th, call, arg(a, 1), 64, Val::new(into))?;
    OK
}

/// Writes the handle of a new graph.
fn made(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    out: Val,
    work: Vec<KeptWork>,
    of: Option<u64>,
) -> ModelResult {
    handle(m, th, call, &[out])?;
    let h = read(m, th, out, 64)?;
    if let Some(h) = h.known() {
        m.cuda.graphs.insert(h, DeviceGraph { work: Rc::new(work), of });
    }
    OK
}

fn create(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    made(m, th, call, arg(a, 0), vec![], None)
}

/// An event that a captured stream records makes the streams that wait for it part of the capture.
fn record_event(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    if let (Some(capture), Some(event)) = (&mut m.cuda.capturing, arg(a, 0).known()) {
        capture.events.retain(|e| *e != event);
        if arg(a, 1).known().is_some_and(|s| capture.streams.contains(&s)) {
            capture.events.push(event);
        }
    }
    OK
}

fn wait_for_event(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    if let (Some(capture), Some(stream), Some(event)) = (&mut m.cuda.capturing, arg(a, 0).known(), arg(a, 1).known())
        && capture.events.contains(&event)
        && !capture.streams.contains(&stream)
    {
        capture.streams.push(stream);
    }
    OK
}

fn graph(m: &Machine<'_>, of: Val) -> Result<Rc<Vec<KeptWork>>, ThreadStop> {
    let found = of.known().and_then(|h| m.cuda.graphs.get(&h));
    found.map(|g| g.work.clone()).ok_or_else(|| ThreadStop::Unknown("which graph is meant is not known".into()))
}

/// `(new handle, graph, …)`.
fn instantiate(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    let work = graph(m, arg(a, 1))?;
    made(m, th, call, arg(a, 0), (*work).clone(), arg(a, 1).known())
}

fn graph_launch(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    let work = graph(m, arg(a, 0))?;
    match fate(m, arg(a, 1))? {
        WorkFate::Done => perform_all(m, th, &work),
        WorkFate::Kept => submit(m, th, arg(a, 1), DeviceWork::Graph(work)),
    }
}

/// Adds a node to a graph: `(new handle, graph, dependencies, their number, …)`.
fn add(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], work: DeviceWork) -> ModelResult {
    m.works()?;
    let kept = kept(m, th, work)?;
    let Some(graph) = arg(a, 1).known().filter(|h| m.cuda.graphs.contains_key(h)) else {
        return Err(ThreadStop::Unknown("which graph gets a node is not known".into()));
    };
    let Some(of) = m.cuda.graphs.get_mut(&graph) else { return OK };
    let work = Rc::make_mut(&mut of.work);
    work.push(kept);
    let at = work.len() - 1;
    handle(m, th, call, &[arg(a, 0)])?;
    if let Some(node) = read(m, th, arg(a, 0), 64)?.known() {
        m.cuda.nodes.insert(node, (graph, at));
    }
    OK
}

/// Reads a `cudaKernelNodeParams`: function, grid at 8, block at 20, bytes of shared memory at 32, arguments at 40.
fn launch_of(m: &mut Machine<'_>, th: &mut Thread, p: Val) -> Result<DeviceWork, ThreadStop> {
    let at = |off: u64| Val { bits: p.bits.wrapping_add(off), ..p };
    let mut v = [Val::ZERO; 7];
    for (i, slot) in (0u64..).zip(&mut v) {
        *slot = read(m, th, at(8 + 4 * i), 32)?;
    }
    let (handle, arguments) = (read(m, th, at(0), 64)?, read(m, th, at(40), 64)?);
    if arguments.known().is_none_or(|a| a == 0) && read(m, th, at(48), 64)?.known() != Some(0) {
        return Err(ThreadStop::Unknown("a launch is given its arguments in `extra`, which is not followed".into()));
    }
    let configuration = LaunchConfiguration {
        grid: [v[0], v[1], v[2]],
        block: [v[3], v[4], v[5]],
        shared: v[6],
        attributes: ShapeAttributes::default(),
    };
    Ok(DeviceWork::Launch { handle, configuration: Rc::new(configuration), arguments })
}

/// Reads a `cudaMemsetParams`: address, pitch, value, bytes of an element, elements of a row, rows.
fn fill_of(m: &mut Machine<'_>, th: &mut Thread, p: Val) -> Result<DeviceWork, ThreadStop> {
    let at = |off: u64| Val { bits: p.bits.wrapping_add(off), ..p };
    let (to, pitch) = (read(m, th, at(0), 64)?, read(m, th, at(8), 64)?);
    let (value, unit) = (read(m, th, at(16), 32)?, read(m, th, at(20), 32)?);
    let (width, height) = (read(m, th, at(24), 64)?, read(m, th, at(32), 64)?);
    let (Some(unit @ (1 | 2 | 4)), Some(n)) = (unit.known(), width.known()) else {
        return Err(ThreadStop::Unknown("the size of a fill in a graph is not known".into()));
    };
    let bytes: Vec<u8> = value.bits.to_le_bytes().into_iter().take(usize::try_from(unit).unwrap_or(1)).collect();
    let uniform = !value.is_poison() && bytes.iter().all(|b| *b == bytes[0]);
    let byte = if uniform { Val::new(u64::from(bytes[0])) } else { m.unknown("what a fill by units leaves") };
    let width = Val::new(n.saturating_mul(unit));
    let to = RowsOfCopy { at: to, pitch, slice: Val::ZERO };
    Ok(DeviceWork::FillRows { to, byte, extent: [width, height, Val::new(1)] })
}

fn add_launch(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work = launch_of(m, th, arg(a, 4))?;
    add(m, th, call, a, work)
}

/// `(…, to, from, bytes, kind)`.
fn add_copy(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work = DeviceWork::Copy { to: arg(a, 4), from: arg(a, 5), bytes: arg(a, 6) };
    add(m, th, call, a, work)
}

fn add_volume(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    match volume(m, th, arg(a, 4))? {
        VolumeCopy::Done(work) => add(m, th, call, a, work),
        _ => not_followed(m, th, call, a),
    }
}

fn add_fill(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work = fill_of(m, th, arg(a, 4))?;
    add(m, th, call, a, work)
}

/// Returns a call of a host function at an address.
fn host_call(m: &Machine<'_>, function: Val, arguments: Rc<[Val]>) -> Result<DeviceWork, ThreadStop> {
    let function = function.known().and_then(|address| m.mem.func_at(address));
    let Some(function) = function else {
        return Err(ThreadStop::Unknown("which function of the host a stream calls is not known".into()));
    };
    Ok(DeviceWork::HostCall { function, arguments })
}

/// `(stream, function, argument)`: the function is called as soon as the work before it is done, which is at once.
fn call_of_host(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let work = host_call(m, arg(a, 1), Rc::new([arg(a, 2)]))?;
    submit(m, th, arg(a, 0), work)
}

/// `(stream, function, argument, flags)`: the function gets the stream, its status and the argument. A captured stream
/// refuses it.
fn callback(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    ensure_not_captured(m, arg(a, 0))?;
    let work = host_call(m, arg(a, 1), Rc::new([arg(a, 0), Val::ZERO, arg(a, 2)]))?;
    submit(m, th, arg(a, 0), work)
}

/// Reads a `cudaHostNodeParams`: a function and its argument.
fn call_of(m: &mut Machine<'_>, th: &mut Thread, p: Val) -> Result<DeviceWork, ThreadStop> {
    let function = read(m, th, p, 64)?;
    let argument = read(m, th, Val { bits: p.bits.wrapping_add(8), ..p }, 64)?;
    host_call(m, function, Rc::new([argument]))
}

fn add_call_of_host(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work = call_of(m, th, arg(a, 4))?;
    add(m, th, call, a, work)
}

/// `(new handle, graph, dependencies, [their data,] their number, parameters)`: the parameters have the kind of node at 0
/// (`cudaGraphNodeType`), and what a node of that kind is given at 16.
fn add_any(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let p = a.last().copied().unwrap_or(Val::ZERO);
    let at = |off: u64| Val { bits: p.bits.wrapping_add(off), ..p };
    let work = match read(m, th, p, 32)?.known() {
        Some(0) => launch_of(m, th, at(16))?,
        // Flags stand before the parameters of a copy.
        Some(1) => match volume(m, th, at(32))? {
            VolumeCopy::Done(work) => work,
            _ => return not_followed(m, th, call, a),
        },
        Some(2) => fill_of(m, th, at(16))?,
        Some(3) => call_of(m, th, at(16))?,
        Some(5) => DeviceWork::Nothing,
        Some(10) => memory_of(m, th, call, at(16))?,
        Some(11) => {
            let freed = read(m, th, at(16), 64)?;
            release_of_graph(m, freed)?
        }
        _ => return not_followed(m, th, call, a),
    };
    add(m, th, call, a, work)
}

/// Makes the memory of a `cudaMemAllocNodeParams`: the size is at 104, and the address is written at 112.
fn memory_of(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, p: Val) -> Result<DeviceWork, ThreadStop> {
    let at = |off: u64| Val { bits: p.bits.wrapping_add(off), ..p };
    let (name, size) = (short_name(m, call), read(m, th, at(104), 64)?);
    let made = memory_of_graph(m, th, &name, size)?;
    write(m, th, call, at(112), 64, made)?;
    Ok(DeviceWork::Allocate(made))
}

fn add_memory(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work = memory_of(m, th, call, arg(a, 4))?;
    add(m, th, call, a, work)
}

fn add_release(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work = release_of_graph(m, arg(a, 4))?;
    add(m, th, call, a, work)
}

fn add_nothing(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    add(m, th, call, a, DeviceWork::Nothing)
}

fn add_graph(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let work = graph(m, arg(a, 4))?;
    add(m, th, call, a, DeviceWork::Graph(work))
}

fn node(m: &Machine<'_>, node: Val) -> Result<(u64, usize), ThreadStop> {
    let found = node.known().and_then(|n| m.cuda.nodes.get(&n)).copied();
    found.ok_or_else(|| ThreadStop::Unknown("which node of a graph is meant is not known".into()))
}

/// `(graph, from, to, …, their number)`: the order in which nodes were made must keep each dependency.
fn add_dependencies(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    let Some(n) = a.last().and_then(|n| n.known()).filter(|n| *n <= 1 << 12) else {
        return not_followed(m, th, call, a);
    };
    for i in 0..n {
        let mut places = [0; 2];
        for (place, list) in places.iter_mut().zip([arg(a, 1), arg(a, 2)]) {
            let h = read(m, th, Val { bits: list.bits.wrapping_add(8 * i), ..list }, 64)?;
            *place = node(m, h)?.1;
        }
        if places[0] >= places[1] {
            return Err(ThreadStop::Unknown("a node of a graph depends on one that was made later".into()));
        }
    }
    OK
}

/// Replaces a node's work in an executable graph: `(executable, node, …)`.
fn set(m: &mut Machine<'_>, th: &mut Thread, a: &[Val], work: DeviceWork) -> ModelResult {
    m.works()?;
    let (graph, at) = node(m, arg(a, 1))?;
    let kept = kept(m, th, work)?;
    let of = arg(a, 0).known().and_then(|h| m.cuda.graphs.get_mut(&h)).filter(|g| g.of == Some(graph));
    let Some(place) = of.and_then(|of| Rc::make_mut(&mut of.work).get_mut(at)) else {
        return Err(ThreadStop::Unknown("which node of an executable graph is changed is not known".into()));
    };
    *place = kept;
    OK
}

/// Replaces a node's work in the graph itself; executable graphs and clones keep theirs: `(node, …)`.
fn set_in_graph(m: &mut Machine<'_>, th: &mut Thread, a: &[Val], work: DeviceWork) -> ModelResult {
    m.works()?;
    let (graph, at) = node(m, arg(a, 0))?;
    let kept = kept(m, th, work)?;
    if let Some(place) = m.cuda.graphs.get_mut(&graph).and_then(|of| Rc::make_mut(&mut of.work).get_mut(at)) {
        *place = kept;
    }
    OK
}

fn set_launch_in_graph(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let work = launch_of(m, th, arg(a, 1))?;
    set_in_graph(m, th, a, work)
}

fn set_copy_in_graph(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    set_in_graph(m, th, a, DeviceWork::Copy { to: arg(a, 1), from: arg(a, 2), bytes: arg(a, 3) })
}

fn set_fill_in_graph(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let work = fill_of(m, th, arg(a, 1))?;
    set_in_graph(m, th, a, work)
}

/// `(executable, graph, …)`: the work of a graph with the same nodes replaces that of the executable one.
fn update(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    let (old, new) = (graph(m, arg(a, 0))?, graph(m, arg(a, 1))?);
    let alike = old.len() == new.len() && old.iter().zip(new.iter()).all(|(o, n)| may_replace(&o.work, &n.work));
    if !alike {
        return not_followed(m, th, call, a);
    }
    let why = m.unknown("the result of an update of a graph").poison;
    for out in a.iter().skip(2).filter(|p| p.known() != Some(0)) {
        m.havoc(th, *out, why);
    }
    if let Some(of) = arg(a, 0).known().and_then(|h| m.cuda.graphs.get_mut(&h)) {
        of.work = new;
    }
    OK
}

/// Whether an update may surely replace work by other work: of another kernel or kind, or in another place, it is refused.
fn may_replace(old: &DeviceWork, new: &DeviceWork) -> bool {
    match (old, new) {
        (DeviceWork::Launch { handle: f, .. }, DeviceWork::Launch { handle: g, .. }) => {
            f.known().is_some() && f.known() == g.known()
        }
        (DeviceWork::Nothing, DeviceWork::Nothing) => true,
        // Copies and fills keep their memory's devices and sizes in ways that are not followed.
        _ => false,
    }
}

fn set_launch(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let work = launch_of(m, th, arg(a, 2))?;
    set(m, th, a, work)
}

fn set_copy(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    set(m, th, a, DeviceWork::Copy { to: arg(a, 2), from: arg(a, 3), bytes: arg(a, 4) })
}

fn set_fill(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let work = fill_of(m, th, arg(a, 2))?;
    set(m, th, a, work)
}
