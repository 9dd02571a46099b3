#include "scuba.h"
#include <stddef.h>

#define N 256

struct matrix {
  int rows, cols;
  float *data SCUBA_COUNTED_BY(rows * cols);
};

SCUBA_ENTRY int sum(const struct matrix *m, const int *index, int n);

SCUBA_ENTRY int sum(const struct matrix *m, const int *index, int n) {
  SCUBA_REQUIRES(n <= N && index != NULL && disjoint(index, m->data));
  SCUBA_REQUIRES(forall i in [0, n - 1]: index[i] < m->rows);
  SCUBA_REQUIRES("forall i in [0, n): " "index[i] >= 0");
  SCUBA_EXTENT(index, n * sizeof(int));
  SCUBA_ELEMENTS(index, max(n, 1));
  int total = 0;
  for (int i = 0; i < n; ++i) total += (int)m->data[index[i]];
  return total;
}
