#!/bin/bash
# Installs pre-commit (PyPI), pinned, in .deps of this checkout, and prints its path.
set -euo pipefail
version=4.7.0
cd "$(dirname "$0")/.."
home=.deps/pre-commit-$version
if [ ! -x "$home/bin/pre-commit" ]; then
  python3 -m venv "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check "pre-commit==$version" >&2
fi
echo "$PWD/$home/bin/pre-commit"
