#!/usr/bin/env bash
# tools/packaging/documents.sh SCUBA FOLDER: what users read, into FOLDER: the example of settings, the changes, the pages of docs/ with the
# schemas, and the book where mdBook is there.
set -euo pipefail
scuba=$(readlink -f "$1") folder=$(mkdir -p "$2" && readlink -f "$2")
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if mdbook=$(tools/find-mdbook.sh); then
  python3 -B tools/book.py --scuba "$scuba" --out "$work" --mdbook "$mdbook"
  rm -rf "$folder/book"
  cp -r "$work/book" "$folder/book"
else
  python3 -B tools/book.py --scuba "$scuba" --out "$work"
fi
rm -rf "$folder/docs"
cp -r "$work/pages" "$folder/docs"
rm "$folder/docs/SUMMARY.md"
install -m 644 scuba.toml.example CHANGELOG.md "$folder"
