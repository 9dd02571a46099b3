#!/usr/bin/env bash
# `ld -r` joins two objects with relocatable device code into one of which nvcc links the first half: the other kernels are gone.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37, nvidia-cuda-cuobjdump 13.5.37 from PyPI, GNU ld (binutils), x86-64 Linux
# Guess:     `ld -r a.o b.o -o ab.o` gives an object that stands for the two, as it does for host code and for CUDA objects without
#            `-rdc=true`; and cuobjdump lists both device images in ab.o.
# Behaviour: nvcc's device link reads the first image of an object and stops. Host code of both units is linked, with the status 0
#            and no message, and the program has the kernels of the first unit only. A device function that is missing is an
#            error; a kernel is not, since only host code names it.
# Matters:   to build systems that join objects (`ld -r`, prelinked objects, "single object" modes): launches of the lost kernels
#            fail at run time.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ld --version | head -n 1
python3 -m venv "$folder/venv"
install() { # release, release of the runtime's package
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2"
}
install 13.0.88 13.0.96
install 13.5.37 13.5.37
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/tools" nvidia-cuda-cuobjdump==13.5.37
cuobjdump=$(find "$folder/tools" -path '*/bin/cuobjdump')

for name in first second; do
  printf '__global__ void %s(int *a) { *a = 1; }\nvoid launch_%s() { %s<<<1, 1>>>(nullptr); }\n' $name $name $name >"$folder/$name.cu"
done
echo 'void launch_first(); void launch_second(); int main() { launch_first(); launch_second(); }' >"$folder/main.cpp"

link() { # objects: the kernels of the program
  "$nvcc" -arch=sm_90 "$@" "$folder/main.cpp" -L"$library" -o "$folder/program" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 1; }
  [ ! -s "$folder/said" ] || { cat "$folder/said" >&2; echo "changed: nvcc says something" >&2; exit 1; }
  "$cuobjdump" -elf "$folder/program" 2>/dev/null | grep -oE '\.text\._Z[0-9]+[a-z]+' | grep -oE '(first|second)' | sort -u | tr '\n' ' '
}

expect() { # kernels, what, objects
  local seen
  seen=$(link "${@:3}")
  printf 'nvcc %s, -rdc=%-5s  %-10s %s\n' "$release" "$rdc" "$2" "$seen"
  [ "$seen" = "$1" ] || { echo "changed: expected $1" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  library=$(dirname "$(find "$folder/$release" -name libcudart_static.a)")
  for rdc in false true; do
    for name in first second; do "$nvcc" -arch=sm_90 -rdc=$rdc -c "$folder/$name.cu" -o "$folder/$name.o"; done
    ld -r "$folder/first.o" "$folder/second.o" -o "$folder/joined.o"
    [ "$("$cuobjdump" -lelf "$folder/joined.o" | grep -c cubin)" = 2 ] || { echo "changed: the joined object has not two images" >&2; exit 1; }
    expect 'first second ' separate "$folder/first.o" "$folder/second.o"
    if [ $rdc = true ]; then lost='first '; else lost='first second '; fi
    expect "$lost" joined "$folder/joined.o"
  done
done
