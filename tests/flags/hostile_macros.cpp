// SPDX-License-Identifier: MIT
//
// The headers after the macros that platforms and engines leave behind. What the library stands on is included first:
// only its own words are under test here.
#include <Eigen/Dense>
#include <Eigen/SparseCholesky>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// windows.h and what it includes
#define min(a, b) an_unprotected_min
#define max(a, b) an_unprotected_max
#define near
#define far
#define small char
#define interface struct
#define IN
#define OUT
#define CONST const
#define DELETE (0x00010000L)
#define ERROR 0
#define TRUE 1
#define FALSE 0
// complex.h, sys/sysmacros.h
#define I (1.0fi)
#define major(device) the_major
#define minor(device) the_minor
// X11
#define None 0L
#define Bool int
#define Status int
#define Success 0
#define Always 2
// Unreal Engine, Qt
#define check(expression) an_engines_check
#define verify(expression) an_engines_verify
#define ensure(expression) an_engines_ensure
#define signals public
#define slots
#define emit
#define foreach for

#include <pbd/pbd.hpp>

int main() {
  auto cloth = pbd::make_cloth<float, 3>({});
  const pbd::StepSettings<float, 3> settings;
  if (pbd::step(cloth.particles, settings, cloth.structural, cloth.shear)) return 1;
  return pbd::stretch(cloth.particles, cloth.structural).count == 0;
}
