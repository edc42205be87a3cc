// SPDX-License-Identifier: MIT
//
// The window: a loop of mouse and keys, steps, picture. Comes in: Options. Leaves: nothing but what the user saw, and
// the files that --screenshot and --report name.
#pragma once

#include "options.hpp"

namespace viewer {

/// The program's exit code: 0, or 1 for a failure, said in one sentence on stderr.
[[nodiscard]] int run_window(const Options& options);

}  // namespace viewer
