#!/usr/bin/env bash
# tools/packaging/cover.sh WORK CHECKOUT COMMAND…: in a mount namespace of its own, covers LLVM, Z3 and the build of CHECKOUT by what is empty in
# WORK, and runs COMMAND, so that it sees a machine on which they were never installed.
set -euo pipefail
work=$1 checkout=$2
shift 2
mkdir -p "$work/empty"
: >"$work/nothing"
for folder in /usr/lib/llvm-* /usr/local/lib/scuba "$checkout/target" "$checkout/dist" "$checkout/.deps/cuda/z3"; do
  if [ -d "$folder" ]; then mount --bind "$work/empty" "$folder"; fi
done
for file in /usr/lib/x86_64-linux-gnu/lib{LLVM,clang,z3}*.so*; do
  if [ -f "$file" ] && [ ! -L "$file" ]; then mount --bind "$work/nothing" "$file"; fi
done
if clang++-22 --version >/dev/null 2>&1; then
  echo "cover.sh: clang++-22 still runs" >&2
  exit 1
fi
exec "$@"
