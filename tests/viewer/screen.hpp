// SPDX-License-Identifier: MIT
//
// A screen that nobody sees, and a program on it. The screen's pixels lie in a file that Xvfb keeps up to date.
#pragma once

#include "process.hpp"

#include <poll.h>
#include <signal.h>

#include <array>
#include <cstdint>

/// A program that runs beside the test and ends with it.
class Process {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (id_ <= 0) return;
    kill(id_, SIGTERM);
    waitpid(id_, nullptr, 0);
  }

  void start(const std::vector<std::string>& arguments, const std::string& display = "") {
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    id_ = fork();
    if (id_ != 0) return;
    if (!display.empty()) setenv("DISPLAY", display.c_str(), 1);
    unsetenv("WAYLAND_DISPLAY");
    execvp(words[0], words.data());
    _exit(127);
  }

  /// Its exit code, once it has ended of its own accord.
  int wait() {
    int status = 0;
    waitpid(id_, &status, 0);
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t id_ = -1;
};

class Screen {
 public:
  Screen() {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    // Xvfb takes the first display that is free and says which.
    server_.start({PBD_XVFB, "-displayfd", std::to_string(ends[1]), "-screen", "0", "1000x800x24", "-fbdir",
                   folder_.path.string(), "-nolisten", "tcp"});
    close(ends[1]);
    std::string number;
    pollfd ready{ends[0], POLLIN, 0};
    char c = 0;
    while (poll(&ready, 1, 20000) == 1 && read(ends[0], &c, 1) == 1 && c != '\n') number += c;
    close(ends[0]);
    REQUIRE_FALSE(number.empty());
    name_ = ":" + number;
  }

  [[nodiscard]] const std::string& name() const { return name_; }

  /// How many pixels within `reach` of (x, y) are of a colour.
  template <class IsColour>
  [[nodiscard]] int count(int x, int y, int reach, IsColour&& is_colour) const {
    const std::string dump = read_text(folder_ / "Xvfb_screen0");  // the format of xwd
    const auto header = [&](std::size_t field) {
      std::uint32_t value = 0;
      for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(dump.at(4 * field + k));
      return std::size_t{value};
    };
    const std::size_t begin = header(0) + 12 * header(19), line = header(12);
    int found = 0;
    for (int py = std::max(y - reach, 0); py <= y + reach; ++py)
      for (int px = std::max(x - reach, 0); px <= x + reach; ++px) {
        const std::size_t at = begin + static_cast<std::size_t>(py) * line + 4 * static_cast<std::size_t>(px);
        const auto byte = [&](std::size_t k) { return int{static_cast<unsigned char>(dump.at(at + k))}; };
        found += is_colour(byte(2), byte(1), byte(0));
      }
    return found;
  }

 private:
  Folder folder_;
  Process server_;
  std::string name_;
};
