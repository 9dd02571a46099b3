#!/usr/bin/env bash
# Builds the bundled example through scuba-nvcc, checks that the build fails for exactly the bug that is in it, then builds
# a copy with the missing guard put in. Leaves everything in target/demo. Wants `make build` to have run.
set -euo pipefail
cd "$(dirname "$0")/.."

release=$PWD/target/release
source=examples/heat/app/main.cu
demo=$PWD/target/demo
# What the findings must point at, as written in the example; and the statement before which the guard belongs.
bad=('sum += field[y * nx + x];' 'means[x] = sum / ny;')
guard_before='float sum = 0.0f;'

say() { printf '%s\n' "$*"; }
fail() { printf '\nmake demo: %s\n' "$*" >&2; exit 1; }

# Settings of the caller's own builds are not the example's.
nvcc=$(tools/find-nvcc.sh) || fail "no nvcc found; run \`make setup\`"
unset "${!SCUBA_@}" CUDACXX NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS

configure() { # source build
  if ! cmake -S "$1" -B "$2" -G Ninja -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_COMPILER_LAUNCHER="$release/scuba-nvcc" \
    -DCMAKE_CUDA_ARCHITECTURES=80 >"$2.log" 2>&1; then
    cat "$2.log"
    fail "CMake could not configure $1 (its output is above)"
  fi
}

mkdir -p "$demo"

say "── examples/heat, a CMake project of four .cu files, built by $nvcc through scuba-nvcc:"
say "     cmake -S examples/heat -B target/demo/build -G Ninja -DCMAKE_CUDA_COMPILER_LAUNCHER=target/release/scuba-nvcc"
say "     cmake --build target/demo/build"
say
configure examples/heat "$demo/build"
# From scratch each time: an object that another version of the analysis let pass would not be compiled again.
rm -rf "$demo/build/.scuba"
if cmake --build "$demo/build" --clean-first 2>&1 | tee "$demo/build.out"; then
  fail "the build passed, but the example has an out-of-bounds access that must fail it"
fi

"$release/scuba" check "$demo/build" --message-format json >"$demo/findings.json" 2>"$demo/check.err" || [ $? = 1 ] || {
  cat "$demo/check.err" >&2
  fail "\`scuba check target/demo/build\` could not read what the build left"
}
lines=()
for statement in "${bad[@]}"; do
  lines+=("$(grep -nF "$statement" "$source" | cut -d: -f1)")
done
python3 - "$demo/findings.json" "$source" "${lines[@]}" <<'PYTHON' || fail "the build failed, but not for the bug that is in the example (see above)"
import json, sys

path, source, *lines = sys.argv[1:]
report = json.load(open(path))
denied = [f for f in report["findings"] if f["level"] == "deny"]
found = sorted({(f["rule"], f["access"]["file"].rsplit("/", 1)[-1], f["access"]["line"]) for f in denied})
expected = sorted(("oob-global", source.rsplit("/", 1)[-1], int(line)) for line in lines)
if found != expected:
    sys.exit(f"denied findings: {found}\nexpected:        {expected}")
for finding in denied:
    if finding["verdict"] != "proved" or not finding["witness"]["inputs"]:
        sys.exit(f"not proved by concrete inputs: {finding}")
PYTHON
if [ -e "$demo/build/CMakeFiles/heat.dir/app/main.cu.o" ]; then
  fail "the object of the translation unit with the bug was left behind: the next build would pass over it"
fi

say
say "── What happened: nvcc compiled everything, and scuba-nvcc looked at each file beside it. In app/main.cu it proved that"
say "   column_means goes beyond its buffers when the number of columns is no multiple of 128, with the arguments shown"
say "   above; the program's default, 512, and every test with a round number never get there. So that compile failed, its"
say "   object was removed, and the library's three files, whose kernels are guarded, were built as always."
say

rm -rf "$demo/fixed-source"
cp -r examples/heat "$demo/fixed-source"
sed -i "s|^\( *\)\($guard_before\)|\1if (x >= nx)\n\1    return;\n\1\2|" "$demo/fixed-source/app/main.cu"
cmp -s "$source" "$demo/fixed-source/app/main.cu" && fail "the guard could not be put into the copy of $source"
say "── The same project with the guard \`if (x >= nx) return;\` put in front of that loop:"
say
configure "$demo/fixed-source" "$demo/fixed"
say "     scuba build -- cmake --build target/demo/fixed"
say
# An object that an earlier demonstration made has been checked already; this one shows the whole build.
rm -rf "$demo/fixed/.scuba"
"$release/scuba" build -- cmake --build "$demo/fixed" --clean-first 2>&1 | tee "$demo/fixed.out" || fail "the corrected example must build, and did not"
[ -x "$demo/fixed/heat" ] || fail "the corrected example was built, but its program is not there"
"$release/scuba" check "$demo/fixed" --message-format json >"$demo/fixed.json" || fail "\`scuba check target/demo/fixed\` failed"
python3 - "$demo/fixed.json" <<'PYTHON' || fail "the corrected example has accesses that are not decided"
import json, sys

report = json.load(open(sys.argv[1]))
summary = report["summary"]
if report["findings"] or summary["unknown"] or summary.get("unseen") or not summary["accesses"]:
    sys.exit(f"findings {len(report['findings'])}, undecided {report['undecided']}, unseen {report.get('unseen')}")
PYTHON
say
say "── It passes, with every access decided. To use it on a project of yours:"
say "     export PATH=$release:\$PATH"
say "     scuba build -- cmake --build build     # or make -j8, or pip install .: any build, also of a configured project"
say "     find_package(scuba)                    # in CMakeLists.txt: in every build"
