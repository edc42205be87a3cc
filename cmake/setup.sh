#!/bin/sh
# Installs what is missing on Debian or Ubuntu; on other systems says what to install by hand.
#   sh cmake/setup.sh demo     what the viewer needs
#   sh cmake/setup.sh test     that, and what the tests and benchmarks need
set -eu

tools="cmake ninja-build g++ pkg-config libeigen3-dev"
viewer="libglfw3-dev libimgui-dev libepoxy-dev libcli11-dev libstb-dev libegl1 libegl-dev libgl-dev libgl1-mesa-dri"
tests="catch2 libbenchmark-dev libbullet-dev libtbb-dev libtinyobjloader-dev clang xvfb xauth xdotool
  g++-aarch64-linux-gnu qemu-user"

case "${1:-}" in
  demo) wanted="$tools $viewer" ;;
  test) wanted="$tools $viewer $tests" ;;
  *) echo "usage: sh cmake/setup.sh demo|test" >&2; exit 2 ;;
esac

missing=""
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  for package in $wanted; do
    case "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" in
      *" installed") ;;
      *) missing="$missing $package" ;;
    esac
  done

  as_root=""
  if [ "$(id -u)" != 0 ]; then as_root="sudo"; fi
  if [ -z "$missing" ]; then
    echo "setup: everything is installed"
  elif [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    echo "setup: neither root nor sudo; install by hand: apt-get install$missing"
  else
    echo "setup: about to install$missing"
    apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300"
    $apt update
    available=""
    for package in $missing; do  # older releases lack some of them; the build says what it then leaves out
      if apt-cache show "$package" >/dev/null 2>&1; then
        available="$available $package"
      else
        echo "setup: not in this system's archive, going on without: $package"
      fi
    done
    # shellcheck disable=SC2086 # a list of words
    $apt install --no-install-recommends $available
  fi
else
  echo "setup: no apt here. Needed: CMake 3.25, a C++20 compiler, Eigen 3.4 (fetched if it is not installed)."
  echo "setup: for the viewer: GLFW 3, Dear ImGui, libepoxy, CLI11, stb. For tests and benchmarks: Catch2, Google"
  echo "setup: Benchmark (both fetched if not installed); with pkg-config, clang, Bullet, TBB and Xvfb more is tested."
fi

# What nothing can be built without.
command -v cmake >/dev/null || { echo "setup: cmake is missing" >&2; exit 1; }
oldest=$(printf '3.25\n%s\n' "$(cmake --version | sed -n 's/^cmake version //p')" | sort -V | head -n 1)
[ "$oldest" = 3.25 ] || { echo "setup: CMake $oldest is too old, 3.25 is needed" >&2; exit 1; }
for compiler in "${CXX:-c++}" g++ clang++; do
  if command -v "$compiler" >/dev/null; then exit 0; fi
done
echo "setup: a C++20 compiler is missing" >&2
exit 1
