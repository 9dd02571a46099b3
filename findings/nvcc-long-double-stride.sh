#!/usr/bin/env bash
# In device code of nvcc, `sizeof(long double)` is 16, and long double takes 8 bytes in arrays and structures.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, x86-64 Linux
# Guess:     "'long double' is treated as 'double' in device code" (warning 20208) is about precision. As sizeof, alignof and
#            offsetof are the host's, so are arrays and structures; or sizeof is 8 as well.
# Behaviour: in `struct Row { char c; long double d[2]; int n; }` sizeof is 64 and offsetof(Row, n) 48 in both passes. The device
#            code accesses d[1] at 24 and n at 32, and adds 48 from a Row to the next one. A structure by value is a parameter
#            of 24 bytes where sizeof says 32. The warning comes once per unit, whatever is accessed.
# Matters:   to those who share headers with the host: `x + i` and `(char *)x + i * sizeof(*x)` are different addresses, and a copy
#            of `n * sizeof(long double)` bytes from the host is read at the wrong places.
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
#include <cstddef>
struct Row { char c; long double d[2]; int n; };
struct Pair { long double d; int n; };
static_assert(sizeof(long double) == 16 && sizeof(Row) == 64 && sizeof(Pair) == 32, "sizes");
static_assert(offsetof(Row, d) == 16 && offsetof(Row, n) == 48 && offsetof(Pair, n) == 16, "offsets");

__global__ void size(int *a) { *a = sizeof(long double); }
__global__ void stride(int *a, long double *x) { *a = (char *)&x[1] - (char *)&x[0]; }
__global__ void element(int *a, Row *r) { *a = (char *)&r->d[1] - (char *)r; }
__global__ void member(int *a, Row *r) { *a = (char *)&r->n - (char *)r; }
__global__ void next(int *a, Row *r) { *a = (char *)(r + 1) - (char *)r; }
__global__ void by_value(int *a, Pair p) { *a = p.n; }
CUDA
cat >"$folder/host.cpp" <<'CPP'
#include <cstdio>
struct Row { char c; long double d[2]; int n; } r[2];
int main() {
  std::printf("host: size %zu, stride %td, element %td, member %td, next %td\n", sizeof(long double),
              (char *)&r[0].d[1] - (char *)&r[0].d[0], (char *)&r[0].d[1] - (char *)r, (char *)&r[0].n - (char *)r, (char *)&r[1] - (char *)r);
}
CPP
g++ -o "$folder/host" "$folder/host.cpp"
"$folder/host"

stored() { # kernel: the constant that it stores
  sed -n "/entry _Z[0-9]*$1/,/^}/s/.*mov\.[ub]32.* \([0-9]*\);/\1/p" "$folder/k.ptx"
}

expect() { # what, expected, seen
  printf '  %-10s %s\n' "$1" "$3"
  [ "$2" = "$3" ] || { echo "changed: expected $2" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  "$(find "$folder/$release" -path '*/bin/nvcc')" -arch=sm_90 -ptx -o "$folder/k.ptx" "$folder/k.cu" 2>"$folder/said"
  printf 'device, nvcc %s, %s warning:\n' "$release" "$(grep -c 'warning #' "$folder/said")"
  expect size 16 "$(stored size)"
  expect stride 8 "$(stored stride)"
  expect element 24 "$(stored element)"
  expect member 32 "$(stored member)"
  expect next 48 "$(stored next)"
  expect by_value 24 "$(sed -n 's/.*param .*\.b8 .*by_value.*_param_1\[\([0-9]*\)\].*/\1/p' "$folder/k.ptx")"
done
