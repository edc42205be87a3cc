// SPDX-License-Identifier: MIT
#include "readers.hpp"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

#ifdef PBD_TEST_HAS_TINYOBJ
#define TINYOBJLOADER_IMPLEMENTATION
#include <tiny_obj_loader.h>
#endif

Image read_png(const std::string& path) {
  Image image;
  int channels = 0;
  unsigned char* pixels = stbi_load(path.c_str(), &image.width, &image.height, &channels, 3);
  if (pixels == nullptr) return {};
  image.rgb.assign(pixels, pixels + 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  stbi_image_free(pixels);
  return image;
}

ObjMesh read_obj(const std::string& path) {
  ObjMesh mesh;
#ifdef PBD_TEST_HAS_TINYOBJ
  tinyobj::ObjReader reader;
  if (!reader.ParseFromFile(path)) mesh.complaint = "unreadable: " + reader.Error();
  mesh.complaint += reader.Warning() + reader.Error();
  const auto& attributes = reader.GetAttrib();
  mesh.vertices = attributes.vertices.size() / 3;
  mesh.normals = attributes.normals.size() / 3;
  mesh.texture_coordinates = attributes.texcoords.size() / 2;
  mesh.positions.assign(attributes.vertices.begin(), attributes.vertices.end());
  for (const auto& shape : reader.GetShapes()) {
    mesh.triangles += shape.mesh.num_face_vertices.size();
    for (const auto& index : shape.mesh.indices)
      for (const auto& [i, n] : {std::pair{index.vertex_index, mesh.vertices},
                                 {index.normal_index, mesh.normals},
                                 {index.texcoord_index, mesh.texture_coordinates}})
        mesh.indices_in_range = mesh.indices_in_range && i >= 0 && static_cast<std::size_t>(i) < n;
  }
#else
  mesh.available = false;
#endif
  return mesh;
}
