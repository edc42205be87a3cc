// SPDX-License-Identifier: MIT
//
// The published trajectories: every row of every file, in every layout, precision being double.
#include "catch.hpp"
#include "support.hpp"
#include <pbd/pbd.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

using namespace support;

namespace {

struct Row {
  int step;
  Index particle;
  double position[2];
  double velocity[2];
};

struct Trajectory {
  std::map<std::string, std::string> header;  // "# key=value …"
  std::vector<Row> rows;

  [[nodiscard]] double number(const std::string& key) const { return std::stod(header.at(key)); }
};

Trajectory read(const std::string& name) {
  std::ifstream file(PBD_TEST_REFERENCE_DIR "/" + name);
  Trajectory trajectory;
  std::string line, word;
  std::getline(file, line);
  std::istringstream words(line);
  words >> word;
  while (words >> word) trajectory.header[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  std::getline(file, line);
  CHECK(line == "step,particle,x,y,vx,vy");
  Row row{};
  char comma = 0;
  while (file >> row.step >> comma >> row.particle >> comma >> row.position[0] >> comma >> row.position[1] >> comma >>
         row.velocity[0] >> comma >> row.velocity[1])
    trajectory.rows.push_back(row);
  CHECK(file.eof());
  return trajectory;
}

template <int Dim>
pbd::ClothSettings<double, Dim> sheet_of(const Trajectory& trajectory) {
  pbd::ClothSettings<double, Dim> sheet;
  sheet.columns = static_cast<int>(trajectory.number("width"));
  sheet.rows = static_cast<int>(trajectory.number("height"));
  sheet.order = pbd::SweepOrder::natural;
  sheet.spacing = trajectory.number("spacing");
  sheet.particle_mass = trajectory.number("mass");
  const double corners = trajectory.number("fixed_corners");
  sheet.pin_top_right = corners > 1;
  sheet.pin_bottom_left = sheet.pin_bottom_right = corners > 2;
  if (trajectory.header.at("stiffness") != "none")
    sheet.structural.compliance = sheet.shear.compliance = 1 / trajectory.number("stiffness");
  return sheet;
}

/// How far the particles are from the published ones, in m: positions, and velocities times dt.
template <pbd::ParticleSet P, class Cloth>
double follow(const Trajectory& trajectory, P& particles, Cloth& cloth) {
  CHECK(static_cast<double>(cloth.structural.size() + cloth.shear.size()) == trajectory.number("constraints"));
  pbd::StepSettings<double, P::dim> settings;
  settings.dt = trajectory.number("dt");
  settings.substeps = 1;
  settings.iterations = static_cast<int>(trajectory.number("iterations"));
  settings.gravity(1) = trajectory.number("gravity");
  int steps = 0;
  double apart = 0;
  for (const Row& row : trajectory.rows) {
    for (; steps < row.step; ++steps) CHECK_FALSE(pbd::step(particles, settings, cloth.structural, cloth.shear));
    for (int d = 0; d < P::dim; ++d) {
      const double x = d < 2 ? row.position[d] : 0, v = d < 2 ? row.velocity[d] : 0;
      apart = std::max(apart, std::abs(particles.position(d, row.particle) - x));
      apart = std::max(apart, std::abs(particles.velocity(d, row.particle) - v) * settings.dt);
    }
  }
  return apart;
}

template <int Dim, Layout layout, class Constraint>
double follow_owned(const Trajectory& trajectory) {
  auto cloth = pbd::make_cloth<double, Dim, layout, Constraint>(sheet_of<Dim>(trajectory));
  CHECK_FALSE(cloth.error);
  return follow(trajectory, cloth.particles, cloth);
}

struct Vertex {
  double position[3];
  float normal[2];
  double velocity[3];
  double predicted[3];
  double inverse_mass;
};

template <class Constraint>
double follow_vertices(const Trajectory& trajectory) {
  auto cloth = pbd::make_cloth<double, 3, Layout::interleaved, Constraint>(sheet_of<3>(trajectory));
  std::vector<Vertex> vertices(static_cast<std::size_t>(cloth.particles.count()));
  Vertex& first = vertices.front();
  pbd::ParticlesView<double, 3> view(
      cloth.particles.count(), pbd::strided<Vertex>(&first.position[0]), pbd::strided<Vertex>(&first.predicted[0]),
      pbd::strided<Vertex>(&first.velocity[0]), pbd::strided<Vertex>(&first.inverse_mass));
  view.position = cloth.particles.position;
  view.inverse_mass = cloth.particles.inverse_mass;
  return follow(trajectory, view, cloth);
}

template <class Constraint>
void check(const std::string& name, std::size_t rows) {
  const Trajectory trajectory = read(name);
  REQUIRE(trajectory.rows.size() == rows);
  INFO(name);
  CHECK(follow_owned<2, Layout::interleaved, Constraint>(trajectory) < 1e-11);
  CHECK(follow_owned<2, Layout::planar, Constraint>(trajectory) < 1e-11);
  CHECK(follow_owned<3, Layout::interleaved, Constraint>(trajectory) < 1e-11);
  CHECK(follow_owned<3, Layout::planar, Constraint>(trajectory) < 1e-11);
  CHECK(follow_vertices<Constraint>(trajectory) < 1e-11);
}

}  // namespace

TEST_CASE("sheets of hard constraints follow the published trajectories", "[reference]") {
  check<pbd::DistanceConstraint<double>>("pbd_40x30_fixed2.csv", 3 * 1200);
  check<pbd::DistanceConstraint<double>>("pbd_20x20_fixed4.csv", 2 * 400);
  check<pbd::DistanceConstraint<double>>("pbd_12x8_fixed1.csv", 3 * 96);
}

TEST_CASE("sheets of compliant constraints follow the published trajectories", "[reference]") {
  check<pbd::CompliantDistanceConstraint<double>>("xpbd_40x30_fixed2.csv", 3 * 1200);
  check<pbd::CompliantDistanceConstraint<double>>("xpbd_10x10_fixed1.csv", 2 * 100);
}
