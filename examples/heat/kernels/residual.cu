// How much a time step changed: a grid-stride loop, then a reduction within each block.
#include "heat.h"

namespace {

constexpr int kThreads = 256;

__global__ void residual_kernel(const float *before, const float *after, int cells, float *partial)
{
    __shared__ float largest[kThreads];

    const int lane = threadIdx.x;
    float change = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x)
        change = fmaxf(change, fabsf(after[i] - before[i]));
    largest[lane] = change;
    __syncthreads();

    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (lane < half)
            largest[lane] = fmaxf(largest[lane], largest[lane + half]);
        __syncthreads();
    }
    if (lane == 0)
        partial[blockIdx.x] = largest[0];
}

}  // namespace

cudaError_t heat::residual(const float *before, const float *after, int cells, float *partial)
{
    residual_kernel<<<kResidualBlocks, kThreads>>>(before, after, cells, partial);
    return cudaGetLastError();
}
