//@ undecided: 1
// Buffers are freed that a list leads to: which ones, is not known.
#include <cstdlib>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
struct Node { int *buffer; Node *next; };
int main(int argc, char **argv) {
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  Node *list = nullptr;
  for (int i = 0; i < argc; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    if (i == 2) node->buffer = d;
    else cudaMalloc(&node->buffer, 64);
    node->next = list;
    list = node;
  }
  for (Node *p = list; p; p = p->next) cudaFree(p->buffer);
  k<<<1, 128>>>(d, 16);
  cudaDeviceSynchronize();
}
