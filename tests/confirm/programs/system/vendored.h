__device__ inline int vendored(int *p, int i) {
    return p[i];
}
