#!/usr/bin/env bash
# Prints the absolute path of the nvcc that the demonstration and the benchmark use: SCUBA_NVCC, then PATH, then the usual
# place, then the wheels in .deps (with `--system`: not those). Fails when there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

wheels=$PWD/.deps/cuda/nvidia/cu13/bin/nvcc
if [ "${1:-}" = --system ]; then wheels=; fi
for candidate in "${SCUBA_NVCC:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$wheels"; do
  # A stand-in for nvcc (a link to the shim) is not a compiler.
  if [ -n "$candidate" ] && [ -x "$candidate" ] && [ "$(basename "$(readlink -f "$candidate")")" != scuba-nvcc ]; then
    echo "$candidate"
    exit 0
  fi
done
exit 1
