// Somebody else's: programs name this folder by `-isystem`.
#pragma once
__device__ inline float4 operator+(const float4 &x, const float4 &y) {
  return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
template <int By> __device__ void raise(int *counter) { *counter += By; }
template <class T> __device__ void each(T *p, int n, int from, int step) {
  for (int i = from; i < n; i += step) p[i] = 0;
}
