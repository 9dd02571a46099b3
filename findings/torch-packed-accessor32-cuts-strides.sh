#!/usr/bin/env bash
# PyTorch's packed_accessor32 checks the number of elements and cuts strides to 32 bits.
#
# Versions:  torch 2.15.0 from PyPI (nvidia-cuda-cupti 13.0.85 and nvidia-cuda-runtime 13.0.96, with which it is linked), g++ 12.2
# Guess:     packed_accessor32 throws where indices of 32 bits do not suffice ("please use packed_accessor64"), so that an accessor that
#            there is reaches every element.
# Behaviour: a view of 4 elements with a stride of 2^31 passes, and the accessor's stride is -2147483648: x[1] lies 8 GiB before x[0].
#            A contiguous tensor of more than 2147483647 elements is refused.
# Matters:   to kernels with packed_accessor32 of tensors that nobody checks to be contiguous: a narrow slice, or a transposed part, of
#            a large tensor has few elements and large strides. The kernel writes elsewhere, without an error of PyTorch.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip download -q --no-deps --only-binary :all: --no-cache-dir --dest wheels \
  torch==2.15.0 nvidia-cuda-cupti==13.0.85 nvidia-cuda-runtime==13.0.96
venv/bin/python - <<'PYTHON'
import pathlib
import re
import zipfile

# Headers, the library of host code, and the two libraries of CUDA that it is linked with.
kept = re.compile(r"torch/include/.*|torch/lib/(libtorch_cpu|libc10)\.so|torch/lib/libgomp.*|nvidia/cu13/lib/lib(cupti|cudart)\.so.*")
for wheel in pathlib.Path("wheels").glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(".", [name for name in archive.namelist() if kept.fullmatch(name)])
PYTHON

cat >strides.cpp <<'CPP'
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <cstdio>

static void show(const char *what, at::IntArrayRef sizes, at::IntArrayRef strides) {
  static float memory[4];  // never read
  at::Tensor x = at::from_blob(memory, sizes, strides);
  try {
    auto a = x.packed_accessor32<float, 2>();
    std::printf("%s: %ld elements, stride %ld, of the accessor %d\n", what, (long)x.numel(), (long)x.stride(0), a.stride(0));
  } catch (const std::exception &) {
    std::printf("%s: refused\n", what);
  }
}

int main() {
  show("a narrow view", {2, 2}, {1L << 31, 1});
  show("all of it", {2, 1L << 31}, {1L << 31, 1});
}
CPP
g++ -std=c++20 -Itorch/include strides.cpp -o strides -Ltorch/lib -ltorch_cpu -lc10 -Wl,-rpath,"$folder/torch/lib" -Wl,--allow-shlib-undefined
LD_LIBRARY_PATH=$folder/nvidia/cu13/lib ./strides | tee output

diff output - <<'TEXT'
a narrow view: 4 elements, stride 2147483648, of the accessor -2147483648
all of it: refused
TEXT
echo "as described"
