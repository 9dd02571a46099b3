#!/usr/bin/env bash
# templates/ci/pre-commit.sh build [OPTIONS of scuba check…]
# templates/ci/pre-commit.sh files [NVCC-FLAGS…] -- FILE…
#
# Fails a commit for findings that concern lines changed since HEAD; for all findings in a repository without a commit.
set -u
mode=$1
shift
since=
if git rev-parse --quiet --verify HEAD >/dev/null; then since=HEAD; fi

if [ "$mode" = build ]; then
  exec scuba check --quiet --diff-base "$since" "$@"
fi

flags=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  flags+=("$1")
  shift
done
shift
status=0
for file; do
  scuba check --quiet --diff-base "$since" "$file" -- "${flags[@]}" || status=$?
done
exit $status
