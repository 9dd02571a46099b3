// A destructor of a variable frees memory while a thread may use it.
//@ undecided: 1
#include <pthread.h>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

struct Buffer {
    int *a;
    Buffer() { cudaMalloc(&a, 64 * sizeof(int)); }
    ~Buffer() { cudaFree(a); }
} buffer;

void *work(void *) {
    fill<<<1, 64>>>(buffer.a);
    return nullptr;
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, work, nullptr);
    return pthread_detach(t);
}
