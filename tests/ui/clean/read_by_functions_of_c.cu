//@ decided
// What only reads where a list leads changes no number that a launch rests on, nor does what prints.
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void fill(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;
}

struct Node { const char *text; Node *next; };

int main(int argc, char **argv) {
  int n = 16;
  Node *list = nullptr;
  for (int i = 0; i < argc; i++) {
    Node *node = (Node *)malloc(sizeof(Node));
    node->text = argv[i];
    node->next = list;
    list = node;
  }
  size_t length = 0;
  for (Node *p = list; p; p = p->next) {
    fprintf(stderr, "%s\n", p->text);
    fputs(p->text, stdout);
    length += strlen(p->text);
  }
  fflush(stdout);
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  fill<<<1, 128>>>(a, n);
  cudaDeviceSynchronize();
  return length > 100;
}
