// SPDX-License-Identifier: MIT
//
// The side that is built with -mavx2, in a shared library with hidden symbols: in one program the linker would keep
// one copy of each inline function for both sides, and hide the bug.
#include "vector_units.hpp"

#include <utility>

Planar make_planar_with_avx2(pbd::Index count) { return Planar(count); }
Interleaved make_interleaved_with_avx2(pbd::Index count) { return Interleaved(count); }
void free_with_avx2(Planar& particles) { const Planar dies_here = std::move(particles); }
void free_with_avx2(Interleaved& particles) { const Interleaved dies_here = std::move(particles); }
Sizes sizes_with_avx2() { return sizes(); }
