// A function that is only declared may call those that the program exports: one sets the index that was asked, another gives its address away.
//@ undecided: 2
#include <cstdlib>

static int chosen, given;

void choose(int i) { chosen = i; }

int *address() { return &given; }

void elsewhere();

__global__ void put(int *a, int i) { a[i] = 1; }

__global__ void put_given(int *a, int i) { a[i] = 1; }

int main() {
    int *a;
    cudaMalloc(&a, 10 * sizeof(int));
    chosen = given = 3;
    elsewhere();
    put<<<1, 1>>>(a, chosen);
    put_given<<<1, 1>>>(a, given);
    cudaDeviceSynchronize();
}
