// Bits of negative numbers: what is computed of them goes on as a signed number, and nothing wraps.
#include <cstdlib>

__global__ void store(int *a, long long i) { a[i] = 1; } //~ oob-global proved
__global__ void each(int *a) {
  int t = threadIdx.x - 4;
  long long h = ((long long)t ^ 5) + t;
  a[h % 13] = 1; //~ oob-global proved
}
__global__ void narrow(int *a, int i) { a[i] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int x = atoi(argv[1]), y = atoi(argv[2]);
  if (x < -20 || x > 20 || y < 0 || y > 30) return 1;
  int *a, *b;
  if (cudaMalloc(&a, 13 * sizeof(int)) || cudaMalloc(&b, 255 * sizeof(int))) return 1;
  store<<<1, 1>>>(a, (((long long)x ^ 15) + x) % 13);
  each<<<1, 16>>>(a);
  narrow<<<1, 1>>>(b, (unsigned char)((x % 7) ^ y));
}
