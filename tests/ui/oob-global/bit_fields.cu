// Bit-fields hold what was put into them, and their neighbours as well.
struct Header {
  int size : 12;
  unsigned kind : 4;
  int rest : 16;
};

__global__ void first(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void middle(int *a, int n) { a[n] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  Header header = {};
  header.size = 8;
  header.kind = 9;
  header.rest = -1;
  header.size += 56;
  first<<<1, 64>>>(a, header.size);
  header.kind += 4;
  middle<<<1, 1>>>(a, header.kind + 20);
  return cudaDeviceSynchronize();
}
