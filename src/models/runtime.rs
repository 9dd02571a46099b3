//! Names of the functions of CUDA's runtime, from the headers of its releases 11.8, 12.1, 12.8, 13.0 and 13.5
//! (`cuda_runtime_api.h`, `cuda_profiler_api.h`, `cuda_device_runtime_api.h`, the interoperability headers), without the suffixes of their versions.

/// Whether a symbol is a function of the runtime: a program's own function may begin with `cuda` too.
#[must_use]
pub fn is_of_runtime(symbol: &str) -> bool {
    let name = symbol.strip_suffix("_ptsz").or_else(|| symbol.strip_suffix("_ptds")).unwrap_or(symbol);
    let is_version = |v: &str| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit());
    let name = name.rsplit_once("_v").filter(|(_, v)| is_version(v)).map_or(name, |(name, _)| name);
    NAMES.binary_search(&name).is_ok()
}

/// In the order of their bytes.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "cudaArrayGetInfo", "cudaArrayGetMemoryRequirements", "cudaArrayGetPlane", "cudaArrayGetSparseProperties",
    "cudaBindSurfaceToArray", "cudaBindTexture", "cudaBindTexture2D", "cudaBindTextureToArray",
    "cudaBindTextureToMipmappedArray", "cudaCGGetIntrinsicHandle", "cudaCGGetRank", "cudaCGGetSize",
    "cudaCGSynchronize", "cudaCGSynchronizeGrid", "cudaChooseDevice", "cudaCreateChannelDesc",
    "cudaCreateSurfaceObject", "cudaCreateTextureObject", "cudaCtxResetPersistingL2Cache",
    "cudaDestroyExternalMemory", "cudaDestroyExternalSemaphore", "cudaDestroySurfaceObject",
    "cudaDestroyTextureObject", "cudaDevResourceGenerateDesc", "cudaDevSmResourceSplit",
    "cudaDevSmResourceSplitByCount", "cudaDeviceCanAccessPeer", "cudaDeviceDisablePeerAccess",
    "cudaDeviceEnablePeerAccess", "cudaDeviceFlushGPUDirectRDMAWrites", "cudaDeviceGetAttribute",
    "cudaDeviceGetByPCIBusId", "cudaDeviceGetCacheConfig", "cudaDeviceGetDefaultMemPool", "cudaDeviceGetDevResource",
    "cudaDeviceGetExecutionCtx", "cudaDeviceGetGraphMemAttribute", "cudaDeviceGetHostAtomicCapabilities",
    "cudaDeviceGetLimit", "cudaDeviceGetMemPool", "cudaDeviceGetNvSciSyncAttributes",
    "cudaDeviceGetP2PAtomicCapabilities", "cudaDeviceGetP2PAttribute", "cudaDeviceGetPCIBusId",
    "cudaDeviceGetSharedMemConfig", "cudaDeviceGetStreamPriorityRange", "cudaDeviceGetTexture1DLinearMaxWidth",
    "cudaDeviceGraphMemTrim", "cudaDeviceRegisterAsyncNotification", "cudaDeviceReset", "cudaDeviceSetCacheConfig",
    "cudaDeviceSetGraphMemAttribute", "cudaDeviceSetLimit", "cudaDeviceSetMemPool", "cudaDeviceSetSharedMemConfig",
    "cudaDeviceSynchronize", "cudaDeviceUnregisterAsyncNotification", "cudaDriverGetVersion",
    "cudaEGLStreamConsumerAcquireFrame", "cudaEGLStreamConsumerConnect", "cudaEGLStreamConsumerConnectWithFlags",
    "cudaEGLStreamConsumerDisconnect", "cudaEGLStreamConsumerReleaseFrame", "cudaEGLStreamProducerConnect",
    "cudaEGLStreamProducerDisconnect", "cudaEGLStreamProducerPresentFrame", "cudaEGLStreamProducerReturnFrame",
    "cudaEventCreate", "cudaEventCreateFromEGLSync", "cudaEventCreateWithFlags", "cudaEventDestroy",
    "cudaEventElapsedTime", "cudaEventQuery", "cudaEventRecord", "cudaEventRecordWithFlags", "cudaEventSynchronize",
    "cudaExecutionCtxDestroy", "cudaExecutionCtxGetDevResource", "cudaExecutionCtxGetDevice", "cudaExecutionCtxGetId",
    "cudaExecutionCtxRecordEvent", "cudaExecutionCtxStreamCreate", "cudaExecutionCtxSynchronize",
    "cudaExecutionCtxWaitEvent", "cudaExternalMemoryGetMappedBuffer", "cudaExternalMemoryGetMappedMipmappedArray",
    "cudaFree", "cudaFreeArray", "cudaFreeAsync", "cudaFreeHost", "cudaFreeMipmappedArray", "cudaFuncGetAttributes",
    "cudaFuncGetName", "cudaFuncGetParamCount", "cudaFuncGetParamInfo", "cudaFuncSetAttribute",
    "cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig", "cudaGLGetDevices", "cudaGLMapBufferObject",
    "cudaGLMapBufferObjectAsync", "cudaGLRegisterBufferObject", "cudaGLSetBufferObjectMapFlags", "cudaGLSetGLDevice",
    "cudaGLUnmapBufferObject", "cudaGLUnmapBufferObjectAsync", "cudaGLUnregisterBufferObject", "cudaGetChannelDesc",
    "cudaGetCurrentGraphExec", "cudaGetDevice", "cudaGetDeviceCount", "cudaGetDeviceFlags", "cudaGetDeviceProperties",
    "cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion", "cudaGetErrorName", "cudaGetErrorString",
    "cudaGetExportTable", "cudaGetFuncBySymbol", "cudaGetKernel", "cudaGetLastError", "cudaGetMipmappedArrayLevel",
    "cudaGetParameterBuffer", "cudaGetParameterBufferV2", "cudaGetSurfaceObjectResourceDesc",
    "cudaGetSurfaceReference", "cudaGetSymbolAddress", "cudaGetSymbolSize", "cudaGetTextureAlignmentOffset",
    "cudaGetTextureObjectResourceDesc", "cudaGetTextureObjectResourceViewDesc", "cudaGetTextureObjectTextureDesc",
    "cudaGetTextureReference", "cudaGraphAddChildGraphNode", "cudaGraphAddDependencies", "cudaGraphAddEmptyNode",
    "cudaGraphAddEventRecordNode", "cudaGraphAddEventWaitNode", "cudaGraphAddExternalSemaphoresSignalNode",
    "cudaGraphAddExternalSemaphoresWaitNode", "cudaGraphAddHostNode", "cudaGraphAddKernelNode",
    "cudaGraphAddMemAllocNode", "cudaGraphAddMemFreeNode", "cudaGraphAddMemcpyNode", "cudaGraphAddMemcpyNode1D",
    "cudaGraphAddMemcpyNodeFromSymbol", "cudaGraphAddMemcpyNodeToSymbol", "cudaGraphAddMemsetNode",
    "cudaGraphAddNode", "cudaGraphChildGraphNodeGetGraph", "cudaGraphClone", "cudaGraphConditionalHandleCreate",
    "cudaGraphCreate", "cudaGraphDebugDotPrint", "cudaGraphDestroy", "cudaGraphDestroyNode",
    "cudaGraphEventRecordNodeGetEvent", "cudaGraphEventRecordNodeSetEvent", "cudaGraphEventWaitNodeGetEvent",
    "cudaGraphEventWaitNodeSetEvent", "cudaGraphExecChildGraphNodeSetParams", "cudaGraphExecDestroy",
    "cudaGraphExecEventRecordNodeSetEvent", "cudaGraphExecEventWaitNodeSetEvent",
    "cudaGraphExecExternalSemaphoresSignalNodeSetParams", "cudaGraphExecExternalSemaphoresWaitNodeSetParams",
    "cudaGraphExecGetFlags", "cudaGraphExecGetId", "cudaGraphExecHostNodeSetParams",
    "cudaGraphExecKernelNodeSetParams", "cudaGraphExecMemcpyNodeSetParams", "cudaGraphExecMemcpyNodeSetParams1D",
    "cudaGraphExecMemcpyNodeSetParamsFromSymbol", "cudaGraphExecMemcpyNodeSetParamsToSymbol",
    "cudaGraphExecMemsetNodeSetParams", "cudaGraphExecNodeSetParams", "cudaGraphExecUpdate",
    "cudaGraphExternalSemaphoresSignalNodeGetParams", "cudaGraphExternalSemaphoresSignalNodeSetParams",
    "cudaGraphExternalSemaphoresWaitNodeGetParams", "cudaGraphExternalSemaphoresWaitNodeSetParams",
    "cudaGraphGetEdges", "cudaGraphGetId", "cudaGraphGetNodes", "cudaGraphGetRootNodes", "cudaGraphHostNodeGetParams",
    "cudaGraphHostNodeSetParams", "cudaGraphInstantiate", "cudaGraphInstantiateWithFlags",
    "cudaGraphInstantiateWithParams", "cudaGraphKernelNodeCopyAttributes", "cudaGraphKernelNodeGetAttribute",
    "cudaGraphKernelNodeGetParams", "cudaGraphKernelNodeSetAttribute", "cudaGraphKernelNodeSetEnabled",
    "cudaGraphKernelNodeSetGridDim", "cudaGraphKernelNodeSetParam", "cudaGraphKernelNodeSetParams",
    "cudaGraphKernelNodeUpdatesApply", "cudaGraphLaunch", "cudaGraphMemAllocNodeGetParams",
    "cudaGraphMemFreeNodeGetParams", "cudaGraphMemcpyNodeGetParams", "cudaGraphMemcpyNodeSetParams",
    "cudaGraphMemcpyNodeSetParams1D", "cudaGraphMemcpyNodeSetParamsFromSymbol",
    "cudaGraphMemcpyNodeSetParamsToSymbol", "cudaGraphMemsetNodeGetParams", "cudaGraphMemsetNodeSetParams",
    "cudaGraphNodeFindInClone", "cudaGraphNodeGetContainingGraph", "cudaGraphNodeGetDependencies",
    "cudaGraphNodeGetDependentNodes", "cudaGraphNodeGetEnabled", "cudaGraphNodeGetLocalId", "cudaGraphNodeGetParams",
    "cudaGraphNodeGetToolsId", "cudaGraphNodeGetType", "cudaGraphNodeSetEnabled", "cudaGraphNodeSetParams",
    "cudaGraphReleaseUserObject", "cudaGraphRemoveDependencies", "cudaGraphRetainUserObject",
    "cudaGraphSetConditional", "cudaGraphUpload", "cudaGraphicsEGLRegisterImage", "cudaGraphicsGLRegisterBuffer",
    "cudaGraphicsGLRegisterImage", "cudaGraphicsMapResources", "cudaGraphicsResourceGetMappedEglFrame",
    "cudaGraphicsResourceGetMappedMipmappedArray", "cudaGraphicsResourceGetMappedPointer",
    "cudaGraphicsResourceSetMapFlags", "cudaGraphicsSubResourceGetMappedArray", "cudaGraphicsUnmapResources",
    "cudaGraphicsUnregisterResource", "cudaGraphicsVDPAURegisterOutputSurface",
    "cudaGraphicsVDPAURegisterVideoSurface", "cudaGreenCtxCreate", "cudaGridDependencySynchronize", "cudaHostAlloc",
    "cudaHostGetDevicePointer", "cudaHostGetFlags", "cudaHostRegister", "cudaHostUnregister",
    "cudaImportExternalMemory", "cudaImportExternalSemaphore", "cudaInitDevice", "cudaIpcCloseMemHandle",
    "cudaIpcGetEventHandle", "cudaIpcGetMemHandle", "cudaIpcOpenEventHandle", "cudaIpcOpenMemHandle",
    "cudaKernelSetAttributeForDevice", "cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernelMultiDevice",
    "cudaLaunchDevice", "cudaLaunchDeviceV2", "cudaLaunchHostFunc", "cudaLaunchKernel", "cudaLaunchKernelExC",
    "cudaLibraryEnumerateKernels", "cudaLibraryGetGlobal", "cudaLibraryGetKernel", "cudaLibraryGetKernelCount",
    "cudaLibraryGetManaged", "cudaLibraryGetUnifiedFunction", "cudaLibraryLoadData", "cudaLibraryLoadFromFile",
    "cudaLibraryUnload", "cudaLogsCurrent", "cudaLogsDumpToFile", "cudaLogsDumpToMemory", "cudaLogsRegisterCallback",
    "cudaLogsUnregisterCallback", "cudaMalloc", "cudaMalloc3D", "cudaMalloc3DArray", "cudaMallocArray",
    "cudaMallocAsync", "cudaMallocFromPoolAsync", "cudaMallocHost", "cudaMallocManaged", "cudaMallocMipmappedArray",
    "cudaMallocPitch", "cudaMemAdvise", "cudaMemDiscardAndPrefetchBatchAsync", "cudaMemDiscardBatchAsync",
    "cudaMemGetDefaultMemPool", "cudaMemGetInfo", "cudaMemGetLocationInfo", "cudaMemGetMemPool", "cudaMemPoolCreate",
    "cudaMemPoolDestroy", "cudaMemPoolExportPointer", "cudaMemPoolExportToShareableHandle", "cudaMemPoolGetAccess",
    "cudaMemPoolGetAttribute", "cudaMemPoolImportFromShareableHandle", "cudaMemPoolImportPointer",
    "cudaMemPoolSetAccess", "cudaMemPoolSetAttribute", "cudaMemPoolTrimTo", "cudaMemPrefetchAsync",
    "cudaMemPrefetchBatchAsync", "cudaMemRangeGetAttribute", "cudaMemRangeGetAttributes", "cudaMemSetMemPool",
    "cudaMemcpy", "cudaMemcpy2D", "cudaMemcpy2DArrayToArray", "cudaMemcpy2DAsync", "cudaMemcpy2DFromArray",
    "cudaMemcpy2DFromArrayAsync", "cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync", "cudaMemcpy3D",
    "cudaMemcpy3DAsync", "cudaMemcpy3DBatchAsync", "cudaMemcpy3DPeer", "cudaMemcpy3DPeerAsync",
    "cudaMemcpy3DWithAttributesAsync", "cudaMemcpyArrayToArray", "cudaMemcpyAsync", "cudaMemcpyBatchAsync",
    "cudaMemcpyFromArray", "cudaMemcpyFromArrayAsync", "cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync",
    "cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cudaMemcpyToArray", "cudaMemcpyToArrayAsync", "cudaMemcpyToSymbol",
    "cudaMemcpyToSymbolAsync", "cudaMemcpyWithAttributesAsync", "cudaMemset", "cudaMemset2D", "cudaMemset2DAsync",
    "cudaMemset3D", "cudaMemset3DAsync", "cudaMemsetAsync", "cudaMipmappedArrayGetMemoryRequirements",
    "cudaMipmappedArrayGetSparseProperties", "cudaOccupancyAvailableDynamicSMemPerBlock",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaOccupancyMaxActiveClusters", "cudaOccupancyMaxPotentialClusterSize", "cudaPeekAtLastError",
    "cudaPointerGetAttributes", "cudaProfilerInitialize", "cudaProfilerStart", "cudaProfilerStop",
    "cudaRuntimeGetVersion", "cudaSetDevice", "cudaSetDeviceFlags", "cudaSetDoubleForDevice", "cudaSetDoubleForHost",
    "cudaSetValidDevices", "cudaSignalExternalSemaphoresAsync", "cudaStreamAddCallback", "cudaStreamAttachMemAsync",
    "cudaStreamBeginCapture", "cudaStreamBeginCaptureToGraph", "cudaStreamBeginRecaptureToGraph",
    "cudaStreamCopyAttributes", "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority",
    "cudaStreamDestroy", "cudaStreamEndCapture", "cudaStreamGetAttribute", "cudaStreamGetCaptureInfo",
    "cudaStreamGetDevResource", "cudaStreamGetDevice", "cudaStreamGetFlags", "cudaStreamGetId",
    "cudaStreamGetPriority", "cudaStreamIsCapturing", "cudaStreamQuery", "cudaStreamSetAttribute",
    "cudaStreamSynchronize", "cudaStreamUpdateCaptureDependencies", "cudaStreamWaitEvent",
    "cudaThreadExchangeStreamCaptureMode", "cudaThreadExit", "cudaThreadGetCacheConfig", "cudaThreadGetLimit",
    "cudaThreadSetCacheConfig", "cudaThreadSetLimit", "cudaThreadSynchronize",
    "cudaTriggerProgrammaticLaunchCompletion", "cudaUnbindTexture", "cudaUserObjectCreate", "cudaUserObjectRelease",
    "cudaUserObjectRetain", "cudaVDPAUGetDevice", "cudaVDPAUSetVDPAUDevice", "cudaWGLGetDevice",
    "cudaWaitExternalSemaphoresAsync",
];

#[cfg(test)]
mod tests {
    use super::{NAMES, is_of_runtime};

    #[test]
    fn names_are_found_in_any_version() {
        assert!(NAMES.is_sorted());
        let of = ["cudaMalloc", "cudaMemcpyAsync_ptsz", "cudaGetDeviceProperties_v2", "cudaStreamGetCaptureInfo_v3"];
        assert!(of.iter().all(|n| is_of_runtime(n)));
        assert!(["cudaCheck", "cuda", "cudaMalloc_vx", "cudaSafeCall_v2"].iter().all(|n| !is_of_runtime(n)));
    }
}
