// SPDX-License-Identifier: MIT
//
// Every header in two translation units: a function that lacks `inline` is a link error here, not at a customer's.
// The two must agree on the motion, too.
#include "tour.hpp"

#include <cstdio>

std::uint64_t second_tour();  // odr_second.cpp

int main() {
  const std::uint64_t first = tour::all();
  const std::uint64_t second = second_tour();
  std::printf("%016llx %016llx\n", static_cast<unsigned long long>(first), static_cast<unsigned long long>(second));
  return first != 0 && first == second ? 0 : 1;
}
