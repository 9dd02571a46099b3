//! CUDA's driver as the host sees it (CUDA Driver API reference 13.0), each function by its symbol. A `CUfunction` or `CUkernel` that the runtime
//! gave is the address of the host's function that it was asked for. Calls succeed.

use super::arguments::{arg, read, write};
use super::copies::{memcpy, memcpy_peer, stream_of};
use super::cuda::{
    device_count, free, free_async, free_host, handle, host_device_pointer, host_register, malloc, malloc_host,
    malloc_managed, malloc_pitch, message, set_attribute,
};
use super::model::{ModelClass, ModelTable};
use super::runtime::DeviceWork;
use super::simple::zero;
use super::work::{ensure_not_captured, submit};
use super::{batches, devices};
use crate::api::Cause;
use crate::device::configuration::{LaunchConfiguration, ShapeAttributes};
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Val, mask};
use crate::memory::space::split;
use std::rc::Rc;

/// The driver.
pub(super) const DRIVER: ModelTable = &[
    (&["cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocFromPoolAsync"], malloc, ModelClass::Cuda),
    (&["cuMemAllocManaged"], malloc_managed, ModelClass::Cuda),
    (&["cuMemAllocHost_v2", "cuMemHostAlloc"], malloc_host, ModelClass::Cuda),
    (&["cuMemAllocPitch_v2"], malloc_pitch, ModelClass::Cuda),
    (&["cuMemFree_v2"], free, ModelClass::Cuda),
    (&["cuMemFreeAsync"], free_async, ModelClass::Cuda),
    (&["cuMemFreeHost"], free_host, ModelClass::Cuda),
    (&["cuMemHostRegister_v2"], host_register, ModelClass::Memory),
    (&["cuMemHostGetDevicePointer_v2"], host_device_pointer, ModelClass::Memory),
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
        memcpy,
        ModelClass::Memory,
    ),
    (&["cuMemcpyPeer", "cuMemcpyPeerAsync"], memcpy_peer, ModelClass::Memory),
    (&["cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2"], batches::memcpy_batch, ModelClass::Memory),
    (&["cuMemsetD8_v2", "cuMemsetD8Async"], fill_8, ModelClass::Memory),
    (&["cuMemsetD16_v2", "cuMemsetD16Async"], fill_16, ModelClass::Memory),
    (&["cuMemsetD32_v2", "cuMemsetD32Async"], fill_32, ModelClass::Memory),
    (&["cuMemsetD2D8_v2", "cuMemsetD2D8Async"], fill_rows_8, ModelClass::Memory),
    (&["cuMemsetD2D16_v2", "cuMemsetD2D16Async"], fill_rows_16, ModelClass::Memory),
    (&["cuMemsetD2D32_v2", "cuMemsetD2D32Async"], fill_rows_32, ModelClass::Memory),
    (&["cuLaunchKernel"], launch, ModelClass::Cuda),
    (&["cuLaunchCooperativeKernel"], launch_cooperative, ModelClass::Cuda),
    (&["cuLaunchKernelEx"], launch_ex, ModelClass::Cuda),
    (&["cudaGetFuncBySymbol", "cudaGetKernel", "cuKernelGetFunction"], handle_of_kernel, ModelClass::Memory),
    (&["cuFuncSetAttribute"], set_attribute, ModelClass::Cuda),
    (&["cuDevicePrimaryCtxReset_v2"], devices::reset, ModelClass::Cuda),
    (
        &["cuCtxDestroy", "cuCtxDestroy_v2", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2"],
        context_ends,
        ModelClass::Cuda,
    ),
    (&["cuDeviceGet"], device, ModelClass::Memory),
    (&["cuDeviceGetCount"], device_count, ModelClass::Memory),
    (&["cuDeviceGetAttribute"], devices::attribute, ModelClass::Memory),
    (&["cuCtxGetDevice"], first_device, ModelClass::Memory),
    (&["cuStreamGetDevice"], device_of_stream, ModelClass::Memory),
    (&["cuStreamGetCtx"], context_of_stream, ModelClass::Memory),
    (&["cuStreamGetCtx_v2"], contexts_of_stream, ModelClass::Memory),
    (&["cuGetErrorString", "cuGetErrorName"], error_text, ModelClass::Memory),
    (
        &[
            "cuStreamCreate",
            "cuStreamCreateWithPriority",
            "cuEventCreate",
            "cuMemPoolCreate",
            "cuMemGetDefaultMemPool",
            "cuMemGetMemPool",
            "cuDeviceGetDefaultMemPool",
            "cuDeviceGetMemPool",
            "cuDevicePrimaryCtxRetain",
            "cuCtxPopCurrent_v2",
            "cuCtxGetCurrent",
        ],
        handle,
        ModelClass::Memory,
    ),
    (
        &[
            "cuDriverGetVersion",
            "cuDeviceCanAccessPeer",
            "cuMemPoolGetAccess",
            "cuFuncGetAttribute",
            "cuKernelGetAttribute",
            "cuEventElapsedTime",
            "cuEventElapsedTime_v2",
        ],
        number,
        ModelClass::Memory,
    ),
    (&["cuStreamGetPriority", "cuStreamGetFlags"], second_number, ModelClass::Memory),
    (&["cudaMemPoolSetAttribute", "cuMemPoolSetAttribute"], set_pool_attribute, ModelClass::Cuda),
    (&["cudaMemPoolGetAttribute", "cuMemPoolGetAttribute"], pool_attribute, ModelClass::Memory),
    (&["cuStreamGetId"], second_size, ModelClass::Memory),
    (&["cuDeviceTotalMem_v2"], devices::total_memory, ModelClass::Memory),
    (&["cuMemGetInfo_v2"], devices::memory, ModelClass::Memory),
    (&["cuDevicePrimaryCtxGetState"], state_of_context, ModelClass::Memory),
    (
        &[
            "cuInit",
            "cuCtxPushCurrent_v2",
            "cuCtxSetCurrent",
            "cuCtxSynchronize",
            "cuStreamDestroy_v2",
            "cuStreamSynchronize",
            "cuStreamQuery",
            "cuEventDestroy_v2",
            "cuEventSynchronize",
            "cuEventQuery",
            "cuMemPoolDestroy",
            "cuMemPoolSetAccess",
            "cuMemPoolTrimTo",
            "cuMemHostUnregister",
            "cuFuncLoad",
        ],
        zero,
        ModelClass::Pure,
    ),
];

const OK: ModelResult = Ok(Ret::Val(Val::ZERO));

/// Fills longer than this are not followed value by value.
const MAX_FILLED: u64 = 1 << 20;

fn handle_of_kernel(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    write(m, th, call, arg(a, 0), 64, arg(a, 1))?;
    OK
}

fn plain_launch(m: &mut Machine<'_>, th: &mut Thread, a: &[Val], attributes: ShapeAttributes) -> ModelResult {
    not_in_extra(a, 10)?;
    let grid = [arg(a, 1), arg(a, 2), arg(a, 3)];
    let block = [arg(a, 4), arg(a, 5), arg(a, 6)];
    let configuration = Rc::new(LaunchConfiguration { grid, block, shared: low(arg(a, 7)), attributes });
    submit(m, th, arg(a, 8), DeviceWork::Launch { handle: arg(a, 0), configuration, arguments: arg(a, 9) })
}

/// `(f, grid, block, bytes of shared memory, stream, arguments, extra)`, each dimension by itself.
fn launch(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    plain_launch(m, th, a, ShapeAttributes::default())
}

/// The same, but for `extra`.
fn launch_cooperative(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    plain_launch(m, th, a, ShapeAttributes { cooperative: true, ..ShapeAttributes::default() })
}

/// `(configuration, f, arguments, extra)`: in a `CUlaunchConfig` the grid is at 0, the block at 12, the bytes of shared memory, 32 bits, at 24, the
/// stream at 32 (`cuda.h` of CUDA 13.0); attributes lie as in the runtime's.
fn launch_ex(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let config = arg(a, 0);
    let at = |off: u64| Val { bits: config.bits.wrapping_add(off), ..config };
    let mut v = [Val::ZERO; 7];
    for (i, slot) in (0u64..).zip(&mut v) {
        *slot = read(m, th, at(4 * i), 32)?;
    }
    let stream = read(m, th, at(32), 64)?;
    not_in_extra(a, 3)?;
    let attributes = m.launch_attributes(th, config)?;
    let configuration =
        LaunchConfiguration { grid: [v[0], v[1], v[2]], block: [v[3], v[4], v[5]], shared: v[6], attributes };
    let configuration = Rc::new(configuration);
    submit(m, th, stream, DeviceWork::Launch { handle: arg(a, 1), configuration, arguments: arg(a, 2) })
}

/// Arguments that are handed over as one buffer are not followed.
fn not_in_extra(a: &[Val], extra: usize) -> Result<(), ThreadStop> {
    if a.len() <= extra || arg(a, extra).known() == Some(0) {
        return Ok(());
    }
    Err(ThreadStop::Unknown("a launch is given its arguments in `extra`, which is not followed".into()))
}

fn low(v: Val) -> Val {
    v.known().map_or(v, |b| Val::new(b & mask(32)))
}

fn fill_8(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    fill(m, th, call, a, 1)
}
fn fill_16(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    fill(m, th, call, a, 2)
}
fn fill_32(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    fill(m, th, call, a, 4)
}

/// `(place, value, number of units)`.
fn fill(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], unit: u64) -> ModelResult {
    ensure_not_captured(m, stream_of(m, call, a))?;
    fill_units(m, th, arg(a, 0), arg(a, 1), (arg(a, 2), unit))?;
    OK
}

/// Fills a number of units of so many bytes with one value.
fn fill_units(
    m: &mut Machine<'_>,
    th: &mut Thread,
    to: Val,
    value: Val,
    (n, unit): (Val, u64),
) -> Result<(), ThreadStop> {
    let Some(site) = m.site(th) else { return Ok(()) };
    let bytes = n.known().map_or(n, |n| Val::new(n.saturating_mul(unit)));
    let pattern: Option<Vec<u8>> = value.known().map(|v| v.to_le_bytes().into_iter().take(unit as usize).collect());
    let uniform = pattern.as_deref().and_then(|p| p.first().filter(|first| p.iter().all(|b| b == *first)).copied());
    let byte = match (uniform, value.known()) {
        (Some(byte), _) => Val::new(u64::from(byte)),
        (None, None) => value,
        (None, Some(_)) => Val::poison(m.reason(Cause::Contents, "what a fill by units leaves")),
    };
    m.set(th, || site, to, byte, bytes)?;
    // The units themselves, where the fill kept to its object.
    let (Some(pattern), None, Some(at), Some(n)) = (pattern, uniform, to.known(), bytes.known()) else { return Ok(()) };
    let (id, offset) = split(at);
    let Ok(offset) = u64::try_from(offset) else { return Ok(()) };
    if n <= MAX_FILLED
        && let Some(o) = m.mem.global_mut(id)
        && !o.constant
        && !o.freed
        && offset.checked_add(n).is_some_and(|end| end <= o.size)
    {
        let units: Vec<u8> = pattern.iter().copied().cycle().take(usize::try_from(n).unwrap_or(0)).collect();
        o.store.write_bytes(offset, &units);
    }
    Ok(())
}

fn fill_rows_8(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    fill_rows(m, th, call, a, 1)
}
fn fill_rows_16(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    fill_rows(m, th, call, a, 2)
}
fn fill_rows_32(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    fill_rows(m, th, call, a, 4)
}

/// `(place, bytes from row to row, value, units of a row, rows)`.
fn fill_rows(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val], unit: u64) -> ModelResult {
    ensure_not_captured(m, stream_of(m, call, a))?;
    let (Some(pitch), Some(h)) = (arg(a, 1).known(), arg(a, 4).known().filter(|h| *h <= MAX_FILLED)) else {
        let why = m.reason(Cause::Contents, "what a fill of rows writes");
        m.havoc(th, arg(a, 0), why);
        return OK;
    };
    for i in 0..h {
        let p = arg(a, 0);
        let row = Val { bits: p.bits.wrapping_add(i.wrapping_mul(pitch)), ..p };
        fill_units(m, th, row, arg(a, 2), (arg(a, 3), unit))?;
    }
    OK
}

/// `cuDeviceGet(CUdevice *, number)`: a device is its number.
fn device(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    write(m, th, call, arg(a, 0), 32, low(arg(a, 1)))?;
    OK
}
fn first_device(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    write(m, th, call, arg(a, 0), 32, Val::ZERO)?;
    OK
}
fn device_of_stream(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    first_device(m, th, call, a.get(1..).unwrap_or(&[]))
}

fn context_of_stream(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    handle(m, th, call, a.get(1..).unwrap_or(&[]))
}

/// `cuStreamGetCtx_v2(stream, CUcontext *, CUgreenCtx *)`: no stream that is modelled is of a green context.
fn contexts_of_stream(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    write(m, th, call, arg(a, 2), 64, Val::ZERO)?;
    context_of_stream(m, th, call, a)
}

/// `(code, const char **)`.
fn error_text(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    if let Ret::Val(text) = message(m, th, call, &[])? {
        write(m, th, call, arg(a, 1), 64, text)?;
    }
    OK
}

/// Something that depends on the device or on time.
fn unknown(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, to: Val, bits: u32) -> Result<(), ThreadStop> {
    let v = m.unknown("a number that the driver returns");
    write(m, th, call, to, bits, v)
}

fn number(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    unknown(m, th, call, arg(a, 0), 32)?;
    OK
}
fn second_number(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    unknown(m, th, call, arg(a, 1), 32)?;
    OK
}
/// Stops: whether the context's memory ends as well depends on who else holds it.
fn context_ends(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Err(ThreadStop::Unknown("a context is destroyed or released, which is not followed".into()))
}

/// Attributes of a memory pool, their widths in bits, and what they are until a program sets one: reuse is enabled, and
/// memory above 0 bytes may be given back (`cudaMemPoolAttr` of CUDA 12.0). Sizes in use have no such value.
fn pool_attribute(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let (bits, initial) = match arg(a, 1).known() {
        Some(1..=3) => (32, Some(1)),
        Some(4) => (64, Some(0)),
        Some(5..=8) => (64, None),
        _ => {
            return Err(ThreadStop::Unknown(
                "the program asks for an attribute of a memory pool that is not modelled".into(),
            ));
        }
    };
    match initial.filter(|_| !m.cuda.pools_set) {
        Some(value) => write(m, th, call, arg(a, 2), bits, Val::new(value))?,
        None => unknown(m, th, call, arg(a, 2), bits)?,
    }
    OK
}
fn set_pool_attribute(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    m.cuda.pools_set = true;
    OK
}
fn second_size(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    unknown(m, th, call, arg(a, 1), 64)?;
    OK
}
fn state_of_context(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    unknown(m, th, call, arg(a, 2), 32)?;
    second_number(m, th, call, a)
}
