#!/usr/bin/env bash
# An explicit specialisation of a kernel inherits `__launch_bounds__`, `__maxnreg__` and `__cluster_dims__` of the primary template.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, x86-64 Linux
# Guess:     a specialisation is a function of its own, which shares only the name and has the attributes that are written at it.
#            One without `__launch_bounds__` takes 1024 threads; one with other bounds has those and nothing else.
# Behaviour: a specialisation without bounds gets those of the primary template. One with `__launch_bounds__(256)` beside a primary
#            template with `__launch_bounds__(64, 2)` gets 256 threads and, as well, the minimum of 2 blocks that it does not name.
#            `__launch_bounds__(256, 1)` says so. No warning is given.
# Matters:   to those who specialise a kernel for one type to launch it with larger blocks (refused at run time), and to those who
#            look for spills: the inherited minimum of blocks limits the registers of code that never asked for it.
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
template <class T> __global__ void __launch_bounds__(64, 2) bounds(T *a) { *a = 1; }
template <> __global__ void bounds<char>(char *a) { *a = 2; }
template <> __global__ void __launch_bounds__(256) bounds<float>(float *a) { *a = 2; }
template <> __global__ void __launch_bounds__(256, 1) bounds<double>(double *a) { *a = 2; }
template <class T> __global__ void __maxnreg__(32) registers(T *a) { *a = 1; }
template <> __global__ void registers<char>(char *a) { *a = 2; }
template <class T> __global__ void __cluster_dims__(2, 1, 1) cluster(T *a) { *a = 1; }
template <> __global__ void cluster<char>(char *a) { *a = 2; }
template <class T> __global__ void nothing(T *a) { *a = 1; }
template <> __global__ void nothing<char>(char *a) { *a = 2; }
CUDA

limits() { # kernel, type as it is mangled: what its PTX says of launches
  sed -n "/entry _Z[0-9]*$1I$2E/,/^{/p" "$folder/k.ptx" | { grep -oE '(maxntid|minnctapersm|maxnreg|reqnctapercluster) [0-9]+' || true; } | tr '\n' ' '
}

expect() { # limits, kernel, type
  local seen
  seen=$(limits "$2" "$3")
  printf '  %-10s %-2s %s\n' "$2" "$3" "$seen"
  [ "$seen" = "$1" ] || { echo "changed: expected $1" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  echo "nvcc $release:"
  "$(find "$folder/$release" -path '*/bin/nvcc')" -arch=sm_90 -ptx -o "$folder/k.ptx" "$folder/k.cu" 2>"$folder/said"
  [ ! -s "$folder/said" ] || { cat "$folder/said" >&2; echo "changed: nvcc says something" >&2; exit 1; }
  expect 'maxntid 64 minnctapersm 2 ' bounds c
  expect 'maxntid 256 minnctapersm 2 ' bounds f
  expect 'maxntid 256 minnctapersm 1 ' bounds d
  expect 'maxnreg 32 ' registers c
  expect 'reqnctapercluster 2 ' cluster c
  expect '' nothing c
done
