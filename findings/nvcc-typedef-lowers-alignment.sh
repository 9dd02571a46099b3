#!/usr/bin/env bash
# A typedef with `aligned(1)` has its alignment for sizeof, alignof and offsetof in nvcc's device code, and not for the code that is made.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, g++ 12.2, x86-64 Linux
# Guess:     `typedef unsigned __attribute__((aligned(1))) loose;`, the usual way to read a number anywhere in a buffer, works as
#            in g++ and as `__attribute__((packed))` does in device code: alignof says 1, so loads are made of bytes.
# Behaviour: `*(const loose *)(p + 1)` is one load of 4 bytes at p + 1. In `struct Item { char tag; loose value; }` sizeof is 5 and
#            offsetof(Item, value) 1 in both passes; the device code accesses `value` at 4 and adds 8 from an Item to the next.
#            No warning. A packed structure, and a copy by memcpy, are right.
# Matters:   to those who share parsers and wire formats with the host: kernels stop with a misaligned address, and read members
#            of other places than the host wrote, past the end of an array of n * sizeof(Item) bytes.
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

cat >"$folder/item.h" <<'CPP'
#include <cstddef>
typedef unsigned __attribute__((aligned(1))) loose;
struct Item { char tag; loose value; };
struct __attribute__((packed)) Packed { char tag; unsigned value; };
static_assert(alignof(loose) == 1 && sizeof(Item) == 5 && alignof(Item) == 1 && offsetof(Item, value) == 1, "layout");
CPP
cat >"$folder/k.cu" <<'CUDA'
#include "item.h"
__global__ void anywhere(const char *p, unsigned *a) { *a = *(const loose *)(p + 1); }
__global__ void member(int *a, Item *i) { *a = (char *)&i->value - (char *)i; }
__global__ void next(int *a, Item *i) { *a = (char *)(i + 1) - (char *)i; }
__global__ void packed(const Packed *p, unsigned *a) { *a = p->value; }
__global__ void copied(const char *p, unsigned *a) {
  unsigned v;
  memcpy(&v, p + 1, sizeof v);
  *a = v;
}
CUDA
cat >"$folder/host.cpp" <<'CPP'
#include "item.h"
#include <cstdio>
Item i[2];
int main() { std::printf("host: member at %td, next at %td\n", (char *)&i[0].value - (char *)i, (char *)&i[1] - (char *)i); }
CPP
g++ -o "$folder/host" "$folder/host.cpp"
"$folder/host"

kernel() { # kernel: its PTX
  sed -n "/entry _Z[0-9]*$1/,/^}/p" "$folder/k.ptx"
}
stored() { # kernel: the constant that it stores
  kernel "$1" | sed -n 's/.*mov\.[ub]32.* \([0-9]*\);/\1/p'
}
loads() { # kernel: widths of its loads from global memory, without repeats
  kernel "$1" | grep -oE 'ld\.global\.[a-z]+[0-9]+' | sort -u
}
expect() { # what, expected, seen
  printf '  %-10s %s\n' "$1" "$3"
  [ "$2" = "$3" ] || { echo "changed: expected $2" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  echo "nvcc $release"
  "$nvcc" -Werror all-warnings -arch=sm_80 -ptx -o "$folder/k.ptx" "$folder/k.cu"
  expect anywhere ld.global.u32 "$(loads anywhere)"
  expect packed ld.global.u8 "$(loads packed)"
  expect copied ld.global.u8 "$(loads copied)"
  expect member 4 "$(stored member)"
  expect next 8 "$(stored next)"
done
