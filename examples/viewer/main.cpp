// SPDX-License-Identifier: MIT
//
// pbd_viewer: cloth to look at and to pull about. Reads the command line and opens the window, or does without one.
#include "headless.hpp"
#include "options.hpp"
#include "window.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  try {
    const viewer::Parsed parsed = viewer::parse({argv + 1, argv + argc});
    if (!parsed.mistake.empty()) {
      std::fprintf(stderr, "pbd_viewer: %s\n", parsed.mistake.c_str());
      return 2;
    }
    if (!parsed.text.empty()) {
      std::fputs(parsed.text.c_str(), stdout);
      return 0;
    }
    return parsed.options.headless() ? viewer::run_headless(parsed.options) : viewer::run_window(parsed.options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pbd_viewer: %s\n", error.what());
    return 1;
  }
}
