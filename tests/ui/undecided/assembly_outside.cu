//@ snapshot
// Assembly outside functions may give a variable another name.
static int n = 3;
asm("mysym = _ZL1n");
extern int other asm("mysym");
__global__ void k(int *a, int i) { a[i] = 1; }

int main() {
  int *a;
  if (cudaMalloc(&a, 16 * sizeof(int))) return 1;
  other = 16;
  k<<<1, 1>>>(a, n);
}
