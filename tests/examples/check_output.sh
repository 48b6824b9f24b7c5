#!/usr/bin/env bash
# check_output.sh EXPECTED COMMAND…: the command succeeds and prints EXPECTED, in any order.
set -euo pipefail
export LC_ALL=C
expected=$1
shift
output=$("$@")
diff -u "$expected" <(sort <<<"$output")
