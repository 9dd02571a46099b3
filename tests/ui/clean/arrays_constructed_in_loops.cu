// Arrays of objects with constructors, made anew in each iteration: the loop that constructs their elements ends behind the last.
//@ decided
struct Point {
  float x, y;
  __host__ __device__ Point(const float &x = 0, const float &y = 0) : x(x), y(y) {}
};
__device__ float area(const float *box, int n) {
  Point corners[24], ordered[8];
  float sum = 0;
  for (int i = 0; i < 24; i++) sum += corners[i].x;
  for (int i = 0; i < n && i < 8; i++) {
    ordered[i].x = box[i % 5];
    sum += ordered[i].y;
  }
  return sum;
}
__global__ void larger(int n, const float *boxes, float *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float count = 0;
    for (int j = 0; j < n; j++)
      if (area(boxes + j * 5, j) > 0.5f) count += 1;
    counts[i] = count;
  }
}
int main() {
  float *boxes, *counts;
  cudaMalloc(&boxes, 1000 * 5 * sizeof(float));
  cudaMalloc(&counts, 1000 * sizeof(float));
  larger<<<4, 256>>>(1000, boxes, counts);
}
