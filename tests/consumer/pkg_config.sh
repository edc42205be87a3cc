#!/bin/sh
# A customer without CMake: one compiler command, flags from pkg-config.
#   pkg_config.sh PREFIX COMPILER VERSION OUTPUT
set -eu
export PKG_CONFIG_PATH="$1/share/pkgconfig"
test "$(pkg-config --modversion pbd)" = "$3"
flags=$(pkg-config --cflags pbd)
# shellcheck disable=SC2086 # the flags are words
"$2" -std=c++20 $flags "$(dirname "$0")/main.cpp" -o "$4"
"$4"
