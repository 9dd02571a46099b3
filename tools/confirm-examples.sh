#!/usr/bin/env bash
# tools/confirm-examples.sh FOLDER [PROGRAM-FOLDER FLAGS…]: a folder to carry to a machine with a GPU, the CUDA toolkit and
# `scuba` (of `make dist`): the counterexamples of our own examples, and of one program elsewhere, as bundles. There run
#
#   FOLDER/run.sh [path of scuba]
#
# which runs all bundles and says in FOLDER/summary.txt what became of each finding.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
to=$(mkdir -p "$1" && cd "$1" && pwd)
shift
scuba=${SCUBA:-$here/target/release/scuba}
[ -x "$scuba" ] || { echo "there is no $scuba: run make build, or set SCUBA" >&2; exit 2; }
export SCUBA_NVCC=${SCUBA_NVCC:-$here/.deps/cuda/nvidia/cu13/bin/nvcc} SCUBA_DIR=$to
mkdir -p "$to/bundles"

bundle() { # NAME FILES -- FLAGS, in the current folder; a program without findings makes none. Of every rule, also those that warn
  local name=$1
  shift
  [ ! -e "$to/bundles/$name" ] || return 0
  "$scuba" confirm -q -D all --bundle "$to/bundles/$name" "$@" 2>&1 | sed "s/^/$name: /" >&2 || true
}

cd "$here/tests/confirm/programs"
for file in *.cu; do bundle "${file%.cu}" "$file" -- -O3 -Iinc; done
cd "$here/tests/ui"
for file in */*.cu; do bundle "$(echo "${file%.cu}" | tr / -)" "$file" -- -O3; done
cd "$here/examples/heat"
bundle heat app/main.cu kernels/*.cu -- -O3 -Iinclude
if [ $# -gt 0 ]; then
  cd "$1"
  shift
  bundle "$(basename "$PWD")" ./*.cu -- "$@"
fi

cat >"$to/run.sh" <<'RUN'
#!/usr/bin/env bash
cd "$(dirname "$0")"
export SCUBA=${1:-${SCUBA:-scuba}}
for bundle in bundles/*/; do "$bundle/run.sh" -v 2>&1; done | grep -E '^scuba: (confirmed|not reproduced|inconclusive): ' | tee summary.txt
for word in confirmed 'not reproduced' inconclusive; do echo "$word: $(grep -c "^scuba: $word: " summary.txt)"; done
RUN
chmod +x "$to/run.sh"
echo "$(find "$to/bundles" -name manifest.json | wc -l) bundles are in $to; run $to/run.sh where there is a GPU" >&2
