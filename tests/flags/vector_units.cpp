// SPDX-License-Identifier: MIT
//
// Memory allocated by code that was built with -mavx2 and freed by code that was not, and the other way round. With
// Eigen's default alignment this corrupts the heap: the two sides do not agree on how memory is aligned. Nor may they
// differ on what a public struct looks like.
#include "vector_units.hpp"

#include <cstdio>

int main() {
  if (sizes() != sizes_with_avx2()) {
    std::puts("a public struct has another size or alignment under -mavx2");
    return 1;
  }
  for (pbd::Index count = 1; count < 200; ++count) {  // many sizes, so that some block is not aligned by chance
    const Planar planar = make_planar_with_avx2(count);
    const Interleaved interleaved = make_interleaved_with_avx2(count);
    Planar planar_here(count);
    Interleaved interleaved_here(count);
    free_with_avx2(planar_here);
    free_with_avx2(interleaved_here);
  }
  return 0;
}
