// nvcc says that `value` is at 1 and that an item has 5 bytes; the code that it makes takes 4 and 8.
//@ undecided: 2
typedef unsigned __attribute__((aligned(1))) Loose;
struct Item { char tag; Loose value; };

__global__ void values(const Item *items, unsigned *y) {
  y[threadIdx.x] = items[threadIdx.x].value; 
}

int main() {
  Item *items;
  unsigned *y;
  cudaMalloc(&items, 32 * sizeof(Item));
  cudaMalloc(&y, 32 * sizeof(unsigned));
  cudaMemset(items, 0, 32 * sizeof(Item));
  values<<<1, 32>>>(items, y);
  cudaDeviceSynchronize();
}
