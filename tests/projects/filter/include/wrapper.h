// For code that is compiled without CUDA.
#pragma once

struct Row {
  float *values;
  int used;
};

Row allocate(int count);
void filter(Row &row);
void release(Row &row);
