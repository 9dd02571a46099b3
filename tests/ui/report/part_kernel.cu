// A part of two_units.cu.
__global__ void clear(int *data) {
  data[blockIdx.x * 32 + threadIdx.x] = 0; //~ oob-global proved
}

void launch_clear(int *data, int blocks) { clear<<<blocks, 32>>>(data); }
