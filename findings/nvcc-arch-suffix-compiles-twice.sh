#!/usr/bin/env bash
# `nvcc -arch=sm_90a -c` compiles device code twice: for compute_90a, and for plain compute_90.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0 from PyPI, x86-64 Linux
# Guess:     the shorthand stands for one compilation, as the manual has it of `-arch=sm_XY`
#            (`-gencode arch=compute_XY,code=[sm_XY,compute_XY]`); code for architecture-specific features may then say
#            `#error` where __CUDA_ARCH_FEAT_SM90_ALL is missing.
# Behaviour: the same source is compiled for compute_90 first, without the feature macros, and its PTX is put into the
#            object; so such an `#error` fires, and code behind `#else` is in the binary, where a driver may compile it
#            for another device. `-gencode arch=compute_90a,code=sm_90a`, `-ptx` and `-cubin` compile once.
# Matters:   to those who guard sm_90a or sm_100f kernels by feature macros, to build tools that count on one device pass for
#            one architecture, and to analysers that read what nvcc compiles.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/cuda" \
  nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96
nvcc=$(find "$folder/cuda" -path '*/bin/nvcc')
"$nvcc" --version | tail -n 2

cat >"$folder/k.cu" <<'CUDA'
__global__ void k(int *a) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
  *a = 1;
#else
  *a = 0;
#endif
}
CUDA

passes() { # flags: the architectures of the device compilations, in their order
  "$nvcc" "$@" --dryrun -o "$folder/out" "$folder/k.cu" 2>&1 | grep -oE 'cicc.*-arch compute_[0-9a-z]+' | grep -oE 'compute_[0-9a-z]+$' | tr '\n' ' '
}

expect() { # architectures, flags
  local expected=$1 seen
  shift
  seen=$(passes "$@")
  printf '%-48s %s\n' "$*" "$seen"
  [ "$seen" = "$expected " ] || { echo "changed: expected $expected" >&2; exit 1; }
}

expect "compute_90" -arch=sm_90 -c
expect "compute_90 compute_90a" -arch=sm_90a -c
expect "compute_100 compute_100f" -arch=sm_100f -c
expect "compute_90a" -gencode arch=compute_90a,code=sm_90a -c
expect "compute_90a" -arch=sm_90a -ptx
expect "compute_90a" -arch=sm_90a -cubin
# Both are put into one object.
"$nvcc" -arch=sm_90a -c --dryrun -o "$folder/out" "$folder/k.cu" 2>&1 | grep -o 'kind=[a-z]*,sm=[0-9a-z]*' | tee "$folder/images"
grep -qx 'kind=ptx,sm=90' "$folder/images" && grep -qx 'kind=elf,sm=90a' "$folder/images"
