// Heat conduction on a plate of nx × ny cells, row by row. All pointers are to device memory; everything runs on the
// default stream. A function that cannot launch its kernel returns the reason.
#pragma once

#include <cuda_runtime.h>

namespace heat {

// Cells along each side that a plate may have: indices stay far from the end of an int.
constexpr int kSmallestSide = 3;
constexpr int kLargestSide = 16384;

// How many partial results `residual` needs room for.
constexpr int kResidualBlocks = 64;

// One explicit time step from `in` to `out`. The rim is insulated: it takes the value of the cell inside of it.
cudaError_t diffuse(const float *in, float *out, int nx, int ny, float alpha);

// Sets the whole plate to `ambient`, and the cells of the rectangle [x0, x1) × [y0, y1) to `hot`.
cudaError_t heat_plate(float *field, int nx, int ny, int x0, int y0, int x1, int y1, float ambient, float hot);

// The largest change between two fields of `cells` cells, for each block of the grid, into partial[0 .. kResidualBlocks).
cudaError_t residual(const float *before, const float *after, int cells, float *partial);

}  // namespace heat
