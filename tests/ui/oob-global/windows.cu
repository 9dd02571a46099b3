// Which memory an address is of is known of allocations and shared variables (`isspacep`): what stands behind the question is proved.
__global__ void not_local(int *a) { if (!__isLocal(a)) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void is_global(int *a) { if (__isGlobal(a)) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void never(int *a) { if (__isLocal(a) || __isShared(a)) a[threadIdx.x] = 1; }
__global__ void either(int *a, int n) {
  __shared__ int s[32];
  int *p = n > 4 ? a : s;
  if (__isShared(p)) p[threadIdx.x] = 1;
}

int main(int argc, char **) {
  int *a;
  if (cudaMalloc(&a, 4 * sizeof(int))) return 1;
  not_local<<<1, 32>>>(a);
  is_global<<<1, 32>>>(a);
  never<<<1, 32>>>(a);
  either<<<1, 32>>>(a, argc);
}
