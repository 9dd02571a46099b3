// Addresses that a library was given: it may give them back, put them into what it can reach, and keep them. What is written there later,
// through a pointer of which nothing is known or by another function of the library, is not known.
//@ undecided: 5
#include <cstdio>
#include <cstring>

struct Node { int *value; int pad; };
extern "C" int *library_picks(int *a, int *b);
extern "C" void library_sets(int *p);
extern "C" void library_links(Node *node, int *value);
extern "C" void library_reads(Node *node);
extern "C" void library_keeps(int *p);
extern "C" void library_steps();

__global__ void given_back(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void copied_to(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void read_into(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void linked(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void kept(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  int n = 8, m = 8, value = 64;
  int *p = library_picks(&n, &m);
  n = 8;
  library_sets(p);
  given_back<<<1, 64>>>(a, n);

  int copy = 8;
  p = library_picks(&copy, &m);
  copy = 8;
  memcpy(p, &value, sizeof value);
  copied_to<<<1, 64>>>(a, copy);

  int number = 8;
  p = library_picks(&number, &m);
  number = 8;
  scanf("%d", p);
  read_into<<<1, 64>>>(a, number);

  int l = 8;
  Node node = {nullptr, 0};
  library_links(&node, &l);
  l = 8;
  library_reads(&node);
  linked<<<1, 64>>>(a, l);

  int k = 8;
  library_keeps(&k);
  k = 8;
  library_steps();
  kept<<<1, 64>>>(a, k);
  return cudaDeviceSynchronize();
}
