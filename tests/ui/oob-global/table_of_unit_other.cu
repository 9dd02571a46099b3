__device__ int first;

void clear_other() {
    int zero = 0;
    cudaMemcpyToSymbol(first, &zero, sizeof zero);
}
