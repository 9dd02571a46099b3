#!/usr/bin/env bash
# tools/install.sh DIST PREFIX: DIST (of tools/dist.sh) as PREFIX/lib/scuba, with its programs linked from PREFIX/bin, its CMake
# package from PREFIX/lib/cmake and its Make fragment from PREFIX/include.
set -euo pipefail

dist=$1 prefix=$2
fail() { printf 'make install: %s\n' "$*" >&2; exit 1; }

mkdir -p "$prefix/bin" "$prefix/lib" 2>/dev/null && [ -w "$prefix/bin" ] && [ -w "$prefix/lib" ] ||
  fail "may not write to $prefix; as root, or: make install PREFIX=\$HOME/.local"
rm -rf "$prefix/lib/scuba"
cp -r "$dist" "$prefix/lib/scuba"
for program in scuba scuba-nvcc scuba-extract; do
  ln -sfn "../lib/scuba/bin/$program" "$prefix/bin/$program"
done
# Where find_package(scuba), make's `include scuba.mk` and `#include <scuba.h>` look of their own accord.
mkdir -p "$prefix/lib/cmake" "$prefix/include"
ln -sfn ../scuba/lib/cmake/scuba "$prefix/lib/cmake/scuba"
ln -sfn ../lib/scuba/include/scuba.mk "$prefix/include/scuba.mk"
ln -sfn ../lib/scuba/include/scuba.h "$prefix/include/scuba.h"
printf 'installed %s\n' "$prefix"/bin/scuba{,-nvcc,-extract}
