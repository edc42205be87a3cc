#!/bin/sh
# Installs what is missing, builds the viewer and shows the cloth: in a window, or where there is no display as a
# picture, cloth.png in the current folder. Arguments go to the viewer.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

sh "$root/cmake/setup.sh" demo
if command -v ninja >/dev/null; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi

cmake -S "$root" --preset release -DPBD_BUILD_TESTS=OFF -DPBD_BUILD_BENCHMARKS=OFF -DPBD_BUILD_EXAMPLES=OFF
cmake --build "$root/build/release" --parallel "$(getconf _NPROCESSORS_ONLN)"

viewer="$root/build/release/examples/viewer/pbd_viewer"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  "$viewer" "$@"
else
  echo "demo: no display, so the cloth goes to cloth.png"
  "$viewer" --frames 240 --output cloth.png "$@"
fi
