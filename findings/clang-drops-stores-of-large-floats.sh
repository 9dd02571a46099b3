#!/usr/bin/env bash
# clang as CUDA compiler drops `*a = (int)1e10f` without a warning, even with -O0, where nvcc stores the device's 2147483647.
#
# Versions:  clang-22 22.1.8 (Debian 12), nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0 from PyPI, x86-64 Linux
# Guess:     a conversion in device code is the instruction cvt.rzi, which clamps to the range of the integer. Both compilers write
#            it for a variable; for a constant they give what it gives. nvcc does so, with warning 173 where it sees the constant.
# Behaviour: C++ leaves the conversion undefined, and clang takes it so: the value may be anything, so that not even the
#            store is compiled. After inlining this meets any scale or limit that is a constant. -Wall -Wextra is silent.
#            With -fno-strict-float-cast-overflow clang stores 2147483647, and 0 for (unsigned)-1.0f.
# Matters:   to those who build quantising or clamping kernels, which rely on the device's conversion, with clang instead of nvcc, or
#            compare the two.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
clang=$(command -v clang++-22 || true)
[ -n "$clang" ] && "$clang" --version | head -n 1 | grep 'version 22\.1' || { echo "clang 22.1 is needed" >&2; exit 2; }
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/cuda" \
  nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96
nvcc=$(find "$folder/cuda" -path '*/bin/nvcc')

cat >"$folder/k.cu" <<'CUDA'
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#endif
__device__ inline int quantise(float value, float scale) { return (int)(value * scale); }
extern "C" __global__ void variable(int *a, float f) { *a = quantise(f, 1e9f); }
extern "C" __global__ void constant(int *a) { *a = quantise(10.0f, 1e9f); }
extern "C" __global__ void direct(int *a) { *a = (int)1e10f; }
extern "C" __global__ void negative(unsigned *a) { *a = (unsigned)-1.0f; }
CUDA

by_clang() { # flags
  "$clang" -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_90 --cuda-feature=+ptx80 -Wall -Wextra "$@" \
    -S -o "$folder/k.ptx" "$folder/k.cu" 2>"$folder/said" || { cat "$folder/said" >&2; exit 1; }
  [ ! -s "$folder/said" ] || { cat "$folder/said" >&2; echo "changed: clang says something" >&2; exit 1; }
}

stores() { # kernel: whether it converts, and what it stores to the memory that `a` points to
  sed -n "/entry $1(/,/^}/p" "$folder/k.ptx" |
    sed -nE 's/^\s*cvt\.rzi\.[su]32\..*/convert/p; s/^\s*st\.(global\.)?[bu]32\s+\[%rd[0-9]+\], ([0-9]+|%r[0-9]+);/store \2/p' |
    sed 's/%r[0-9]*/it/' | tr '\n' ' '
}

expect() { # conversions and stores, compiler, kernel
  local seen
  seen=$(stores "$3")
  printf '%-42s %-9s %s\n' "$2" "$3" "${seen:-nothing}"
  [ "$seen" = "$1" ] || { echo "changed: expected ${1:-nothing}" >&2; exit 1; }
}

"$nvcc" -arch=sm_90 -ptx -o "$folder/k.ptx" "$folder/k.cu" 2>"$folder/said"
grep -o 'warning #173.*' "$folder/said" | head -n 1
for kernel in variable constant direct negative; do expect 'convert store it ' nvcc $kernel; done
by_clang -O2
expect 'convert store it ' 'clang -O2' variable
for kernel in constant direct negative; do expect '' 'clang -O2' $kernel; done
by_clang -O0
for kernel in direct negative; do expect '' 'clang -O0' $kernel; done
by_clang -O2 -fno-strict-float-cast-overflow
for kernel in constant direct; do expect 'store 2147483647 ' 'clang -O2 -fno-strict-float-cast-overflow' $kernel; done
expect 'store 0 ' 'clang -O2 -fno-strict-float-cast-overflow' negative
