// An array of nanobind without an order: a view, whose rows lie apart or all on one another.
//@ library: nanobind-2 nanobind-3
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
namespace nb = nanobind;

__global__ void sum(const float *x, int64_t n, int64_t row, int64_t column, const float *bias, float *y, int64_t c) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float all = bias[i];
  for (int64_t k = 0; k < c; k++)
    all += x[i * row + k * column];  //~ unchecked-argument proved
  y[i] = all;
}

using Vector = nb::ndarray<float, nb::device::cuda, nb::ndim<1>, nb::c_contig>;

void sums(const nb::ndarray<float, nb::device::cuda, nb::ndim<2>> &x, Vector bias, Vector y) {
  int64_t n = x.shape(0), c = x.shape(1);
  if (bias.shape(0) != n || y.shape(0) != n) throw nb::value_error("sizes");
#ifdef GOOD
  if (x.stride(0) != c || x.stride(1) != 1) throw nb::value_error("x is not contiguous");
#endif
  if (n > 0 && c > 0) sum<<<(n + 255) / 256, 256>>>(x.data(), n, c, 1, bias.data(), y.data(), c);
}

NB_MODULE(strides, m) { m.def("sums", &sums); }
