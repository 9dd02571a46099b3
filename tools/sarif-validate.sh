#!/bin/bash
# Installs Microsoft's SARIF validator (npm), pinned, in .deps of this checkout, and prints its path.
set -euo pipefail
version=5.7.0
cd "$(dirname "$0")/.."
home=.deps/sarif-multitool-$version
tool=$home/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
if [ ! -x "$tool" ]; then
  command -v npm >/dev/null || { echo "npm is missing: install it (apt-get install npm), then run make sarif-validate" >&2; exit 1; }
  mkdir -p "$home"
  # Without scripts of packages: the only one makes this file executable.
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$home" "@microsoft/sarif-multitool@$version" >&2
  chmod u+x "$tool"
fi
echo "$PWD/$tool"
