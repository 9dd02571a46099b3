// The plate at the start: ambient temperature everywhere, and one hot rectangle.
#include "heat.h"

namespace {

__device__ bool inside(int x, int y, int x0, int y0, int x1, int y1)
{
    return x >= x0 && x < x1 && y >= y0 && y < y1;
}

__global__ void heat_plate_kernel(float *field, int nx, int ny, int x0, int y0, int x1, int y1, float ambient, float hot)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny)
        field[y * nx + x] = inside(x, y, x0, y0, x1, y1) ? hot : ambient;
}

}  // namespace

cudaError_t heat::heat_plate(float *field, int nx, int ny, int x0, int y0, int x1, int y1, float ambient, float hot)
{
    const dim3 block(32, 8);
    const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
    heat_plate_kernel<<<grid, block>>>(field, nx, ny, x0, y0, x1, y1, ambient, hot);
    return cudaGetLastError();
}
