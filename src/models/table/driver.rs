//! CUDA's driver (CUDA Driver API reference 13.0), each function by its symbol: a later version of an interface has one of its own. The first versions of
//! those that have several took numbers of 32 bits, and have no rows.

use crate::row::{FunctionRow, host};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&[
        "cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemAllocManaged", "cuMemAllocHost_v2",
        "cuMemHostAlloc", "cuMemAllocPitch_v2", "cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost",
        "cuMemHostRegister_v2", "cuMemHostUnregister", "cuMemHostGetDevicePointer_v2", "cuMemGetInfo_v2",
        "cuMemcpy", "cuMemcpyAsync", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2", "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemcpyPeer", "cuMemcpyPeerAsync", "cuMemcpyBatchAsync",
        "cuMemcpyBatchAsync_v2",
        "cuMemsetD8_v2", "cuMemsetD16_v2", "cuMemsetD32_v2", "cuMemsetD8Async", "cuMemsetD16Async", "cuMemsetD32Async",
        "cuMemsetD2D8_v2", "cuMemsetD2D16_v2", "cuMemsetD2D32_v2", "cuMemsetD2D8Async", "cuMemsetD2D16Async",
        "cuMemsetD2D32Async",
        "cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2", "cuMemcpy2DAsync_v2", "cuMemcpy3D_v2", "cuMemcpy3DAsync_v2",
        "cuMemcpy3DPeer", "cuMemcpy3DPeerAsync", "cuMemcpyHtoA_v2", "cuMemcpyHtoAAsync_v2", "cuMemcpyDtoA_v2",
        "cuMemcpyAtoH_v2", "cuMemcpyAtoHAsync_v2", "cuMemcpyAtoD_v2", "cuMemcpyAtoA_v2",
        "cuArrayCreate_v2", "cuArray3DCreate_v2", "cuArrayDestroy",
        "cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel", "cuKernelGetFunction", "cuFuncSetAttribute",
        "cuFuncGetAttribute", "cuKernelGetAttribute", "cuFuncLoad",
        "cuInit", "cuDriverGetVersion", "cuDeviceGet", "cuDeviceGetCount", "cuDeviceGetAttribute", "cuDeviceTotalMem_v2",
        "cuDeviceCanAccessPeer", "cuDeviceGetDefaultMemPool", "cuDeviceGetMemPool", "cuDevicePrimaryCtxRetain",
        "cuDevicePrimaryCtxGetState", "cuDevicePrimaryCtxReset_v2",
        "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxGetCurrent", "cuCtxSetCurrent", "cuCtxGetDevice",
        "cuCtxSynchronize",
        "cuStreamCreate", "cuStreamCreateWithPriority", "cuStreamDestroy_v2", "cuStreamSynchronize", "cuStreamQuery",
        "cuStreamWaitEvent", "cuStreamGetCtx", "cuStreamGetCtx_v2", "cuStreamGetDevice", "cuStreamGetId",
        "cuStreamGetPriority", "cuStreamGetFlags",
        "cuEventCreate", "cuEventDestroy_v2", "cuEventRecord", "cuEventSynchronize", "cuEventQuery",
        "cuEventElapsedTime", "cuEventElapsedTime_v2",
        "cuMemPoolCreate", "cuMemPoolDestroy", "cuMemPoolSetAttribute", "cuMemPoolGetAttribute", "cuMemPoolSetAccess", "cuMemPoolGetAccess",
        "cuMemPoolTrimTo", "cuMemGetDefaultMemPool", "cuMemGetMemPool",
        "cuStreamBeginCapture_v2", "cuStreamBeginCaptureToGraph", "cuStreamBeginRecaptureToGraph", "cuStreamEndCapture",
        "cuGraphLaunch", "cuGraphInstantiateWithFlags", "cuGraphDestroy", "cuGraphExecDestroy", "cuGraphUpload",
        "cuCtxDestroy", "cuCtxDestroy_v2", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2",
        "cuGetErrorString", "cuGetErrorName", "cuGetProcAddress", "cuGetProcAddress_v2",
    ]),
];
