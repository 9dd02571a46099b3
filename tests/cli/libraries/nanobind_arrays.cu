// Three arrays of nanobind, whose types say ranks, types, order and device; which sizes belong together, only the function's own check says.
//@ library: nanobind-2 nanobind-3
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
namespace nb = nanobind;

__global__ void scale(const float *x, const float *w, float *y, int64_t n, int64_t c) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n * c)
    y[i] = x[i] *
           w[i % c];  //~ unchecked-argument proved
}

using Matrix = nb::ndarray<float, nb::device::cuda, nb::ndim<2>, nb::c_contig>;
using Weights = nb::ndarray<const float, nb::device::cuda, nb::shape<-1>, nb::c_contig>;

void run(Matrix x, Weights w, Matrix y, uintptr_t stream) {
  size_t n = x.shape(0), c = x.shape(1);
  if (y.shape(0) != n || y.shape(1) != c) throw nb::value_error("y has another shape than x");
#ifdef GOOD
  if (w.shape(0) != c) throw nb::value_error("w has not one weight for each column");
#endif
  if (n * c > 0) scale<<<(n * c + 255) / 256, 256, 0, (cudaStream_t)stream>>>(x.data(), w.data(), y.data(), n, c);
}

NB_MODULE(arrays, m) {
  m.def("run", &run, nb::arg("x"), nb::arg("w"), nb::arg("y"), nb::arg("stream") = 0, "Scales the columns of a matrix.");
}
