// SPDX-License-Identifier: MIT
#include "export.hpp"

#include "mesh.hpp"

#include <charconv>

namespace viewer {

namespace {

// Shortest text that reads back as the same number, and a point whatever the locale.
void put(std::ostream& out, double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.write(text, end - text);
}

void put(std::ostream& out, float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.write(text, end - text);
}

template <class... Values>
void put_line(std::ostream& out, const char* tag, Values... values) {
  out << tag;
  ((out << ' ', put(out, values)), ...);
  out << '\n';
}

}  // namespace

void write_obj(std::ostream& out, const Scene& scene) {
  const Eigen::Matrix3Xf x = positions(scene);
  const Eigen::Matrix3Xf normals = smooth_normals(x, triangles(scene));
  out << "o cloth\n";
  for (Eigen::Index i = 0; i < x.cols(); ++i) put_line(out, "v", x(0, i), x(1, i), x(2, i));
  for (const auto& [u, v] : texture(scene)) put_line(out, "vt", u, v);
  for (Eigen::Index i = 0; i < x.cols(); ++i) put_line(out, "vn", normals(0, i), normals(1, i), normals(2, i));
  out << "s 1\n";
  for (const auto& triangle : triangles(scene)) {
    out << 'f';
    for (const int i : triangle) out << ' ' << i + 1 << '/' << i + 1 << '/' << i + 1;
    out << '\n';
  }
}

void write_csv_header(std::ostream& out, bool diagnostics) {
  out << "frame,time_s,max_stretch,rms_stretch,kinetic_J,potential_J,elastic_J";
  if (diagnostics) out << ',' << csv_diagnostics;
  out << '\n';
}

const char* name_of(pbd::SweepEnd end) {
  return end == pbd::SweepEnd::tolerance ? "tolerance" : end == pbd::SweepEnd::budget ? "budget" : "iterations";
}

void write_csv_diagnostics(std::ostream& out, const Scene& scene) {
  out << scene.report.substeps << ',' << scene.report.sweeps << ',' << name_of(scene.report.ended) << ',';
  const auto& residuals = scene.residuals;
  if (!residuals.empty()) put(out, residuals.front());
  out << ',';
  if (!residuals.empty()) put(out, residuals.back());
  out << ',';
  if (!residuals.empty()) put(out, pbd::convergence_factor(residuals));
}

void write_csv_row(std::ostream& out, int frame, const Scene& scene, bool diagnostics) {
  const Measures m = measure(scene);
  out << frame;
  for (const double value : {scene.time, double{m.max_stretch}, double{m.rms_stretch}, double{m.kinetic},
                             double{m.potential}, double{m.elastic}}) {
    out << ',';
    put(out, value);
  }
  if (diagnostics) {
    out << ',';
    write_csv_diagnostics(out, scene);
  }
  out << '\n';
}

}  // namespace viewer
