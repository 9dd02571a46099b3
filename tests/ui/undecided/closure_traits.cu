//@ snapshot
//@ flags: --extended-lambda
// Which closures are for the device, nvcc knows and clang does not.
template <class F> constexpr int pick(F) { return __nv_is_extended_device_lambda_closure_type(F) ? 16 : 3; }
__global__ void k(int *a, int i) { a[i] = 1; }

int main() {
  int *a;
  if (cudaMalloc(&a, 16 * sizeof(int))) return 1;
  auto f = [=] __device__(int i) { return i; };
  k<<<1, 1>>>(a, pick(f));
}
