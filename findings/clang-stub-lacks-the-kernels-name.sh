#!/usr/bin/env bash
# In an object of nvcc a kernel's launch stub has the kernel's own C++ name, so that a host source can declare the kernel as a function and launch it
# by its address. In an object of clang nothing has that name.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime, -cccl, nvidia-nvvm and -curand for 13.0.88 and 13.5.37 from PyPI, clang 22.1 and g++ 12.2 (Debian 12), x86-64 Linux
# Guess:     `void k(float *, int);` in a .cpp and `cudaLaunchKernel((void *)k, …)` either link whoever compiled the kernel, or never: objects of
#            both compilers call the same runtime, and both mangle by the Itanium ABI.
# Behaviour: nvcc defines `k(float*, int)` as a host function, and the program links. clang defines `__device_stub__k(float*, int)` instead and
#            registers that one: the same program ends with an undefined reference, which names a function that the source defines.
# Matters:   to projects whose .cpp files launch kernels by address (libraries that keep CUDA out of their headers), once they compile the .cu
#            files by clang; to tools that read objects or traces of both, and match kernels by the symbols of the host.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ --version | head -n 1
clang++-22 --version | head -n 1
python3 -m venv "$folder/venv"
install() { # releases of the toolkit, of the runtime's package of cuRAND and of CCCL, whose headers clang includes
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2" "nvidia-curand==$3" "nvidia-cuda-cccl==$4"
}
install 13.0.88 13.0.96 10.4.0.35 13.0.85
install 13.5.37 13.5.37 10.4.5.25 13.3.5.0.6

cat >"$folder/k.cu" <<'CUDA'
__global__ void k(float *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;
}
CUDA
cat >"$folder/main.cpp" <<'CUDA'
#include <cuda_runtime_api.h>
void k(float *, int);
int main() {
  float *a = nullptr;
  int n = 0;
  void *arguments[] = {&a, &n};
  return cudaLaunchKernel((const void *)k, dim3{1, 1, 1}, dim3{1, 1, 1}, arguments, 0, nullptr);
}
CUDA

for release in 13.0.88 13.5.37; do
  toolkit=$(dirname "$(dirname "$(find "$folder/$release" -path '*/bin/nvcc')")")
  runtime=$(find "$toolkit" -name 'libcudart.so.*' | head -n 1)
  g++ -c -isystem "$toolkit/include" -o "$folder/main.o" "$folder/main.cpp"
  "$toolkit/bin/nvcc" -arch=sm_90 -c -o "$folder/nvcc.o" "$folder/k.cu"
  clang++-22 -x cuda --cuda-host-only --cuda-path="$toolkit" -isystem "$toolkit/include/cccl" -nogpulib -Wno-unknown-cuda-version -c -o "$folder/clang.o" "$folder/k.cu"
  for compiler in nvcc clang; do
    defined=$(nm --defined-only "$folder/$compiler.o" | c++filt | sed -n 's/.* T \(.*k(float\*, int)\)$/\1/p' | paste -sd' ')
    linked=links
    said=$(g++ -o "$folder/program" "$folder/main.o" "$folder/$compiler.o" "$runtime" 2>&1) || linked="does not link"
    reason=$(echo "$said" | sed -n 's/.*\(undefined reference to .*\)/: \1/p' | head -n 1)
    echo "$release, kernel by $compiler: defines $defined; the program $linked$reason"
    case $compiler in
      nvcc) case $defined in *" k(float*, int)" | "k(float*, int)"*) [ "$linked" = links ] || { echo "changed: expected to link" >&2; exit 1; } ;;
            *) echo "changed: nvcc defines no k" >&2; exit 1 ;; esac ;;
      clang) [ "$linked" != links ] || { echo "changed: clang's object links as well" >&2; exit 1; } ;;
    esac
  done
done
