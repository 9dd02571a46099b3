#!/usr/bin/env bash
# tools/find-mdbook.sh: prints the path of mdBook, which SCUBA_MDBOOK names, `tools/setup.sh book` installed, or PATH has; fails if there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

pin=$(sed -n 's/^mdbook_pin=//p' tools/setup.sh)
for program in "${SCUBA_MDBOOK:-}" "$PWD/.deps/mdbook-$pin/bin/mdbook"; do
  if [ -n "$program" ] && [ -x "$program" ]; then
    echo "$program"
    exit
  fi
done
command -v mdbook
