#!/usr/bin/env bash
# In a .cu file nvcc refuses a host definition of cudaMalloc or cudaFree as a second one, and takes one of cudaMemcpy.
#
# Versions:  nvidia-cuda-nvcc, -crt and nvidia-nvvm 13.0.88 with -runtime 13.0.96, and all four 13.5.37 from PyPI; g++ 12.2, x86-64 Linux
# Guess:     The runtime's header declares its functions. A program that wraps or replaces one of them in its own code (to count
#            allocations, or as a test double) can define it in any of its files, and the linker takes that definition.
# Behaviour: nvcc's device passes include cuda_device_runtime_api.h, which defines some of these functions for kernels. An
#            `extern "C"` definition of one of them in a .cu file is an error ("has already been defined"), though it is host
#            code. The same lines are compiled in a .cpp file, and in the .cu file behind `#ifndef __CUDA_ARCH__`. For functions
#            that kernels cannot call (cudaMemcpy, cudaMallocHost) there is no error.
# Matters:   to whoever writes allocation hooks or mocks of the runtime, and to tools that generate them into .cu files.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
cd "$folder"

defines() { # file, macro that hides the definition from a pass ("" for none), declaration
  printf '#include <cuda_runtime.h>\n%s\nextern "C" cudaError_t %s { return cudaSuccess; }\n%s\n' "${2:+#ifndef $2}" "$3" "${2:+#endif}" >"$1"
}

expect() { # taken or refused, nvcc, file
  local seen=taken
  "$2" -arch=sm_80 -c "$3" -o own.o >log 2>&1 || seen=refused
  if [ "$seen" = refused ] && ! grep -q 'has already been defined' log; then
    cat log
    exit 1
  fi
  echo "  $seen: $3: $(grep -o 'cuda[A-Za-z]*(' "$3" | head -n 1))"
  [ "$seen" = "$1" ] || { echo "expected: $1"; exit 1; }
  [ "$seen" = refused ] || nm own.o | grep -q ' T cuda'
}

for release in 13.0.88:13.0.96 13.5.37:13.5.37; do
  of=${release%%:*} runtime=${release##*:}
  venv/bin/pip install --quiet --disable-pip-version-check --no-deps --target "cuda-$of" \
    "nvidia-cuda-nvcc==$of" "nvidia-cuda-crt==$of" "nvidia-nvvm==$of" "nvidia-cuda-runtime==$runtime"
  nvcc=$(find "$folder/cuda-$of" -path '*/bin/nvcc')
  "$nvcc" --version | tail -n 2 | head -n 1
  for declaration in 'cudaMalloc(void **p, size_t bytes)' 'cudaFree(void *p)'; do
    defines own.cu '' "$declaration"
    expect refused "$nvcc" own.cu
    defines own.cpp '' "$declaration"
    expect taken "$nvcc" own.cpp
    defines hidden.cu __CUDA_ARCH__ "$declaration"
    expect taken "$nvcc" hidden.cu
  done
  for declaration in 'cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)' 'cudaMallocHost(void **p, size_t bytes)'; do
    defines own.cu '' "$declaration"
    expect taken "$nvcc" own.cu
  done
done
