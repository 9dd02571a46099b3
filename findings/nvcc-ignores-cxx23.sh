#!/usr/bin/env bash
# `nvcc -std=c++23` of 13.5 compiles C++17 where the host compiler is g++ 12, with a warning and status 0.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.5.37 and 13.0.88 from PyPI, g++ 12.2 (Debian 12), x86-64 Linux
# Guess:     a standard that the host compiler lacks is refused, as 13.0 refuses c++23 altogether; or, as g++ 12 has
#            `-std=c++23` itself, the code is C++23; at worst it is the newest below, C++20.
# Behaviour: the flag is left out of all commands, so that host and device code are C++17, nvcc's own default, and less
#            than what `-std=c++20` gives. `if consteval` and all that asks for `__cplusplus` take the other branch.
#            CMake's CUDA_STANDARD 23 passes the flag on, and the build passes.
# Matters:   to those who move a build from c++20 to c++23 (they go back to C++17), to libraries whose headers choose a layout
#            by `__cplusplus`, and to tools that read a compile command instead of the preprocessed source.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ --version | head -n 1
case $(g++ -dumpversion) in 12*) ;; *) echo "g++ 12 is needed" >&2; exit 2 ;; esac
python3 -m venv "$folder/venv"
install() { # release, release of the runtime's package
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2"
}
install 13.5.37 13.5.37
install 13.0.88 13.0.96

cat >"$folder/standard.cu" <<'CUDA'
standard __cplusplus
CUDA

standard() { # release, flags: what `__cplusplus` is in a source that is preprocessed with them
  local release=$1
  shift
  "$(find "$folder/$release" -path '*/bin/nvcc')" "$@" -E "$folder/standard.cu" 2>"$folder/said" | sed -n 's/^standard //p'
}

expect() { # expected, release, flags
  local expected=$1 seen
  shift
  seen=$(standard "$@" || true)
  printf '%-10s %-14s %s\n' "$1" "${*:2}" "${seen:-refused: $(tail -n 1 "$folder/said")}"
  [ "$seen" = "$expected" ] || { echo "changed: expected ${expected:-a refusal}" >&2; exit 1; }
}

expect 201703L 13.5.37
expect 202002L 13.5.37 -std=c++20
expect 201703L 13.5.37 -std=c++23
grep 'will be ignored' "$folder/said"
expect '' 13.0.88 -std=c++23
# g++ itself has it.
printf 'standard __cplusplus\n' | g++ -std=c++23 -E -x c++ - | sed -n 's/^standard /g++ -std=c++23: /p'
