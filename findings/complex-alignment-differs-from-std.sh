#!/usr/bin/env bash
# cuda::std::complex<float> and thrust::complex<float> are aligned to 8 bytes, std::complex<float> to 4: structures differ in layout.
#
# Versions:  nvidia-cuda-cccl-cu12 12.9.27, nvidia-cuda-cccl 13.3.5.0.6, nvidia-cuda-nvcc, -crt, -runtime, nvidia-nvvm and -cccl 13.0 from PyPI, g++, x86-64 Linux
# Guess:     all three are two floats; the C++ standard fixes that of std::complex, cuda::std is the same class for both sides, and both
#            convert from std::complex. So a structure that has one is the same with the other, and a cast of pointers is fine.
# Behaviour: their alignment is that of the whole number. `struct { float weight; complex<float> value; }` has 12 bytes with std and 16
#            with the others; complex<double> is aligned to 16, and not to 8. The device code of an assignment is one access of
#            8 bytes (`ld.global.v2`), which faults at an address that is aligned for std::complex<float> only.
# Matters:   to those who keep std::complex on the host and cast to cuda::std::complex on the device: an array at an even address works,
#            one behind a header of 4 bytes or inside a structure does not.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ --version | head -n 1
python3 -m venv "$folder/venv"
install() { # folder, packages
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" "${@:2}"
}
install cuda nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
install 12.9.27 nvidia-cuda-cccl-cu12==12.9.27
install 13.3.5.0.6 nvidia-cuda-cccl==13.3.5.0.6

cat >"$folder/layout.cpp" <<'CPP'
#include <thrust/complex.h>
#include <cuda/std/complex>
#include <complex>
#include <cstdio>
template <class T> struct Sample { float weight; T value; };
template <class F, class D> void say(const char *name) {
  std::printf("%s: size %zu, alignment %zu, in a structure %zu; of double: size %zu, alignment %zu\n", name, sizeof(F), alignof(F), sizeof(Sample<F>),
              sizeof(D), alignof(D));
}
int main() {
  say<std::complex<float>, std::complex<double>>("std");
  say<thrust::complex<float>, thrust::complex<double>>("thrust");
  say<cuda::std::complex<float>, cuda::std::complex<double>>("cuda::std");
}
CPP
cat >"$folder/expected" <<'TEXT'
std: size 8, alignment 4, in a structure 12; of double: size 16, alignment 8
thrust: size 8, alignment 8, in a structure 16; of double: size 16, alignment 16
cuda::std: size 8, alignment 8, in a structure 16; of double: size 16, alignment 16
TEXT
runtime=$(find "$folder/cuda" -name cuda_runtime.h)
for release in 12.9.27 13.3.5.0.6; do
  cccl=$(find "$folder/$release" -path '*/thrust/version.h')
  g++ -std=c++17 -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -isystem "${cccl%/thrust/version.h}" -isystem "${runtime%/*}" \
    -o "$folder/layout" "$folder/layout.cpp"
  echo "CCCL $release:"
  "$folder/layout" | tee "$folder/seen" | sed 's/^/  /'
  diff "$folder/expected" "$folder/seen" || { echo "changed" >&2; exit 1; }
done

cat >"$folder/copy.cu" <<'CUDA'
#include <cuda/std/complex>
__global__ void copy(float *to, const float *from) {
  *reinterpret_cast<cuda::std::complex<float> *>(to) = *reinterpret_cast<const cuda::std::complex<float> *>(from);
}
CUDA
"$(find "$folder/cuda" -path '*/bin/nvcc')" -arch=sm_90 -ptx -o "$folder/copy.ptx" "$folder/copy.cu"
grep -oE '(ld|st)\.global[a-z0-9.]*' "$folder/copy.ptx" | tee "$folder/seen"
[ "$(grep -c '\.v2\.' "$folder/seen")" = 2 ] || { echo "changed: expected two accesses of 8 bytes" >&2; exit 1; }
