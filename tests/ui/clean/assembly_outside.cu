// As tests/ui/oob-global/assembly_outside.cu, with the right comparison.
asm(".globl _ZSt21ios_base_library_initv");
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

int main() {
  int *a;
  if (cudaMalloc(&a, 1000 * sizeof(int))) return 1;
  k<<<4, 256>>>(a, 1000);
}
