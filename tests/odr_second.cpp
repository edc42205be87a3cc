// SPDX-License-Identifier: MIT
//
// The other translation unit of odr.cpp.
#include "tour.hpp"

std::uint64_t second_tour();
std::uint64_t second_tour() { return tour::all(); }
