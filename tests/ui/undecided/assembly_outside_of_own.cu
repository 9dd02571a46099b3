//@ snapshot
// Assembly outside functions makes a variable of this unit global, so that another unit may change it.
static int n = 16;
asm(".globl _ZL1n");
__global__ void k(int *a, int i) { a[i - 1] = 1; }

int main() {
  int *a;
  if (cudaMalloc(&a, 16 * sizeof(int))) return 1;
  k<<<1, 1>>>(a, n);
}
