// Properties of one device say nothing about another one, nor about the memory that is free later.
__global__ void write(int *x) {
  x[blockIdx.x] = 1;  //~ oob-global proved
}
__global__ void own(int *x) {
  x[blockIdx.x] = 1;  //~ oob-global possible
}
int main(int argc, char **argv) {
  cudaDeviceProp first, second;
  cudaGetDeviceProperties(&first, 0);
  cudaGetDeviceProperties(&second, 1);
  int *x, *y;
  cudaMalloc(&x, first.multiProcessorCount * sizeof(int));
  own<<<second.multiProcessorCount, 1>>>(x);
  second = first;
  second.multiProcessorCount += argc > 1;
  cudaMalloc(&y, first.multiProcessorCount * sizeof(int));
  write<<<second.multiProcessorCount, 1>>>(y);
}
