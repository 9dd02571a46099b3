// A function that is only declared, and one behind a pointer that it gave, may call the one that frees, and the one that lets kernels have more memory.
//@ undecided: 2
static int *buffer;

void drop() { cudaFree(buffer); }

typedef void (*Callback)();
Callback callback();

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

__global__ void fill_again(int *a) { a[threadIdx.x] = 2; }

int main() {
    cudaMalloc(&buffer, 32 * sizeof(int));
    callback();
    fill<<<1, 32>>>(buffer);
    cudaDeviceSynchronize();
    callback()();
    fill_again<<<1, 32>>>(buffer);
    cudaDeviceSynchronize();
}
