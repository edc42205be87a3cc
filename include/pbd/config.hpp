// SPDX-License-Identifier: MIT
//
// The ground every room stands on: the version, the assertion an engine may replace, and the error value that
// every door returns. Comes in: nothing. Leaves: PBD_VERSION_*, PBD_ASSERT, pbd::Error. Next: particles.hpp.
#pragma once

#if __cplusplus <= 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG > 201703L)
#error "pbd needs C++20: compile with -std=c++20 or later"
#endif

#include <cassert>
#include <cstdint>
#include <string>

#define PBD_VERSION_MAJOR 0
#define PBD_VERSION_MINOR 1
#define PBD_VERSION_PATCH 0

/// Checks the library's own promises, never the caller's input (that gets an Error, in every build type).
/// Define it before the first include to route it into an engine's assertion handler.
#ifndef PBD_ASSERT
#define PBD_ASSERT(condition) assert(condition)
#endif

namespace pbd {

/// What a door answers: true if something was wrong, and then which item and why. The state is untouched then.
///
///     if (const pbd::Error error = pbd::step(particles, settings, constraints)) report(error.message());
struct [[nodiscard]] Error {
  const char* reason = nullptr;   ///< static text; null: nothing is wrong
  const char* subject = nullptr;  ///< "particle", "constraint", …; null: the call as a whole
  std::int64_t item = -1;         ///< which one of them, counted from 0; -1: none in particular
  std::int64_t set = -1;          ///< for constraints: which of the sets given, counted from 0

  constexpr explicit operator bool() const noexcept { return reason != nullptr; }

  /// "constraint 7 of set 1: particle index out of range"; empty if nothing is wrong. Allocates.
  [[nodiscard]] std::string message() const {
    if (reason == nullptr) return {};
    std::string text;
    if (subject != nullptr) {
      text.append(subject);
      if (item >= 0) text.append(1, ' ').append(std::to_string(item));
      if (set >= 0) text.append(" of set ").append(std::to_string(set));
      text.append(": ");
    }
    return text.append(reason);
  }
};

}  // namespace pbd
