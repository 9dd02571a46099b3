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
use engine::symbolic::memory::object::ObjKind;
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
    if p.iter().all(|t| t.base == Base::Null) { Some(DEFAULT) } else { handle_number(e, &p) }
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
    }
}

fn event_record(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    // Covers all work so far, if the default stream waits for every other.
    let event = cuda::pointer_arg(e, c, 0);
    let all = stream_number(e, c, 1) == Some(DEFAULT) && !e.runtime.unordered;
    let n = handle_number(e, &event).filter(|_| all);
    e.set_recorded(s, n.unwrap_or(0));
}

fn event_synchronize(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let event = cuda::pointer_arg(e, c, 0);
    if let Some(n) = handle_number(e, &event)
        && e.is_recorded(s, n)
    {
        e.all_done(s);
    }
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
