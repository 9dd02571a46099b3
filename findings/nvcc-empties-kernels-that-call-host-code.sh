#!/usr/bin/env bash
# nvcc only warns where a `__host__ __device__` function calls a host function, and compiles the kernel that calls it to nothing.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, x86-64 Linux
# Guess:     the warnings 20011, 20013 and 20014 ("is not allowed") are about a call that is compiled somehow, or that traps where it
#            is reached; a call from a kernel itself is an error. A constexpr function, whose body is there, is just called.
# Behaviour: nvcc treats the call as unreachable. The store of its result and all that only leads to it are removed: a kernel
#            `if (i < n) out[i] = f(in[i]);` becomes `ret;` alone, without a trap. The status is 0.
# Matters:   to those who suppress these warnings (headers that are shared with the host often do): a test on the host passes, and on
#            the device the kernel runs without an error and writes nothing.
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
constexpr int twice(int x) { return 2 * x; }
inline int halved(int x) { return x / 2; }
__device__ int tripled(int x) { return 3 * x; }
__host__ __device__ int through_constexpr(int x) { return twice(x); }
__host__ __device__ int through_inline(int x) { return halved(x); }

template <int f(int)> __device__ void each(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(in[i]);
}
__global__ void device_only(int *out, const int *in, int n) { each<tripled>(out, in, n); }
__global__ void calls_constexpr(int *out, const int *in, int n) { each<through_constexpr>(out, in, n); }
__global__ void calls_inline(int *out, const int *in, int n) { each<through_inline>(out, in, n); }
CUDA
cat >"$folder/direct.cu" <<'CUDA'
constexpr int twice(int x) { return 2 * x; }
__global__ void direct(int *a) { *a = twice(*a); }
CUDA

compiles() { # unit
  "$nvcc" -arch=sm_90 -ptx -o "$folder/$1.ptx" "$folder/$1.cu" >"$folder/said" 2>&1 && echo yes || echo no
}

body() { # kernel: its instructions
  sed -n "/entry _Z[0-9]*$1/,/^}/p" "$folder/k.ptx" | grep -oE '^\s*(ld\.global|st\.global|setp|ret)' | tr -d '\t' | tr '\n' ' '
}

expect() { # what, expected, seen
  printf '  %-36s %s\n' "$1" "$3"
  [ "$2" = "$3" ] || { echo "changed: expected $2" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  echo "nvcc $release:"
  expect "a kernel calls it: compiles" no "$(compiles direct)"
  expect "a function between: compiles" yes "$(compiles k)"
  grep -q 'warning #2001[134]-D' "$folder/said" || { echo "changed: no warning" >&2; exit 1; }
  expect "device_only" "setp ld.global st.global ret " "$(body device_only)"
  expect "calls_constexpr" "ret " "$(body calls_constexpr)"
  expect "calls_inline" "ret " "$(body calls_inline)"
  "$nvcc" -arch=sm_90 --expt-relaxed-constexpr -ptx -o "$folder/k.ptx" "$folder/k.cu" >"$folder/said" 2>&1
  expect "calls_constexpr, relaxed constexpr" "setp ld.global st.global ret " "$(body calls_constexpr)"
done
