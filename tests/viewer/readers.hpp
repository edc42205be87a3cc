// SPDX-License-Identifier: MIT
//
// What the tests read the viewer's files with: other people's readers, so that a mistake in writing is not repeated
// here.
#pragma once

#include <array>
#include <string>
#include <vector>

struct Image {
  int width = 0;
  int height = 0;
  std::vector<unsigned char> rgb;

  [[nodiscard]] std::array<int, 3> at(int x, int y) const {
    const auto k = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
    return {rgb[k], rgb[k + 1], rgb[k + 2]};
  }
};

/// Without pixels if it is no PNG.
[[nodiscard]] Image read_png(const std::string& path);

struct ObjMesh {
  bool available = true;  // false: this build has no OBJ reader
  std::string complaint;
  std::size_t vertices = 0, normals = 0, texture_coordinates = 0, triangles = 0;
  std::vector<float> positions;
  bool indices_in_range = true;
};

[[nodiscard]] ObjMesh read_obj(const std::string& path);
