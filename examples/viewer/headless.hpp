// SPDX-License-Identifier: MIT
//
// A run without a window. Comes in: Options. Leaves: the files they name, and a summary on the terminal.
#pragma once

#include "options.hpp"

namespace viewer {

/// The program's exit code: 0, 1 for a failure (said in one sentence on stderr), 130 when interrupted.
[[nodiscard]] int run_headless(const Options& options);

}  // namespace viewer
