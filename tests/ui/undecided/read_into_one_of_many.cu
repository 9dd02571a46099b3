//@ undecided: 1
// The same by a system call that reads into what a list leads to.
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
__global__ void fill(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;
}

struct Node { int *to; Node *next; };

int main(int argc, char **argv) {
  int n = 16;
  Node *list = nullptr;
  for (int i = 0; i < argc; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    node->to = i == 2 ? &n : (int *)malloc(4);
    node->next = list;
    list = node;
  }
  for (Node *p = list; p; p = p->next) recv(0, p->to, 4, 0);
  int *a;
  cudaMalloc(&a, 16 * sizeof(int));
  fill<<<1, 128>>>(a, n);
  cudaDeviceSynchronize();
}
