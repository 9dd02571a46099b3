// A lambda that nanobind calls: sizes that the types state (`nb::shape<-1, 4>`), and indices that are data.
//@ library: nanobind-2 nanobind-3
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
namespace nb = nanobind;
using namespace nb::literals;

__global__ void gather(const float *points, const int *at, float *out, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
#ifdef GOOD
  if (at[i] < 0 || at[i] >= n) return;
#endif
  for (int k = 0; k < 4; k++)
    out[i * 4 + k] = points[at[i] * 4 + k];  //~ data-index proved
}

NB_MODULE(lambda, m) {
  m.def(
      "gather",
      [](nb::ndarray<const float, nb::shape<-1, 4>, nb::device::cuda, nb::c_contig> points, nb::ndarray<const int, nb::ndim<1>, nb::device::cuda, nb::c_contig> at,
         nb::ndarray<float, nb::shape<-1, 4>, nb::device::cuda, nb::c_contig> out) {
        if (out.shape(0) != at.shape(0)) throw nb::value_error("out has not one row for each index");
        if (points.shape(0) > 1 << 28 || at.shape(0) > 1 << 28) throw nb::value_error("too many");
        int m = at.shape(0), n = points.shape(0);
        if (m > 0) gather<<<(m + 255) / 256, 256>>>(points.data(), at.data(), out.data(), m, n);
      },
      "points"_a, "at"_a, "out"_a);
}
