#!/usr/bin/env bash
# check_subproject.sh CMAKE SOURCE_DIR: as a subproject the tree offers crawler::crawler, and no
# test, example, benchmark or install rule of ours.
set -euo pipefail
cmake=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/parent"
cat >"$work/parent/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(parent LANGUAGES C CXX)
enable_testing()
add_subdirectory("$source" crawler)
if(NOT TARGET crawler::crawler)
  message(FATAL_ERROR "no crawler::crawler")
endif()
foreach(unwanted IN ITEMS base_test crawl_folder crawl_bench)
  if(TARGET \${unwanted})
    message(FATAL_ERROR "\${unwanted} should not be built in a subproject")
  endif()
endforeach()
END
"$cmake" -G Ninja -S "$work/parent" -B "$work/build" >/dev/null
if "${cmake%cmake}ctest" --test-dir "$work/build" -N | grep -q 'Test *#'; then
  echo "tests of ours show up in the parent project" >&2
  exit 1
fi
echo "as a subproject only the library is there"
