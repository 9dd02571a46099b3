#!/usr/bin/env bash
# In CUDA code, clang 22 drops the alias of a static function in `extern "C"` without a message. In C++ it refuses the same alias, and nvcc
# exports the name.
#
# Versions:  clang-22 1:22.1.8-1~deb12u1 from Debian 12 (security), nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0 from PyPI, g++ of Debian 12,
#            x86-64 Linux
# Guess:     what is an error in C++ is an error in CUDA's host code, and an object that is made without a message has all names that the source exports.
# Behaviour: the host's object of clang has no symbol of the alias. g++, and nvcc by it, define the name at the function's address; clang++ says
#            of the same text as C++ that the alias must refer to the mangled name.
# Matters:   to those who link objects of both compilers, and to tools that read CUDA through clang: another unit calls the function by a name
#            that is not there.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/cuda" \
  nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
version=1:22.1.8-1~deb12u1
(
  cd "$folder"
  # The user that apt downloads as has no access to the folder otherwise.
  chmod a+rx .
  apt-get download -qq -o APT::Sandbox::User=root clang-22="$version" libclang-cpp22="$version" libllvm22="$version" libclang-common-22-dev="$version"
  for package in *.deb; do dpkg-deb -x "$package" llvm; done
)
export LD_LIBRARY_PATH="$folder/llvm/usr/lib/x86_64-linux-gnu:$folder/llvm/usr/lib/llvm-22/lib"
clang="$folder/llvm/usr/lib/llvm-22/bin/clang"
nvcc=$(find "$folder/cuda" -path '*/bin/nvcc')
"$clang" --version | head -n 1
"$nvcc" --version | tail -n 2 | head -n 1
g++ --version | head -n 1

cat >"$folder/a.cu" <<'CUDA'
extern "C" {
static int count(void) { return 7; }
int items(void) __attribute__((alias("count")));
}
CUDA

changed() { echo "changed: $1" >&2; exit 1; }
"$nvcc" -c -o "$folder/nvcc.o" "$folder/a.cu"
g++ -x c++ -c -o "$folder/g++.o" "$folder/a.cu"
"$clang" -x cuda --cuda-host-only -nocudainc -nocudalib -Wall -Wextra -Wno-unused-function -c -o "$folder/clang.o" "$folder/a.cu" 2>"$folder/said" ||
  { cat "$folder/said" >&2; changed "clang refuses the alias in CUDA code"; }
for compiler in nvcc g++ clang; do
  echo "$compiler: $(nm "$folder/$compiler.o" | grep -c ' T items$') symbol of the alias"
done
nm "$folder/nvcc.o" | grep -q ' T items$' || changed "nvcc lacks the alias"
nm "$folder/g++.o" | grep -q ' T items$' || changed "g++ lacks the alias"
[ ! -s "$folder/said" ] || { cat "$folder/said" >&2; changed "clang says something"; }
! nm "$folder/clang.o" | grep -q items || changed "clang has the alias"
! "$clang" -x c++ -c -o "$folder/c++.o" "$folder/a.cu" 2>"$folder/said" || changed "clang takes the alias in C++"
grep -o 'error: alias must point to.*' "$folder/said"
