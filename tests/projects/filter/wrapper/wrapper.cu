#include "kernels.h"
#include "padded.h"
#include "wrapper.h"

Row allocate(int count) {
  Row row = {nullptr, count};
  cudaMalloc(&row.values, count * sizeof(float));
  return row;
}

// `used` is what the caller wants filtered; the padding behind it is written, too.
void filter(Row &row) {
  int count = padded(row.used);
  launch_clear_(row.values, &count);
  launch_smooth(row.values, count);
}

void release(Row &row) { cudaFree(row.values); }
