#!/usr/bin/env bash
# The order of `-use_fast_math` and its single options means nothing to nvcc: an earlier `-ftz=false` survives a later `-use_fast_math`.
#
# Versions:  nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm 13.0.88 and 13.5.37 from PyPI, x86-64 Linux
# Guess:     the last option wins, as with -ffast-math of g++ and clang, and as nvcc has it of one option given twice ("incompatible
#            redefinition ..., the last value of this option was used").
# Behaviour: `-use_fast_math` sets what no option names, wherever it stands. After `-ftz=false -prec-div=true -prec-sqrt=true` it
#            changes none of the three, and -fmad=false keeps products separate; only sinf and the like become fast. No warning.
# Matters:   to those who append `-use_fast_math` for one target to flags of a project that name -prec-div or -ftz, and measure no
#            gain; and to those who compare builds by their flags.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
install() { # release, release of the runtime's package
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" \
    "nvidia-cuda-nvcc==$1" "nvidia-cuda-crt==$1" "nvidia-nvvm==$1" "nvidia-cuda-runtime==$2"
}
install 13.0.88 13.0.96
install 13.5.37 13.5.37

cat >"$folder/k.cu" <<'CUDA'
__global__ void k(float *a) {
  a[0] = a[1] / a[2];
  a[3] = sqrtf(a[4]);
  a[5] = a[6] * a[7] + a[8];
}
__global__ void s(float *a) { *a = sinf(*a); }
CUDA

operations() { # flags
  "$nvcc" -arch=sm_90 "$@" -ptx -o "$folder/k.ptx" "$folder/k.cu" 2>"$folder/said"
  [ ! -s "$folder/said" ] || { cat "$folder/said" >&2; echo "changed: nvcc says something" >&2; exit 1; }
  sed -n '/entry _Z1kPf/,/^}/p' "$folder/k.ptx" | grep -oE '(div|sqrt|fma|mul|add)\.[a-z.]*f32' | sed 's/\.f32//' | tr '\n' ' '
  grep -q 'sin\.approx' "$folder/k.ptx" && echo sin.approx || echo sin
}

expect() { # operations, flags
  local expected=$1 seen
  shift
  seen=$(operations "$@")
  printf '  %-62s %s\n' "$*" "$seen"
  [ "$seen" = "$expected" ] || { echo "changed: expected $expected" >&2; exit 1; }
}

for release in 13.0.88 13.5.37; do
  nvcc=$(find "$folder/$release" -path '*/bin/nvcc')
  echo "nvcc $release:"
  expect 'div.rn sqrt.rn fma.rn sin'
  expect 'div.approx.ftz sqrt.approx.ftz fma.rn.ftz sin.approx' -use_fast_math
  expect 'div.rn sqrt.rn fma.rn sin.approx' -use_fast_math -ftz=false -prec-div=true -prec-sqrt=true
  expect 'div.rn sqrt.rn fma.rn sin.approx' -ftz=false -prec-div=true -prec-sqrt=true -use_fast_math
  expect 'div.approx.ftz sqrt.approx.ftz mul.rn.ftz add.rn.ftz sin.approx' -fmad=false -use_fast_math
done
# The same question to g++: the last option wins.
for flags in '-ffast-math -fmath-errno' '-fmath-errno -ffast-math'; do
  # shellcheck disable=SC2086
  printf 'g++ %-58s %s\n' "$flags" "$(g++ $flags -dM -E -x c++ /dev/null | grep -c __NO_MATH_ERRNO__ || true) __NO_MATH_ERRNO__"
done
