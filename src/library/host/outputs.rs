//! Writes of library functions whose results alone are not followed: of the object that an argument points to, only
//! the bytes of that result, even if a class holds it beside sizes and pointers.
//!
//! In: a call. Out: the state after it, with these bytes unknown.

use super::cuda;
use super::libc;
use super::table::HostTable;
use super::waits;
use base::reasons::UnknownReason;
use engine::symbolic::effects::havoc::WrittenPart;
use engine::symbolic::exec::library::{LibraryCall, ModelOutcome};
use engine::symbolic::exec::state::State;
use engine::symbolic::floors::execution_context::ExecutionContext;
use engine::symbolic::floors::memory_domain::MemoryDomain;
use engine::symbolic::floors::value_domain::ValueDomain;
use engine::symbolic::memory::object::ObjKind;
use engine::symbolic::memory::value::{Base, GuardedTarget, Value};
use ir::Param;
use models::attributes::{is_of_cuda, is_of_library};
use models::row::{MatchKind, NameKey};

/// Type of an argument's target that a function writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Int,
    Float,
    Size,
    Handle,
    Bytes(u64),
}

use Output::{Bytes, Float, Handle, Int, Size};

/// Arguments that a function writes through, counted from 0, and their types; it writes nothing else that the program
/// can see (CUDA Runtime API 13.0; cuBLAS, cuFFT, cuRAND, cuSPARSE, cuSOLVER 13.0; POSIX.1-2017 on x86-64; MPI 4.0).
const OUTPUTS: &[(&str, &[(usize, Output)])] = &[
    ("cudaStreamCreate", &[(0, Handle)]),
    ("cudaStreamCreateWithFlags", &[(0, Handle)]),
    ("cudaStreamCreateWithPriority", &[(0, Handle)]),
    ("cudaStreamDestroy", &[]),
    ("cudaStreamGetPriority", &[(1, Int)]),
    ("cudaStreamGetFlags", &[(1, Int)]),
    ("cudaStreamIsCapturing", &[(1, Int)]),
    ("cudaEventCreate", &[(0, Handle)]),
    ("cudaEventCreateWithFlags", &[(0, Handle)]),
    ("cudaEventDestroy", &[]),
    ("cudaEventElapsedTime", &[(0, Float)]),
    ("cudaEventElapsedTime_v2", &[(0, Float)]),
    ("cudaSetDeviceFlags", &[]),
    ("cudaGetDevice", &[(0, Int)]),
    ("cudaGetDeviceCount", &[(0, Int)]),
    ("cudaGetDeviceFlags", &[(0, Int)]),
    ("cudaDeviceCanAccessPeer", &[(0, Int)]),
    ("cudaDeviceEnablePeerAccess", &[]),
    ("cudaDeviceDisablePeerAccess", &[]),
    ("cudaDeviceGetLimit", &[(0, Size)]),
    ("cudaDeviceSetLimit", &[]),
    ("cudaDeviceSetCacheConfig", &[]),
    ("cudaDeviceSetSharedMemConfig", &[]),
    ("cudaDeviceGetStreamPriorityRange", &[(0, Int), (1, Int)]),
    ("cudaDeviceGetDefaultMemPool", &[(0, Handle)]),
    ("cudaDeviceGetMemPool", &[(0, Handle)]),
    ("cudaDeviceSetMemPool", &[]),
    ("cudaMemPoolSetAttribute", &[]),
    ("cudaDriverGetVersion", &[(0, Int)]),
    ("cudaRuntimeGetVersion", &[(0, Int)]),
    ("cudaFuncSetCacheConfig", &[]),
    ("cudaFuncSetSharedMemConfig", &[]),
    ("cudaMemPrefetchAsync", &[]),
    ("cudaMemAdvise", &[]),
    ("cudaProfilerStart", &[]),
    ("cudaProfilerStop", &[]),
    ("cudaOccupancyAvailableDynamicSMemPerBlock", &[(0, Size)]),
    ("cudaGetSymbolSize", &[(0, Size)]),
    ("cudaGetChannelDesc", &[(0, Bytes(20))]),
    ("cudaGraphDestroy", &[]),
    ("cudaGraphExecDestroy", &[]),
    ("cudaGraphUpload", &[]),
    ("cudaGraphDebugDotPrint", &[]),
    ("cuGraphDestroy", &[]),
    ("cuGraphExecDestroy", &[]),
    ("cuGraphUpload", &[]),
    ("cuInit", &[]),
    ("cuDriverGetVersion", &[(0, Int)]),
    ("cuDeviceGet", &[(0, Int)]),
    ("cuDeviceGetCount", &[(0, Int)]),
    ("cuDeviceCanAccessPeer", &[(0, Int)]),
    ("cuDeviceGetDefaultMemPool", &[(0, Handle)]),
    ("cuDeviceGetMemPool", &[(0, Handle)]),
    ("cuDevicePrimaryCtxRetain", &[(0, Handle)]),
    ("cuDevicePrimaryCtxGetState", &[(1, Int), (2, Int)]),
    ("cuCtxPushCurrent_v2", &[]),
    ("cuCtxPopCurrent_v2", &[(0, Handle)]),
    ("cuCtxGetCurrent", &[(0, Handle)]),
    ("cuCtxSetCurrent", &[]),
    ("cuCtxGetDevice", &[(0, Int)]),
    ("cuStreamCreate", &[(0, Handle)]),
    ("cuStreamCreateWithPriority", &[(0, Handle)]),
    ("cuStreamDestroy_v2", &[]),
    ("cuStreamGetCtx", &[(1, Handle)]),
    ("cuStreamGetCtx_v2", &[(1, Handle), (2, Handle)]),
    ("cuStreamGetDevice", &[(1, Int)]),
    ("cuStreamGetId", &[(1, Size)]),
    ("cuStreamGetPriority", &[(1, Int)]),
    ("cuStreamGetFlags", &[(1, Int)]),
    ("cuEventCreate", &[(0, Handle)]),
    ("cuEventDestroy_v2", &[]),
    ("cuEventElapsedTime", &[(0, Float)]),
    ("cuEventElapsedTime_v2", &[(0, Float)]),
    ("cuMemPoolCreate", &[(0, Handle)]),
    ("cuMemPoolDestroy", &[]),
    ("cuMemPoolSetAttribute", &[]),
    ("cuMemPoolSetAccess", &[]),
    ("cuMemPoolGetAccess", &[(0, Int)]),
    ("cuMemPoolTrimTo", &[]),
    ("cuMemGetDefaultMemPool", &[(0, Handle)]),
    ("cuMemGetMemPool", &[(0, Handle)]),
    ("cuMemHostUnregister", &[]),
    ("cuFuncSetAttribute", &[]),
    ("cuFuncGetAttribute", &[(0, Int)]),
    ("cuKernelGetAttribute", &[(0, Int)]),
    ("cuFuncLoad", &[]),
    ("cuGetErrorString", &[(1, Handle)]),
    ("cuGetErrorName", &[(1, Handle)]),
    ("cublasCreate_v2", &[(0, Handle)]),
    ("cublasDestroy_v2", &[]),
    ("cublasSetStream_v2", &[]),
    ("cublasSetMathMode", &[]),
    ("cublasSetPointerMode_v2", &[]),
    ("cublasLtCreate", &[(0, Handle)]),
    ("cufftPlan1d", &[(0, Int)]),
    ("cufftPlan2d", &[(0, Int)]),
    ("cufftPlan3d", &[(0, Int)]),
    ("cufftPlanMany", &[(0, Int)]),
    ("cufftCreate", &[(0, Int)]),
    ("cufftDestroy", &[]),
    ("cufftSetStream", &[]),
    ("curandCreateGenerator", &[(0, Handle)]),
    ("curandCreateGeneratorHost", &[(0, Handle)]),
    ("curandSetPseudoRandomGeneratorSeed", &[]),
    ("curandSetStream", &[]),
    ("curandDestroyGenerator", &[]),
    ("cusparseCreate", &[(0, Handle)]),
    ("cusparseDestroy", &[]),
    ("cusparseSetStream", &[]),
    ("cusolverDnCreate", &[(0, Handle)]),
    ("cusolverDnDestroy", &[]),
    ("cusolverDnSetStream", &[]),
    ("cudnnCreate", &[(0, Handle)]),
    ("cudnnDestroy", &[]),
    ("cudnnSetStream", &[]),
    ("cudnnCreateTensorDescriptor", &[(0, Handle)]),
    ("cudnnCreateFilterDescriptor", &[(0, Handle)]),
    ("cudnnCreateConvolutionDescriptor", &[(0, Handle)]),
    ("cudnnCreatePoolingDescriptor", &[(0, Handle)]),
    ("cudnnCreateActivationDescriptor", &[(0, Handle)]),
    ("gettimeofday", &[(0, Bytes(16)), (1, Size)]),
    ("clock_gettime", &[(1, Bytes(16))]),
    ("clock_getres", &[(1, Bytes(16))]),
    ("time", &[(0, Size)]),
    ("nanosleep", &[(1, Bytes(16))]),
    ("getrusage", &[(1, Bytes(144))]),
    ("pthread_mutex_init", &[(0, Bytes(40))]),
    ("pthread_mutex_unlock", &[(0, Bytes(40))]),
    ("pthread_mutex_destroy", &[(0, Bytes(40))]),
    ("pthread_cond_init", &[(0, Bytes(48))]),
    ("pthread_cond_signal", &[(0, Bytes(48))]),
    ("pthread_cond_broadcast", &[(0, Bytes(48))]),
    ("pthread_cond_destroy", &[(0, Bytes(48))]),
    ("pthread_barrier_init", &[(0, Bytes(32))]),
    ("pthread_barrier_wait", &[(0, Bytes(32))]),
    ("pthread_barrier_destroy", &[(0, Bytes(32))]),
    ("MPI_Comm_rank", &[(1, Int)]),
    ("MPI_Comm_size", &[(1, Int)]),
    ("MPI_Initialized", &[(0, Int)]),
    ("MPI_Barrier", &[]),
    ("MPI_Finalize", &[]),
    ("_ZNSt9exceptionD1Ev", &[]),
    ("_ZNSt9exceptionD2Ev", &[]),
    ("_ZNSt9bad_allocD1Ev", &[]),
    ("_ZNSt9bad_allocD2Ev", &[]),
    ("_ZNSt8bad_castD1Ev", &[]),
    ("_ZNSt8bad_castD2Ev", &[]),
    ("_ZNSt10bad_typeidD1Ev", &[]),
    ("_ZNSt10bad_typeidD2Ev", &[]),
    ("_ZNKSt9exception4whatEv", &[]),
    ("_ZNKSt11logic_error4whatEv", &[]),
    ("_ZNKSt13runtime_error4whatEv", &[]),
    ("_ZNKSt9bad_alloc4whatEv", &[]),
];

/// Classes of `<stdexcept>`, as their mangled names are after `_ZNSt`. An object is a pointer to the virtual table and one
/// to the text (libstdc++'s ABI).
const EXCEPTIONS: [&str; 9] = [
    "11logic_error",
    "12domain_error",
    "16invalid_argument",
    "12length_error",
    "12out_of_range",
    "13runtime_error",
    "11range_error",
    "14overflow_error",
    "15underflow_error",
];

/// Members of such a class, with what they write of the object: constructors from a text and from another object,
/// destructors that do not free it.
const MEMBERS: [(&str, &[(usize, Output)]); 8] = [
    ("C1EPKc", &[(0, Bytes(16))]),
    ("C2EPKc", &[(0, Bytes(16))]),
    ("C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", &[(0, Bytes(16))]),
    ("C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", &[(0, Bytes(16))]),
    ("C1ERKS_", &[(0, Bytes(16))]),
    ("C2ERKS_", &[(0, Bytes(16))]),
    ("D1Ev", &[]),
    ("D2Ev", &[]),
];

/// Routines of cuBLAS that read host scalars and write device arrays: prefixes of their names after `cublas` and the
/// letter of the element type. The routines of cuBLASXt write host arrays.
const READ_SCALARS: &[&str] = &[
    "gemm", "gemv", "axpy", "scal", "geam", "syr", "her", "ger", "trsm", "trmm", "symm", "symv", "hemm", "hemv",
    "dgmm", "gbmv", "sbmv",
];

/// Prefixes of the names of functions that make streams and events.
const MAKERS: &[&str] = &["cudaStreamCreate", "cudaEventCreate", "cuStreamCreate", "cuEventCreate"];

/// Letters of element types.
const TYPES: [char; 5] = ['S', 'D', 'C', 'Z', 'H'];

/// Returns the functions whose results alone are not followed.
pub(super) fn keys() -> impl Iterator<Item = NameKey> {
    let scalars = READ_SCALARS.iter().map(|r| NameKey::new(MatchKind::Typed, format!("cublas{r}")));
    let of_class = |c: &'static str| MEMBERS.iter().map(move |(m, _)| NameKey::whole(format!("_ZNSt{c}{m}")));
    OUTPUTS.iter().map(|(n, _)| NameKey::whole(*n)).chain(EXCEPTIONS.into_iter().flat_map(of_class)).chain(scalars)
}

fn reads_scalars(name: &str) -> bool {
    let routine = name.strip_prefix("cublas").and_then(|n| n.strip_prefix(TYPES));
    routine.is_some_and(|r| READ_SCALARS.iter().any(|p| r.starts_with(p)))
}

/// Queries of memory pools.
pub(super) const POOLS: HostTable =
    &[(&["cudaMemPoolGetAttribute", "cuMemPoolGetAttribute"], |e, c, s| pool_attribute(e, c, s))];

/// `(pool, attribute, address of the value)`: attributes about reuse are integers of 32 bits, thresholds and sizes of
/// 64 bits.
fn pool_attribute(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let attribute = libc::int_arg(e, c, 1, 32);
    let Some(bits) = e.arena.as_int(attribute).and_then(bits_of_pool_attribute) else { return Err(Box::new(s)) };
    let (p, v) = (cuda::pointer_arg(e, c, 2), e.unknown_int(&UnknownReason::Gives(c.base().to_owned()), bits));
    e.store_value(&mut s, &p, Value::Int(v), u64::from(bits / 8));
    super::success(e, s)
}

/// Returns the width in bits of an attribute of a memory pool (`cudaMemPoolAttr` of CUDA 12.0; later ones are not known).
fn bits_of_pool_attribute(attribute: i128) -> Option<u32> {
    match attribute {
        1..=3 => Some(32),
        4..=8 => Some(64),
        _ => None,
    }
}

/// Size in bytes of a `std::string` (libstdc++'s C++11 ABI), which stores no address of another string.
const STRING_BYTES: u64 = 32;

/// Returns what a function writes, by its name without the suffix of a default stream.
fn outputs(name: &str) -> Option<&'static [(usize, Output)]> {
    let of_exception = || {
        let member = name.strip_prefix("_ZNSt").and_then(|n| EXCEPTIONS.iter().find_map(|c| n.strip_prefix(c)))?;
        MEMBERS.iter().find(|(m, _)| *m == member)
    };
    OUTPUTS.iter().find(|(n, _)| *n == name).or_else(of_exception).map(|(_, out)| *out)
}

/// Models a call of a function whose results alone are not followed.
pub(crate) fn result_call(e: &mut ExecutionContext<'_>, c: &LibraryCall<'_>, mut s: State) -> ModelOutcome {
    let name = c.base();
    if !e.program.func(c.func).is_declaration() {
        return Err(Box::new(s));
    }
    if reads_scalars(name) {
        let args: Vec<Value> = c.args.iter().filter(|a| !is_of_host(e, a)).cloned().collect();
        return super::opaque(e, &LibraryCall { args: &args, ..*c }, s, &UnknownReason::Computed(name.to_owned()));
    }
    let Some(outputs) = outputs(name) else { return Err(Box::new(s)) };
    let why = UnknownReason::Gives(name.to_owned());
    for (i, output) in outputs {
        let p = cuda::pointer_arg(e, c, *i);
        let (v, bytes) = match output {
            Int => (Value::Int(e.unknown_int(&why, 32)), 4),
            Float => (Value::unknown(why.clone()), 4),
            Size => (Value::Int(e.unknown_int(&why, 64)), 8),
            Handle if MAKERS.iter().any(|p| name.starts_with(p)) => (waits::new_handle(e, c, name), 8),
            Handle => (e.unknown_pointer(&why), 8),
            Bytes(n) => (Value::unknown(why.clone()), *n),
        };
        e.store_value(&mut s, &p, v, bytes);
    }
    if is_of_cuda(c.name) {
        return super::success(e, s);
    }
    let m = e.program.module(c.site.func.module);
    let v = e.unknown_of(m, c.ty, &why);
    Ok(Some((v, s)))
}

/// Whether a value points to memory of the host alone.
fn is_of_host(e: &MemoryDomain<'_>, v: &Value) -> bool {
    let of_host = |t: &GuardedTarget| matches!(t.base, Base::Object(o) if matches!(e.object(o).kind, ObjKind::HostLocal | ObjKind::HostHeap | ObjKind::HostGlobal(_)) && !e.heap.is_registered(o));
    matches!(v, Value::Ptr(p) if p.iter().all(of_host))
}

/// Returns the bytes that a call of the C++ library writes of each argument's object, if known: an object of one
/// of its classes ends where its type states. Streams do not, since they have a base at their end.
pub(crate) fn library_objects(e: &ValueDomain<'_>, c: &LibraryCall<'_>) -> Vec<WrittenPart> {
    let func = e.program.func(c.func);
    if !is_of_library(c.name)
        || ["stream", "basic_ios", "ios_base", "streambuf", "filebuf"].iter().any(|s| c.display.contains(s))
    {
        return vec![];
    }
    let strings = c.display.contains("std::__cxx11::basic_string<");
    let part = |(i, p): (usize, &Param)| {
        let string = strings && p.dereferenceable == STRING_BYTES;
        // An argument of a template beside its own object may be the base of a program object.
        let ends = func.is_declaration() || i == 0 || string;
        WrittenPart { bytes: if ends { p.dereferenceable } else { 0 }, linked: !string }
    };
    func.params.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::{Float, OUTPUTS, outputs, reads_scalars};

    #[test]
    fn each_function_stands_once() {
        let mut names: Vec<&str> = OUTPUTS.iter().map(|(n, _)| *n).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
        for n in ["cublasSgemm_v2", "cublasDaxpy_v2", "cublasSgemmStridedBatched"] {
            assert!(reads_scalars(n), "{n}");
        }
        for n in
            ["cublasXtSgemm", "cusparseXcsrgeam2Nnz", "cusparseSpMV_bufferSize", "cublasIsamax_v2", "cublasSdot_v2"]
        {
            assert!(!reads_scalars(n), "{n}");
        }
        assert_eq!((outputs("cudaEventElapsedTime"), outputs("cudaMalloc")), (Some(&[(0, Float)][..]), None));
    }
}
