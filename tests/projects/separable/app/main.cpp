#include "../lib/kernels.h"
#include <cstdlib>
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  float *a = make(n);
  scale(a, n);
  return finish(a);
}
