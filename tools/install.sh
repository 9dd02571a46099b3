#!/usr/bin/env bash
# tools/install.sh DIST PREFIX: DIST (of tools/dist.sh), which is laid out as a prefix, into PREFIX: programs, clang and libraries,
# CMake package, Make fragment and header where each is looked for.
set -euo pipefail

dist=$1 prefix=$2
fail() { printf 'make install: %s\n' "$*" >&2; exit 1; }

mkdir -p "$prefix/bin" "$prefix/lib" 2>/dev/null && [ -w "$prefix/bin" ] && [ -w "$prefix/lib" ] ||
  fail "may not write to $prefix; as root, or: make install PREFIX=\$HOME/.local"
# What another version left; folders that are wholly ours.
rm -rf "$prefix/lib/scuba" "$prefix/lib/cmake/scuba" "$prefix/share/doc/scuba"
# All but what makes the folder a repository of Bazel.
cp -r --remove-destination "$dist"/{bin,lib,include,share} "$prefix"
printf 'installed %s\n' "$prefix"/bin/scuba{,-nvcc,-extract,-cache-remote}

# Headers for the user who will build, so that the first build need not precompile them. Nothing depends on it.
if [ -z "${DESTDIR:-}" ]; then
  as_user=()
  [ "$(id -u)" = 0 ] && [ -n "${SUDO_USER:-}" ] && command -v sudo >/dev/null && as_user=(sudo -u "$SUDO_USER" -H)
  "${as_user[@]}" "$prefix/bin/scuba" warm || printf 'make install: no headers were precompiled; `scuba warm` tries again\n' >&2
fi
