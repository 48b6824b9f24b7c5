#!/usr/bin/env bash
# check_install.sh CMAKE BUILD_DIR CC CXX SANITIZERS: installs BUILD_DIR into a scratch folder, moves
# the tree, and builds the consumers here against it in every way users would.
set -euo pipefail
cmake=$1 build=$2 cc=$3 cxx=$4 sanitize=$5
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=()
[ -z "$sanitize" ] || flags=("-fsanitize=$sanitize")

"$cmake" --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved" # An installed tree may be moved.
test -f "$work/moved/include/crawler/crawler.h"
test -s "$work/moved/share/doc/crawler/LICENSE"
grep -q '^.TH CRAWLER 1' "$work/moved/share/man/man1/crawler.1"
test -s "$work/moved/share/bash-completion/completions/crawler"
test -s "$work/moved/share/zsh/site-functions/_crawler"
test -s "$work/moved/share/fish/vendor_completions.d/crawler.fish"
"$work/moved/bin/crawler" --version # The tool, which finds the library where it is now.

export CC=$cc CXX=$cxx
"$cmake" -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" \
  -DCMAKE_C_FLAGS="${flags[*]}" -DCMAKE_CXX_FLAGS="${flags[*]}" >/dev/null
"$cmake" --build "$work/build" >/dev/null
"$work/build/consumer_c"
"$work/build/consumer_cxx"

PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name crawler.pc)")
export PKG_CONFIG_PATH
read -ra pc_flags < <(pkg-config --cflags --libs crawler)
libdir=$(pkg-config --variable=libdir crawler)
"$cc" -std=c99 -pedantic -Wall -Werror "${flags[@]}" "$here/consumer/consumer.c" "${pc_flags[@]}" \
  -o "$work/pc_c"
"$cxx" -std=c++20 -Wall -Werror "${flags[@]}" "$here/consumer/consumer.cpp" "${pc_flags[@]}" \
  -o "$work/pc_cxx"
LD_LIBRARY_PATH=$libdir "$work/pc_c"
LD_LIBRARY_PATH=$libdir "$work/pc_cxx"
[ "$(pkg-config --modversion crawler)" = "$("$work/build/consumer_c" --version)" ]
echo "installed, moved, and used by CMake and pkg-config, in C and C++"
