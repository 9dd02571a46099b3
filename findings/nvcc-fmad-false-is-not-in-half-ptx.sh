#!/usr/bin/env bash
# `nvcc -ptx -fmad=false` writes half arithmetic as without the flag: ptxas contracts it to fma again, unlike float's.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37, -cccl 13.0.85 and -nvdisasm 13.5.37 from PyPI, x86-64 Linux
# Guess:     `-fmad=false` is settled when PTX is written, as for float, where it writes mul.rn and add.rn, which nothing may contract.
#            And __hadd(__hmul(a, b), c), two intrinsics "in round-to-nearest-even mode", round twice by default, as
#            __fadd_rn(__fmul_rn(a, b), c) does.
# Behaviour: the intrinsics of half and bfloat16 are `mul.f16` and `add.f16` without `.rn` in either case. nvcc keeps them apart under
#            -fmad=false by the option `--fmad false` of its own ptxas. ptxas without that option makes one HFMA2 of them, and so
#            does nvcc by default. Only __hmul_rn and __hadd_rn stay apart everywhere.
# Matters:   to those who keep .ptx files and assemble them later, and to results that must be the same on several devices: the
#            PTX of float keeps the promise of the flag, and that of half does not.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
install() { # release, release of the runtime's package
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2" nvidia-cuda-cccl==13.0.85
}
install 13.0.88 13.0.96
install 13.5.37 13.5.37
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/tools" nvidia-cuda-nvdisasm==13.5.37
nvdisasm=$(find "$folder/tools" -path '*/bin/nvdisasm')

cat >"$folder/k.cu" <<'CUDA'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void floats(float *a) { a[0] = a[1] * a[2] + a[3]; }
extern "C" __global__ void halves(__half *a) { a[0] = __hadd(__hmul(a[1], a[2]), a[3]); }
extern "C" __global__ void bfloats(__nv_bfloat16 *a) { a[0] = __hadd(__hmul(a[1], a[2]), a[3]); }
extern "C" __global__ void rounded(__half *a) { a[0] = __hadd_rn(__hmul_rn(a[1], a[2]), a[3]); }
CUDA

operations() { # cubin, kernel: its floating-point instructions
  "$nvdisasm" "$1" | sed -n "/\.text\.$2:/,/EXIT/p" | grep -oE '\b[FH](FMA|MUL|ADD)2?\b' | tr -d 'FH2' | sed 's/^MA$/FMA/' | tr '\n' ' '
}

expect() { # operations, cubin, kernel
  local seen
  seen=$(operations "$folder/$2.cubin" "$3")
  printf '  %-20s %-8s %s\n' "$2" "$3" "$seen"
  [ "$seen" = "$1" ] || { echo "changed: expected $1" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  echo "nvcc $release:"
  "$nvcc" -arch=sm_90 -cubin -o "$folder/default.cubin" "$folder/k.cu"
  "$nvcc" -arch=sm_90 -fmad=false -cubin -o "$folder/fmad_false.cubin" "$folder/k.cu"
  "$nvcc" -arch=sm_90 -fmad=false -ptx -o "$folder/k.ptx" "$folder/k.cu"
  "${nvcc%/nvcc}/ptxas" -arch=sm_90 -o "$folder/fmad_false_ptx.cubin" "$folder/k.ptx"
  grep -oE '(mul|add)\.[a-z0-9.]*' "$folder/k.ptx" | grep -E 'f16|f32' | sort -u | tr '\n' ' ' | sed 's/^/  PTX with -fmad=false: /'
  echo
  for kernel in floats halves bfloats; do expect 'FMA ' default $kernel; done
  for kernel in floats halves bfloats rounded; do expect 'MUL ADD ' fmad_false $kernel; done
  expect 'MUL ADD ' fmad_false_ptx floats
  for kernel in halves bfloats; do expect 'FMA ' fmad_false_ptx $kernel; done
  expect 'MUL ADD ' default rounded
  expect 'MUL ADD ' fmad_false_ptx rounded
done
