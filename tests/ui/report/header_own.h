// The project's own: what is wrong here is told here.
#pragma once
__device__ inline float4 operator*(const float4 &x, float f) {
  return make_float4(x.x * f, 0, 0, 0); //~ oob-global proved
}
