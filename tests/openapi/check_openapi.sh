#!/usr/bin/env bash
# check_openapi.sh OPENAPI WORK: has a validator from npm judge the OpenAPI document of the service.
# Exit code 77 (skipped) when the validator cannot be had.
set -euo pipefail
document=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)

if ! command -v npm >/dev/null; then
  echo "skipped: npm is not installed (scripts/setup does that)"
  exit 77
fi
modules=$work/node
mkdir -p "$modules"
cp "$here/check.mjs" "$modules/"
if ! cmp -s "$here/package-lock.json" "$modules/installed"; then
  cp "$here/package.json" "$here/package-lock.json" "$modules/"
  if ! npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1; then
    tail -n 3 "$work/npm.log"
    echo "skipped: npm cannot install the validator here"
    exit 77
  fi
  cp "$here/package-lock.json" "$modules/installed"
fi
node "$modules/check.mjs" "$document"
echo "the document is valid"
