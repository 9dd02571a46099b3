#!/usr/bin/env bash
# `nvcc -dlto -rdc=false` compiles relocatable device code, without a warning.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, x86-64 Linux
# Guess:     link-time optimisation says how code is compiled that is linked anyway; what is whole-program stays so without
#            `-rdc=true`, and all the more with `-rdc=false`. (`-dc -rdc=false` is refused as a contradiction.)
# Behaviour: `-dlto` alone makes the unit relocatable: `__CUDACC_RDC__` is defined, an undefined `extern __device__` function is
#            taken, and the object needs a device link. `-rdc=false` beside it changes nothing and is not mentioned.
# Matters:   to build systems that decide by `-rdc` whether they must link device code (an object that was whole-program
#            links no more with g++ alone), to code that asks for `__CUDACC_RDC__`, and to analysers of compile commands.
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
extern __device__ int elsewhere(int);
__global__ void k(int *a) { *a = elsewhere(*a); }
CUDA

compiles() { # release, flags: whether a unit compiles whose device code calls what is in another one
  local release=$1 nvcc
  shift
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  if "$nvcc" -arch=sm_90 "$@" -c "$folder/k.cu" -o "$folder/k.o" >"$folder/said" 2>&1; then
    [ -s "$folder/said" ] && echo "yes, with a message" || echo yes
  else
    echo no
  fi
}

expect() { # expected, release, flags
  local expected=$1 seen
  shift
  seen=$(compiles "$@")
  printf '%-8s %-18s %s\n' "$1" "${*:2}" "$seen"
  [ "$seen" = "$expected" ] || { echo "changed: expected $expected" >&2; cat "$folder/said" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  expect no "$release"
  expect no "$release" -rdc=false
  expect yes "$release" -rdc=true
  expect yes "$release" -dlto
  expect yes "$release" -dlto -rdc=false
  expect no "$release" -dc -rdc=false
done
