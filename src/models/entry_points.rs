//! Symbols behind the names by which programs look up functions of CUDA's driver (CUDA Driver API reference 13.0, Driver Entry Point Access; `cudaTypedefs.h` of CUDA
//! 13.0). Interfaces have versions, so that a symbol is not always spelt like its name.
//!
//! In: a name, and the version of CUDA that it is asked for. Out: the symbol. `dlsym` finds a symbol by itself.

use super::row::CallSide;
use super::table::rows;

/// Names that stand for other symbols: since which version of CUDA (major times 1000 and minor times 10), and for which. All others stand for themselves.
#[rustfmt::skip]
const VERSIONS: &[(&str, &[(u32, &str)])] = &[
    ("cuMemAlloc", &[(3020, "cuMemAlloc_v2")]),
    ("cuMemAllocPitch", &[(3020, "cuMemAllocPitch_v2")]),
    ("cuMemAllocHost", &[(3020, "cuMemAllocHost_v2")]),
    ("cuMemFree", &[(3020, "cuMemFree_v2")]),
    ("cuMemGetInfo", &[(3020, "cuMemGetInfo_v2")]),
    ("cuMemGetAddressRange", &[(3020, "cuMemGetAddressRange_v2")]),
    ("cuMemHostGetDevicePointer", &[(3020, "cuMemHostGetDevicePointer_v2")]),
    ("cuMemHostRegister", &[(6050, "cuMemHostRegister_v2")]),
    ("cuMemcpyHtoD", &[(3020, "cuMemcpyHtoD_v2")]),
    ("cuMemcpyDtoH", &[(3020, "cuMemcpyDtoH_v2")]),
    ("cuMemcpyDtoD", &[(3020, "cuMemcpyDtoD_v2")]),
    ("cuMemcpyHtoDAsync", &[(3020, "cuMemcpyHtoDAsync_v2")]),
    ("cuMemcpyDtoHAsync", &[(3020, "cuMemcpyDtoHAsync_v2")]),
    ("cuMemcpyDtoDAsync", &[(3020, "cuMemcpyDtoDAsync_v2")]),
    ("cuMemcpy2D", &[(3020, "cuMemcpy2D_v2")]),
    ("cuMemcpy2DAsync", &[(3020, "cuMemcpy2DAsync_v2")]),
    ("cuMemcpy2DUnaligned", &[(3020, "cuMemcpy2DUnaligned_v2")]),
    ("cuMemcpy3D", &[(3020, "cuMemcpy3D_v2")]),
    ("cuMemcpy3DAsync", &[(3020, "cuMemcpy3DAsync_v2")]),
    ("cuMemcpyBatchAsync", &[(12080, "cuMemcpyBatchAsync"), (13000, "cuMemcpyBatchAsync_v2")]),
    ("cuMemsetD8", &[(3020, "cuMemsetD8_v2")]),
    ("cuMemsetD16", &[(3020, "cuMemsetD16_v2")]),
    ("cuMemsetD32", &[(3020, "cuMemsetD32_v2")]),
    ("cuMemsetD2D8", &[(3020, "cuMemsetD2D8_v2")]),
    ("cuMemsetD2D16", &[(3020, "cuMemsetD2D16_v2")]),
    ("cuMemsetD2D32", &[(3020, "cuMemsetD2D32_v2")]),
    ("cuMemPrefetchAsync", &[(8000, "cuMemPrefetchAsync"), (12020, "cuMemPrefetchAsync_v2")]),
    ("cuMemAdvise", &[(8000, "cuMemAdvise"), (12020, "cuMemAdvise_v2")]),
    ("cuDeviceTotalMem", &[(3020, "cuDeviceTotalMem_v2")]),
    ("cuDevicePrimaryCtxRelease", &[(7000, "cuDevicePrimaryCtxRelease"), (11000, "cuDevicePrimaryCtxRelease_v2")]),
    ("cuDevicePrimaryCtxReset", &[(7000, "cuDevicePrimaryCtxReset"), (11000, "cuDevicePrimaryCtxReset_v2")]),
    ("cuDevicePrimaryCtxSetFlags", &[(7000, "cuDevicePrimaryCtxSetFlags"), (11000, "cuDevicePrimaryCtxSetFlags_v2")]),
    ("cuCtxCreate", &[(3020, "cuCtxCreate_v2"), (11040, "cuCtxCreate_v3"), (12050, "cuCtxCreate_v4")]),
    ("cuCtxDestroy", &[(4000, "cuCtxDestroy_v2")]),
    ("cuCtxPushCurrent", &[(4000, "cuCtxPushCurrent_v2")]),
    ("cuCtxPopCurrent", &[(4000, "cuCtxPopCurrent_v2")]),
    ("cuStreamDestroy", &[(4000, "cuStreamDestroy_v2")]),
    ("cuStreamGetCtx", &[(9020, "cuStreamGetCtx"), (12050, "cuStreamGetCtx_v2")]),
    ("cuEventDestroy", &[(4000, "cuEventDestroy_v2")]),
    ("cuEventElapsedTime", &[(2000, "cuEventElapsedTime"), (12080, "cuEventElapsedTime_v2")]),
    ("cuModuleGetGlobal", &[(3020, "cuModuleGetGlobal_v2")]),
    ("cuGetProcAddress", &[(11030, "cuGetProcAddress"), (12000, "cuGetProcAddress_v2")]),
];

/// Other functions of the driver by the version of CUDA that brought them (`PFN_…_v…` in `cudaTypedefs.h` of CUDA 13.5).
#[rustfmt::skip]
const FIRST: &[(u32, &[&str])] = &[
    (2_000, &["cuCtxGetDevice", "cuCtxSynchronize", "cuDeviceGet", "cuDeviceGetAttribute", "cuDeviceGetCount",
        "cuEventCreate", "cuEventQuery", "cuEventRecord", "cuEventSynchronize", "cuInit", "cuMemFreeHost",
        "cuStreamCreate", "cuStreamQuery", "cuStreamSynchronize"]),
    (2_020, &["cuDriverGetVersion", "cuFuncGetAttribute", "cuMemHostAlloc"]),
    (3_020, &["cuMemsetD16Async", "cuMemsetD2D16Async", "cuMemsetD2D32Async", "cuMemsetD2D8Async",
        "cuMemsetD32Async", "cuMemsetD8Async", "cuStreamWaitEvent"]),
    (4_000, &["cuCtxGetCurrent", "cuCtxSetCurrent", "cuDeviceCanAccessPeer", "cuLaunchKernel", "cuMemHostUnregister",
        "cuMemcpy", "cuMemcpyAsync", "cuMemcpyPeer", "cuMemcpyPeerAsync"]),
    (5_050, &["cuStreamCreateWithPriority", "cuStreamGetFlags", "cuStreamGetPriority"]),
    (6_000, &["cuGetErrorName", "cuGetErrorString", "cuMemAllocManaged"]),
    (7_000, &["cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxRetain"]),
    (9_000, &["cuFuncSetAttribute", "cuLaunchCooperativeKernel"]),
    (11_020, &["cuDeviceGetDefaultMemPool", "cuDeviceGetMemPool", "cuMemAllocAsync", "cuMemAllocFromPoolAsync",
        "cuMemFreeAsync", "cuMemPoolCreate", "cuMemPoolDestroy", "cuMemPoolGetAccess", "cuMemPoolGetAttribute",
        "cuMemPoolSetAccess", "cuMemPoolSetAttribute", "cuMemPoolTrimTo"]),
    (11_060, &["cuLaunchKernelEx"]),
    (12_000, &["cuKernelGetAttribute", "cuKernelGetFunction", "cuStreamGetId"]),
    (12_040, &["cuFuncLoad"]),
    (12_080, &["cuStreamGetDevice"]),
    (13_000, &["cuMemGetDefaultMemPool", "cuMemGetMemPool"]),
];

/// The first version of CUDA whose runtime looks functions of the driver up.
const FIRST_LOOK_UP: u32 = 11_030;

/// Outcome of a look-up by the runtime or the driver. The call succeeds in each case; a function that is missing leaves a
/// null pointer and a status (`CUdriverProcAddressQueryResult`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookUp<'n> {
    Symbol(&'n str),
    Missing { status: u8 },
    Unknown,
}

/// `CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND`.
const NO_SUCH_SYMBOL: u8 = 1;

/// `CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT`.
const VERSION_TOO_LOW: u8 = 2;

/// Looks up a name for a version of CUDA; without one, for each version whose runtime may be the one that is asked.
/// Names of the runtime, and symbols of later versions (`cuMemAlloc_v2`), are no names of the driver's functions.
#[must_use]
pub fn look_up(name: &str, version: Option<u32>) -> LookUp<'_> {
    if name.starts_with("cuda") || ["_v2", "_v3", "_v4"].iter().any(|v| name.ends_with(v)) {
        return LookUp::Missing { status: NO_SUCH_SYMBOL };
    }
    let Some((_, since)) = VERSIONS.iter().find(|(n, _)| *n == name) else {
        return match (FIRST.iter().find(|(_, names)| names.contains(&name)), version) {
            (Some((first, _)), Some(version)) if version < *first => LookUp::Missing { status: VERSION_TOO_LOW },
            // A runtime that is older than the function would not find it.
            (Some((first, _)), None) if *first > FIRST_LOOK_UP => LookUp::Unknown,
            _ => LookUp::Symbol(name),
        };
    };
    let at = |version: u32| since.iter().rev().find(|(from, _)| *from <= version).map(|(_, symbol)| *symbol);
    let found = match version {
        // First versions before those in the table took numbers of 32 bits.
        Some(version) => at(version),
        None => at(FIRST_LOOK_UP).filter(|s| at(u32::MAX) == Some(*s)),
    };
    found.map_or(LookUp::Unknown, LookUp::Symbol)
}

/// Whether the table has a row for a function of the host by this symbol, so that a pointer to it says what a call of it does.
pub fn is_known(symbol: &str) -> bool {
    use super::row::{MatchKind, ModelledBy};
    rows().any(|r| {
        r.kind == MatchKind::Whole
            && r.on == CallSide::Host
            && r.names.contains(&symbol)
            && !matches!(r.modelled, ModelledBy::Neither(_))
    })
}

#[cfg(test)]
mod tests {
    use super::{LookUp, is_known, look_up};

    #[test]
    fn names_mean_symbols_of_their_version() {
        assert_eq!(look_up("cuMemAlloc", Some(12_000)), LookUp::Symbol("cuMemAlloc_v2"));
        assert_eq!(look_up("cuMemAlloc", Some(2_000)), LookUp::Unknown);
        assert_eq!(look_up("cuMemAlloc", None), LookUp::Symbol("cuMemAlloc_v2"));
        assert_eq!(look_up("cuMemcpyBatchAsync", Some(12_080)), LookUp::Symbol("cuMemcpyBatchAsync"));
        assert_eq!(look_up("cuMemcpyBatchAsync", Some(13_000)), LookUp::Symbol("cuMemcpyBatchAsync_v2"));
        assert_eq!(look_up("cuMemcpyBatchAsync", None), LookUp::Unknown);
        assert_eq!(look_up("cuLaunchKernelEx", Some(12_000)), LookUp::Symbol("cuLaunchKernelEx"));
    }

    /// Seen with `cuGetProcAddress` of a driver of CUDA 13.0.
    #[test]
    fn the_driver_has_no_function_by_other_names() {
        for (name, version, status) in [
            ("cuMemAlloc_v2", 12_000, 1),
            ("cudaMalloc", 12_000, 1),
            ("cuMemAllocAsync", 11_000, 2),
            ("cuLaunchKernelEx", 11_000, 2),
        ] {
            assert_eq!(look_up(name, Some(version)), LookUp::Missing { status }, "{name}");
        }
    }

    #[test]
    fn first_versions_of_32_bits_are_not_known() {
        assert!(is_known("cuMemAlloc_v2") && is_known("cuLaunchKernelEx") && is_known("cudaMalloc"));
        assert!(!is_known("cuMemAlloc") && !is_known("cuModuleLoad") && !is_known("cuPrepare"));
    }
}
