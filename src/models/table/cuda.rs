//! CUDA's runtime and driver (CUDA Runtime API and Driver API references 13.0).

use crate::row::{CallSide, FunctionRow, MatchKind, host, host_starts};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&["cuModuleGetFunction"]).reads_from(2).neither("neither knows more than its attributes"),
    host(&["cuModuleLoad"]).reads(1).neither("neither knows more than its attributes"),
    host_starts(&[
        "cudaFuncGet", "cudaFuncSet", "cudaOccupancy",
    ]).asks_about_kernels().neither("functions that begin so have rows of their own, where they are modelled"),
    host_starts(&[
        "cudaLaunch", "cudaGraphLaunch",
    ]).launches().neither("functions that begin so have rows of their own, where they are modelled"),
    host_starts(&[
        "cuLaunch", "cuGraphLaunch", "__cudaPushCallConfiguration",
    ]).launches().neither("functions that begin so have rows of their own, where they are modelled"),
    host(&[
        "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyWithAttributesAsync", "cudaMemcpyBatchAsync", "cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cudaMemcpy2D",
        "cudaMemcpy2DAsync", "cudaMemset", "cudaMemsetAsync", "cudaMemset2D", "cudaMemset2DAsync",
        "cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync",
        "cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaDeviceReset", "cudaStreamSynchronize",
        "cudaEventRecord", "cudaEventSynchronize", "cudaMalloc", "cudaMallocAsync",
        "cudaMallocFromPoolAsync", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocPitch",
        "cudaFree", "cudaFreeAsync", "cudaFreeHost", "cudaHostRegister", "cudaHostGetDevicePointer",
        "cudaGetSymbolAddress", "__cudaPushCallConfiguration", "__cudaPopCallConfiguration", "cudaLaunchKernel",
        "cudaLaunchCooperativeKernel", "cudaLaunchKernelExC", "cudaFuncSetAttribute", "cudaGetLastError",
        "cudaPeekAtLastError", "cudaStreamQuery", "cudaEventQuery", "cudaStreamBeginCapture",
        "cudaStreamBeginCaptureToGraph", "cudaStreamBeginRecaptureToGraph", "cudaGetErrorString", "cudaGetErrorName",
        "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaStreamDestroy",
        "cudaStreamWaitEvent",
        "cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventDestroy", "cudaSetDevice", "cudaSetDeviceFlags",
        "cudaGetDevice", "cudaGetDeviceCount", "cudaDeviceGetAttribute", "cudaFuncGetAttributes", "cudaDeviceEnablePeerAccess",
        "cudaDeviceSetLimit", "cudaDeviceSetCacheConfig",
        "cudaDeviceSetSharedMemConfig", "cudaDeviceGetDefaultMemPool", "cudaMemPoolSetAttribute", "cudaMemPoolGetAttribute",
        "cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig",
        "cudaMemPrefetchAsync", "cudaMemAdvise", "cudaProfilerStart", "cudaProfilerStop", "cudaGetSymbolSize",
        "cudaFreeArray", "cudaCreateTextureObject", "cudaCreateSurfaceObject", "cudaDestroyTextureObject",
        "cudaDestroySurfaceObject", "cudaStreamEndCapture", "cudaThreadExit", "cudaMemcpy3D", "cudaMemcpy3DAsync",
        "cudaMemcpy3DPeer", "cudaMemcpy3DPeerAsync", "cudaMemset3D", "cudaMemset3DAsync",
        "cudaMallocArray", "cudaMalloc3DArray", "cudaCreateChannelDesc", "cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync",
        "cudaMemcpy2DFromArray", "cudaMemcpy2DFromArrayAsync", "cudaMemcpyToArray", "cudaMemcpyToArrayAsync",
        "cudaMemcpyFromArray", "cudaMemcpyFromArrayAsync", "cudaMemcpyArrayToArray", "cudaMemcpy2DArrayToArray",
        "cudaGraphCreate", "cudaGraphClone", "cudaGraphDestroy", "cudaGraphInstantiate", "cudaGraphInstantiateWithFlags",
        "cudaGraphInstantiateWithParams", "cudaGraphExecDestroy", "cudaGraphUpload", "cudaGraphLaunch",
        "cudaGraphAddNode", "cudaGraphAddKernelNode", "cudaGraphAddMemcpyNode", "cudaGraphAddMemcpyNode1D",
        "cudaGraphAddMemsetNode", "cudaGraphAddEmptyNode", "cudaGraphAddEventRecordNode", "cudaGraphAddEventWaitNode",
        "cudaGraphAddChildGraphNode", "cudaGraphAddMemAllocNode", "cudaGraphAddMemFreeNode", "cudaGraphAddDependencies", "cudaGraphDebugDotPrint",
        "cudaGraphKernelNodeSetParams", "cudaGraphMemcpyNodeSetParams1D", "cudaGraphMemsetNodeSetParams",
        "cudaGraphExecKernelNodeSetParams", "cudaGraphExecMemcpyNodeSetParams1D", "cudaGraphExecMemsetNodeSetParams",
        "cudaGraphExecUpdate",
        "cudaGetFuncBySymbol", "cudaGetKernel", "cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion",
        "cudaGetDeviceProperties", "cudaGetDeviceProperties_v2", "cudaMemGetInfo", "cudaMalloc3D",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    ]),
    host_starts(&[
        "_ZL34cudaOccupancyMaxPotentialBlockSizeI", "_ZL43cudaOccupancyMaxPotentialBlockSizeWithFlagsI",
    ]).asks_about_kernels(),
    host(&[
        "cudaStreamUpdateCaptureDependencies", "cudaStreamUpdateCaptureDependencies_v2", "cuStreamUpdateCaptureDependencies",
        "cuStreamUpdateCaptureDependencies_v2",
    ]).symbolic_only("as any other call of the runtime it succeeds for the interpreter, and what it writes is not known"),
    host(&[
        "cudaEventRecordWithFlags", "cudaStreamGetPriority", "cudaStreamGetFlags", "cudaStreamIsCapturing",
        "cudaEventElapsedTime", "cudaEventElapsedTime_v2", "cudaGetDeviceFlags", "cudaDeviceCanAccessPeer",
        "cudaDeviceDisablePeerAccess", "cudaDeviceGetLimit", "cudaDeviceGetStreamPriorityRange",
        "cudaDeviceGetMemPool", "cudaDeviceSetMemPool", "cudaDriverGetVersion",
        "cudaRuntimeGetVersion",
        "cudaOccupancyAvailableDynamicSMemPerBlock", "cudaGetChannelDesc",
    ]).symbolic_only("as any other call of the runtime it succeeds for the interpreter, and what it writes is not known"),
    host(&[
        "cudaLaunchHostFunc", "cuLaunchHostFunc", "cudaStreamAddCallback", "cuStreamAddCallback", "cudaGraphAddHostNode",
    ]).launches().concrete_only("what a function of the host does that a stream calls is lost"),
    FunctionRow::new(CallSide::Host, MatchKind::Rest, &["cuda"]),
    FunctionRow::new(CallSide::Host, MatchKind::Rest, &[
        "__cuda",
    ]).symbolic_only("the interpreter runs the body, or loses what the arguments reach"),
    host(&[
        "cudaMemPoolCreate", "cudaHostUnregister",
    ]).concrete_only("not yet: as any other call of the runtime: it succeeds, and what it could write is lost"),
    host(&[
        "__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaRegisterFunction", "__cudaRegisterVar",
        "__cudaUnregisterFatBinary", "__cudaRegisterManagedVar", "__cudaInitModule",
    ]).concrete_only("registrations are read from the program itself"),
];
