"""Writes the benchmark's projects: CMake projects of CUDA sources in several styles, the same for the same arguments.

A project of N translation units is a program of N .cu files. Each but the first holds a few kernels with what launches
them and its own allocations; the first is main, which calls into all of them with sizes from its arguments. Everything in
them is within bounds, so that a build through the shim runs to its end.
"""

import random
from pathlib import Path

MAX_SIDE = 8192

# Kernels by style. Each has: the kernel's source, the allocations it needs (name → extent in elements, of float), and the
# launch. NAME is replaced by the kernel's own name; n, nx and ny are the sizes that the host function was called with.
STYLES = {
    "map": (
        """__global__ void NAME(const float *in, float *out, int n, float scale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = scale * in[i] + FACTORf;
}""",
        {"in": "n", "out": "n"},
        "NAME<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n, 2.0f);",
    ),
    "grid_stride": (
        """__global__ void NAME(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] * b[i] + FACTORf;
}""",
        {"a": "n", "b": "n", "c": "n"},
        "NAME<<<64, BLOCK>>>(a, b, c, n);",
    ),
    "stencil": (
        """__global__ void NAME(const float *in, float *out, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    out[y * nx + x] = FACTORf * (in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] + in[(y + 1) * nx + x]);
}""",
        {"in": "nx * ny", "out": "nx * ny"},
        "NAME<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(in, out, nx, ny);",
    ),
    "reduce": (
        """__global__ void NAME(const float *in, float *partial, int n)
{
    __shared__ float sums[BLOCK];
    const int lane = threadIdx.x;
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    sums[lane] = i < n ? FACTORf * in[i] : 0.0f;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (lane < half)
            sums[lane] += sums[lane + half];
        __syncthreads();
    }
    if (lane == 0)
        partial[blockIdx.x] = sums[0];
}""",
        {"in": "n", "partial": "(n + BLOCK - 1) / BLOCK"},
        "NAME<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, partial, n);",
    ),
    "transpose": (
        """__global__ void NAME(const float *in, float *out, int nx, int ny)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < nx && y < ny)
        tile[threadIdx.y][threadIdx.x] = FACTORf * in[y * nx + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < ny && y < nx)
        out[y * ny + x] = tile[threadIdx.x][threadIdx.y];
}""",
        {"in": "nx * ny", "out": "nx * ny"},
        "NAME<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(in, out, nx, ny);",
    ),
    "rows": (
        """__device__ float NAME_weight(int k) { return FACTORf / (1.0f + k); }

__global__ void NAME(const float *matrix, const float *vector, float *result, int nx, int ny)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ny)
        return;
    float sum = 0.0f;
    for (int k = 0; k < nx; ++k)
        sum += NAME_weight(k) * matrix[row * nx + k] * vector[k];
    result[row] = sum;
}""",
        {"matrix": "nx * ny", "vector": "nx", "result": "ny"},
        "NAME<<<(ny + BLOCK - 1) / BLOCK, BLOCK>>>(matrix, vector, result, nx, ny);",
    ),
    "window": (
        """__global__ void NAME(const float *in, float *out, int n)
{
    float window[5];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 4 >= n)
        return;
    for (int k = 0; k < 5; ++k)
        window[k] = in[i + k];
    float best = window[0];
    for (int k = 1; k < 5; ++k)
        best = fmaxf(best, FACTORf * window[k]);
    out[i] = best;
}""",
        {"in": "n", "out": "n"},
        "NAME<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);",
    ),
}

HEADER = """#pragma once
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                   \\
    do {                                                                              \\
        const cudaError_t status = (call);                                            \\
        if (status != cudaSuccess) {                                                  \\
            std::fprintf(stderr, "%s:%d: %s\\n", __FILE__, __LINE__, cudaGetErrorString(status)); \\
            std::exit(EXIT_FAILURE);                                                  \\
        }                                                                             \\
    } while (0)

"""


def stage(rng: random.Random, name: str, style: str) -> str:
    """One kernel and the function that allocates for it and launches it."""
    kernel, buffers, launch = STYLES[style]
    values = {"NAME": name, "BLOCK": str(rng.choice([64, 128, 256])), "FACTOR": f"{rng.uniform(0.1, 0.9):.3f}"}

    def filled(text: str) -> str:
        for key, value in values.items():
            text = text.replace(key, value)
        return text

    lines = [filled(kernel), "", f"static void run_{name}(int n, int nx, int ny)", "{", f"    float *{', *'.join(buffers)};"]
    lines += [f"    CHECK(cudaMalloc(&{buffer}, sizeof(float) * ({filled(extent)})));" for buffer, extent in buffers.items()]
    lines += [f"    {filled(launch)}", "    CHECK(cudaGetLastError());"]
    lines += [f"    CHECK(cudaFree({buffer}));" for buffer in buffers]
    return "\n".join([*lines, "}", ""])


def project(folder: Path, units: int, kernels_per_unit: int, seed: int) -> None:
    """Writes a project of `units` translation units into `folder`, which need not exist."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    styles = sorted(STYLES)
    stages = {}
    for unit in range(units):
        names = [f"u{unit}_k{k}" for k in range(kernels_per_unit)]
        stages[unit] = "\n".join(stage(rng, name, styles[(unit + k) % len(styles)]) for k, name in enumerate(names)), names
    declarations = "".join(f"void unit_{u}(int n, int nx, int ny);\n" for u in range(1, units))
    write(folder / "bench.h", HEADER + declarations)
    for unit, (text, names) in stages.items():
        calls = "".join(f"    run_{name}(n, nx, ny);\n" for name in names)
        if unit:
            body = f"void unit_{unit}(int n, int nx, int ny)\n{{\n{calls}}}\n"
        else:
            others = "".join(f"    unit_{u}(n, nx, ny);\n" for u in range(1, units))
            body = (
                "int main(int argc, char **argv)\n{\n"
                "    if (argc != 3)\n        return EXIT_FAILURE;\n"
                "    const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]);\n"
                f"    if (nx < 1 || nx > {MAX_SIDE} || ny < 1 || ny > {MAX_SIDE})\n        return EXIT_FAILURE;\n"
                f"    const int n = nx * ny;\n{calls}{others}    CHECK(cudaDeviceSynchronize());\n    return EXIT_SUCCESS;\n}}\n"
            )
        write(folder / f"unit_{unit}.cu", f'#include "bench.h"\n\n{text}\n{body}')
    sources = " ".join(f"unit_{u}.cu" for u in range(units))
    write(
        folder / "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(bench LANGUAGES CXX CUDA)\n"
        f"set(CMAKE_BUILD_TYPE Release)\nset(CMAKE_CUDA_STANDARD 17)\nadd_executable(bench {sources})\n",
    )


def write(path: Path, text: str) -> None:
    """Only where it changes, so that nothing is configured or compiled again for nothing."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
