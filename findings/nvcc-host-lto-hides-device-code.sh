#!/usr/bin/env bash
# With g++'s `-flto` for host code, nvcc's device link finds no device code in nvcc's own objects, and passes.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37, nvidia-cuda-cuobjdump 13.5.37 from PyPI, g++ 12.2 (Debian 12), x86-64 Linux
# Guess:     `-Xcompiler -flto` is about host code. Device code is data in the object, and `-flto` is given to compilation and link, as
#            g++'s manual wants it.
# Behaviour: device code is embedded by an assembler statement, which g++ keeps in its intermediate code until the link. cuobjdump finds
#            no device code in the object. `nvcc -rdc=true -dlink` returns 0 without a message, and its output has no kernel; later ld
#            misses `__cudaRegisterLinkedBinary_...`. A whole-program object links only if nvcc's link step lacks `-flto`: with
#            it, the object and the stub that nvcc compiles while it links both define `fatbinData`, in one unit of assembly.
# Matters:   to those who turn on interprocedural optimisation for a whole project with CUDA sources: the messages name neither LTO
#            nor the flag that helps (leave host LTO out of .cu files; -dlto is the one for device code).
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
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/tools" nvidia-cuda-cuobjdump==13.5.37
cuobjdump=$(find "$folder/tools" -path '*/bin/cuobjdump')

printf '__global__ void kernel(int *a) { *a = 1; }\nint main() { kernel<<<1, 1>>>(nullptr); }\n' >"$folder/k.cu"

images() { # file: how many kernels its device images have
  "$cuobjdump" -elf "$1" 2>/dev/null | grep -oE '\.text\._Z6kernelPi' | sort -u | wc -l
}

attempt() { # flags: whether nvcc succeeds without a message, or what is wrong
  if "$nvcc" -arch=sm_90 "$@" >"$folder/said" 2>&1; then
    [ -s "$folder/said" ] && echo "a message" || echo passes
  else
    grep -oE '(symbol .fatbinData. is already defined|undefined reference to .__cudaRegisterLinkedBinary)' "$folder/said" | sed "s/[^a-zA-Z_ ]//g" | head -n 1
  fi
}

expect() { # what, expected, seen
  printf '  %-46s %s\n' "$1" "$3"
  [ "$2" = "$3" ] || { cat "$folder/said" >&2; echo "changed: expected $2" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  library=$(dirname "$(find "$folder/$release" -name libcudart_static.a)")
  echo "nvcc $release:"
  expect "whole program, no -flto: compile" passes "$(attempt -c "$folder/k.cu" -o "$folder/k.o")"
  expect "kernels in the object" 1 "$(images "$folder/k.o")"
  expect "whole program, -flto: compile" passes "$(attempt -Xcompiler -flto -c "$folder/k.cu" -o "$folder/k.o")"
  expect "kernels in the object" 0 "$(images "$folder/k.o")"
  expect "link with -flto" "symbol fatbinData is already defined" "$(attempt -Xcompiler -flto "$folder/k.o" -L"$library" -o "$folder/k")"
  expect "link without -flto" passes "$(attempt "$folder/k.o" -L"$library" -o "$folder/k")"
  expect "kernels in the program" 1 "$(images "$folder/k")"
  expect "-rdc=true, -flto: compile" passes "$(attempt -rdc=true -Xcompiler -flto -c "$folder/k.cu" -o "$folder/k.o")"
  expect "device link" passes "$(attempt -dlink "$folder/k.o" -o "$folder/device.o")"
  expect "kernels in its output" 0 "$(images "$folder/device.o")"
  expect "link without -flto" "undefined reference to __cudaRegisterLinkedBinary" "$(attempt "$folder/k.o" -L"$library" -o "$folder/k")"
done
