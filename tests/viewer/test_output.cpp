// SPDX-License-Identifier: MIT
#include "../catch.hpp"
#include "process.hpp"

#include <output.hpp>

using viewer::OutputFile;
using viewer::parse_pattern;

TEST_CASE("a pattern has exactly one frame number in it") {
  CHECK(parse_pattern("cloth_%04d.obj")->name(7) == "cloth_0007.obj");
  CHECK(parse_pattern("cloth_%04d.obj")->name(12345) == "cloth_12345.obj");
  CHECK(parse_pattern("%d")->name(3) == "3");
  CHECK(parse_pattern("a%3d")->name(3) == "a  3");
  CHECK(parse_pattern("100%%_%02d")->name(3) == "100%_03");
  for (const char* text : {"", "cloth.obj", "%", "%%", "%%d", "%s", "%n", "%x", "%d%d", "%d_%s", "%-4d", "%+d", "%*d",
                           "%ld", "%4.2d", "%99d", "%0999999999999d", "%d%", "%1$d"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_pattern(text).has_value());
  }
}

TEST_CASE("a file that was not finished leaves nothing, and the old one stays") {
  const Folder folder;
  const std::string path = folder / "file";
  {
    OutputFile file(path);
    file.stream() << "half";
  }
  CHECK(folder.files() == 0);
  {
    OutputFile file(path);
    file.stream() << "whole";
    CHECK(file.commit().empty());
  }
  { OutputFile(path).stream() << "half"; }
  CHECK(read_text(path) == "whole");
  CHECK(folder.files() == 1);
}

TEST_CASE("a missing folder is made, and one that cannot be is named") {
  const Folder folder;
  {
    OutputFile file(folder / "a/b/c.txt");
    REQUIRE(file.commit().empty());
  }
  CHECK(std::filesystem::exists(folder / "a/b/c.txt"));
  const std::string below_a_file = folder / "a/b/c.txt/d.txt";
  CHECK(viewer::why_not_writable(below_a_file).find("c.txt/d.txt") != std::string::npos);
  CHECK_FALSE(viewer::why_not_writable(folder / "a").empty());
  CHECK(viewer::why_not_writable(folder / "new.txt").empty());
  CHECK_FALSE(std::filesystem::exists(folder / "new.txt"));
}

TEST_CASE("a device is written to and stays what it is, and a full one is reported") {
  OutputFile null("/dev/null");
  null.stream() << "gone";
  CHECK(null.commit().empty());
  CHECK(std::filesystem::is_character_file("/dev/null"));
  if (!std::filesystem::exists("/dev/full")) return;
  OutputFile full("/dev/full");
  full.stream() << "does not fit";
  CHECK(full.commit().find("/dev/full") != std::string::npos);
}

TEST_CASE("a link keeps pointing to its file") {
  const Folder folder;
  {
    OutputFile file(folder / "real");
    REQUIRE(file.commit().empty());
  }
  std::filesystem::create_symlink("real", folder / "link");
  OutputFile file(folder / "link");
  file.stream() << "new";
  REQUIRE(file.commit().empty());
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_text(folder / "real") == "new");
}
