//! Calls that copy or fill rows and volumes (CUDA Runtime API reference 13.0, Memory Management; Driver API reference 13.0): each
//! by what describes it, a structure or its arguments.

use super::arrays::{self, ArraySizes};
use super::copies::{after_queued_copy, after_waiting_copy, is_queued, kept, size_arg};
use super::cuda;
use super::dlpack;
use super::graphs;
use super::host_threads;
use super::table::HostTable;
use super::volumes::{self, CopiedVolume, CopyStructure, VolumeMemory, VolumeSide};
use super::waits;
use base::reasons::UnknownReason;
use engine::symbolic::exec::captures::CaptureUnderWay;
use engine::symbolic::exec::events::AccessKind;
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::memory::value::Value;
use engine::symbolic::terms::term::TermId;
use models::cuda_arrays::PitchRule;

/// Copies and fills of volumes, and copies of rows between memory and arrays.
pub(super) const VOLUMES: HostTable = &[
    (&["cudaMemcpy3D", "cudaMemcpy3DAsync"], |e, c, s| described(e, c, s, volumes::VOLUME)),
    (&["cudaMemcpy3DPeer", "cudaMemcpy3DPeerAsync"], |e, c, s| described(e, c, s, volumes::VOLUME_OF_PEERS)),
    (&["cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2", "cuMemcpy2DAsync_v2"], |e, c, s| {
        described(e, c, s, volumes::DRIVER_ROWS)
    }),
    (&["cuMemcpy3D_v2", "cuMemcpy3DAsync_v2", "cuMemcpy3DPeer", "cuMemcpy3DPeerAsync"], |e, c, s| {
        described(e, c, s, volumes::DRIVER_VOLUME)
    }),
    (&["cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync"], |e, c, s| performed(e, c, s, rows_to_array)),
    (&["cudaMemcpy2DFromArray", "cudaMemcpy2DFromArrayAsync"], |e, c, s| performed(e, c, s, rows_from_array)),
    (&["cudaMemcpyToArray", "cudaMemcpyToArrayAsync"], |e, c, s| performed(e, c, s, bytes_to_array)),
    (&["cudaMemcpyFromArray", "cudaMemcpyFromArrayAsync"], |e, c, s| performed(e, c, s, bytes_from_array)),
    (&["cuMemcpyHtoA_v2", "cuMemcpyHtoAAsync_v2", "cuMemcpyDtoA_v2"], |e, c, s| {
        performed(e, c, s, driver_bytes_to_array)
    }),
    (&["cuMemcpyAtoH_v2", "cuMemcpyAtoHAsync_v2", "cuMemcpyAtoD_v2"], |e, c, s| {
        performed(e, c, s, driver_bytes_from_array)
    }),
    (&["cudaMemcpyArrayToArray", "cudaMemcpy2DArrayToArray", "cuMemcpyAtoA_v2"], |e, c, s| {
        performed(e, c, s, |_, _, _| CopiedVolume { to: None, from: None, sides: vec![] })
    }),
    (&["cudaMemset3D", "cudaMemset3DAsync"], |e, c, s| performed(e, c, s, fill_volume)),
];

/// Models a copy that the structure at the first argument describes.
fn described(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State, structure: CopyStructure) -> ModelOutcome {
    performed(e, c, s, |e, c, s| {
        let p = cuda::pointer_arg(e, c, 0);
        volumes::copy_volume(e, s, &p, structure)
    })
}

/// Models a copy or fill, and its effects on the host.
fn performed(
    e: &mut Executor<'_>,
    c: &LibraryCall<'_>,
    s: State,
    copy: impl FnOnce(&mut ExecutionContext<'_>, &LibraryCall<'_>, &mut State) -> CopiedVolume,
) -> ModelOutcome {
    let Some(mut s) = dlpack::carried_are_laid_out(e, c.context, s) else { return Ok(None) };
    let copied = copy(e, c, &mut s);
    let [to, from] = [copied.to.as_ref(), copied.from.as_ref()];
    let last = c.args.len().checked_sub(1).filter(|i| *i > 0 && is_queued(c));
    let in_stream = last.map_or(Some(waits::DEFAULT), |i| waits::stream_number(e, c, i));
    let used: Vec<Value> = [to, from].into_iter().flatten().map(|p| Value::Ptr(p.clone())).collect();
    let captured = is_queued(c) && e.capture_under_way(&s) != CaptureUnderWay::No;
    waits::uses_in_stream(e, c, &mut s, &used, (in_stream, captured));
    if is_queued(c) {
        if e.capture_under_way(&s) != CaptureUnderWay::No {
            kept(e, c, &mut s, [to, from], copied.sides);
        }
        let stream = c.args.len().checked_sub(1).filter(|i| *i > 0).and_then(|i| waits::stream_number(e, c, i));
        after_queued_copy(e, &mut s, to, stream);
    } else {
        let name = if c.base().starts_with("cudaMemset") { "cudaMemset3D" } else { "cudaMemcpy3D" };
        after_waiting_copy(e, c, &mut s, name, [to, from]);
        // A capture may refuse it.
        if let Some(to) = to.filter(|_| e.capture_under_way(&s) != CaptureUnderWay::No) {
            e.havoc_targets(&mut s, to, &UnknownReason::CopyOverlaps);
        }
    }
    host_threads::after_copy(e, &mut s);
    super::success(e, s)
}

/// Returns the sizes of the array that an argument names.
fn array_arg(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) -> Option<ArraySizes> {
    let handle = cuda::pointer_arg(e, c, i);
    arrays::sizes(e, s, &handle)
}

/// Side that an array is: `i` is the argument of the array, before the position in bytes and rows.
fn array_side(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State, i: usize) -> VolumeSide {
    let of = array_arg(e, c, s, i);
    let position = [size_arg(e, c, i + 1), size_arg(e, c, i + 2), e.arena.int(0)];
    VolumeSide { memory: VolumeMemory::Array(of), position }
}

/// Side of an address and the bytes from row to row, which are arguments.
fn pitched_side(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, at: usize, pitch: usize) -> VolumeSide {
    let zero = e.arena.int(0);
    let rule = PitchRule::Runtime;
    let (at, pitch) = (cuda::pointer_arg(e, c, at), size_arg(e, c, pitch));
    let memory = VolumeMemory::Pitched { at, pitch, rows: zero, rule };
    VolumeSide { memory, position: [zero; 3] }
}

/// `(array, x, y, from, pitch, width, height, …)`.
fn rows_to_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> CopiedVolume {
    let (to, from) = (array_side(e, c, s, 0), pitched_side(e, c, 3, 4));
    let extent = [size_arg(e, c, 5), size_arg(e, c, 6), e.arena.int(1)];
    volumes::copy_sides(e, s, from, to, extent)
}

/// `(to, pitch, array, x, y, width, height, …)`.
fn rows_from_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> CopiedVolume {
    let (to, from) = (pitched_side(e, c, 0, 1), array_side(e, c, s, 2));
    let extent = [size_arg(e, c, 5), size_arg(e, c, 6), e.arena.int(1)];
    volumes::copy_sides(e, s, from, to, extent)
}

/// `(array, x, y, from, bytes, …)`: bytes row after row.
fn bytes_to_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> CopiedVolume {
    let first = [size_arg(e, c, 1), size_arg(e, c, 2)];
    bytes_beside_array(e, c, s, (0, first), (3, AccessKind::Read), 4)
}

/// `(to, array, x, y, bytes, …)`.
fn bytes_from_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> CopiedVolume {
    let first = [size_arg(e, c, 2), size_arg(e, c, 3)];
    bytes_beside_array(e, c, s, (1, first), (0, AccessKind::Write), 4)
}

/// `(array, offset, from, bytes, …)`, of an array of one dimension.
fn driver_bytes_to_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> CopiedVolume {
    let first = [size_arg(e, c, 1), e.arena.int(0)];
    bytes_beside_array(e, c, s, (0, first), (2, AccessKind::Read), 3)
}

/// `(to, array, offset, bytes, …)`, of an array of one dimension.
fn driver_bytes_from_array(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> CopiedVolume {
    let first = [size_arg(e, c, 2), e.arena.int(0)];
    bytes_beside_array(e, c, s, (1, first), (0, AccessKind::Write), 3)
}

/// Models a copy of bytes between memory and an array, whose rows they fill one after the other.
fn bytes_beside_array(
    e: &mut ExecutionContext<'_>,
    c: &LibraryCall<'_>,
    s: &mut State,
    (array, [x, y]): (usize, [TermId; 2]),
    (memory, kind): (usize, AccessKind),
    bytes: usize,
) -> CopiedVolume {
    let (at, n) = (cuda::pointer_arg(e, c, memory), size_arg(e, c, bytes));
    let runs = match array_arg(e, c, s, array) {
        Some(of) => {
            let above = e.arena.mul(y, of.row);
            let start = e.arena.add(above, x);
            let (end, all) = (e.arena.add(start, n), e.arena.mul(of.height, of.row));
            e.arena.le(end, all)
        }
        None => e.arena.bool(true),
    };
    if let Some(there) = e.assume(s.clone(), runs) {
        e.note_copy(&there, &at, n, kind);
    }
    let sides = vec![graphs::side(&at, n, kind)];
    if kind == AccessKind::Read {
        return CopiedVolume { to: None, from: Some(at), sides };
    }
    volumes::leave_unknown(e, s, Some(&at), &UnknownReason::Copy2D);
    CopiedVolume { to: Some(at), from: None, sides }
}

/// `(pitched pointer, value, extent, …)`, both passed by value in memory: address, pitch, width and height; then width in bytes, height
/// and depth.
fn fill_volume(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, s: &mut State) -> CopiedVolume {
    let (pointer, extent) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 2));
    let at = e.load_pointer(s, &pointer);
    let [pitch, rows] = [8, 24].map(|field| volumes::size(e, s, &pointer, field));
    let extent = [0, 8, 16].map(|field| volumes::size(e, s, &extent, field));
    let zero = e.arena.int(0);
    let memory = VolumeMemory::Pitched { at, pitch, rows, rule: PitchRule::Fill };
    let of = VolumeSide { memory, position: [zero; 3] };
    volumes::fill_side(e, s, of, extent)
}
