#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <mma.h>
#include <cstdlib>
#include "own.h"
#include <vendored.h>
using namespace nvcuda::wmma;
namespace cg = cooperative_groups;
__global__ void k(int w, int *a, float4 *f, half *h) {
    __shared__ int s[8];
    int i = threadIdx.x;
    if (w == 1) *a = __ldg(&a[i]);
    if (w == 2) *a = __ldcg(a + i);
    if (w == 3) __stcs(a + i, 1);
    if (w == 4) cuda::atomic_ref<int>(a[i]).fetch_add(1);
    if (w == 5) *a = (f[i] + f[0]).x;
    if (w == 6) *a = vendored(a, i);
    if (w == 7) cg::memcpy_async(cg::this_thread_block(), s, a, 32);
    if (w == 8) __pipeline_memcpy_async(&s[i], a + i, 4);
    if (w == 9) {
        fragment<matrix_a, 16, 16, 16, half, row_major> m;
        load_matrix_sync(m, h, 16);
        *a = m.x[0];
    }
}
int main(int, char **v) {
    int *a; float4 *f; half *h;
    cudaMalloc(&a, 16); cudaMalloc(&f, 64); cudaMalloc(&h, 256);
    k<<<1, 32>>>(atoi(v[1]), a, f, h);
    return cudaDeviceSynchronize();
}
