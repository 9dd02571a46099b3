//! Symbols behind the names by which programs look up functions of CUDA's driver (CUDA Driver API reference 13.0, Driver Entry Point Access; `cudaTypedefs.h` of CUDA
//! 13.0). Interfaces have versions, so that a symbol is not always spelt like its name.
//!
//! In: a name, and the version of CUDA that it is asked for. Out: the symbol. `dlsym` finds a symbol by itself.

use super::row::On;
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

/// The first version of CUDA whose runtime looks functions of the driver up.
const FIRST_LOOK_UP: u32 = 11_030;

/// The symbol that a name stands for in a version of CUDA; without one, in each whose runtime may be the one that is asked. `None` where that is not known.
pub fn symbol(name: &str, version: Option<u32>) -> Option<&str> {
    let Some((_, since)) = VERSIONS.iter().find(|(n, _)| *n == name) else { return Some(name) };
    let at = |version: u32| since.iter().rev().find(|(from, _)| *from <= version).map(|(_, symbol)| *symbol);
    match version {
        Some(version) => at(version),
        None => at(FIRST_LOOK_UP).filter(|s| at(u32::MAX) == Some(*s)),
    }
}

/// Whether the table has a row for a function of the host by this symbol, so that a pointer to it says what a call of it does.
pub fn is_known(symbol: &str) -> bool {
    use super::row::{Kind, Modelled};
    rows().any(|r| {
        r.kind == Kind::Whole
            && r.on == On::Host
            && r.names.contains(&symbol)
            && !matches!(r.modelled, Modelled::Neither(_))
    })
}

#[cfg(test)]
mod tests {
    use super::{is_known, symbol};

    #[test]
    fn names_mean_symbols_of_their_version() {
        assert_eq!(symbol("cuMemAlloc", Some(12_000)), Some("cuMemAlloc_v2"));
        assert_eq!(symbol("cuMemAlloc", Some(2_000)), None);
        assert_eq!(symbol("cuMemAlloc", None), Some("cuMemAlloc_v2"));
        assert_eq!(symbol("cuMemcpyBatchAsync", Some(12_080)), Some("cuMemcpyBatchAsync"));
        assert_eq!(symbol("cuMemcpyBatchAsync", Some(13_000)), Some("cuMemcpyBatchAsync_v2"));
        assert_eq!(symbol("cuMemcpyBatchAsync", None), None);
        assert_eq!(symbol("cuLaunchKernelEx", None), Some("cuLaunchKernelEx"));
    }

    #[test]
    fn first_versions_of_32_bits_are_not_known() {
        assert!(is_known("cuMemAlloc_v2") && is_known("cuLaunchKernelEx") && is_known("cudaMalloc"));
        assert!(!is_known("cuMemAlloc") && !is_known("cuModuleLoad") && !is_known("cuPrepare"));
    }
}
