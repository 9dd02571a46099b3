//! Models of the CUDA runtime for host code: allocations, copies, symbols, launches, queries. Calls succeed.

use super::arguments::{arg, read, short_name, write};
use super::arrays::ARRAYS;
use super::copies::{from_symbol, memcpy, memcpy_peer, memset, to_symbol};
use super::driver::DRIVER;
use super::entry_points::LOOK_UPS;
use super::graphs::{self, GRAPHS};
use super::heap::{product, release};
use super::model::{self, ModelClass, ModelEntry, ModelTable, by_name};
use super::runtime::{DeviceWork, INVALID_VALUE};
use super::simple::zero;
use super::volumes::VOLUMES;
use super::work::{memory_of_graph, release_of_graph, submit};
use super::{batches, devices};
use crate::api::Cause;
use crate::api::{ObjectKind, ProgramPoint};
use crate::device::configuration::{LaunchConfiguration, ShapeAttributes};
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, mask};
use crate::memory::space::split;
use crate::memory::store::Fill;
use models::cuda_names::is_of_runtime;
use models::row::{MatchKind, NameKey};
use std::rc::Rc;

/// `cudaErrorStreamCaptureUnsupported`.
const CAPTURE_UNSUPPORTED: u64 = 900;
/// Row alignment in bytes of `cudaMallocPitch` on every device so far (measured on an H200: 512).
pub const PITCH: u64 = 512;

/// Functions of the CUDA runtime.
pub(super) const CUDA: ModelTable = &[
    (&["cudaMalloc", "cudaMallocAsync", "cudaMallocFromPoolAsync"], malloc, ModelClass::Cuda),
    (&["cudaMallocManaged"], malloc_managed, ModelClass::Cuda),
    (&["cudaMallocHost", "cudaHostAlloc"], malloc_host, ModelClass::Cuda),
    (&["cudaMallocPitch"], malloc_pitch, ModelClass::Cuda),
    (&["cudaMalloc3D"], malloc_3d, ModelClass::Cuda),
    (&["cudaFree"], free, ModelClass::Cuda),
    (&["cudaFreeAsync"], free_async, ModelClass::Cuda),
    (&["cudaFreeHost"], free_host, ModelClass::Cuda),
    (&["cudaFuncSetAttribute"], set_attribute, ModelClass::Cuda),
    (&["cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyWithAttributesAsync"], memcpy, ModelClass::Memory),
    (&["cudaMemcpyBatchAsync"], batches::memcpy_batch, ModelClass::Memory),
    (&["cudaMemcpyPeer", "cudaMemcpyPeerAsync"], memcpy_peer, ModelClass::Memory),
    (&["cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"], to_symbol, ModelClass::Cuda),
    (&["cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"], from_symbol, ModelClass::Memory),
    (&["cudaGetSymbolAddress"], symbol_address, ModelClass::Memory),
    (&["cudaGetSymbolSize"], symbol_size, ModelClass::Memory),
    (&["cudaMemset", "cudaMemsetAsync"], memset, ModelClass::Memory),
    (&["cudaHostGetDevicePointer"], host_device_pointer, ModelClass::Memory),
    (&["cudaHostRegister"], host_register, ModelClass::Memory),
    (&["cudaGetDeviceCount"], device_count, ModelClass::Memory),
    (&["cudaGetDevice"], devices::number, ModelClass::Memory),
    (&["cudaDeviceGetAttribute"], devices::attribute, ModelClass::Memory),
    (&["cudaFuncGetAttributes"], function_attributes, ModelClass::Memory),
    (&["cudaGetDeviceProperties", "cudaGetDeviceProperties_v2"], devices::properties, ModelClass::Memory),
    (&["cudaMemGetInfo"], devices::memory, ModelClass::Memory),
    (
        &["cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"],
        devices::occupancy,
        ModelClass::Memory,
    ),
    (&["cudaGetErrorString", "cudaGetErrorName"], message, ModelClass::Pure),
    (&["cudaGetLastError"], last_error, ModelClass::Pure),
    (&["cudaPeekAtLastError"], peek_error, ModelClass::Pure),
    (
        &[
            "cudaStreamCreate",
            "cudaStreamCreateWithFlags",
            "cudaStreamCreateWithPriority",
            "cudaEventCreate",
            "cudaEventCreateWithFlags",
            "cudaMemPoolCreate",
            "cudaDeviceGetDefaultMemPool",
        ],
        handle,
        ModelClass::Memory,
    ),
    (&["cudaSetDevice"], devices::set, ModelClass::Cuda),
    (&["cudaDeviceReset", "cudaThreadExit"], devices::reset, ModelClass::Cuda),
    (&["__cudaPushCallConfiguration"], push, ModelClass::Cuda),
    (&["__cudaPopCallConfiguration"], pop, ModelClass::Cuda),
    (&["cudaLaunchKernel"], launch, ModelClass::Cuda),
    (&["cudaLaunchCooperativeKernel"], launch_cooperative, ModelClass::Cuda),
    (&["cudaLaunchKernelExC"], launch_ex, ModelClass::Cuda),
    (
        &[
            "cudaDeviceSynchronize",
            "cudaThreadSynchronize",
            "cudaStreamSynchronize",
            "cudaEventSynchronize",
            "cudaEventDestroy",
            "cudaStreamDestroy",
            "cudaSetDeviceFlags",
            "cudaDeviceSetCacheConfig",
            "cudaFuncSetCacheConfig",
            "cudaDeviceSetLimit",
            "cudaProfilerStart",
            "cudaProfilerStop",
            "cudaMemPrefetchAsync",
            "cudaMemAdvise",
            "cudaHostUnregister",
            "cudaEventQuery",
            "cudaStreamQuery",
            "cudaDeviceEnablePeerAccess",
            "cudaFuncSetSharedMemConfig",
            "cudaDeviceSetSharedMemConfig",
            "__cudaRegisterFatBinary",
            "__cudaRegisterFatBinaryEnd",
            "__cudaRegisterFunction",
            "__cudaRegisterVar",
            "__cudaUnregisterFatBinary",
            "__cudaRegisterManagedVar",
            "__cudaInitModule",
        ],
        zero,
        ModelClass::Pure,
    ),
];

/// Model of a runtime function by symbol. A function with a body only has one if its name is in the table.
pub fn find(name: &str, declared: bool) -> Option<ModelEntry> {
    if devices::POTENTIAL.iter().any(|p| name.starts_with(p)) {
        return Some((devices::potential, ModelClass::Memory));
    }
    if !name.starts_with("cu") && !name.starts_with("__cuda") {
        return None;
    }
    let base = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).unwrap_or(name);
    // A function of the driver's name that has a body is the program's own.
    let of_driver =
        || [DRIVER, LOOK_UPS, ARRAYS, VOLUMES].into_iter().filter(|_| declared).find_map(|t| by_name(t, base));
    // Wrapper templates of the headers have bodies of their own, with C++ names.
    let of_graphs = || by_name(GRAPHS, base).or_else(|| graphs::other(base)).filter(|_| declared);
    by_name(CUDA, base)
        .or_else(of_driver)
        .or_else(of_graphs)
        .or_else(|| (declared && is_of_runtime(name)).then_some((succeeds, ModelClass::Memory)))
}

/// Names of the modelled functions; a call of any other runtime function succeeds.
pub fn keys() -> impl Iterator<Item = NameKey> {
    [CUDA, GRAPHS, DRIVER, LOOK_UPS, ARRAYS, VOLUMES]
        .into_iter()
        .flat_map(|t| model::keys(t, "", NameKey::whole))
        .chain(devices::POTENTIAL.map(|n| NameKey::new(MatchKind::Start, n)))
        .chain([NameKey::new(MatchKind::Rest, "cuda")])
}

/// Models any other call: it succeeds, and memory that it may write through its arguments becomes unknown.
fn succeeds(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let name = short_name(m, call);
    let why = m.reason(Cause::Call, &format!("what `{name}` gives"));
    for (a, info) in args.iter().zip(&call.args) {
        if info.bits == 64
            && !info.float
            && !a.is_poison()
            && m.mem.global(split(a.bits).0).is_none_or(|o| o.kind != ObjectKind::Device)
        {
            m.havoc(th, *a, why);
        }
    }
    Ok(Ret::Val(Val::ZERO))
}

const OK: ModelResult = Ok(Ret::Val(Val::ZERO));

/// Ends the run at an allocation of so many bytes if the device has less memory left.
pub(super) fn enough_memory(m: &Machine<'_>, site: Option<ProgramPoint>, n: u64) -> Result<(), ThreadStop> {
    let (limit, used) = (m.budget.device_memory, m.mem.device_bytes());
    if n <= limit && used <= limit - n {
        return Ok(());
    }
    let at = site.map(|s| m.line(s)).unwrap_or_default();
    Err(ThreadStop::Ended(format!(
        "{at}: an allocation of {n} bytes with {used} in use, which is more than the device has ({limit})"
    )))
}

/// Allocates and writes the pointer through the first argument.
fn allocate(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    size: Val,
    kind: ObjectKind,
) -> ModelResult {
    m.works()?;
    // An allocation is no work that a stream could capture; `cudaStreamCaptureModeRelaxed` permits it.
    let mode = m.cuda.capturing.as_ref().map(|c| c.mode);
    if mode.is_some() && short_name(m, call).contains("Async") {
        let name = short_name(m, call);
        let p = memory_of_graph(m, th, &name, size)?;
        write(m, th, call, arg(args, 0), 64, p)?;
        return submit(m, th, args.last().copied().unwrap_or(Val::ZERO), DeviceWork::Allocate(p));
    }
    if mode.is_some_and(Val::is_poison) {
        return Err(ThreadStop::Unknown("memory is allocated while a stream is captured".into()));
    }
    if mode.is_some_and(|mode| mode.known() != Some(2)) {
        m.cuda.error = CAPTURE_UNSUPPORTED;
        return Ok(Ret::Val(Val::new(CAPTURE_UNSUPPORTED)));
    }
    let name = short_name(m, call);
    let site = m.user_site(th);
    if let Some(n) = size.known() {
        enough_memory(m, site, n)?;
    }
    let p = m.heap_object(kind, &name, site, size, Fill::Poison(Reason::UNINIT))?;
    write(m, th, call, arg(args, 0), 64, p)?;
    OK
}

pub(super) fn malloc(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    allocate(m, th, call, args, arg(args, 1), ObjectKind::Device)
}
pub(super) fn malloc_managed(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    allocate(m, th, call, args, arg(args, 1), ObjectKind::Managed)
}
pub(super) fn malloc_host(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    allocate(m, th, call, args, arg(args, 1), ObjectKind::Pinned)
}

fn pitched(width: Val) -> Val {
    width.known().map_or(width, |w| Val::new(w.div_ceil(PITCH).saturating_mul(PITCH)))
}

pub(super) fn malloc_pitch(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let pitch = pitched(arg(args, 2));
    m.seen.take_for_granted(format!("`cudaMallocPitch` rounds rows up to {PITCH} bytes"));
    write(m, th, call, arg(args, 1), 64, pitch)?;
    allocate(m, th, call, args, product(pitch, arg(args, 3)), ObjectKind::Device)
}

/// `cudaMalloc3D(cudaPitchedPtr *, cudaExtent)`; the extent is passed by value in memory.
fn malloc_3d(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let (out, extent) = (arg(args, 0), arg(args, 1));
    let field = |m: &mut Machine<'_>, i: u64| read(m, th, Val { bits: extent.bits + 8 * i, ..extent }, 64);
    let (w, h, d) = (field(m, 0)?, field(m, 1)?, field(m, 2)?);
    let pitch = pitched(w);
    m.seen.take_for_granted(format!("`cudaMalloc3D` rounds rows up to {PITCH} bytes"));
    for (i, v) in [(1, pitch), (2, w), (3, h)] {
        write(m, th, call, Val { bits: out.bits + 8 * i, ..out }, 64, v)?;
    }
    allocate(m, th, call, args, product(product(pitch, h), d), ObjectKind::Device)
}

/// Frees an object of these kinds whose start the argument is. Other pointers are refused without effect, as on an
/// H100 with CUDA 13.0: a pointer into the middle, pinned memory given to `cudaFree`, device memory given to
/// `cudaFreeHost`.
fn free_kinds(m: &mut Machine<'_>, th: &Thread, args: &[Val], kinds: &[ObjectKind]) -> ModelResult {
    m.works()?;
    let Some(a) = arg(args, 0).known().filter(|a| *a != 0) else { return OK };
    let (id, offset) = split(a);
    // The runtime did not allocate registered memory.
    let own = m
        .mem
        .global(id)
        .is_some_and(|o| kinds.contains(&o.kind) && (o.kind != ObjectKind::Pinned || o.name.starts_with("cu")));
    if offset != 0 || !own {
        if m.mem
            .global(id)
            .is_some_and(|o| o.kind == ObjectKind::Foreign || o.unknown.is_some() && o.kind != ObjectKind::Device)
        {
            return OK;
        }
        m.cuda.error = INVALID_VALUE;
        return Ok(Ret::Val(Val::new(INVALID_VALUE)));
    }
    if let Some(refused) = devices::ended_before(m, id) {
        return Ok(refused);
    }
    release(m, th, a)?;
    OK
}

pub(super) fn free(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    // A capture may refuse it.
    if m.cuda.capturing.as_ref().is_some_and(|c| c.mode.known() != Some(2)) {
        return Err(ThreadStop::Unknown("memory is freed while a stream is captured".into()));
    }
    free_kinds(m, th, args, &[ObjectKind::Device, ObjectKind::Managed])
}
pub(super) fn free_async(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if m.cuda.capturing.is_some() {
        let work = release_of_graph(m, arg(args, 0))?;
        return submit(m, th, args.last().copied().unwrap_or(Val::ZERO), work);
    }
    free_kinds(m, th, args, &[ObjectKind::Device])
}
pub(super) fn free_host(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    free_kinds(m, th, args, &[ObjectKind::Pinned])
}

pub(super) fn set_attribute(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    m.works()?;
    let code = m.set_attribute(arg(a, 0), arg(a, 1), arg(a, 2));
    Ok(Ret::Val(Val::new(code)))
}

pub(super) fn symbol(m: &mut Machine<'_>, p: Val) -> Result<Val, Val> {
    let Some(a) = p.known() else { return Err(p) };
    // The runtime knows variables only by the address of their first byte and refuses others.
    if split(a).1 != 0 {
        return Err(m.unknown("a device variable that is named by an address other than its own"));
    }
    Ok(m.device_twin(a)
        .map_or(Val::ZERO, |id| Val::new(id.address() + (a & mask(40)).wrapping_sub(split(a).0.address() & mask(40)))))
}

fn symbol_address(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let v = match symbol(m, arg(a, 1)) {
        Ok(v) | Err(v) => v,
    };
    write(m, th, call, arg(a, 0), 64, v)?;
    OK
}

fn symbol_size(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let v = match symbol(m, arg(a, 1)) {
        Ok(v) => m.mem.global(split(v.bits).0).map_or(Val::ZERO, |o| Val::new(o.size)),
        Err(v) => v,
    };
    write(m, th, call, arg(a, 0), 64, v)?;
    OK
}

pub(super) fn host_device_pointer(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    write(m, th, call, arg(a, 0), 64, arg(a, 1))?;
    OK
}

/// Makes host memory accessible to kernels.
pub(super) fn host_register(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    if let Some(o) = arg(a, 0).known().and_then(|p| m.mem.global_mut(split(p).0))
        && matches!(o.kind, ObjectKind::HostHeap | ObjectKind::HostGlobal)
    {
        o.kind = ObjectKind::Pinned;
    }
    OK
}

pub(super) fn device_count(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    m.seen.assume("there is one device".to_owned());
    write(m, th, call, arg(a, 0), 32, Val::new(1))?;
    OK
}

/// `cudaFuncGetAttributes(cudaFuncAttributes *, kernel)`: the target architecture of kernels, at the offsets of the
/// structure since CUDA 2; other attributes depend on the compiler.
fn function_attributes(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Other, "an attribute of a kernel");
    let p = arg(a, 0);
    m.havoc(th, p, why);
    let arch = m.program.modules.iter().find_map(|module| module.arch.strip_prefix("sm_"));
    let version = arch.and_then(|a| a.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().ok());
    if let Some(version) = version {
        for off in [32, 36] {
            write(m, th, call, Val { bits: p.bits + off, ..p }, 32, Val::new(version))?;
        }
    }
    OK
}

pub(super) fn message(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    if let Some(a) = m.cuda.message {
        return Ok(Ret::Val(Val::new(a)));
    }
    let text = b"no error\0";
    let p =
        m.heap_object(ObjectKind::HostGlobal, "an error message", None, Val::new(text.len() as u64), Fill::Byte(0))?;
    if let Some(o) = m.mem.global_mut(split(p.bits).0) {
        o.store.write_bytes(0, text);
    }
    m.cuda.message = Some(p.bits);
    Ok(Ret::Val(p))
}

fn last_error(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::new(std::mem::take(&mut m.cuda.error))))
}
fn peek_error(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    Ok(Ret::Val(Val::new(m.cuda.error)))
}

/// Creates an opaque object and writes its handle.
pub(super) fn handle(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let name = short_name(m, call);
    let h = m.heap_object(ObjectKind::Foreign, &name, None, Val::poison(Reason::OPEN), Fill::Byte(0))?;
    write(m, th, call, arg(a, 0), 64, h)?;
    OK
}

/// Grid and block are two scalars each: x and y packed in 64 bits, then z.
fn dims(xy: Val, z: Val) -> [Val; 3] {
    let part = |shift: u32| xy.known().map_or(Val::poison(xy.poison), |b| Val::new(b >> shift & mask(32)));
    [part(0), part(32), z.known().map_or(z, |b| Val::new(b & mask(32)))]
}

fn push(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let ([gx, gy, gz], [bx, by, bz]) = (dims(arg(a, 0), arg(a, 1)), dims(arg(a, 2), arg(a, 3)));
    m.cuda.pending.push([gx, gy, gz, bx, by, bz, arg(a, 4), arg(a, 5)]);
    OK
}

fn pop(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, a: &[Val]) -> ModelResult {
    let c = m.cuda.pending.pop().unwrap_or([Val::UNINIT; 8]);
    for i in 0..3 {
        let at = |p: Val| Val { bits: p.bits + 4 * i as u64, ..p };
        write(m, th, call, at(arg(a, 0)), 32, c[i])?;
        write(m, th, call, at(arg(a, 1)), 32, c[3 + i])?;
    }
    write(m, th, call, arg(a, 2), 64, c[6])?;
    write(m, th, call, arg(a, 3), 64, c[7])?;
    OK
}

fn launch(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let (grid, block) = (dims(arg(a, 1), arg(a, 2)), dims(arg(a, 3), arg(a, 4)));
    launch_with(m, th, (grid, block), ShapeAttributes::default(), a)
}

/// Launches a kernel whose blocks must all be on the device at the same time.
fn launch_cooperative(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let (grid, block) = (dims(arg(a, 1), arg(a, 2)), dims(arg(a, 3), arg(a, 4)));
    launch_with(m, th, (grid, block), ShapeAttributes { cooperative: true, ..ShapeAttributes::default() }, a)
}

fn launch_with(
    m: &mut Machine<'_>,
    th: &mut Thread,
    (grid, block): ([Val; 3], [Val; 3]),
    attributes: ShapeAttributes,
    a: &[Val],
) -> ModelResult {
    let configuration = Rc::new(LaunchConfiguration { grid, block, shared: arg(a, 6), attributes });
    submit(m, th, arg(a, 7), DeviceWork::Launch { handle: arg(a, 0), configuration, arguments: arg(a, 5) })
}

/// `cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **)`: grid at 0, block at 12, shared bytes at 24, stream at 32.
fn launch_ex(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, a: &[Val]) -> ModelResult {
    let config = arg(a, 0);
    let mut v = [Val::ZERO; 7];
    for (i, slot) in (0u64..).zip(&mut v) {
        let (off, bits) = if i < 6 { (4 * i, 32) } else { (24, 64) };
        *slot = read(m, th, Val { bits: config.bits + off, ..config }, bits)?;
    }
    let stream = read(m, th, Val { bits: config.bits + 32, ..config }, 64)?;
    let attributes = m.launch_attributes(th, config)?;
    let configuration =
        LaunchConfiguration { grid: [v[0], v[1], v[2]], block: [v[3], v[4], v[5]], shared: v[6], attributes };
    let configuration = Rc::new(configuration);
    submit(m, th, stream, DeviceWork::Launch { handle: arg(a, 1), configuration, arguments: arg(a, 2) })
}
