// heat [nx [ny [steps]]]: lets a hot rectangle cool down on an insulated plate, and prints its temperature profile.
#include "heat.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        const cudaError_t status = (call);                                                           \
        if (status != cudaSuccess) {                                                                 \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));     \
            std::exit(EXIT_FAILURE);                                                                 \
        }                                                                                            \
    } while (0)

constexpr int kColumnsPerBlock = 128;

// Mean temperature of every column. One thread for each column: neighbouring threads read neighbouring cells.
__global__ void column_means(const float *field, float *means, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < ny; ++y)
        sum += field[y * nx + x];
    means[x] = sum / ny;
}

int main(int argc, char **argv)
{
    const int nx = argc > 1 ? std::atoi(argv[1]) : 512;
    const int ny = argc > 2 ? std::atoi(argv[2]) : 256;
    const int steps = argc > 3 ? std::atoi(argv[3]) : 100;
    if (nx < heat::kSmallestSide || nx > heat::kLargestSide || ny < heat::kSmallestSide || ny > heat::kLargestSide || steps < 0) {
        std::fprintf(stderr, "usage: %s [nx [ny [steps]]], sides from %d to %d\n", argv[0], heat::kSmallestSide, heat::kLargestSide);
        return EXIT_FAILURE;
    }

    const int cells = nx * ny;
    float *now, *then, *partial, *means;
    CHECK(cudaMalloc(&now, cells * sizeof(float)));
    CHECK(cudaMalloc(&then, cells * sizeof(float)));
    CHECK(cudaMalloc(&partial, heat::kResidualBlocks * sizeof(float)));
    CHECK(cudaMalloc(&means, nx * sizeof(float)));

    CHECK(heat::heat_plate(now, nx, ny, nx / 3, ny / 3, 2 * nx / 3, 2 * ny / 3, 20.0f, 100.0f));
    for (int step = 0; step < steps; ++step) {
        CHECK(heat::diffuse(now, then, nx, ny, 0.2f));
        std::swap(now, then);
    }
    CHECK(heat::residual(then, now, cells, partial));

    column_means<<<(nx + kColumnsPerBlock - 1) / kColumnsPerBlock, kColumnsPerBlock>>>(now, means, nx, ny);
    CHECK(cudaGetLastError());

    std::vector<float> changes(heat::kResidualBlocks), profile(nx);
    CHECK(cudaMemcpy(changes.data(), partial, heat::kResidualBlocks * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(profile.data(), means, nx * sizeof(float), cudaMemcpyDeviceToHost));
    std::printf("last change %g\n", *std::max_element(changes.begin(), changes.end()));
    for (int x = 0; x < nx; x += std::max(1, nx / 16))
        std::printf("%6d %8.3f\n", x, profile[x]);

    CHECK(cudaFree(now));
    CHECK(cudaFree(then));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(means));
    return EXIT_SUCCESS;
}
