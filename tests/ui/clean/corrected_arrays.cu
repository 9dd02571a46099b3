//@ decided
// Arrays that a loop corrects, or fills in one way or another, element by element.
#include <cstdlib>
#include <cstring>

__global__ void gather(float *out, const float *a, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[index[i]];
}

__global__ void gather_shorts(float *out, const float *a, const short *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[index[i]];
}

__global__ void gather_bytes(float *out, const float *a, const unsigned char *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[index[i]];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 16;
  if (n < 1 || n > 200) return 1;
  int *h = (int *)malloc(n * sizeof(int));
  unsigned char *b = (unsigned char *)malloc(n);
  int *index;
  unsigned char *bytes;
  float *a, *out;
  cudaMalloc(&index, n * sizeof(int));
  cudaMalloc(&bytes, n);
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));

  // Both ends are cut off.
  for (int i = 0; i < n; i++) h[i] = rand() - rand();
  for (int i = 0; i < n; i++) {
    if (h[i] < 0) h[i] = 0;
    if (h[i] > n - 1) h[i] = n - 1;
  }
  cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 255) / 256, 256>>>(out, a, index, n);

  // In two loops, and a third that leaves what is there.
  for (int i = 0; i < n; i++) h[i] = rand();
  for (int i = 0; i < n; i++) if (h[i] >= n) h[i] = i;
  for (int i = 1; i < n; i++) if (i % 3 == 0) h[i] = h[i] / 2;
  cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 255) / 256, 256>>>(out, a, index, n);

  // One of two ways, and every element changed by what it was.
  for (int i = 0; i < n; i++) {
    if (rand() & 1) h[i] = i;
    else h[i] = n - 1 - i;
  }
  for (int i = 0; i < n; i++) h[i] = n - 1 - h[i];
  cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 255) / 256, 256>>>(out, a, index, n);

  // A few that are cleared.
  short *s = (short *)malloc(n * sizeof(short)), *shorts;
  cudaMalloc(&shorts, n * sizeof(short));
  for (int i = 0; i < n; i++) s[i] = n - 1 - i;
  if (n > 8) memset(s + 3, 0, 5 * sizeof(short));
  cudaMemcpy(shorts, s, n * sizeof(short), cudaMemcpyHostToDevice);
  gather_shorts<<<(n + 255) / 256, 256>>>(out, a, shorts, n);

  // Numbers that are read without a sign.
  for (int i = 0; i < n; i++) b[i] = rand();
  for (int i = 0; i < n; i++) if (b[i] >= n) b[i] = n - 1;
  cudaMemcpy(bytes, b, n, cudaMemcpyHostToDevice);
  gather_bytes<<<(n + 255) / 256, 256>>>(out, a, bytes, n);
  return cudaDeviceSynchronize();
}
