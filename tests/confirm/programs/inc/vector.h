__global__ void s(float4 *a) { a[threadIdx.x] = make_float4(1, 2, 3, 4); }
