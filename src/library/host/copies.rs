//! Copies and fills of the CUDA runtime (CUDA Runtime API reference 13.0, Memory Management): the memory contents
//! after them, and one event for each side that they read or write.

use super::cuda;
use super::cuda_memory;
use super::dlpack;
use super::driver_api::like;
use super::graphs;
use super::host_threads;
use super::libc;
use super::table::HostTable;
use super::variables;
use super::volumes::{self, VOLUME};
use super::waits;
use super::waits::is_per_thread;
use base::reasons::UnknownReason;
use engine::symbolic::exec::captures::{CaptureUnderWay, KeptSide};
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::memory::object::{ObjId, ObjKind};
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use engine::symbolic::terms::term::TermId;
use std::rc::Rc;

/// Rows of equal size: distance in bytes from one to the next, bytes per row, and number of rows.
struct CopyRows {
    pitch: TermId,
    width: TermId,
    height: TermId,
}

/// Maximum number of copies in one batch that are followed one by one.
const MAX_OF_A_BATCH: i128 = 32;

/// Copies and fills.
pub(super) const COPIES: HostTable = &[
    (&["cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyWithAttributesAsync"], |e, c, s| copies(e, c, s, cuda_memcpy)),
    (
        &[
            "cuMemcpy",
            "cuMemcpyAsync",
            "cuMemcpyHtoD_v2",
            "cuMemcpyDtoH_v2",
            "cuMemcpyDtoD_v2",
            "cuMemcpyHtoDAsync_v2",
            "cuMemcpyDtoHAsync_v2",
            "cuMemcpyDtoDAsync_v2",
        ],
        |e, c, s| copies(e, c, s, cuda_memcpy),
    ),
    (&["cudaMemcpyBatchAsync", "cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2"], |e, c, s| cuda_memcpy_batch(e, c, s)),
    (&["cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cuMemcpyPeer", "cuMemcpyPeerAsync"], |e, c, s| {
        copies(e, c, s, cuda_memcpy_peer)
    }),
    (&["cudaMemcpy2D", "cudaMemcpy2DAsync"], |e, c, s| copies(e, c, s, cuda_memcpy_2d)),
    (&["cudaMemset", "cudaMemsetAsync"], |e, c, s| copies(e, c, s, cuda_memset)),
    (&["cudaMemset2D", "cudaMemset2DAsync"], |e, c, s| copies(e, c, s, cuda_memset_2d)),
    (&["cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"], |e, c, s| copies(e, c, s, cuda_memcpy_to_symbol)),
    (&["cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"], |e, c, s| copies(e, c, s, cuda_memcpy_from_symbol)),
];

/// Executes a copy or fill, and its effects on the host.
pub(crate) fn copies(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    s: State,
    copy: impl FnOnce(&mut ExecutionContext<'_>, &LibraryCall<'_>, &mut State),
) -> ModelOutcome {
    let Some(mut s) = dlpack::carried_are_laid_out(e, c.context, s) else { return Ok(None) };
    note_order(e, c, &mut s);
    copy(e, c, &mut s);
    keep_queued(e, c, &s);
    after_copy(e, like(c.base()), c, &mut s);
    host_threads::after_copy(e, &mut s);
    super::success(e, s)
}

/// Records which memory a copy or fill uses in its stream, the last argument of those that return before.
fn note_order(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let last = c.args.len().checked_sub(1).filter(|_| like(c.base()).ends_with("Async"));
    let stream = match last {
        Some(last) => waits::stream_number(e, c, last),
        None => Some(waits::DEFAULT).filter(|_| !is_per_thread(c.name)),
    };
    let captured = is_queued(c) && e.capture_under_way(s) != CaptureUnderWay::No;
    let given: Vec<Value> = c.args.iter().take(last.unwrap_or(c.args.len())).cloned().collect();
    waits::uses_in_stream(e, c, s, &given, (stream, captured));
}

/// Arguments of a copy or fill: destination, source, and the device variable that one of them is.
fn sides_of(name: &str) -> (Option<usize>, Option<usize>, Option<usize>) {
    match name {
        n if n.starts_with("cudaMemcpyPeer") => (Some(0), Some(2), None),
        n if n.starts_with("cudaMemcpy2D") => (Some(0), Some(2), None),
        n if n.starts_with("cudaMemcpyToSymbol") => (None, Some(1), Some(0)),
        n if n.starts_with("cudaMemcpyFromSymbol") => (Some(0), None, Some(1)),
        n if n.starts_with("cudaMemset") => (Some(0), None, None),
        _ => (Some(0), Some(1), None),
    }
}

/// Whether a call returns before its copy or fill is done.
pub(super) fn is_queued(c: &LibraryCall<'_>) -> bool {
    like(c.base()).ends_with("Async") || is_per_thread(c.name)
}

/// Records a copy or fill while its stream may be captured: the graph does it later, and again.
fn keep_queued(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &State) {
    if !is_queued(c) || e.capture_under_way(s) == CaptureUnderWay::No {
        return;
    }
    let name = like(c.base());
    let (to, from, symbol) = sides_of(name);
    let [to, from] = [to, from].map(|i| i.map(|i| cuda::pointer_arg(e, c, i)));
    let bytes = match name {
        n if n.starts_with("cudaMemcpyPeer") => 4,
        n if n.starts_with("cudaMemcpy2D") => 4,
        n if n.starts_with("cudaMemset2D") => 3,
        _ => 2,
    };
    let bytes = size_arg(e, c, bytes);
    let variable = symbol.and_then(|i| {
        let p = cuda::pointer_arg(e, c, i);
        cuda_memory::device_symbol(e, &p)
    });
    if let Some(to) = &to {
        e.register(s, to);
    }
    let mut values: Vec<Value> = to.iter().chain(&from).map(|p| Value::Ptr(p.clone())).collect();
    values.extend(variable.map(|o| e.pointer(o, 0)));
    let sides = [(to, AccessKind::Write), (from, AccessKind::Read)];
    let sides = sides.into_iter().filter_map(|(p, kind)| Some(graphs::side(&p?, bytes, kind))).collect();
    graphs::keep(e, c, s, &values, None, sides);
}

/// Models a copy of `n` bytes that a graph keeps.
pub(super) fn kept_copy(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    (to, from): (&Rc<Vec<GuardedTarget>>, &Rc<Vec<GuardedTarget>>),
    n: TermId,
) {
    copy_between(e, s, to, from, n);
    let sides = vec![graphs::side(to, n, AccessKind::Write), graphs::side(from, n, AccessKind::Read)];
    kept(e, c, s, [Some(to), Some(from)], sides);
}

/// Models a copy of a volume that a graph keeps.
pub(super) fn kept_volume(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    p: &Rc<Vec<GuardedTarget>>,
) {
    let copied = volumes::copy_volume(e, s, p, VOLUME);
    kept(e, c, s, [copied.to.as_ref(), copied.from.as_ref()], copied.sides);
}

/// Models a fill that a graph keeps, of rows: bytes from row to row, bytes of a row, and rows.
pub(super) fn kept_fill(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    to: &Rc<Vec<GuardedTarget>>,
    [pitch, width, height]: [TermId; 3],
) {
    fill_rows(e, s, to, pitch, width, height);
    let sides = vec![graphs::side(to, width, AccessKind::Write)];
    kept(e, c, s, [Some(to), None], sides);
}

/// Records work that writes the first addresses and reads the second ones.
pub(super) fn kept(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    [to, from]: [Option<&Rc<Vec<GuardedTarget>>>; 2],
    sides: Vec<KeptSide>,
) {
    if let Some(to) = to {
        e.register(s, to);
    }
    let values: Vec<Value> = to.into_iter().chain(from).map(|p| Value::Ptr(p.clone())).collect();
    graphs::keep(e, c, s, &values, None, sides);
    after_queued_copy(e, s, to, None);
}

fn cuda_memcpy(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let n = size_arg(e, c, 2);
    plain_copy(e, c, s, (0, 1), n);
}

fn cuda_memcpy_peer(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let n = size_arg(e, c, 4);
    plain_copy(e, c, s, (0, 2), n);
}

/// Models copies whose addresses and sizes (in bytes) are in arrays: `dsts`, `srcs`, `sizes`, and their number.
/// Their order is arbitrary, so the contents of each destination are unknown.
fn cuda_memcpy_batch(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let [dsts, srcs, sizes] = [0, 1, 2].map(|i| cuda::pointer_arg(e, c, i));
    let unknown = UnknownReason::BatchedCopy;
    let count = size_arg(e, c, 3);
    let followed = e.arena.as_int(count).filter(|n| *n <= MAX_OF_A_BATCH);
    let stream = c.args.len().checked_sub(1).and_then(|i| waits::stream_number(e, c, i));
    for i in 0..followed.unwrap_or(1) {
        let at = e.arena.int(8 * i);
        let [to, from] = [&dsts, &srcs].map(|list| {
            let place = e.offset_targets(list, at);
            e.load_pointer(&mut s, &place)
        });
        let place = e.offset_targets(&sizes, at);
        let n = followed.and_then(|_| e.load_number(&mut s, &place, 8));
        let n = n.unwrap_or_else(|| e.value_int(&Value::unknown(unknown.clone()), 64));
        let n = e.interpret(n, 64, false);
        e.note_copy(&s, &from, n, AccessKind::Read);
        e.note_copy(&s, &to, n, AccessKind::Write);
        for o in e.objects_at(&s, &to) {
            e.note_written_by_device(o);
        }
        e.havoc_targets(&mut s, &to, &unknown);
        after_queued_copy(e, &mut s, Some(&to), stream);
    }
    graphs::not_kept(e, c, &s);
    host_threads::after_copy(e, &mut s);
    // The writes of the others are as unknown as those of an external function.
    if followed.is_some() { super::success(e, s) } else { Err(Box::new(s)) }
}

fn cuda_memcpy_2d(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let (d, f) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 2));
    let (to, from, width, height) = (size_arg(e, c, 1), size_arg(e, c, 3), size_arg(e, c, 4), size_arg(e, c, 5));
    // A longer row than the distance between two is refused, but a single row may have the distance 0.
    let (zero, one) = (e.arena.int(0), e.arena.int(1));
    let single = e.arena.eq(height, one);
    let mut runs = vec![];
    for pitch in [to, from] {
        let (fits, unset) = (e.arena.le(width, pitch), e.arena.eq(pitch, zero));
        let unset = e.arena.and(unset, single);
        runs.push(e.arena.or(fits, unset));
    }
    let runs = e.arena.and_all(runs);
    if let Some(there) = e.assume(s.clone(), runs) {
        note_rows(e, &there, &f, &CopyRows { pitch: from, width, height }, AccessKind::Read);
        note_rows(e, &there, &d, &CopyRows { pitch: to, width, height }, AccessKind::Write);
    }
    e.havoc_targets(s, &d, &UnknownReason::Copy2D);
}

fn cuda_memset(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let d = cuda::pointer_arg(e, c, 0);
    let (b, n) = (libc::int_arg(e, c, 1, 32), size_arg(e, c, 2));
    e.note_copy(s, &d, n, AccessKind::Write);
    for o in e.objects_at(s, &d) {
        e.note_written_by_device(o);
    }
    e.fill(s, &d, b, n);
}

fn cuda_memset_2d(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let d = cuda::pointer_arg(e, c, 0);
    let (pitch, width, height) = (size_arg(e, c, 1), size_arg(e, c, 3), size_arg(e, c, 4));
    fill_rows(e, s, &d, pitch, width, height);
}

/// A fill of rows, all in bytes.
pub(crate) fn fill_rows(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    d: &Rc<Vec<GuardedTarget>>,
    pitch: TermId,
    width: TermId,
    height: TermId,
) {
    // A longer row than the distance between two is refused, but a single row has no use for it.
    let one = e.arena.int(1);
    let (fits, single) = (e.arena.le(width, pitch), e.arena.eq(height, one));
    let runs = e.arena.or(fits, single);
    if let Some(there) = e.assume(s.clone(), runs) {
        note_rows(e, &there, d, &CopyRows { pitch, width, height }, AccessKind::Write);
    }
    e.havoc_targets(s, d, &UnknownReason::RowsFilled);
}

fn cuda_memcpy_to_symbol(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let f = cuda::pointer_arg(e, c, 1);
    let n = size_arg(e, c, 2);
    e.note_copy(s, &f, n, AccessKind::Read);
    if let Some(d) = in_symbol(e, c, 0, 3) {
        e.note_copy(s, &d, n, AccessKind::Write);
        e.copy(s, &d, &f, n);
    } else {
        variables::lose_variables(e, s, &UnknownReason::CopyToUnknownSymbol);
    }
}

fn cuda_memcpy_from_symbol(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) {
    let d = cuda::pointer_arg(e, c, 0);
    let n = size_arg(e, c, 2);
    let from = in_symbol(e, c, 1, 3);
    if let Some(f) = &from {
        e.note_copy(s, f, n, AccessKind::Read);
    }
    e.note_copy(s, &d, n, AccessKind::Write);
    match &from {
        Some(f) => e.copy(s, &d, f, n),
        None => e.havoc_targets(s, &d, &UnknownReason::CopiedFromSymbol),
    }
}

/// Updates the state after a copy or fill, and records whether the host has waited for it.
fn after_copy(e: &mut MemoryDomain<'_>, name: &str, c: &LibraryCall<'_>, s: &mut State) {
    let (to, from, symbol) = sides_of(name);
    let [to, from] = [to, from].map(|i| i.map(|i| cuda::pointer_arg(e, c, i)));
    let variable = symbol.map(|i| {
        let p = cuda::pointer_arg(e, c, i);
        cuda_memory::device_symbol(e, &p)
    });
    let waits = !is_queued(c);
    if name.starts_with("cudaMemcpyToSymbol") {
        e.change_variable(variable.flatten(), waits);
    }
    if waits {
        after_waiting_copy(e, c, s, name, [to.as_ref(), from.as_ref()]);
        // A capture may refuse it.
        if let Some(to) = to.as_ref().filter(|_| e.capture_under_way(s) != CaptureUnderWay::No) {
            e.havoc_targets(s, to, &UnknownReason::CopyOverlaps);
        }
        if !e.runtime.unordered {
            return;
        }
    } else {
        let stream = c.args.len().checked_sub(1).and_then(|i| waits::stream_number(e, c, i));
        after_queued_copy(e, s, to.as_ref(), stream);
    }
    if let (Some(Some(o)), true) = (variable, name.starts_with("cudaMemcpyToSymbol")) {
        e.havoc(s, o, &UnknownReason::CopyOverlaps, false);
    }
}

/// Updates the state after a copy or fill whose call waits, as far as it does.
pub(super) fn after_waiting_copy(
    e: &mut MemoryDomain<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    name: &str,
    [to, from]: [Option<&Rc<Vec<GuardedTarget>>>; 2],
) {
    if !name.starts_with("cudaMemset") {
        waits::copy_waits(e, c, s, [to.map_or(&[][..], |p| p), from.map_or(&[][..], |p| p)]);
    }
    // Fills, and copies within the device, continue after the call.
    if let Some(to) = to {
        let of_device = from.is_none_or(|f| f.iter().any(|t| !is_of_the_host(e, t)));
        if of_device {
            begin_fills(e, s, to, name.starts_with("cudaMemset"));
        }
    }
    // Another stream that does not wait may write there before and after.
    if e.runtime.unordered {
        havoc_overlapping(e, s, to);
    }
}

/// Updates the state after a copy that continues after its call has returned.
pub(super) fn after_queued_copy(
    e: &mut MemoryDomain<'_>,
    s: &mut State,
    to: Option<&Rc<Vec<GuardedTarget>>>,
    stream: Option<i64>,
) {
    e.overlap(s);
    if let Some(to) = to {
        e.begin_copying(s, to, stream);
    }
    havoc_overlapping(e, s, to);
}

/// Havocs the destination: the bytes that arrive later may differ from the current ones.
fn havoc_overlapping(e: &mut MemoryDomain<'_>, s: &mut State, to: Option<&Rc<Vec<GuardedTarget>>>) {
    for o in to.map(|to| e.objects_at(s, to)).unwrap_or_default() {
        if !is_pageable(e, o) {
            e.havoc(s, o, &UnknownReason::CopyOverlaps, false);
        }
    }
}

fn is_of_the_host(e: &MemoryDomain<'_>, t: &GuardedTarget) -> bool {
    matches!(t.base, Base::Object(o) if is_pageable(e, o) || e.runtime.pinned.contains(&o))
}

/// Whether memory is visible only to the host: the call returns after a copy has written it, and after a copy has
/// read it.
fn is_pageable(e: &MemoryDomain<'_>, o: ObjId) -> bool {
    matches!(e.object(o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_))
        && !e.heap.is_registered(o)
}

fn begin_fills(e: &mut MemoryDomain<'_>, s: &mut State, to: &[GuardedTarget], fill: bool) {
    // The call waits if it fills pinned memory.
    let objects: Vec<ObjId> = e
        .objects_at(s, to)
        .into_iter()
        .filter(|o| !fill || !e.runtime.pinned.contains(o))
        .filter(|o| e.runtime.managed.contains(o))
        .collect();
    if !objects.is_empty() {
        e.begin_writing(s, objects, Some(1));
    }
}

/// Returns an argument of type `size_t`, in bytes or a number of rows.
pub(crate) fn size_arg(e: &mut MemoryDomain<'_>, c: &LibraryCall<'_>, i: usize) -> TermId {
    let n = libc::int_arg(e, c, i, 64);
    e.interpret(n, 64, false)
}

fn plain_copy(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, (to, from): (usize, usize), n: TermId) {
    let (d, f) = (cuda::pointer_arg(e, c, to), cuda::pointer_arg(e, c, from));
    copy_between(e, s, &d, &f, n);
}

/// Models a copy of `n` bytes.
fn copy_between(
    e: &mut ExecutionContext<'_>,
    s: &mut State,
    to: &Rc<Vec<GuardedTarget>>,
    from: &Rc<Vec<GuardedTarget>>,
    n: TermId,
) {
    e.note_copy(s, from, n, AccessKind::Read);
    e.note_copy(s, to, n, AccessKind::Write);
    for o in e.objects_at(s, to) {
        e.note_written_by_device(o);
    }
    e.copy(s, to, from, n);
}

/// Returns an address in a device variable, from the argument that names it and the argument with the byte offset
/// in it.
fn in_symbol(
    e: &mut MemoryDomain<'_>,
    c: &LibraryCall<'_>,
    symbol: usize,
    offset: usize,
) -> Option<Rc<Vec<GuardedTarget>>> {
    let symbol = cuda::pointer_arg(e, c, symbol);
    let offset = if c.args.len() > offset { size_arg(e, c, offset) } else { e.arena.int(0) };
    let o = cuda_memory::device_symbol(e, &symbol)?;
    let cond = e.arena.bool(true);
    Some(Rc::new(vec![GuardedTarget::new(cond, Base::Object(o), offset)]))
}

/// Records the access to rows: from the first byte of the first to the last byte of the last, if there are any.
fn note_rows(e: &mut ExecutionContext<'_>, s: &State, p: &Rc<Vec<GuardedTarget>>, rows: &CopyRows, kind: AccessKind) {
    let one = e.arena.int(1);
    let (some, wide) = (e.arena.le(one, rows.height), e.arena.le(one, rows.width));
    let any = e.arena.and(some, wide);
    let Some(s) = e.assume(s.clone(), any) else { return };
    let before_last = e.arena.add_const(rows.height, -1);
    let distance = e.arena.mul(before_last, rows.pitch);
    let bytes = e.arena.add(distance, rows.width);
    e.note_copy(&s, p, bytes, kind);
}
