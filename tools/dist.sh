#!/usr/bin/env bash
# tools/dist.sh FOLDER: the release binaries with the libraries they need, as a folder that can be copied anywhere:
#   FOLDER/bin/{scuba,scuba-nvcc,scuba-extract}   FOLDER/lib/…   FOLDER/README
#   FOLDER/lib/cmake/scuba (find_package(scuba))   FOLDER/include/{scuba.mk,scuba.h}
# Libraries are found by $ORIGIN only. glibc stays the machine's own; clang and nvcc are looked up where they are used.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
fail() { printf 'make dist: %s\n' "$*" >&2; exit 1; }

# Of a binary or library, the libraries to take along: name and path, everything that is not glibc's. A library links
# under names that only it uses, so all of them are copied by the name they are asked for.
libraries_of() {
  local name path
  ldd "$1" | while read -r name _ path _; do
    case $name in
      linux-vdso.*|statically|/*|libc.so.*|libm.so.*|libdl.so.*|librt.so.*|libpthread.so.*|libresolv.so.*|ld-linux*) ;;
      *)
        [ -e "$path" ] || fail "$1 needs $name, which was not found"
        printf '%s %s\n' "$name" "$path" ;;
    esac
  done
}

new=$folder.new
rm -rf "$new"
mkdir -p "$new/bin" "$new/lib"
for binary in scuba scuba-nvcc scuba-extract; do
  install -m 755 "target/release/$binary" "$new/bin/$binary"
  libraries_of "target/release/$binary" >>"$new/needed" # the loader resolves the libraries' own needs too
  strip --strip-debug "$new/bin/$binary"
  patchelf --set-rpath '$ORIGIN/../lib' "$new/bin/$binary"
done
sort -u "$new/needed" | while read -r name path; do
  install -m 644 "$path" "$new/lib/$name"
  patchelf --set-rpath '$ORIGIN' "$new/lib/$name"
done
rm "$new/needed"
install -D -m 644 templates/cmake/scubaConfig.cmake "$new/lib/cmake/scuba/scubaConfig.cmake"
install -D -m 644 templates/make/scuba.mk "$new/include/scuba.mk"
install -m 644 src/contracts/header/scuba.h "$new/include/scuba.h"
cat >"$new/README" <<'README'
SCuBA: put bin/ on PATH, or link its programs from a folder that is. Keep lib/ beside bin/.
CMake: find_package(scuba) with this folder in CMAKE_PREFIX_PATH. Make: include include/scuba.mk after NVCC and CXX are set.
Needed besides: clang 22 (clang++-22; Debian: apt-get install clang-22), and the nvcc that your builds use.
`scuba doctor` says what is found.
README

# Seen from another place, with nothing of this checkout in the paths: everything resolves, and beside glibc to the copies.
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
cp -r "$new" "$elsewhere/moved"
for file in "$elsewhere"/moved/bin/* "$elsewhere"/moved/lib/*.so*; do
  ! readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -v '\[\$ORIGIN' || fail "$file still looks for libraries where it was built"
  ! ldd "$file" | grep 'not found' || fail "$file lacks a library (above)"
  libraries_of "$file" | while read -r name path; do
    case $(readlink -f "$path") in
      "$(readlink -f "$elsewhere")"/*) ;;
      *) fail "$(basename "$file") takes $name from $path" ;;
    esac
  done
done
(cd / && env -i "$elsewhere/moved/bin/scuba" --version >/dev/null) || fail "scuba does not start from the copied folder"

rm -rf "$folder"
mv "$new" "$folder"
printf '%s: %s\n' "$folder" "$(du -sh "$folder" | cut -f1)"
