#!/usr/bin/env bash
# `__half2` and `__nv_bfloat162` are not trivially copyable, though `__half`, `short2` and `float2` are.
#
# Versions:  nvidia-cuda-runtime and -crt 13.0 and 13.5, nvidia-cuda-cccl 13.0.85 from PyPI, g++ 12.2 (Debian 12), x86-64 Linux
# Guess:     two halves in 4 bytes, which CUDA loads and stores as one register and copies by cudaMemcpy, are trivially copyable, as
#            one half is and as the other vector types are.
# Behaviour: the headers write out the copy constructor and the assignment. So std::bit_cast and std::atomic refuse them, std::copy is a
#            loop and no memmove, and a function's argument of that type is passed by its address. __half is defaulted.
# Matters:   to generic code that asks for std::is_trivially_copyable before it copies bytes (queues, serialisation, variants,
#            containers): the packed types take another path than the scalar ones or do not compile.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ --version | head -n 1
case $(g++ -dumpversion) in 12*) ;; *) echo "g++ 12 is needed" >&2; exit 2 ;; esac
python3 -m venv "$folder/venv"
install() { # folder, packages
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" "${@:2}"
}
install 13.0 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88
install 13.5 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37
install cccl nvidia-cuda-cccl==13.0.85

cat >"$folder/copy.cpp" <<'CPP'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#if defined(TRAIT)
static_assert(std::is_trivially_copyable_v<TYPE>, "");
#elif defined(BITS)
struct Bytes { char bytes[sizeof(TYPE)]; };
Bytes bits(const TYPE &v) { return std::bit_cast<Bytes>(v); }
#else
void copy(TYPE *to, const TYPE *from) { std::copy(from, from + 100, to); }
#endif
CPP

compile() { # release, flags
  local cuda target
  cuda=$(find "$folder/$1" -name cuda_fp16.h)
  target=$(find "$folder/cccl" -path '*/cccl/nv/target')
  g++ -std=c++20 -O2 -w -S -o "$folder/copy.s" -I"${cuda%/*}" -I"${target%/nv/target}" "${@:2}" "$folder/copy.cpp" >"$folder/said" 2>&1
}

expect() { # what is expected, release, type
  local trait=no bits=no copy=loop seen
  compile "$2" -DTYPE="$3" -DTRAIT && trait=yes
  compile "$2" -DTYPE="$3" -DBITS && bits=yes
  compile "$2" -DTYPE="$3" || { cat "$folder/said" >&2; exit 1; }
  grep -qE 'mem(move|cpy)' "$folder/copy.s" && copy=memmove
  seen="trivially copyable $trait, bit_cast $bits, std::copy $copy"
  printf 'CUDA %s  %-15s %s\n' "$2" "$3" "$seen"
  [ "$seen" = "$1" ] || { echo "changed: expected $1" >&2; exit 1; }
}

for release in 13.0 13.5; do
  for type in __half __nv_bfloat16 short2 float2; do
    expect "trivially copyable yes, bit_cast yes, std::copy memmove" "$release" "$type"
  done
  for type in __half2 __nv_bfloat162; do
    expect "trivially copyable no, bit_cast no, std::copy loop" "$release" "$type"
  done
done
