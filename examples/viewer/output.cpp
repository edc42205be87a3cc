// SPDX-License-Identifier: MIT
#include "output.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

namespace viewer {

namespace fs = std::filesystem;

OutputFile::OutputFile(const fs::path& path) : path_(path), written_(path) {
  if (const std::string reason = open(); !reason.empty()) error = "cannot write " + path.string() + ": " + reason;
}

std::string OutputFile::open() {
  std::error_code code;
  if (fs::is_directory(path_, code)) return "it is a folder";
  code.clear();  // "no such file" is no error here
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), code);
  if (code) return code.message();
  // A pipe or a device has to be written to as it is: renaming a file over /dev/null would take it away.
  const fs::file_type type = fs::status(path_, code).type();
  if (type == fs::file_type::regular || type == fs::file_type::not_found) {
    if (fs::is_symlink(path_)) path_ = fs::weakly_canonical(path_, code);  // write what it points to, keep the link
    written_ = path_;
    written_ += ".part";
  }
  errno = 0;
  stream_.open(written_, std::ios::binary | std::ios::trunc);
  if (!stream_) return errno != 0 ? std::strerror(errno) : "it cannot be opened";
  return {};
}

OutputFile::~OutputFile() {
  stream_.close();
  std::error_code ignored;
  if (error.empty() && written_ != path_) fs::remove(written_, ignored);
}

std::string OutputFile::commit() {
  if (!error.empty()) return error;
  errno = 0;
  stream_.close();
  std::error_code code;
  if (!stream_) code = {errno != 0 ? errno : EIO, std::generic_category()};
  if (!code && written_ != path_) fs::rename(written_, path_, code);
  if (code) return "cannot write " + path_.string() + ": " + code.message();
  written_ = path_;
  return {};
}

std::string why_not_writable(const fs::path& path) {
  return OutputFile(path).error;
}

std::optional<FramePattern> parse_pattern(const std::string& text) {
  FramePattern pattern;
  bool found = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::string& part = found ? pattern.after : pattern.before;
    if (text[k] != '%') {
      part += text[k];
      continue;
    }
    if (++k < text.size() && text[k] == '%') {
      part += '%';
      continue;
    }
    if (found) return {};
    if (k < text.size() && text[k] == '0') pattern.fill = '0';
    int width_digits = 0;
    for (; k < text.size() && text[k] >= '0' && text[k] <= '9'; ++k) {
      pattern.digits = 10 * pattern.digits + (text[k] - '0');
      if (++width_digits > 3) return {};
    }
    if (k >= text.size() || text[k] != 'd' || pattern.digits > 20) return {};
    found = true;
  }
  if (!found) return {};
  return pattern;
}

std::string FramePattern::name(int frame) const {
  std::string number = std::to_string(frame);
  if (number.size() < static_cast<std::size_t>(digits))
    number.insert(0, static_cast<std::size_t>(digits) - number.size(), fill);
  return before + number + after;
}

}  // namespace viewer
