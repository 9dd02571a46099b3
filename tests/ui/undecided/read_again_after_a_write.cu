//@ undecided: 5
// A library function: what it is given may be one buffer under two names, and the other threads write it.
__global__ void mark(int *counts, const int *first, int *out) {
  __shared__ int bins[16];
  if (first[0] >= 0 && first[0] < 16) {
    counts[threadIdx.x] = 100;
    bins[first[0]] = 1;
  }
}

void launch_mark(int *counts, const int *first, int *out) { mark<<<1, 32>>>(counts, first, out); }
