#!/usr/bin/env bash
# nvcc compiles device code with an operator call that ISO C++ calls ambiguous, without a message, and calls the user's function.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, g++ 12.2 (Debian 12), x86-64 Linux
# Guess:     `i % f` with a long `i`, where the class of `f` converts to int and has `operator%(int, const F &)`, is an error: the built-in
#            operator is better for the first operand, the user's for the second ([over.match.best]). clang says so. At the least it is
#            a warning that `-Werror all-warnings` makes an error.
# Behaviour: the device side compiles in silence and calls the user's operator, with the long cut to int: 4294967299 % 5 is 3 by the class's
#            own remainder, where the built-in operator gives 4. g++ warns of the same call in host code ("ISO C++ says that these are
#            ambiguous"), with -pedantic-errors it rejects it; code for the device alone (-ptx, -cubin) has no message at all.
# Matters:   to classes that divide by a multiplication ("fast divmod") and convert to their divisor: an index of 64 bits is cut to 32. To
#            those who compile CUDA by clang as well, which rejects the code.
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
struct Divisor {
  int by;
  __host__ __device__ constexpr Divisor(int by) : by(by) {}
  __host__ __device__ constexpr operator int() const { return by; }
  __host__ __device__ friend constexpr int operator%(int n, const Divisor &f) { return n - n / f.by * f.by; }
};
__host__ __device__ constexpr long remainder(long i) { return i % Divisor(5); }
extern "C" __global__ void k(long *a) { constexpr long r = remainder(4294967299); *a = r; }
CUDA
cat >"$folder/host.cpp" <<'CUDA'
#define __host__
#define __device__
struct Divisor {
  int by;
  operator int() const { return by; }
  friend int operator%(int n, const Divisor &f) { return n - n / f.by * f.by; }
};
long remainder(long i, Divisor f) { return i % f; }
CUDA

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  said=$("$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -ptx -o "$folder/k.ptx" "$folder/k.cu" 2>&1)
  value=$(sed -n 's/.*mov\.[ub]64.*, \([0-9]*\);/\1/p' "$folder/k.ptx")
  echo "nvcc $release: the remainder of 4294967299 by 5 is $value in device code; messages: ${said:-none}"
  [ "$value" = 3 ] && [ -z "$said" ] || { echo "changed: expected 3 and no message" >&2; exit 1; }
done
warned=$(g++ -std=c++17 -c -o "$folder/host.o" "$folder/host.cpp" 2>&1)
echo "$warned" | sed -n 's/.*warning: /g++: warning: /p' | head -n 1
case $warned in *"ISO C++ says that these are ambiguous"*) ;; *) echo "changed: g++ does not warn" >&2; exit 1 ;; esac
if g++ -std=c++17 -pedantic-errors -c -o "$folder/host.o" "$folder/host.cpp" 2>/dev/null; then echo "changed: g++ -pedantic-errors takes it" >&2; exit 1; fi
