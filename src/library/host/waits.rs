//! Synchronisation of the host (CUDA Runtime API reference 13.0, API synchronization behavior, Stream and Event
//! Management): after a wait, memory visible to both sides has the contents that the device stored.
//!
//! Streams and events are identified by the calls that make them, as long as each of these is executed once.

use super::cuda;
use super::table::HostTable;
use super::variables;
use base::reasons::UnknownReason;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::memory::object::{ObjId, ObjKind};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};

/// The call that makes streams that wait for the default stream.
const WAITING_STREAM: &str = "cudaStreamCreate";

/// Number of the default stream; other streams follow.
pub(super) const DEFAULT: i64 = 1;

/// Whether a function uses a default stream of its thread.
pub(super) fn is_per_thread(name: &str) -> bool {
    name.ends_with("_ptsz") || name.ends_with("_ptds")
}

/// Calls that wait, and those that define what to wait for. No other call waits: work in flight stays in flight.
pub(super) const WAITS: HostTable = &[
    (&["cuCtxDestroy", "cuCtxDestroy_v2", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2"], |e, c, s| {
        waits(e, c, s, context_may_end)
    }),
    (&["cudaDeviceReset", "cudaThreadExit", "cuDevicePrimaryCtxReset_v2"], |e, c, s| waits(e, c, s, device_reset)),
    (&["cudaDeviceSynchronize", "cudaThreadSynchronize", "cuCtxSynchronize"], |e, c, s| {
        waits(e, c, s, device_synchronize)
    }),
    (&["cudaStreamSynchronize", "cuStreamSynchronize"], |e, c, s| waits(e, c, s, stream_synchronize)),
    (&["cudaStreamWaitEvent", "cuStreamWaitEvent"], |e, c, s| waits(e, c, s, stream_wait_event)),
    (
        &[
            "cudaStreamUpdateCaptureDependencies",
            "cudaStreamUpdateCaptureDependencies_v2",
            "cuStreamUpdateCaptureDependencies",
            "cuStreamUpdateCaptureDependencies_v2",
        ],
        |e, c, s| waits(e, c, s, dependencies_changed),
    ),
    (&["cudaEventRecord", "cudaEventRecordWithFlags", "cuEventRecord"], |e, c, s| waits(e, c, s, event_record)),
    (&["cudaEventSynchronize", "cuEventSynchronize"], |e, c, s| waits(e, c, s, event_synchronize)),
];

/// Models a call that waits, or that defines what to wait for.
fn waits(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    mut s: State,
    wait: fn(&mut ExecutionContext<'_>, &LibraryCall<'_>, &mut State),
) -> ModelOutcome {
    if !e.program.func(c.func).is_declaration() {
        return Err(Box::new(s));
    }
    wait(e, c, &mut s);
    super::success(e, s)
}

/// Returns a new handle of a graph with its number, as [`handle_number`] finds it.
pub(super) fn new_graph(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>) -> (Value, i64) {
    let n = e.runtime.made_at(c.context, c.site);
    let handle = e.unknown_pointer(&UnknownReason::Handle(c.base().to_owned(), n));
    (handle, DEFAULT + 1 + i64::try_from(n).unwrap_or(i64::MAX / 2))
}

/// Returns a new handle of a stream or an event, made by the function of that name.
pub(crate) fn new_handle(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, name: &str) -> Value {
    let n = e.runtime.made_at(c.context, c.site);
    e.unknown_pointer(&UnknownReason::Handle(name.to_owned(), n))
}

/// Returns the number of the call that made a stream or event, if it is known and was executed once.
pub(super) fn handle_number(e: &MemoryDomain<'_>, p: &[GuardedTarget]) -> Option<i64> {
    let [GuardedTarget { base: Base::Unknown(l), .. }] = p else { return None };
    let UnknownReason::Handle(_, n) = *l.reason else { return None };
    e.runtime.is_made_once(n).then(|| DEFAULT + 1 + i64::try_from(n).unwrap_or(i64::MAX / 2))
}

/// Returns the number of the stream that an argument names.
pub(crate) fn stream_number(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, i: usize) -> Option<i64> {
    if is_per_thread(c.name) {
        return None;
    }
    let p = cuda::pointer_arg(e, c, i);
    if p.iter().all(|t| t.base == Base::Null) {
        return Some(DEFAULT);
    }
    let number = handle_number(e, &p)?;
    let waits = |t: &GuardedTarget| matches!(&t.base, Base::Unknown(l) if matches!(&*l.reason, UnknownReason::Handle(call, _) if call == WAITING_STREAM));
    if p.iter().all(waits) {
        e.runtime.waiting_streams.insert(number);
    }
    Some(number)
}

/// Models a wait of a stream for an event: `(stream, event, flags)`.
fn stream_wait_event(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let event = cuda::pointer_arg(e, c, 1);
    let (stream, event) = (stream_number(e, c, 0), handle_number(e, &event));
    e.stream_waits(s, stream, event);
}

/// Returns the stream of a launch in the form in which its stub passes it on.
pub(crate) fn configured_stream(e: &mut Terms, stream: Option<i64>) -> Value {
    if stream == Some(DEFAULT) { e.null() } else { e.unknown_pointer(&UnknownReason::ConfiguredStream(stream)) }
}

/// Returns the number of a launch's stream. A launch into a stream that may not be the default one may overlap
/// with others.
pub(crate) fn note_stream(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, i: usize, s: &mut State) -> Option<i64> {
    let stream = cuda::pointer_arg(e, c, i);
    // The stream was recorded when the launch was configured.
    let noted = stream.iter().find_map(|t| match &t.base {
        Base::Unknown(l) => match *l.reason {
            UnknownReason::ConfiguredStream(number) => Some(number),
            _ => None,
        },
        _ => None,
    });
    if let Some(number) = noted {
        return if stream.len() == 1 { number } else { None };
    }
    let number = stream_number(e, c, i);
    if number == Some(DEFAULT) {
        return number;
    }
    e.overlap(s);
    // Only streams from `cudaStreamCreate` are known to wait for the default stream, which waits for them.
    let waits = |t: &GuardedTarget| match &t.base {
        Base::Unknown(l) => match &*l.reason {
            UnknownReason::Handle(call, _) | UnknownReason::Gives(call) => call == WAITING_STREAM,
            _ => false,
        },
        base => *base == Base::Null,
    };
    e.runtime.unordered |= is_per_thread(c.name) || !stream.iter().all(waits);
    number
}

fn device_synchronize(e: &mut ExecutionContext<'_>, _: &LibraryCall<'_>, s: &mut State) {
    e.all_done(s);
    e.host_waited_in_order(s, None);
}

fn device_reset(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    if e.may_be_used_by_thread(s, None) {
        e.limits.miss(|| UnknownReason::FreedBesideThread(c.base().to_owned()));
    }
    e.all_done(s);
    variables::reset_device(e, s);
}

/// A context that ends takes its memory with it. Others may hold the primary one, and the program may use several.
fn context_may_end(e: &mut ExecutionContext<'_>, _: &LibraryCall<'_>, s: &mut State) {
    e.all_done(s);
    variables::perhaps_reset_device(e, s);
}

fn stream_synchronize(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    if let Some(n) = stream_number(e, c, 0) {
        e.done_in(s, n);
        e.host_waited_in_order(s, Some(n));
    }
}

/// Ends what is said of the program where memory in the order of streams is used behind other dependencies of a capture.
fn dependencies_changed(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    if !e.in_stream_order(s).is_empty() {
        e.limits.miss(|| UnknownReason::StreamOrder(c.base().to_owned()));
    }
}

fn event_record(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    // Covers all work so far, if the default stream waits for every other.
    let event = cuda::pointer_arg(e, c, 0);
    let stream = stream_number(e, c, 1);
    let number = handle_number(e, &event);
    e.event_in_stream(s, number, stream);
    let all = stream == Some(DEFAULT) && !e.runtime.unordered;
    let n = handle_number(e, &event).filter(|_| all);
    e.set_recorded(s, n.unwrap_or(0));
}

fn event_synchronize(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let event = cuda::pointer_arg(e, c, 0);
    let Some(n) = handle_number(e, &event) else { return };
    if e.is_recorded(s, n) {
        e.all_done(s);
    }
    e.host_waited_in_order(s, Some(n));
}

/// Models a synchronous copy between host and device memory: all earlier work is done, if the default stream waits
/// for it.
pub(crate) fn copy_waits(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: &mut State, sides: [&[GuardedTarget]; 2]) {
    if e.runtime.unordered || is_per_thread(c.name) {
        return;
    }
    let of_host = |e: &MemoryDomain<'_>, p: &[GuardedTarget]| {
        !p.is_empty()
            && p.iter().all(|t| {
                let Base::Object(o) = t.base else { return false };
                matches!(e.object(o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_))
                    && !e.runtime.managed.contains(&o)
                    || e.runtime.pinned.contains(&o)
            })
    };
    if sides.iter().any(|p| of_host(e, p)) {
        e.all_done(s);
    }
}

/// Records that work in a stream uses what these values lead to, where memory is allocated in the order of streams.
pub(super) fn uses_in_stream(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    values: &[Value],
    (stream, captured): (Option<i64>, bool),
) {
    let ordered = e.in_stream_order(s);
    let used = if ordered.is_empty() { vec![] } else { reached(e, s, values) };
    // What a graph does it does later, but its own memory is used there in the order of its nodes.
    let is_now = |o: &ObjId| !captured || e.runtime.captures.memory.contains_key(o);
    let used: Vec<ObjId> = used.into_iter().filter(|o| ordered.contains(o) && is_now(o)).collect();
    e.used_in_stream(s, &used, stream, c.base());
}

fn reached(e: &MemoryDomain<'_>, s: &State, values: &[Value]) -> Vec<ObjId> {
    let (given, anywhere) = e.given_by(s, values);
    e.reached_by_device(s, &given, anywhere)
}
