#!/usr/bin/env bash
# tools/packaging/test-wheel.sh WHEEL [NVCC]: installs WHEEL into an empty virtual environment and finds a bug with it where neither this
# checkout's build nor LLVM 22, nor Z3, can be opened: in a mount namespace in which they are covered (as root, or where users may make
# one). Without that it is seen by strace, if there is one, that no such file was opened. NVCC: the one of .deps by default.
set -euo pipefail
cd "$(dirname "$0")/../.."

wheel=$(readlink -f "$1")
nvcc=$(readlink -f "${2:-.deps/cuda/nvidia/cu13/bin/nvcc}")
[ -x "$nvcc" ] || { echo "test-wheel: there is no nvcc; run tools/setup.sh test" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --disable-pip-version-check --quiet --no-index --no-deps "$wheel"
cp -r examples/heat "$work/heat"

cat >"$work/make.sh" <<'INSIDE'
#!/usr/bin/env bash
# WORK NVCC
set -euo pipefail
work=$1 nvcc=$2
fail() { printf 'test-wheel: %s\n' "$*" >&2; exit 1; }

# Nothing but the environment's programs, the system's, and what this nvcc is named by.
cd "$work"
clean() { env -i HOME="$work" PATH="$work/venv/bin:/usr/bin:/bin" SCUBA_NVCC="$nvcc" CUDACXX="$nvcc" SCUBA_CACHE="$work/cache" "$@"; }
prefix=$(readlink -f venv)

clean scuba doctor >doctor.out || { cat doctor.out; fail "scuba doctor misses something"; }
for place in bin/scuba bin/scuba-nvcc lib/scuba/bin/clang++-22 lib/cmake/scuba include/scuba.mk include/scuba.h; do
  grep -qF "$prefix/$place" doctor.out || { cat doctor.out; fail "scuba doctor does not name $place"; }
done

# A build by CMake; the package is found because the environment's bin/ is in PATH.
build() { # NAME, more of CMake's arguments
  clean cmake -S heat -B "$1" -G Ninja -DCMAKE_CUDA_ARCHITECTURES=80 "${@:2}" >"$1.configured" 2>&1 || { cat "$1.configured"; fail "CMake failed"; }
  ! clean cmake --build "$1" >"$1.built" 2>&1 || { cat "$1.built"; fail "$1: the build passed, and there is a bug in it"; }
  grep -q 'error\[oob-global\]' "$1.built" || { cat "$1.built"; fail "$1: the bug was not found"; }
  clean scuba check "$1" --message-format json >"$1.json" 2>"$1.err" || [ $? = 1 ] || { cat "$1.err"; fail "scuba check failed"; }
  python3 - "$1.json" "$1" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
proved = [f for f in report["findings"] if f["verdict"] == "proved" and f["level"] == "deny" and f["witness"]["inputs"]]
assert proved and not report["not_analysed"], report
inputs = ", ".join(f"{i['name']} = {i['value']}" for i in proved[0]["witness"]["inputs"])
print(f"{sys.argv[2]}: {len(proved)} findings proved by {report['tool']['frontend']}, Z3 {report['tool']['z3']}; the first with {inputs}")
PYTHON
}
build launcher -DCMAKE_CUDA_COMPILER_LAUNCHER=scuba-nvcc
sed -i 's/^project(.*/&\nfind_package(scuba REQUIRED)/' heat/CMakeLists.txt
build package

# The Make fragment and the pages.
echo 'int main() { return 0; }' >plain.cu
printf 'include scuba.mk\nplain: plain.cu\n\t$(NVCC) -I%s/include -o $@ $<\n' "$prefix" >Makefile
clean make -I "$prefix/include" NVCC="$nvcc" >make.out 2>&1 || { cat make.out; fail "scuba.mk does not work"; }
[ -x plain ] || fail "make left no program"
[ ! -e "$prefix/share/man" ] || [ -e "$prefix/share/man/man1/scuba.1" ] || fail "there is no manual page"
INSIDE

run=(bash "$work/make.sh" "$work" "$nvcc")
covered=(tools/packaging/cover.sh "$work" "$PWD" "${run[@]}")
if unshare -m true 2>/dev/null; then
  how="LLVM, Z3 and the build were covered in a mount namespace"
  unshare -m "${covered[@]}"
elif unshare -r -m true 2>/dev/null; then
  how="LLVM, Z3 and the build were covered in a user's mount namespace"
  unshare -r -m "${covered[@]}"
elif command -v strace >/dev/null; then
  how="no file of LLVM, Z3 or the build was opened"
  strace -f -qq -e trace=open,openat,execve -o "$work/trace" "${run[@]}"
  if grep -vE ' = -1 | resumed' "$work/trace" | grep -E '"(/usr/lib/llvm-|[^"]*/lib(LLVM|clang|z3)[^"/]*"|'"$PWD"'/(target|dist)/)' | grep -vF "\"$work/"; then
    echo "test-wheel: these files are not the wheel's (above)" >&2
    exit 1
  fi
else
  echo "test-wheel: neither a mount namespace can be made nor is there strace: nothing would be shown" >&2
  exit 2
fi
echo "$(basename "$wheel"): found the bug of examples/heat from a virtual environment; $how"
