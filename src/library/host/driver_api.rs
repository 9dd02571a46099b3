//! CUDA's driver (CUDA Driver API reference 13.0), where it is not as the runtime: fills in their own units, and launches of handles.
//!
//! A `CUfunction` or `CUkernel` that the runtime gave stands for the function of the host that it was asked for. What allocates, frees, copies and waits
//! as a function of the runtime does has its row beside that one's.

use super::copies;
use super::cuda;
use super::cuda_launch;
use super::dlpack;
use super::libc;
use super::table::HostTable;
use super::waits;
use base::reasons::UnknownReason;
use engine::symbolic::exec::events::{AccessKind, LaunchAttributes, LaunchConfig, LaunchLimits};
use engine::symbolic::exec::executor::Executor;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::terms::Terms;
use engine::symbolic::memory::value::Value;
use engine::symbolic::terms::term::TermId;

/// Launches, handles of kernels, and fills.
pub(super) const DRIVER: HostTable = &[
    (&["cudaGetFuncBySymbol", "cudaGetKernel", "cuKernelGetFunction"], |e, c, s| handle_of_kernel(e, c, s)),
    (&["cuLaunchKernel", "cuLaunchCooperativeKernel"], |e, c, s| driver_launch(e, c, s)),
    (&["cuLaunchKernelEx"], |e, c, s| driver_launch_ex(e, c, s)),
    (&["cuMemsetD8_v2", "cuMemsetD8Async"], |e, c, s| driver_fill(e, c, s, 1)),
    (&["cuMemsetD16_v2", "cuMemsetD16Async"], |e, c, s| driver_fill(e, c, s, 2)),
    (&["cuMemsetD32_v2", "cuMemsetD32Async"], |e, c, s| driver_fill(e, c, s, 4)),
    (&["cuMemsetD2D8_v2", "cuMemsetD2D8Async"], |e, c, s| driver_fill_rows(e, c, s, 1)),
    (&["cuMemsetD2D16_v2", "cuMemsetD2D16Async"], |e, c, s| driver_fill_rows(e, c, s, 2)),
    (&["cuMemsetD2D32_v2", "cuMemsetD2D32Async"], |e, c, s| driver_fill_rows(e, c, s, 4)),
];

/// The function of the runtime that a copy or fill of the driver is like.
pub(super) fn like(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("cuMem") else { return name };
    let queued = rest.strip_suffix("_v2").unwrap_or(rest).ends_with("Async");
    match (rest, queued) {
        (r, false) if r.starts_with("cpyPeer") => "cudaMemcpyPeer",
        (r, true) if r.starts_with("cpyPeer") => "cudaMemcpyPeerAsync",
        (r, false) if r.starts_with("cpy") => "cudaMemcpy",
        (r, true) if r.starts_with("cpy") => "cudaMemcpyAsync",
        (r, false) if r.starts_with("set") => "cudaMemset",
        (r, true) if r.starts_with("set") => "cudaMemsetAsync",
        _ => name,
    }
}

fn handle_of_kernel(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let (out, kernel) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 1));
    e.store_value(&mut s, &out, Value::Ptr(kernel), 8);
    super::success(e, s)
}

/// `(f, grid, block, bytes of shared memory, stream, arguments, extra)`, each dimension by itself.
fn driver_launch(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let Some(mut s) = dlpack::carried_are_laid_out(e, c.context, s) else { return Ok(None) };
    let name = c.base();
    let [gx, gy, gz, bx, by, bz, shared] = [1, 2, 3, 4, 5, 6, 7].map(|i| {
        let n = libc::int_arg(e, c, i, 32);
        e.interpret(n, 32, false)
    });
    let stream = waits::note_stream(e, c, 8, &mut s);
    let (grid, block) = ([gx, gy, gz], [bx, by, bz]);
    let single = grid.iter().all(|n| e.arena.as_int(*n) == Some(1));
    let refusable = name == "cuLaunchCooperativeKernel" && !single;
    let attributes = LaunchAttributes { refusable, ..LaunchAttributes::default() };
    let cfg = LaunchConfig { grid, block, shared, stream, limits: LaunchLimits::default(), attributes };
    let (f, args) = (cuda::pointer_arg(e, c, 0), cuda::pointer_arg(e, c, 9));
    cuda_launch::launch(e, c, &mut s, &f, &args, &cfg);
    cuda_launch::launched(e, name, s)
}

/// `(configuration, f, arguments, extra)`: a `CUlaunchConfig` is a `cudaLaunchConfig_t` but for its bytes of shared memory, which are a number of
/// 32 bits (`cuda.h` of CUDA 13.0).
fn driver_launch_ex(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State) -> ModelOutcome {
    let Some(mut s) = dlpack::carried_are_laid_out(e, c.context, s) else { return Ok(None) };
    let cfg = cuda_launch::launch_config(e, c, &mut s, 4);
    // Its stream is not read, and an attribute may let it begin before earlier work has ended.
    e.overlap(&mut s);
    e.runtime.unordered = true;
    let (f, args) = (cuda::pointer_arg(e, c, 1), cuda::pointer_arg(e, c, 2));
    cuda_launch::launch(e, c, &mut s, &f, &args, &cfg);
    cuda_launch::launched(e, c.base(), s)
}

/// `(place, value, number of units)`.
fn driver_fill(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State, unit: u32) -> ModelOutcome {
    copies::copies(e, c, s, |e, c, s| {
        let d = cuda::pointer_arg(e, c, 0);
        let value = libc::int_arg(e, c, 1, 8 * unit);
        let n = copies::size_arg(e, c, 2);
        let factor = e.arena.int(i128::from(unit));
        let bytes = e.arena.mul(n, factor);
        e.note_copy(s, &d, bytes, AccessKind::Write);
        for o in e.objects_at(s, &d) {
            e.note_written_by_device(o);
        }
        match byte_of(e, value, unit) {
            Some(byte) => e.fill(s, &d, byte, bytes),
            None => e.havoc_targets(s, &d, &UnknownReason::RowsFilled),
        }
    })
}

/// The byte of which a unit consists.
fn byte_of(e: &mut Terms, value: TermId, unit: u32) -> Option<TermId> {
    if unit == 1 {
        return Some(value);
    }
    let bytes = e.arena.as_int(value)?.to_le_bytes();
    let bytes = bytes.get(..unit as usize)?;
    let first = *bytes.first()?;
    bytes.iter().all(|b| *b == first).then(|| e.arena.int(i128::from(first)))
}

/// `(place, bytes from row to row, value, units of a row, rows)`.
fn driver_fill_rows(e: &mut Executor<'_>, c: &LibraryCall<'_>, s: State, unit: u32) -> ModelOutcome {
    copies::copies(e, c, s, |e, c, s| {
        let d = cuda::pointer_arg(e, c, 0);
        let (pitch, width, height) = (copies::size_arg(e, c, 1), copies::size_arg(e, c, 3), copies::size_arg(e, c, 4));
        let factor = e.arena.int(i128::from(unit));
        let width = e.arena.mul(width, factor);
        copies::fill_rows(e, s, &d, pitch, width, height);
    })
}

#[cfg(test)]
mod tests {
    use super::like;

    #[test]
    fn copies_are_like_those_of_the_runtime() {
        let of = [
            ("cuMemcpyHtoD_v2", "cudaMemcpy"),
            ("cuMemcpyDtoHAsync_v2", "cudaMemcpyAsync"),
            ("cuMemcpyPeerAsync", "cudaMemcpyPeerAsync"),
            ("cuMemsetD32_v2", "cudaMemset"),
            ("cuMemsetD2D8Async", "cudaMemsetAsync"),
            ("cudaMemcpy2D", "cudaMemcpy2D"),
        ];
        for (name, runtime) in of {
            assert_eq!(like(name), runtime);
        }
    }
}
