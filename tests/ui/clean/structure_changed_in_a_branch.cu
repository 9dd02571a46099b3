//@ decided
// A structure that a kernel gets by value, and changes on every way.
struct Part {
  int n, of;
};

__global__ void twice(Part part, int c) {
  __shared__ int s[32];
  if (c > 3) part.n = 8;
  else part.n = 31;
  s[part.n] = 1;
}

__global__ void never_launched(Part part, int c) {
  __shared__ int s[32];
  if (c > 3) part.n = 8;
  else part.n = 31;
  s[part.n] = 1;
}

int main(int argc, char **argv) {
  Part part;
  part.n = 64 * argc;
  part.of = 3;
  twice<<<1, 1>>>(part, argc);
  part.n = argc;
  twice<<<1, 1>>>(part, argc);
  return cudaDeviceSynchronize();
}
