#!/usr/bin/env bash
# check_with_warcio.sh WRITE_ARCHIVE WORK: writes an archive and has npm's warcio, which shares no
# code with us, read it, check its digests, and index it: its index must be ours, byte for byte.
# Exit code 77 (skipped) when warcio cannot be had.
set -euo pipefail
write_archive=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)

modules=$work/node
if ! command -v npm >/dev/null; then
  echo "skipped: npm is not installed (scripts/setup does that)"
  exit 77
fi
mkdir -p "$modules"
if ! cmp -s "$here/package-lock.json" "$modules/installed"; then
  cp "$here/package.json" "$here/package-lock.json" "$modules/"
  if ! npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1; then
    tail -n 3 "$work/npm.log"
    echo "skipped: npm cannot install warcio here"
    exit 77
  fi
  cp "$here/package-lock.json" "$modules/installed"
fi

archive=$work/archive
rm -rf "$archive"
mkdir -p "$archive"
"$write_archive" "$archive"
cd "$archive"
for file in *.warc.gz; do gzip -t "$file"; done
[ "$(ls ./*.warc.gz | wc -l)" -ge 3 ] || { echo "the archive has too few files"; exit 1; }

node "$here/read_archive.mjs" "$modules" "$archive"/*.warc.gz
for file in *.warc.gz; do
  node "$modules/node_modules/warcio/dist/cli.js" cdx-index "$file" >"$work/index" 2>"$work/errors"
  if [ -s "$work/errors" ]; then
    cat "$work/errors"
    exit 1
  fi
  LC_ALL=C sort "$work/index" | diff - "${file%.warc.gz}.cdxj"
done
echo "$(cat ./*.cdxj | wc -l) index lines agree"
