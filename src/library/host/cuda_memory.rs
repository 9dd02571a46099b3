//! Device memory and memory accessible to both sides, in the CUDA runtime API (CUDA Runtime API reference 13.0):
//! allocations, frees, registrations and addresses of symbols.

use super::cuda;
use super::graphs;
use super::libc;
use super::table::HostTable;
use super::variables;
use super::waits;
use base::axioms::Axiom;
use base::reasons::UnknownReason;
use engine::symbolic::exec::captures::{CaptureUnderWay, MemoryOwner};
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::memory::object::{ObjId, ObjKind, ObjState, Object, UncoveredContents};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::interval::Interval;
use engine::symbolic::terms::term::{InputSource, SymKind, TermId};
use std::rc::Rc;

/// Allocations, frees and addresses.
pub(super) const MEMORY: HostTable = &[
    (&["cudaMalloc", "cudaMallocAsync", "cudaMallocFromPoolAsync"], |e, c, s| cuda_malloc(e, c, s)),
    (&["cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocFromPoolAsync"], |e, c, s| cuda_malloc(e, c, s)),
    (&["cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc"], |e, c, s| cuda_malloc_shared(e, c, s)),
    (&["cuMemAllocManaged", "cuMemAllocHost_v2", "cuMemHostAlloc"], |e, c, s| cuda_malloc_shared(e, c, s)),
    (&["cudaMallocPitch", "cuMemAllocPitch_v2"], |e, c, s| cuda_malloc_pitch(e, c, s)),
    (&["cudaMalloc3D"], |e, c, s| cuda_malloc_3d(e, c, s)),
    (&["cudaFree", "cudaFreeAsync", "cudaFreeHost", "cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost"], |e, c, s| {
        cuda_free(e, c, s)
    }),
    (&["cudaHostRegister", "cuMemHostRegister_v2"], |e, c, s| cuda_host_register(e, c, s)),
    (&["cudaHostGetDevicePointer", "cuMemHostGetDevicePointer_v2"], |e, c, s| cuda_host_device_pointer(e, c, s)),
    (&["cudaGetSymbolAddress"], |e, c, s| cuda_symbol_address(e, c, s)),
];

fn cuda_malloc(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let n = libc::int_arg(e, c, 1, 64);
    let captured = if is_in_stream_order(c.base()) { e.capture_under_way(&s) } else { CaptureUnderWay::No };
    let done = device_allocation(e, c, s, n, ObjKind::DeviceHeap);
    let mut done = done;
    if is_in_stream_order(c.base())
        && let (Ok(Some((_, s))), Some(o)) = (&mut done, e.heap.allocated_at(c.context, c.site))
    {
        let stream = c.args.len().checked_sub(1).and_then(|last| waits::stream_number(e, c, last));
        e.allocated_in_stream(s, o, stream);
    }
    // Memory in stream order is a graph's own if its stream is captured.
    if let CaptureUnderWay::Into(graph) = captured {
        graphs::owns(e, c, MemoryOwner { graph, node: None, freed_inside: false });
    }
    done
}

/// Whether a function allocates or frees memory in the order of a stream, its last argument.
fn is_in_stream_order(name: &str) -> bool {
    name.contains("Async") || name.contains("FromPool")
}

fn cuda_malloc_shared(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let name = c.base();
    let n = libc::int_arg(e, c, 1, 64);
    let done = device_allocation(e, c, s, n, ObjKind::Managed);
    if let Some(o) = e.heap.allocated_at(c.context, c.site) {
        if matches!(name, "cudaMallocManaged" | "cuMemAllocManaged") {
            e.runtime.managed.insert(o);
        } else {
            e.runtime.pinned.insert(o);
        }
    }
    done
}

/// Divisor of every pitch, and a bound on the padding of rows, in bytes: the `texturePitchAlignment` and the
/// `textureAlignment` of all devices so far (CUDA 13.0, `cudaMallocPitch`).
const PITCH_UNIT: i128 = 32;
const PADDING: i128 = 512;

fn cuda_malloc_pitch(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let (w, h) = (libc::int_arg(e, c, 2, 64), libc::int_arg(e, c, 3, 64));
    let Some((mut s, pitch)) = pitch_of(e, s, w) else { return Ok(None) };
    let p = c.args.get(1).map(|a| e.as_pointer(a)).unwrap_or_default();
    e.store_value(&mut s, &p, Value::Int(pitch), 8);
    let n = e.arena.mul(pitch, h);
    device_allocation(e, c, s, n, ObjKind::DeviceHeap)
}

/// `(cudaPitchedPtr *, cudaExtent)`: the extent is passed by value in memory, as width in bytes, height and depth; pitch,
/// width and height follow the pointer.
fn cuda_malloc_3d(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (out, extent) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    let mut sizes = vec![];
    for at in [0, 8, 16] {
        let p = moved(e, &extent, at);
        let Some(n) = e.load_number(&mut s, &p, 8) else { return Err(Box::new(s)) };
        sizes.push(e.interpret(n, 64, false));
    }
    let Some((mut s, pitch)) = pitch_of(e, s, sizes[0]) else { return Ok(None) };
    for (at, v) in [(8, pitch), (16, sizes[0]), (24, sizes[1])] {
        let p = moved(e, &out, at);
        e.store_value(&mut s, &p, Value::Int(v), 8);
    }
    let plane = e.arena.mul(pitch, sizes[1]);
    let n = e.arena.mul(plane, sizes[2]);
    device_allocation(e, c, s, n, ObjKind::DeviceHeap)
}

pub(super) fn moved(e: &mut Terms, p: &[GuardedTarget], by: i128) -> Rc<Vec<GuardedTarget>> {
    Rc::new(p.iter().map(|t| GuardedTarget { offset: e.arena.add_const(t.offset, by), ..t.clone() }).collect())
}

/// Returns the pitch of rows of `w` bytes, with its bounds in the state.
fn pitch_of(e: &mut ExecutionContext<'_>, s: State, w: TermId) -> Option<(State, TermId)> {
    let rounded = e.assumptions.takes(Axiom::Pitches);
    let (name, unit) = if rounded {
        (format!("the pitch of cudaMallocPitch, in units of {PITCH_UNIT} bytes"), PITCH_UNIT)
    } else {
        ("the pitch of cudaMallocPitch".to_owned(), 1)
    };
    // Rows of one width have one pitch.
    let known = e.inputs.pitches.iter().find(|p| rounded && p.width == w).copied();
    let pitch = match known {
        Some(known) => known.bytes,
        None => {
            let range = Interval::new(0, (1 << 40) / unit);
            let units = e.arena.fresh(SymKind::Input(InputSource::World(name)), "pitch", range);
            let pitch = e.arena.scale(units, unit);
            e.inputs.note_pitch(units, pitch, w);
            pitch
        }
    };
    let mut facts = vec![e.arena.le(w, pitch)];
    if rounded {
        let most = e.arena.add_const(w, PADDING);
        facts.push(e.arena.lt(pitch, most));
    }
    let facts = e.arena.and_all(facts);
    e.assume(s, facts).map(|s| (s, pitch))
}

fn cuda_free(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let name = c.base();
    let p = cuda::pointer_arg(e, c, 0);
    if is_in_stream_order(name) {
        let stream = c.args.len().checked_sub(1).and_then(|last| waits::stream_number(e, c, last));
        let known = p.iter().all(|t| matches!(t.base, Base::Object(_) | Base::Null));
        let objects = e.objects_at(&s, &p);
        e.freed_in_stream(&mut s, known.then_some(&objects[..]), stream, name);
    } else {
        for o in e.objects_at(&s, &p) {
            e.freed_at_once(&mut s, o, name);
        }
    }
    if is_in_stream_order(name) && e.capture_under_way(&s) != CaptureUnderWay::No {
        graphs::free_of_graph(e, c, &mut s, &p);
        return super::success(e, s);
    }
    let p = freed_by(e, name, &p);
    let used = p.iter().any(|t| match t.base {
        Base::Object(o) => e.may_be_used_by_thread(&s, Some(o)),
        Base::Null => false,
        Base::Func(_) | Base::Unknown(_) => e.may_be_used_by_thread(&s, None),
    });
    if used {
        e.limits.miss(|| UnknownReason::FreedBesideThread(name.to_owned()));
    }
    e.release(&mut s, &p);
    e.release_lost(&mut s, &p);
    super::success(e, s)
}

fn cuda_host_register(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let p = cuda::pointer_arg(e, c, 0);
    e.register(&s, &p);
    super::success(e, s)
}

fn cuda_host_device_pointer(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    // With unified addressing, both sides use the same address.
    let (out, host) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    e.register(&s, &host);
    e.store_value(&mut s, &out, Value::Ptr(host), 8);
    super::success(e, s)
}

fn cuda_symbol_address(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let out = cuda::pointer_arg(e, c, 0);
    let symbol = cuda::pointer_arg(e, c, 1);
    let variable = device_symbol(e, &symbol);
    e.reach_constant(variable);
    let v = match variable {
        Some(o) => e.pointer(o, 0),
        None => {
            variables::lose_variables(e, &mut s, &UnknownReason::UnknownSymbolAddress);
            e.unknown_pointer(&UnknownReason::SymbolAddress)
        }
    };
    e.store_value(&mut s, &out, v, 8);
    super::success(e, s)
}

pub(crate) fn device_allocation(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: State,
    size: TermId,
    kind: ObjKind,
) -> ModelOutcome {
    let out = cuda::pointer_arg(e, c, 0);
    // The allocation succeeds. A negative size is one of at least 2^63 bytes, more than any device has.
    let want = Interval::new(-(1 << 63), (1 << 64) - 1);
    let size = if want.contains(e.arena.range(size)) { size } else { e.interpret(size, 64, false) };
    let zero = e.arena.int(0);
    let lower = e.arena.le(zero, size);
    let most = e.most_of_device();
    let memory = e.arena.int(most);
    let upper = e.arena.le(size, memory);
    let fits = e.arena.and(lower, upper);
    // A program that always asks for more goes on without the memory.
    let is_refused = e.arena.as_bool(fits) == Some(false);
    let (size, assumed) = if is_refused { (zero, e.arena.bool(true)) } else { (size, fits) };
    let Some(mut s) = e.assume(s, assumed) else { return Ok(None) };
    let name = pointee_name(e, &out);
    let place = e.user_location();
    // The executor follows the program after a failed allocation; about an access to the missing memory it claims
    // only that the extent is 0.
    let early = (!e.assumptions.takes(Axiom::DeviceAllocation)).then(|| e.allocation_status());
    let size = match early {
        Some(status) => {
            let given = e.arena.eq(status, zero);
            e.bytes_given(given, size)
        }
        None => size,
    };
    let o = e.heap.allocate(
        (c.context, c.site, 1),
        Object { kind, name, extent: Some(size), site: place, func: None, array: true },
    );
    s.mem.insert(o, Rc::new(ObjState::new(UncoveredContents::Uninit)));
    let p = e.pointer(o, 0);
    e.store_value(&mut s, &out, p, 8);
    let status = early.unwrap_or_else(|| e.allocation_status());
    if is_refused {
        let well = e.arena.eq(status, zero);
        let refused = e.arena.not(well);
        return Ok(e.assume(s, refused).map(|s| (Value::Int(status), s)));
    }
    Ok(Some((Value::Int(status), s)))
}

/// Returns the targets that a function of the runtime frees: memory of its own kind. The runtime refuses other
/// targets, and leaves them unchanged.
pub(crate) fn freed_by(e: &MemoryDomain<'_>, name: &str, p: &[GuardedTarget]) -> Vec<GuardedTarget> {
    let of_host = matches!(name, "cudaFreeHost" | "cuMemFreeHost");
    let frees = |t: &&GuardedTarget| match t.base {
        Base::Object(o) => match e.object(o).kind {
            ObjKind::DeviceHeap => !of_host,
            // An object that summarises the allocations of earlier iterations may be of either kind.
            ObjKind::Managed if of_host => !e.runtime.managed.contains(&o),
            ObjKind::Managed => !e.runtime.pinned.contains(&o),
            ObjKind::Parameter => true,
            // The runtime did not allocate host memory, variables and thread memory.
            ObjKind::HostLocal
            | ObjKind::HostHeap
            | ObjKind::HostGlobal(_)
            | ObjKind::ArgvArray
            | ObjKind::ArgvText(_)
            | ObjKind::ArgvTexts
            | ObjKind::DeviceGlobal(_)
            | ObjKind::Constant(_)
            | ObjKind::SharedStatic(_)
            | ObjKind::SharedDynamic
            | ObjKind::DeviceLocal
            | ObjKind::Stream(_)
            | ObjKind::Opaque => false,
        },
        Base::Null | Base::Func(_) | Base::Unknown(_) => true,
    };
    p.iter().filter(frees).cloned().collect()
}

/// Returns the name of the variable that an out-parameter points to.
pub(crate) fn pointee_name(e: &MemoryDomain<'_>, p: &[GuardedTarget]) -> String {
    match p {
        // The name is only for users: any other target has none.
        [GuardedTarget { base: Base::Object(o), .. }, ..] => e.object(*o).name.clone(),
        _ => String::new(),
    }
}

/// Returns the device variable whose host shadow a pointer names.
pub(crate) fn device_symbol(e: &mut MemoryDomain<'_>, p: &[GuardedTarget]) -> Option<ObjId> {
    // The runtime identifies variables by their start address: any other address is refused, or means another
    // variable.
    let [GuardedTarget { base: Base::Object(o), offset, .. }] = p else { return None };
    if e.arena.as_int(*offset) != Some(0) {
        return None;
    }
    let ObjKind::HostGlobal(r) = e.object(*o).kind else { return None };
    let d = e.program.device_variable(r)?;
    Some(e.global_of(d))
}
