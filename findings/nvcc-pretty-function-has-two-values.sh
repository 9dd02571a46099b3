#!/usr/bin/env bash
# A constant from `__PRETTY_FUNCTION__` has two values in one unit of nvcc: host code and device code get different type names.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, g++ 12.2 (Debian 12), x86-64 Linux
# Guess:     a constexpr function without `__CUDA_ARCH__` has one value; a type's name or hash that is computed at compile time, as
#            libraries for reflection do it, is the same where the kernel stores it and where the host compares it.
# Behaviour: device code is the text of nvcc's own front end ("T=unsigned long"), host code that of g++ ("with T = long unsigned int").
#            They agree on int, and not on long, const char * or classes of the standard library. As a template argument of a kernel
#            the constant names one kernel on the device and, in 13.5, another one in the launch: no compiler or linker objects.
# Matters:   to type identifiers and tags by hash of a type's name (serialisation, registries, dispatch) that are shared by host and
#            device. Tests with int or float pass.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ --version | head -n 1
case $(g++ -dumpversion) in 12*) ;; *) echo "g++ 12 is needed" >&2; exit 2 ;; esac
python3 -m venv "$folder/venv"
install() { # release, release of the runtime's package
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2"
}
install 13.0.88 13.0.96
install 13.5.37 13.5.37

cat >"$folder/k.cu" <<'CUDA'
#include <cstdio>
#include <string>
template <class T> __host__ __device__ constexpr int length() {
  int n = 0;
  for (const char *c = __PRETTY_FUNCTION__; *c; ++c) ++n;
  return n;
}
#define TYPES(X) X(of_int, int) X(of_float, float) X(of_long, long) X(of_text, const char *) X(of_string, std::string)
#define DEVICE(name, type) extern "C" __global__ void name(int *a) { constexpr int n = length<type>(); *a = n; }
TYPES(DEVICE)
#define HOST(name, type) std::printf(#name " %d\n", length<type>());
int main() { TYPES(HOST) }
CUDA
cat >"$folder/launch.cu" <<'CUDA'
template <class T> constexpr int length() {
  int n = 0;
  for (const char *c = __PRETTY_FUNCTION__; *c; ++c) ++n;
  return n;
}
template <int N> __global__ void tagged(int *a) { *a = N; }
void launch(int *a) { tagged<length<long>()><<<1, 1>>>(a); }
CUDA

expect() { # kernel, whether both have the same constant
  local device host same=no
  device=$(sed -n "/entry $1(/,/^}/s/.*mov\.[ub]32.* \([0-9]*\);/\1/p" "$folder/k.ptx")
  host=$("$folder/k" | sed -n "s/^$1 //p")
  [ "$device" = "$host" ] && same=yes
  printf '  %-10s device %s, host %s\n' "$1" "$device" "$host"
  [ -n "$device" ] && [ -n "$host" ] && [ $same = "$2" ] || { echo "changed: expected the same: $2" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  echo "nvcc $release:"
  "$nvcc" -arch=sm_90 -ptx -o "$folder/k.ptx" "$folder/k.cu"
  "$nvcc" -arch=sm_90 -o "$folder/k" "$folder/k.cu" -L"$(dirname "$(find "$folder/$release" -name libcudart_static.a)")"
  expect of_int yes
  expect of_float yes
  expect of_long no
  expect of_text no
  expect of_string no
done
# The kernel of the device image, and those that the host code of 13.5 names.
"$nvcc" -arch=sm_90 -Xcompiler -Wall -ptx -o "$folder/launch.ptx" "$folder/launch.cu"
"$nvcc" -arch=sm_90 -Xcompiler -Wall -c -o "$folder/launch.o" "$folder/launch.cu"
compiled=$(grep -oE 'entry _Z6taggedILi[0-9]+' "$folder/launch.ptx" | grep -oE '[0-9]+$')
named=$(nm -C "$folder/launch.o" | sed -n 's/.* void tagged<\([0-9]*\)>.*/\1/p' | sort | tr '\n' ' ')
echo "tagged<length<long>()>: compiled for $compiled, host code has $named"
[ "$named" != "$compiled " ] || { echo "changed: the host code names the kernel that is compiled" >&2; exit 1; }
