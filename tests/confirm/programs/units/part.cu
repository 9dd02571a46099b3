__global__ void s(float4 *a) { a[threadIdx.x] = make_float4(1, 2, 3, 4); }
void fill() {
    float4 *a;
    cudaMalloc(&a, 31 * 16 + 8);
    s<<<1, 32>>>(a);
}
