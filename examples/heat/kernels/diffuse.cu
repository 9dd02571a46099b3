// The time step: a five-point stencil on tiles in shared memory, with a halo of one cell.
#include "heat.h"

namespace {

constexpr int kTile = 16;

__global__ void diffuse_kernel(const float *in, float *out, int nx, int ny, float alpha)
{
    __shared__ float tile[kTile + 2][kTile + 2];

    const int x = blockIdx.x * kTile + threadIdx.x;
    const int y = blockIdx.y * kTile + threadIdx.y;
    const int tx = threadIdx.x + 1;
    const int ty = threadIdx.y + 1;

    // Threads beyond the plate load its last cell: they take part in filling the tile.
    const int cx = min(x, nx - 1);
    const int cy = min(y, ny - 1);

    tile[ty][tx] = in[cy * nx + cx];
    if (threadIdx.x == 0)
        tile[ty][0] = in[cy * nx + max(cx - 1, 0)];
    if (threadIdx.x == kTile - 1)
        tile[ty][kTile + 1] = in[cy * nx + min(cx + 1, nx - 1)];
    if (threadIdx.y == 0)
        tile[0][tx] = in[max(cy - 1, 0) * nx + cx];
    if (threadIdx.y == kTile - 1)
        tile[kTile + 1][tx] = in[min(cy + 1, ny - 1) * nx + cx];
    __syncthreads();

    if (x >= nx || y >= ny)
        return;
    const float centre = tile[ty][tx];
    const float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
    out[y * nx + x] = centre + alpha * (around - 4.0f * centre);
}

}  // namespace

cudaError_t heat::diffuse(const float *in, float *out, int nx, int ny, float alpha)
{
    const dim3 block(kTile, kTile);
    const dim3 grid((nx + kTile - 1) / kTile, (ny + kTile - 1) / kTile);
    diffuse_kernel<<<grid, block>>>(in, out, nx, ny, alpha);
    return cudaGetLastError();
}
