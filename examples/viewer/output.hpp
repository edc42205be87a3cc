// SPDX-License-Identifier: MIT
//
// Files that are either whole or not there. Comes in: a path that the user typed. Leaves: a file under that name once
// it is complete; until then it has another name, and goes away if something fails.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace viewer {

/// A file being written. Either `good()`, or `error` is one sentence that says why not.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();  // without commit() nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream() { return stream_; }
  /// Gives the file its name. Empty: it is there; otherwise why not.
  [[nodiscard]] std::string commit();

  std::string error;

 private:
  std::string open();

  std::filesystem::path path_;
  std::filesystem::path written_;  // where the bytes go meanwhile; path_ itself for a pipe or device
  std::ofstream stream_;
};

/// Could a file of this name be written? Makes missing folders. Empty: yes; otherwise one sentence.
[[nodiscard]] std::string why_not_writable(const std::filesystem::path& path);

/// "cloth_%04d.obj", taken apart: the text never reaches printf.
struct FramePattern {
  std::string before;
  std::string after;
  int digits = 0;  // at least so many, filled up with zeros or spaces
  char fill = ' ';

  [[nodiscard]] std::string name(int frame) const;
};

/// Nothing unless there is exactly one %d, %4d or %04d in it; %% stands for a percent sign.
[[nodiscard]] std::optional<FramePattern> parse_pattern(const std::string& text);

}  // namespace viewer
