// An inner loop fills an array anew in every round: what was read in one round is not what is read in another.
//@ undecided: 2
#include <cstdlib>
__global__ void k(int *a, int i) { a[i] = 1; }
__global__ void l(int *a, int i) { a[i] = 1; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *a;
  if (n < 4 || n > 1000) return 1;
  cudaMalloc(&a, 64 * sizeof(int));
  int *h = (int *)malloc(n * sizeof(int));
  int last = -1, before = -1;
  for (int o = 0; o < n; o++) {
    for (int i = 0; i < n; i++) h[i] = rand() % 64;
    if (o > 3 && h[0] == 7 && last == 63) k<<<1, 1>>>(a, 100);
    before = last;
    last = h[0];
  }
  if (before == 3 && last == 63) l<<<1, 1>>>(a, 100);
  return cudaDeviceSynchronize();
}
