#!/usr/bin/env bash
# One CMake target with CXX_STANDARD 20 and CUDA_STANDARD 20 compiles .cpp as gnu++20 and .cu as c++20: a class has two sizes.
#
# Versions:  cmake 4.4.5, ninja 1.13.0, nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.5.37 from PyPI, g++ 12.2 (Debian 12), x86-64 Linux
# Guess:     CMake's extensions are on for both languages by default, so that both are the same dialect of g++, which compiles both.
# Behaviour: nvcc knows no `-std=gnu++20`, and CMake's options for it "with extensions" are those without. The host code of a .cu file is
#            compiled in strict mode: std::is_integral_v<__int128> is false there and true in the .cpp file. A header which asks
#            for it declares two different classes of one name; the target links and runs. Without any standard nvcc leaves
#            the choice to g++, that is gnu++17, so that a first CUDA_STANDARD changes the dialect as well.
# Matters:   to projects with headers for both languages that choose types by traits, `linux`, or __STRICT_ANSI__. CXX_EXTENSIONS OFF
#            makes them agree.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ --version | head -n 1
case $(g++ -dumpversion) in 12*) ;; *) echo "g++ 12 is needed" >&2; exit 2 ;; esac
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cmake==4.4.5 ninja==1.13.0
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/cuda" \
  nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37
nvcc=$(find "$folder/cuda" -path '*/bin/nvcc')
export PATH="$folder/venv/bin:$PATH"
cmake --version | head -n 1
"$nvcc" --version | tail -n 2 | head -n 1

mkdir "$folder/project"
cat >"$folder/project/value.h" <<'CPP'
#include <type_traits>
struct Value {
  std::conditional_t<std::is_integral_v<__int128>, __int128, long> value;
};
CPP
cat >"$folder/project/main.cpp" <<'CPP'
#include "value.h"
#include <cstdio>
unsigned long size_in_cuda();
int main() { std::printf("%zu bytes in main.cpp, %lu in size.cu\n", sizeof(Value), size_in_cuda()); }
CPP
cat >"$folder/project/size.cu" <<'CUDA'
#include "value.h"
unsigned long size_in_cuda() { return sizeof(Value); }
CUDA
cat >"$folder/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.28)
project(dialects LANGUAGES CXX CUDA)
set(CMAKE_CUDA_ARCHITECTURES 90)
foreach(name IN ITEMS standards strict none)
  add_executable(${name} main.cpp size.cu)
endforeach()
set_target_properties(standards strict PROPERTIES CXX_STANDARD 20 CUDA_STANDARD 20)
set_target_properties(strict PROPERTIES CXX_EXTENSIONS OFF)
CMAKE
unset CXXFLAGS CUDAFLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
cmake -S "$folder/project" -B "$folder/build" -G Ninja -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CXX_COMPILER=g++ \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 1; }
cmake --build "$folder/build" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 1; }
for file in main.cpp size.cu; do
  grep "\"command\".*standards.dir/$file" "$folder/build/compile_commands.json" | grep -o -- '-std=[a-z0-9+]*' | sed "s/^/$file: /"
done

expect() { # target, what it prints
  local seen
  seen=$("$folder/build/$1")
  printf '%-10s %s\n' "$1" "$seen"
  [ "$seen" = "$2" ] || { echo "changed: expected $2" >&2; exit 1; }
}

expect standards "16 bytes in main.cpp, 8 in size.cu"
expect strict "8 bytes in main.cpp, 8 in size.cu"
expect none "16 bytes in main.cpp, 16 in size.cu"
