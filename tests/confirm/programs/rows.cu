// Two tiles of static shared memory, and a step beyond a row of the first.
__global__ void product(const int *a, const int *b, int *c) {
    __shared__ int left[8][8];
    __shared__ int right[8][8];
    int x = threadIdx.x, y = threadIdx.y;
    left[y][x] = a[y * 8 + x];
    right[y][x] = b[y * 8 + x];
    __syncthreads();
    int sum = 0;
    if (y < 7)
        for (int k = 0; k < 8; ++k) sum += left[y][k + 1] * right[k][x];
    c[y * 8 + x] = sum;
}
int main() {
    int *a, *b, *c;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&b, 64 * sizeof(int));
    cudaMalloc(&c, 64 * sizeof(int));
    product<<<1, dim3(8, 8)>>>(a, b, c);
    return cudaDeviceSynchronize() != cudaSuccess;
}
