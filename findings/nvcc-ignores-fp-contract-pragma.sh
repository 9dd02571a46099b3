#!/usr/bin/env bash
# nvcc takes `#pragma STDC FP_CONTRACT OFF` in device code without a warning, and contracts `a * b + c` all the same.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, x86-64 Linux
# Guess:     the pragma of the C standard for just this is obeyed, as clang obeys it; or it is reported, as nvcc reports
#            `#pragma clang fp contract(off)` ("unrecognized #pragma in device code").
# Behaviour: it is neither: the PTX has the same fma with and without it, across statements as well, and nothing is said.
#            `-fmad=false` separates the operations of the whole unit, and __fmul_rn those of one expression.
# Matters:   to code whose differences are exact on the host (compensated sums, error-free products, interval bounds) and loses
#            the exactness on the device though the pragma stands there.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
install() { # release, release of the runtime's package
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2"
}
install 13.0.88 13.0.96
install 13.5.37 13.5.37

cat >"$folder/k.cu" <<'CUDA'
__global__ void without(float *a) {
  float product = a[0] * a[1];
  a[2] = product + a[3];
}
__global__ void standard(float *a) {
#pragma STDC FP_CONTRACT OFF
  float product = a[0] * a[1];
  a[2] = product + a[3];
}
__global__ void intrinsic(float *a) { a[2] = __fmul_rn(a[0], a[1]) + a[3]; }
CUDA
cat >"$folder/other.cu" <<'CUDA'
__global__ void other(float *a) {
#pragma clang fp contract(off)
  a[2] = a[0] * a[1] + a[3];
}
CUDA

operations() { # kernel
  sed -n "/entry _Z[0-9]*$1/,/^}/p" "$folder/k.ptx" | grep -oE '(fma|mul|add)\.[a-z.]*f32' | sed 's/\..*//' | tr '\n' ' '
}

expect() { # operations, kernel
  local seen
  seen=$(operations "$2")
  printf '  %-10s %s\n' "$2" "$seen"
  [ "$seen" = "$1" ] || { echo "changed: expected $1" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  echo "nvcc $release:"
  "$nvcc" -arch=sm_90 -Xcompiler -Wall -c -o "$folder/k.o" "$folder/k.cu" 2>"$folder/said"
  [ ! -s "$folder/said" ] || { cat "$folder/said" >&2; echo "changed: nvcc says something" >&2; exit 1; }
  "$nvcc" -arch=sm_90 -ptx -o "$folder/k.ptx" "$folder/k.cu"
  expect 'fma ' without
  expect 'fma ' standard
  expect 'mul add ' intrinsic
  "$nvcc" -arch=sm_90 -fmad=false -ptx -o "$folder/k.ptx" "$folder/k.cu"
  echo " with -fmad=false:"
  expect 'mul add ' standard
  "$nvcc" -arch=sm_90 -ptx -o "$folder/other.ptx" "$folder/other.cu" 2>&1 | grep -o 'warning #.*'
done
