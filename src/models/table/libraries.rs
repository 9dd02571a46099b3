//! Libraries with a C interface: cuBLAS, cuFFT, cuRAND, cuSPARSE, cuSOLVER, cuDNN, NCCL, NVTX, MPI, OpenMP.

use crate::row::{CallSide, FunctionRow, MatchKind, host, host_starts};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&["nvtxRangePushA", "nvtxMarkA"]).reads(0).neither("neither knows more than its attributes"),
    host_starts(&[
        "cublas", "cufft", "cusparse", "cusolver", "curand", "cudnn", "nccl", "nvtx", "nvml", "MPI_",
        "shmem_", "nvshmem",
    ]).of_c_interface().neither("functions that begin so have rows of their own, where they are modelled"),
    host(&["omp_set_num_threads", "omp_get_wtime"]),
    host(&[
        "cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2", "cublasSetMathMode", "cublasSetPointerMode_v2",
        "cublasLtCreate", "cufftPlan1d", "cufftPlan2d", "cufftPlan3d", "cufftPlanMany", "cufftCreate",
        "cufftDestroy", "cufftSetStream", "curandCreateGenerator", "curandCreateGeneratorHost",
        "curandSetPseudoRandomGeneratorSeed", "curandSetStream", "curandDestroyGenerator", "cusparseCreate",
        "cusparseDestroy", "cusparseSetStream", "cusolverDnCreate", "cusolverDnDestroy", "cusolverDnSetStream",
        "cudnnCreate", "cudnnDestroy", "cudnnSetStream", "cudnnCreateTensorDescriptor",
        "cudnnCreateFilterDescriptor", "cudnnCreateConvolutionDescriptor", "cudnnCreatePoolingDescriptor",
        "cudnnCreateActivationDescriptor", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Initialized", "MPI_Barrier",
        "MPI_Finalize",
    ]).symbolic_only("not yet: only results are unknown; the interpreter loses all that the arguments reach"),
    FunctionRow::new(CallSide::Host, MatchKind::Typed, &[
        "cublasgemm", "cublasgemv", "cublasaxpy", "cublasscal", "cublasgeam", "cublassyr", "cublasher", "cublasger",
        "cublastrsm", "cublastrmm", "cublassymm", "cublassymv", "cublashemm", "cublashemv", "cublasdgmm",
        "cublasgbmv", "cublassbmv",
    ]).symbolic_only("not yet: only results are unknown; the interpreter loses all that the arguments reach"),
    host(&[
        "omp_get_thread_num", "omp_get_num_threads", "omp_in_parallel", "omp_get_max_threads", "omp_get_num_procs",
    ]).concrete_only("what it gives is unknown, and what it could write is lost"),
];
