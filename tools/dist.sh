#!/usr/bin/env bash
# tools/dist.sh FOLDER: all that SCuBA needs but nvcc, as a folder that can be copied anywhere, laid out as a prefix:
#   FOLDER/bin/{scuba,scuba-nvcc,scuba-extract,scuba-cache-remote}
#   FOLDER/lib/scuba/bin/clang++-22     the clang that reads sources, FOLDER/lib/scuba/lib/clang/22 its headers
#   FOLDER/lib/scuba/lib/…              the libraries of all of these: LLVM, Z3, and theirs
#   FOLDER/lib/cmake/scuba              find_package(scuba)
#   FOLDER/include/{scuba.mk,scuba.h}   FOLDER/share/doc/scuba: README, scuba.toml.example, changes, pages of docs/, the book, licences
#   FOLDER/{MODULE,BUILD}.bazel, WORKSPACE, scuba.bzl   the folder as a repository of Bazel, with the aspect; not installed under a prefix
#   FOLDER/share/{man,bash-completion,zsh,fish}/…   pages and completions
# Libraries and clang are found from where the programs lie ($ORIGIN). glibc stays the machine's own, as do nvcc and the host's g++.
#
# In the environment: SCUBA_RELEASE, the folder of the binaries (target/release); SCUBA_CLANG, the clang to take (clang++-22 of PATH);
# SCUBA_LICENCES, a folder with a file PACKAGE for each library that came from no Debian package.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
release=${SCUBA_RELEASE:-target/release}
clang=${SCUBA_CLANG:-clang++-22}
fail() { printf 'make dist: %s\n' "$*" >&2; exit 1; }

# Of a binary or library, the libraries to take along: name and path, everything that is not glibc's. A library links
# under names that only it uses, so all of them are copied by the name they are asked for.
libraries_of() {
  local name path
  ldd "$1" | while read -r name _ path _; do
    case $name in
      linux-vdso.*|statically|/*|libc.so.*|libm.so.*|libdl.so.*|librt.so.*|libpthread.so.*|libresolv.so.*|libutil.so.*|ld-linux*) ;;
      *)
        [ -e "$path" ] || fail "$1 needs $name, which was not found"
        printf '%s %s\n' "$name" "$path" ;;
    esac
  done
}

new=$folder.new
own=$new/lib/scuba
doc=$new/share/doc/scuba
rm -rf "$new"
mkdir -p "$new/bin" "$own/bin" "$own/lib" "$doc/licences"

take() { # FROM TO RPATH
  install -m 755 "$1" "$2"
  libraries_of "$1" >>"$new/needed" # the loader resolves the libraries' own needs too
  strip --strip-debug "$2"
  patchelf --set-rpath "$3" "$2"
}
for binary in scuba scuba-nvcc scuba-extract scuba-cache-remote; do take "$release/$binary" "$new/bin/$binary" '$ORIGIN/../lib/scuba/lib'; done
clang=$(readlink -f "$(command -v "$clang")") || fail "there is no $clang"
take "$clang" "$own/bin/clang++-22" '$ORIGIN/../lib'
headers=$("$clang" -print-resource-dir)/include
[ -e "$headers/__clang_cuda_runtime_wrapper.h" ] || fail "$clang has no headers for CUDA in $headers"
mkdir -p "$own/lib/clang/22"
cp -rL --no-preserve=ownership "$headers" "$own/lib/clang/22/include"
sort -u -k1,1 "$new/needed" | while read -r name path; do
  install -m 644 "$path" "$own/lib/$name"
  patchelf --set-rpath '$ORIGIN' "$own/lib/$name"
done

# What LLVM is linked with and never calls here; then what nothing needs any more.
for name in libz3.so.4 libxml2.so.2; do
  if [ -e "$own/lib/$name" ]; then tools/packaging/stand-in.sh "$own/lib/$name" "$own"/lib/lib{LLVM,clang-cpp}.so.*; fi
done
needed_by() { readelf -d "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u; }
while :; do
  unneeded=$(comm -23 <(cd "$own/lib" && ls -- *.so* | sort) <(needed_by "$new"/bin/* "$own"/bin/* "$own"/lib/*.so* | sort))
  [ -n "$unneeded" ] || break
  for name in $unneeded; do
    rm "$own/lib/$name"
    sed -i "\\|^$name |d" "$new/needed"
  done
done
for name in libz3.so.4 libxml2.so.2; do sed -i "\\|^$name |d" "$new/needed"; done # nothing of theirs is left, so no licence

install -D -m 644 templates/cmake/scubaConfig.cmake "$new/lib/cmake/scuba/scubaConfig.cmake"
install -D -m 644 templates/make/scuba.mk "$new/include/scuba.mk"
install -m 644 src/contracts/header/scuba.h "$new/include/scuba.h"
install -m 644 templates/bazel/{BUILD.bazel,MODULE.bazel,WORKSPACE,scuba.bzl} "$new"
version=$("$release/scuba" --version | cut -d' ' -f2)
sed -i "s/@VERSION@/$version/" "$new/MODULE.bazel"
"$release/scuba" __pages "$new"
tools/packaging/documents.sh "$release/scuba" "$doc"

# ---- licences: a file for each package that something was taken from --------------------------------------------------

install -m 644 LICENSE-APACHE LICENSE-MIT "$doc/licences/"
package_of() { # a library or program → the name of its package, or nothing
  dpkg -S "$1" 2>/dev/null || dpkg -S "$(readlink -f "$1")" 2>/dev/null || { [[ $1 == /lib/* ]] && dpkg -S "/usr$1" 2>/dev/null; } || true
}
{ cut -d' ' -f2 "$new/needed"; echo "$clang"; } | sort -u | while read -r path; do
  package=$(package_of "$path" | head -n1 | cut -d: -f1)
  if [ -n "$package" ] && [ -e "/usr/share/doc/$package/copyright" ]; then
    install -m 644 "/usr/share/doc/$package/copyright" "$doc/licences/$package"
    continue
  fi
  # Not of a Debian package: by the library's name.
  name=$(basename "$path" | sed 's/[.-][0-9.]*so.*//; s/\.so.*//')
  case $name in libz3) other=/usr/share/doc/libz3-4/copyright ;; *) other= ;; esac # Z3 has one licence, whoever builds it
  for text in "${SCUBA_LICENCES:-/nowhere}/$name" $other; do
    if [ -e "$text" ]; then install -m 644 "$text" "$doc/licences/$name"; continue 2; fi
  done
  fail "the licence of $path is not known: put it into a file $name of a folder, and name that by SCUBA_LICENCES"
done
rm "$new/needed"
cat >"$doc/README" <<'README'
SCuBA: put bin/ on PATH, or link its programs from a folder that is. Keep lib/ beside bin/.
CMake: find_package(scuba) with this folder in CMAKE_PREFIX_PATH. Make: include include/scuba.mk after NVCC and CXX are set.
Bazel: this folder is a repository; scuba.bzl says how it is used.
Needed besides: the nvcc that your builds use, and the g++ that nvcc needs.
`scuba doctor` says what is found.
README

# ---- seen from another place, with nothing of this checkout in the paths: everything resolves, and beside glibc to the copies ----

elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
cp -r "$new" "$elsewhere/moved"
moved=$(readlink -f "$elsewhere/moved")
for file in "$moved"/bin/* "$moved"/lib/scuba/bin/* "$moved"/lib/scuba/lib/*.so*; do
  ! readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -v '\[\$ORIGIN' || fail "$file still looks for libraries where it was built"
  ! ldd "$file" | grep 'not found' || fail "$file lacks a library (above)"
  libraries_of "$file" | while read -r name path; do
    case $(readlink -f "$path") in
      "$moved"/*) ;;
      *) fail "$(basename "$file") takes $name from $path" ;;
    esac
  done
done
(cd / && env -i "$moved/bin/scuba" --version >/dev/null) || fail "scuba does not start from the copied folder"
[ "$(env -i "$moved/lib/scuba/bin/clang++-22" -print-resource-dir)" = "$moved/lib/scuba/lib/clang/22" ] ||
  fail "the copied clang does not take its own headers"
{ env -i "$moved/bin/scuba" doctor || true; } | grep -q "^clang .* $moved/lib/scuba/bin/clang++-22 .*bundled" || fail "scuba does not find the copied clang"

rm -rf "$folder"
mv "$new" "$folder"
printf '%s: %s\n' "$folder" "$(du -sh "$folder" | cut -f1)"
