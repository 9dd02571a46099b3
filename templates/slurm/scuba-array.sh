#!/bin/bash
# One check as an array of Slurm jobs, and one report of it. Where jobs are submitted, in the folder of scuba.toml:
#
#     scuba-array.sh TASKS BUILD OUT [options of scuba check]
#
# Task I of TASKS checks every TASKS-th program of the build folder BUILD, which all nodes see at the same path, and writes its
# document to OUT; the job behind them merges the documents. It writes OUT/report.txt and OUT/report.sarif, and its status is that
# of one `scuba check`: 0 if nothing is denied, 1 if something is, 2 if a task has no document. The number of that job is printed.
# Options for Slurm come by its own variables (SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT).
#
# In an array of one's own (`#SBATCH --array=…`, any first number and step): `scuba-array.sh task BUILD OUT …` in each task,
# `scuba-array.sh merge OUT` behind all. A retried task replaces its document.
set -euo pipefail

usage() {
  sed -n 's/^#     //p' "$0" >&2
  exit 2
}

# Arguments: build folder, folder of documents, options.
task() {
  local build=$1 out=$2 first=${SLURM_ARRAY_TASK_MIN:-1} step=${SLURM_ARRAY_TASK_STEP:-1} status=0
  shift 2
  local all=${SLURM_ARRAY_TASK_COUNT:?not a task of a Slurm array} number=$(((SLURM_ARRAY_TASK_ID - first) / step + 1))
  mkdir -p "$out"
  scuba check "$build" --shard "$number/$all" -j "${SLURM_CPUS_PER_TASK:-1}" --message-format json "$@" >"$out/$number.part" || status=$?
  # A denied finding is a result: the merged report has it. Without a document the task has failed.
  if [ "$status" -gt 1 ]; then exit "$status"; fi
  mv "$out/$number.part" "$out/$number.json"
}

# Argument: folder of documents.
merge() {
  local status=0
  scuba merge "$1"/*.json --message-format sarif >"$1/report.sarif" || status=$?
  if [ "$status" -gt 1 ]; then exit "$status"; fi
  scuba merge "$1"/*.json --color never 2>&1 | tee "$1/report.txt" || status=${PIPESTATUS[0]}
  exit "$status"
}

case ${1:-} in
  task) [ $# -ge 3 ] || usage; shift; task "$@" ;;
  merge) [ $# = 2 ] || usage; merge "$2" ;;
  '' | *[!0-9]*) usage ;;
  *)
    [ $# -ge 3 ] || usage
    tasks=$1 out=$3
    mkdir -p "$out"
    rm -f "$out"/*.json "$out"/*.part "$out"/report.*
    array=$(sbatch --parsable --job-name=scuba --array="1-$tasks" --output="$out/%a.log" "$0" task "${@:2}")
    sbatch --parsable --job-name=scuba-merge --dependency="afterany:$array" --output="$out/merge.log" "$0" merge "$out"
    ;;
esac
