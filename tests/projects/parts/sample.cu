#include "sample.cuh"

__constant__ float weights[8];

// The value behind `at` counts, too.
__device__ float sample(const float *values, int at) { return values[at] + values[at + 1] * weights[at & 7]; }
