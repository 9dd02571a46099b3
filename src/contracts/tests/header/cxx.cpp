#include "scuba.h"
#include <cstddef>

#define N 256

template <class T> struct view {
  T *data SCUBA_COUNTED_BY(size);
  std::size_t size;
};

constexpr int at(const int *p, int i) {
  SCUBA_ELEMENTS(p, i + 1);
  return p[i];
}
static constexpr int table[] = {1, 2, 3};
static_assert(at(table, 1) == 2, "");

SCUBA_ENTRY float first(const view<float> &v, int n) {
  SCUBA_REQUIRES(v.size >= static_cast<std::size_t>(n) * 2 && n <= N);
  return v.data[0] + static_cast<float>(at(table, n));
}
