//@ undecided: 6
// A library kernel that writes through a pointer found in memory: that may be the very index that it reads twice.
__global__ void mark(int **any, const int *first) {
  __shared__ int bins[16];
  if (first[0] >= 0 && first[0] < 16) {
    *any[0] = 100;
    bins[first[0]] = 1;
  }
}

void launch_mark(int **any, const int *first) { mark<<<1, 32>>>(any, first); }
