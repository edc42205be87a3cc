#!/bin/sh
# The demo without a window, then every test: the laws under sanitizers, then all of them at full speed with examples,
# benchmarks (cut short), guards and consumers. A failure stops it; ctest's summary comes last.
set -eu
cd "$(dirname "$0")/.."

sh cmake/setup.sh test
if command -v ninja >/dev/null; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi
jobs=$(getconf _NPROCESSORS_ONLN)

mkdir -p build
(cd build && DISPLAY='' WAYLAND_DISPLAY='' sh ../cmake/demo.sh && test -s cloth.png)

for preset in sanitize release; do
  cmake --preset "$preset"
  cmake --build --preset "$preset" --parallel "$jobs"
  ctest --preset "$preset" --parallel "$jobs"
done
