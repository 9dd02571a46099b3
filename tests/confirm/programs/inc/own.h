__device__ inline float4 operator+(float4 &x, float4 &y) {
    return make_float4(x.x + y.x, x.y + y.y, 0, 0);
}
