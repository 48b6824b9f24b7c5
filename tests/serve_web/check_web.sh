#!/usr/bin/env bash
# check_web.sh WEB_FOLDER WORK TEST…: runs the tests of the service's page in Debian's Chromium, driven
# by npm's Playwright and judged by axe. CRAWLER_PROGRAM and CRAWLER_SYNTHETIC_WEB are for service_test.mjs.
# Exit code 77 (skipped) when one of them cannot be had.
set -euo pipefail
web=$1
work=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)

if ! chromium=$(command -v chromium); then
  echo "skipped: chromium is not installed (scripts/setup test does that)"
  exit 77
fi
if ! command -v npm >/dev/null; then
  echo "skipped: npm is not installed (scripts/setup test does that)"
  exit 77
fi
modules=$work/node
mkdir -p "$modules"
# Two tests may begin at the same time.
exec 9>"$work/lock"
flock 9
if ! cmp -s "$here/package-lock.json" "$modules/installed"; then
  cp "$here/package.json" "$here/package-lock.json" "$modules/"
  if ! npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund >"$work/npm.log" 2>&1; then
    tail -n 3 "$work/npm.log"
    echo "skipped: npm cannot install playwright-core and axe-core here"
    exit 77
  fi
  cp "$here/package-lock.json" "$modules/installed"
fi
flock -u 9

export CRAWLER_NODE_MODULES=$modules CRAWLER_CHROMIUM=$chromium CRAWLER_WEB_FOLDER=$web
exec node --test --test-concurrency=1 --test-reporter=spec "$@"
