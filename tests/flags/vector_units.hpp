// SPDX-License-Identifier: MIT
//
// What vector_units.cpp, a baseline program, asks of vector_units_avx2.cpp, a library built with -mavx2.
#pragma once

#include <pbd/pbd.hpp>

#include <array>
#include <cstddef>

#define PBD_TEST_EXPORT __attribute__((visibility("default")))

using Planar = pbd::Particles<float, 3, pbd::Layout::planar>;
using Interleaved = pbd::Particles<double, 3, pbd::Layout::interleaved>;
using Sizes = std::array<std::size_t, 14>;

PBD_TEST_EXPORT Planar make_planar_with_avx2(pbd::Index count);
PBD_TEST_EXPORT Interleaved make_interleaved_with_avx2(pbd::Index count);
PBD_TEST_EXPORT void free_with_avx2(Planar& particles);
PBD_TEST_EXPORT void free_with_avx2(Interleaved& particles);
PBD_TEST_EXPORT Sizes sizes_with_avx2();

static inline Sizes sizes() {  // static: the linker must not take one file's for both
  return {sizeof(Planar),
          alignof(Planar),
          sizeof(Interleaved),
          alignof(Interleaved),
          sizeof(pbd::ParticlesView<double, 2>),
          alignof(pbd::ParticlesView<double, 2>),
          sizeof(pbd::StepSettings<double, 2>),
          alignof(pbd::StepSettings<double, 2>),
          sizeof(pbd::ClothSettings<double, 2>),
          alignof(pbd::ClothSettings<double, 2>),
          sizeof(pbd::Cloth<float, 3>),
          alignof(pbd::Cloth<float, 3>),
          sizeof(pbd::Momentum<double, 2>),
          alignof(pbd::Momentum<double, 2>)};
}
