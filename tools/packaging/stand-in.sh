#!/usr/bin/env bash
# tools/packaging/stand-in.sh LIBRARY USER…: replaces LIBRARY, in place, by one that has the names which the libraries USER take from it
# and does nothing: whoever calls one is ended with a message.
#
# LLVM is linked with Z3 for clang's static analyzer and with libxml2 for manifests of Windows programs. Neither is ever called where
# sources are only read, and with what libxml2 itself needs (ICU) they are a fifth of all that is brought along.
set -euo pipefail

library=$1
shift
name=$(basename "$library")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# SYMBOL VERSION of LIBRARY that someone takes from there; `-` for no version.
nm -D --defined-only --with-symbol-versions "$library" | awk '{print $NF}' | sed 's/@.*//' | sort -u >"$work/defined"
for user in "$@"; do nm -D --undefined-only --with-symbol-versions "$user"; done | awk '{print $NF}' | sort -u |
  sed 's/@@*/ /; t; s/$/ -/' | while read -r symbol version; do
  if grep -qx -- "$symbol" "$work/defined"; then printf '%s %s\n' "$symbol" "$version"; fi
done >"$work/taken"
[ -s "$work/taken" ] || { echo "stand-in: nothing takes anything from $name" >&2; exit 1; }

{
  printf '#include <unistd.h>\n'
  printf 'static void ended(void) { static const char text[] = "scuba: %s is a stand-in and was called\\n"; ' "$name"
  printf 'if (write(2, text, sizeof text - 1)) {} _exit(127); }\n'
  while read -r symbol _; do printf 'void %s(void) { ended(); }\n' "$symbol"; done <"$work/taken"
} >"$work/stand-in.c"
: >"$work/versions"
for version in $(cut -d' ' -f2 "$work/taken" | sort -u); do
  [ "$version" != - ] || continue
  printf '%s { global: %s };\n' "$version" "$(awk -v v="$version" '$2 == v {printf "%s; ", $1}' "$work/taken")" >>"$work/versions"
done
flags=()
if [ -s "$work/versions" ]; then flags=("-Wl,--version-script=$work/versions"); fi
"${CC:-cc}" -O2 -fno-builtin -w -shared -fPIC -Wl,-soname,"$name" "${flags[@]}" -o "$work/made" "$work/stand-in.c"
strip "$work/made"
install -m 644 "$work/made" "$library"
