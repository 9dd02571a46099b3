#!/usr/bin/env bash
# clang 22 takes `__cluster_dims__` of a CUDA kernel and drops it for NVPTX, without a warning: the kernel has no clusters.
#
# Versions:  clang-22 1:22.1.8-1~deb12u1 from Debian 12 (security), nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0 from PyPI, x86-64 Linux
# Guess:     an attribute that CUDA's own headers spell is compiled, or warned of as unknown. `__launch_bounds__` beside it is compiled,
#            with its third argument, which is about clusters, too.
# Behaviour: clang knows an attribute of that name. For NVPTX it is accepted with -Wall -Wextra,
#            and neither the module nor the PTX says anything of it: nvcc's PTX has `.explicitcluster` and `.reqnctapercluster 2, 1, 1`.
#            So a launch whose grid is no multiple of the cluster runs where nvcc's is refused, and cluster.num_blocks() is 1.
# Matters:   to those who compile CUDA by clang, and to tools that read CUDA through it.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/cuda" \
  nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-curand==10.4.0.35
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
toolkit=$(dirname "$(dirname "$nvcc")")
"$clang" --version | head -n 1
"$nvcc" --version | tail -n 2 | head -n 1

cat >"$folder/k.cu" <<'CUDA'
__global__ void __cluster_dims__(2, 1, 1) clusters(int *a) { *a = 1; }
__global__ void __launch_bounds__(64, 1, 4) bounds(int *a) { *a = 1; }
CUDA

"$nvcc" -arch=sm_90 -ptx -o "$folder/nvcc.ptx" "$folder/k.cu"
"$clang" -x cuda --cuda-path="$toolkit" --cuda-gpu-arch=sm_90 --cuda-device-only -nocudalib -Wall -Wextra -Wno-unknown-cuda-version \
  -S -o "$folder/clang.ptx" "$folder/k.cu" 2>"$folder/said" || { cat "$folder/said" >&2; exit 1; }

say() { # what, file
  printf '%s:\n' "$1"
  grep -oE '\.(entry _Z[a-zA-Z0-9]*|explicitcluster|reqnctapercluster.*|maxntid.*|maxclusterrank.*)' "$2" | sed 's/^/  /'
}
say nvcc "$folder/nvcc.ptx"
say clang "$folder/clang.ptx"
changed() { echo "changed: $1" >&2; exit 1; }
grep -q 'reqnctapercluster 2' "$folder/nvcc.ptx" || changed "nvcc says nothing of the cluster"
[ ! -s "$folder/said" ] || { cat "$folder/said" >&2; changed "clang says something"; }
! grep -qE 'explicitcluster|reqnctapercluster' "$folder/clang.ptx" || changed "clang compiles the attribute"
grep -q 'maxclusterrank 4' "$folder/clang.ptx" || changed "clang drops the bounds as well"
