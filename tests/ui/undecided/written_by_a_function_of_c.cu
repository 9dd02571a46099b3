//@ undecided: 1
// A function of the C library without a model writes where a pointer leads that is not known: any buffer may be what it fills.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void fill(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;
}

struct Node { char *text; Node *next; };

int main(int argc, char **argv) {
  char name[8] = {'1', '6', 0};
  Node *list = nullptr;
  for (int i = 0; i < argc; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    node->text = i == 2 ? name : (char *)malloc(8);
    node->next = list;
    list = node;
  }
  for (Node *p = list; p; p = p->next) gethostname(p->text, 8);
  int *a, n = name[0] - '1' + 16;
  cudaMalloc(&a, 16 * sizeof(int));
  fill<<<1, 128>>>(a, n);
  cudaDeviceSynchronize();
}
