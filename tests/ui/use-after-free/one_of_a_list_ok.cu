//@ decided
// What is allocated once the buffers of a list were freed is none of them.
#include <cstdlib>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
struct Node { int *buffer; Node *next; };
int main(int argc, char **argv) {
  Node *list = nullptr;
  for (int i = 0; i < argc; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    cudaMalloc(&node->buffer, 64);
    node->next = list;
    list = node;
  }
  for (Node *p = list; p; p = p->next) cudaFree(p->buffer);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, 16);
  cudaDeviceSynchronize();
}
