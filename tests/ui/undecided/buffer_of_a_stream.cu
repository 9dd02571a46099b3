//@ undecided: 1
// `setvbuf` gives a stream a buffer: what is read from the file, or written to it, is in it.
#include <cstdio>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
int main(int argc, char **argv) {
  char text[16] = {16};
  FILE *f = fopen("a", "r");
  setvbuf(f, text, _IOFBF, sizeof text);
  fgetc(f);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, text[0]);
  cudaDeviceSynchronize();
}
