// A counter that each round moves by one of many steps: the largest one counts, whatever their order. How often each is taken is
// not known, since nothing sets `kinds`.
//@ undecided: 1
#include <cstdlib>

__global__ void count(const int *kinds, int *out, int n) {
  int x = 0;
  for (int i = 0; i < n; ++i) {
    switch (kinds[i]) {
      case 0: x += 22; break;
      case 1: x += 21; break;
      case 2: x += 20; break;
      case 3: x += 19; break;
      case 4: x += 18; break;
      case 5: x += 17; break;
      case 6: x += 16; break;
      case 7: x += 15; break;
      case 8: x += 14; break;
      case 9: x += 13; break;
      case 10: x += 12; break;
      case 11: x += 11; break;
      case 12: x += 10; break;
      case 13: x += 9; break;
      case 14: x += 8; break;
      case 15: x += 7; break;
      case 16: x += 6; break;
      case 17: x += 5; break;
      case 18: x += 4; break;
      case 19: x += 3; break;
      case 20: x += 2; break;
      case 21: x += 1; break;
    }
  }
  out[x] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100) return 1;
  int *kinds, *out;
  cudaMalloc(&kinds, n * sizeof(int));
  cudaMalloc(&out, (18 * n + 1) * sizeof(int));
  count<<<1, 1>>>(kinds, out, n);
  return cudaDeviceSynchronize();
}
