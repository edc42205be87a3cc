// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/cloth.hpp>

#include <ctime>
#include <set>
#include <span>

using namespace support;

namespace {

using Settings = pbd::ClothSettings<double, 3>;
using Pair = std::array<std::int32_t, 2>;

Settings grid(int columns, int rows) {
  Settings settings;
  settings.columns = columns;
  settings.rows = rows;
  settings.order = pbd::SweepOrder::natural;
  settings.bending.present = true;
  return settings;
}

template <class Cloth>
void check_empty(const Cloth& cloth) {
  CHECK(cloth.particles.count() == 0);
  CHECK(cloth.structural.empty());
  CHECK(cloth.shear.empty());
  CHECK(cloth.bending.empty());
  CHECK(cloth.triangles.empty());
  CHECK(cloth.texture.empty());
}

/// Breaks one setting of a good sheet, in both precisions' builder, and expects this and nothing else.
template <class Constraint = pbd::DistanceConstraint<double>, class Break>
void refused(const std::string& message, Break&& break_it) {
  Settings settings = grid(4, 3);
  break_it(settings);
  const auto cloth = pbd::make_cloth<double, 3, Layout::planar, Constraint>(settings);
  CHECK(cloth.error.message() == message);
  check_empty(cloth);
}

template <class Edges>
std::vector<Pair> pairs(const Edges& edges) {
  std::vector<Pair> result;
  for (const auto& edge : edges) result.push_back(edge.indices());
  return result;
}

double mass_of(const pbd::Particles<double, 3>& particles) {
  return particles.unpinned_inverse_mass.cwiseInverse().sum();
}

}  // namespace

TEST_CASE("the numbers of a sheet follow from its columns and rows", "[cloth]") {
  const auto [columns, rows] = GENERATE(table<int, int>({{1, 1}, {1, 6}, {6, 1}, {2, 2}, {2, 1}, {3, 2}, {5, 7}}));
  const auto cloth = pbd::make_cloth(grid(columns, rows));
  CHECK_FALSE(cloth.error);
  const auto from = [](int count) { return static_cast<std::size_t>(std::max(count, 0)); };
  const std::size_t c = from(columns), r = from(rows), cells = from(columns - 1) * from(rows - 1);
  CHECK(cloth.particles.count() == columns * rows);
  CHECK(cloth.columns == columns);
  CHECK(cloth.rows == rows);
  CHECK(cloth.structural.size() == from(columns - 1) * r + from(rows - 1) * c);
  CHECK(cloth.shear.size() == 2 * cells);
  CHECK(cloth.bending.size() == from(columns - 2) * r + from(rows - 2) * c);
  CHECK(cloth.triangles.size() == 2 * cells);
  CHECK(cloth.texture.size() == c * r);
  CHECK_FALSE(pbd::validate(cloth.particles, cloth.structural, cloth.shear, cloth.bending));
}

TEST_CASE("in natural order constraints stand as in the reference", "[cloth]") {
  // 0 1 2
  // 3 4 5
  // 6 7 8
  const auto cloth = pbd::make_cloth(grid(3, 3));
  const std::vector<Pair> horizontal{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {6, 7}, {7, 8}};
  const std::vector<Pair> vertical{{0, 3}, {1, 4}, {2, 5}, {3, 6}, {4, 7}, {5, 8}};
  auto structural = horizontal;
  structural.insert(structural.end(), vertical.begin(), vertical.end());
  CHECK(pairs(cloth.structural) == structural);
  CHECK(pairs(cloth.shear) == std::vector<Pair>{{0, 4}, {1, 3}, {1, 5}, {2, 4}, {3, 7}, {4, 6}, {4, 8}, {5, 7}});
  CHECK(pairs(cloth.bending) == std::vector<Pair>{{0, 2}, {3, 5}, {6, 8}, {0, 6}, {1, 7}, {2, 8}});
  CHECK(cloth.index(2, 1) == 5);
}

TEST_CASE("in row order the rows follow each other in a few runs that share no particle", "[cloth]") {
  auto settings = grid(12, 9);
  settings.order = pbd::SweepOrder::rows;
  const auto cloth = pbd::make_cloth(settings);
  const auto runs = [](const auto& edges) {
    std::set<int> touched;
    int count = 1, row = 0;
    for (const auto& edge : edges) {
      if (touched.contains(edge.i) || touched.contains(edge.j)) {
        touched.clear();
        ++count;
      }
      touched.insert({edge.i, edge.j});
      CHECK(edge.i / 12 >= row - 1);  // never far back
      row = std::max(row, edge.i / 12);
    }
    return count;
  };
  CHECK(runs(cloth.structural) <= 3 * 9);
  CHECK(runs(cloth.shear) <= 2 * 8);
  CHECK(runs(cloth.bending) <= 3 * 9);
}

TEST_CASE("both orders hold the same constraints", "[cloth]") {
  const auto [columns, rows] = GENERATE(table<int, int>({{1, 6}, {6, 1}, {2, 2}, {5, 7}, {8, 5}}));
  auto settings = grid(columns, rows);
  settings.size = {columns > 1 ? 2.0 : 0.0, rows > 1 ? 3.0 : 0.0};
  const auto natural = pbd::make_cloth(settings);
  settings.order = pbd::SweepOrder::rows;
  const auto by_rows = pbd::make_cloth(settings);
  const auto sorted = [](const auto& edges) {
    std::vector<std::tuple<int, int, double>> result;
    for (const auto& edge : edges) result.emplace_back(edge.i, edge.j, edge.rest_length);
    std::sort(result.begin(), result.end());
    return result;
  };
  CHECK(sorted(by_rows.structural) == sorted(natural.structural));
  CHECK(sorted(by_rows.shear) == sorted(natural.shear));
  CHECK(sorted(by_rows.bending) == sorted(natural.bending));
}

TEMPLATE_TEST_CASE_SIG("a new sheet satisfies every constraint", "[cloth]",
                       ((class Scalar, int Dim, Layout layout), Scalar, Dim, layout), (float, 2, Layout::planar),
                       (float, 3, Layout::planar), (double, 2, Layout::planar), (double, 3, Layout::planar),
                       (float, 2, Layout::interleaved), (float, 3, Layout::interleaved),
                       (double, 2, Layout::interleaved), (double, 3, Layout::interleaved)) {
  pbd::ClothSettings<Scalar, Dim> settings;
  settings.columns = 6;
  settings.rows = 5;
  settings.size = {Scalar(2), Scalar(3)};
  settings.bending.present = true;
  const auto cloth = pbd::make_cloth<Scalar, Dim, layout>(settings);
  REQUIRE_FALSE(cloth.error);
  CHECK(pbd::stretch(cloth.particles, cloth.structural, cloth.shear, cloth.bending).max < 16 * epsilon<Scalar>);
  CHECK(cloth.particles.predicted == cloth.particles.position);
  CHECK(cloth.particles.velocity.isZero(0));
}

TEST_CASE("columns run along x and rows downward or away", "[cloth]") {
  auto settings = grid(4, 3);
  settings.spacing = 0.5;
  settings.origin = {1, 2, 3};
  auto cloth = pbd::make_cloth(settings);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c)
      CHECK(cloth.particles.position.col(cloth.index(c, r)) == Eigen::Vector3d(1 + 0.5 * c, 2 - 0.5 * r, 3));
  settings.plane = pbd::Plane::horizontal;
  cloth = pbd::make_cloth(settings);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c)
      CHECK(cloth.particles.position.col(cloth.index(c, r)) == Eigen::Vector3d(1 + 0.5 * c, 2, 3 + 0.5 * r));
}

TEST_CASE("a size replaces the spacing", "[cloth]") {
  auto settings = grid(5, 4);
  settings.size = {2, 6};
  const auto cloth = pbd::make_cloth(settings);
  CHECK(cloth.particles.position.col(19) == Eigen::Vector3d(2, -6, 0));
  CHECK(cloth.structural.front().rest_length == 0.5);
  CHECK(cloth.structural.back().rest_length == 2);
  CHECK(cloth.shear.front().rest_length == std::sqrt(4.25));
  CHECK(cloth.bending.front().rest_length == 1);
  CHECK(cloth.bending.back().rest_length == 4);

  auto line = grid(5, 1);
  line.size = {2, 0};
  CHECK(pbd::make_cloth(line).particles.position.col(4) == Eigen::Vector3d(2, 0, 0));
}

TEST_CASE("every triangle faces the viewer and together they cover the sheet", "[cloth]") {
  auto settings = grid(4, 3);
  settings.size = {3, 4};
  const bool vertical = GENERATE(true, false);
  settings.plane = vertical ? pbd::Plane::vertical : pbd::Plane::horizontal;
  const auto cloth = pbd::make_cloth(settings);
  const Eigen::Vector3d front = vertical ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::UnitY();
  for (const auto& [a, b, c] : cloth.triangles) {
    const Eigen::Vector3d ab = cloth.particles.position.col(b) - cloth.particles.position.col(a);
    const Eigen::Vector3d ac = cloth.particles.position.col(c) - cloth.particles.position.col(a);
    const Eigen::Vector3d normal(ab(1) * ac(2) - ab(2) * ac(1), ab(2) * ac(0) - ab(0) * ac(2),
                                 ab(0) * ac(1) - ab(1) * ac(0));
    CHECK((normal - 2 * front).norm() < 1e-14);  // twice the area of half a 1 × 2 cell
  }
  std::vector<int> uses(12, 0);
  for (const auto& triangle : cloth.triangles)
    for (const int i : triangle) ++uses[static_cast<std::size_t>(i)];
  CHECK(uses == std::vector{2, 3, 3, 1, 3, 6, 6, 3, 1, 3, 3, 2});
}

TEST_CASE("texture coordinates run from the bottom left to the top right", "[cloth]") {
  const auto cloth = pbd::make_cloth(grid(3, 5));
  const auto at = [&](int c, int r) { return cloth.texture[static_cast<std::size_t>(cloth.index(c, r))]; };
  CHECK(at(0, 4) == std::array<double, 2>{0, 0});
  CHECK(at(2, 0) == std::array<double, 2>{1, 1});
  CHECK(at(1, 1) == std::array<double, 2>{0.5, 0.75});
  for (const auto& [u, v] : pbd::make_cloth(grid(1, 1)).texture) CHECK((u >= 0 && u <= 1 && v >= 0 && v <= 1));
}

TEST_CASE("a sheet weighs what it was told to weigh", "[cloth]") {
  auto settings = grid(5, 4);
  settings.size = {2, 3};
  CHECK(mass_of(pbd::make_cloth(settings).particles) == Approx(20).epsilon(1e-14));
  settings.particle_mass = 0.1;
  CHECK(mass_of(pbd::make_cloth(settings).particles) == Approx(2).epsilon(1e-14));
  settings.particle_mass = 0;
  settings.total_mass = 0.7;
  CHECK(mass_of(pbd::make_cloth(settings).particles) == Approx(0.7).epsilon(1e-14));
  settings.total_mass = 0;
  settings.density = 0.25;
  const auto cloth = pbd::make_cloth(settings);
  CHECK(mass_of(cloth.particles) == Approx(1.5).epsilon(1e-14));
  const double cell = 0.25 * 0.5 * 1;
  CHECK(cloth.particles.unpinned_inverse_mass(cloth.index(0, 0)) == Approx(4 / cell).epsilon(1e-14));
  CHECK(cloth.particles.unpinned_inverse_mass(cloth.index(2, 0)) == Approx(2 / cell).epsilon(1e-14));
  CHECK(cloth.particles.unpinned_inverse_mass(cloth.index(4, 2)) == Approx(2 / cell).epsilon(1e-14));
  CHECK(cloth.particles.unpinned_inverse_mass(cloth.index(2, 2)) == Approx(1 / cell).epsilon(1e-14));

  const auto by_triangles = [&] {
    auto particles = cloth.particles;
    CHECK_FALSE(pbd::set_area_density(particles, std::span(cloth.triangles), 0.25));
    return mass_of(particles);
  };
  CHECK(by_triangles() == Approx(1.5).epsilon(1e-14));
}

TEST_CASE("what is to be pinned is pinned and nothing else", "[cloth]") {
  const auto pinned = [](auto&& change) {
    auto settings = grid(4, 3);
    settings.pin_top_left = settings.pin_top_right = false;
    settings.total_mass = 6;
    change(settings);
    const auto cloth = pbd::make_cloth(settings);
    std::vector<int> result;
    for (int i = 0; i < 12; ++i) {
      if (pbd::is_pinned(cloth.particles, i)) result.push_back(i);
      CHECK(cloth.particles.unpinned_inverse_mass(i) == 2);
      CHECK((cloth.particles.inverse_mass(i) == 0 || cloth.particles.inverse_mass(i) == 2));
    }
    return result;
  };
  CHECK(pinned([](Settings&) {}).empty());
  CHECK(pinned([](Settings& s) { s.pin_top_left = true; }) == std::vector{0});
  CHECK(pinned([](Settings& s) { s.pin_top_right = true; }) == std::vector{3});
  CHECK(pinned([](Settings& s) { s.pin_bottom_left = true; }) == std::vector{8});
  CHECK(pinned([](Settings& s) { s.pin_bottom_right = true; }) == std::vector{11});
  CHECK(pinned([](Settings& s) { s.pin_top_row = true; }) == std::vector{0, 1, 2, 3});
  CHECK(pinned([](Settings& s) { s.pinned = {5, 10, 5}; }) == std::vector{5, 10});
  const auto corners = pbd::make_cloth(pbd::ClothSettings<double, 3>{}).particles;  // unless told otherwise
  CHECK((corners.inverse_mass.array() == 0).count() == 2);
  CHECK(pbd::is_pinned(corners, 0));
  CHECK(pbd::is_pinned(corners, 39));
}

TEST_CASE("every kind of constraint has its own settings and may be absent", "[cloth]") {
  auto settings = grid(4, 3);
  settings.structural.stiffness = 0.9;
  settings.shear.stiffness = 0.5;
  settings.bending.stiffness = 0.1;
  const auto soft = pbd::make_cloth<double, 3, Layout::planar, pbd::SoftDistanceConstraint<double>>(settings);
  REQUIRE_FALSE(soft.error);
  for (const auto& edge : soft.structural) CHECK(edge.stiffness == 0.9);
  for (const auto& edge : soft.shear) CHECK(edge.stiffness == 0.5);
  for (const auto& edge : soft.bending) CHECK(edge.stiffness == 0.1);

  settings = grid(4, 3);
  settings.structural.compliance = 1e-3;
  settings.shear.damping = 3;
  const auto springy = pbd::make_cloth<double, 3, Layout::planar, pbd::CompliantDistanceConstraint<double>>(settings);
  REQUIRE_FALSE(springy.error);
  for (const auto& edge : springy.structural) CHECK((edge.compliance == 1e-3 && edge.damping == 0 && edge.lambda == 0));
  for (const auto& edge : springy.shear) CHECK((edge.compliance == 0 && edge.damping == 3 && edge.lambda == 0));

  settings.structural = {.present = false};
  settings.shear = {.present = false};
  settings.bending = {.present = false};
  const auto dust = pbd::make_cloth(settings);
  CHECK_FALSE(dust.error);
  CHECK(dust.particles.count() == 12);
  CHECK((dust.structural.empty() && dust.shear.empty() && dust.bending.empty()));
}

TEST_CASE("a sheet that makes no sense is refused with its reason and nothing else", "[cloth]") {
  const std::string s = "cloth settings: ";
  for (const int bad : {0, -1, std::numeric_limits<int>::min()}) {
    refused(s + "columns or rows is less than 1", [&](Settings& c) { c.columns = bad; });
    refused(s + "columns or rows is less than 1", [&](Settings& c) { c.rows = bad; });
  }
  refused(s + "more particles than a 32-bit index can name", [](Settings& c) { c.columns = c.rows = 1 << 16; });
  for (const double bad : {0.0, -1.0, not_a_number<double>, infinity<double>})
    refused(s + "spacing is not a positive, finite number", [&](Settings& c) { c.spacing = bad; });
  for (const double bad : {-1.0, not_a_number<double>, infinity<double>}) {
    refused(s + "size is negative, NaN or infinite", [&](Settings& c) { c.size = {bad, 1}; });
    refused(s + "size is negative, NaN or infinite", [&](Settings& c) { c.size = {1, bad}; });
    refused(s + "a mass or density is negative, NaN or infinite", [&](Settings& c) { c.particle_mass = bad; });
    refused(s + "a mass or density is negative, NaN or infinite", [&](Settings& c) { c.total_mass = bad; });
    refused(s + "a mass or density is negative, NaN or infinite", [&](Settings& c) { c.density = bad; });
  }
  const std::string needs =
      s + "size needs a width if there are several columns and a height if there are several rows";
  refused(needs, [](Settings& c) { c.size = {1, 0}; });
  refused(needs, [](Settings& c) { c.size = {0, 1}; });
  refused(needs, [](Settings& c) { c.columns = 1, c.size = {1, 1}; });
  refused(s + "a mass or density is too small to have a finite inverse", [](Settings& c) { c.total_mass = 1e-310; });
  const std::string exclude = s + "particle_mass, total_mass and density exclude each other";
  refused(exclude, [](Settings& c) { c.particle_mass = c.total_mass = 1; });
  refused(exclude, [](Settings& c) { c.particle_mass = c.density = 1; });
  refused(exclude, [](Settings& c) { c.total_mass = c.density = 1; });
  refused(s + "a line of particles has no area: give its mass, not a density",
          [](Settings& c) { c.rows = 1, c.density = 1; });
  for (const double bad : {not_a_number<double>, infinity<double>})
    refused(s + "origin is NaN or infinite", [&](Settings& c) { c.origin(2) = bad; });
  refused("pinned particle 1: index out of range", [](Settings& c) { c.pinned = {11, 12}; });
  refused("pinned particle 0: index out of range", [](Settings& c) { c.pinned = {-1}; });
  refused("particle 0: inverse mass is NaN or infinite", [](Settings& c) { c.total_mass = 6e-308; });

  pbd::ClothSettings<double, 2> flat;
  flat.plane = pbd::Plane::horizontal;
  CHECK(pbd::make_cloth(flat).error.message() == s + "in 2-D there is only the vertical plane");
  check_empty(pbd::make_cloth(flat));
}

TEST_CASE("a kind of constraint that its type cannot have is refused", "[cloth]") {
  using Soft = pbd::SoftDistanceConstraint<double>;
  using Compliant = pbd::CompliantDistanceConstraint<double>;
  const std::string s = "cloth settings: ";
  for (auto kind : {&Settings::structural, &Settings::shear, &Settings::bending}) {
    refused(s + "stiffness needs SoftDistanceConstraint", [&](Settings& c) { (c.*kind).stiffness = 0.5; });
    refused<Compliant>(s + "stiffness needs SoftDistanceConstraint", [&](Settings& c) { (c.*kind).stiffness = 0.5; });
    const std::string compliant = s + "compliance and damping need CompliantDistanceConstraint";
    refused(compliant, [&](Settings& c) { (c.*kind).compliance = 1; });
    refused(compliant, [&](Settings& c) { (c.*kind).damping = 1; });
    refused<Soft>(compliant, [&](Settings& c) { (c.*kind).compliance = not_a_number<double>; });
    for (const double bad : {-0.1, 1.1, not_a_number<double>})
      refused<Soft>(s + "stiffness is not in [0, 1]", [&](Settings& c) { (c.*kind).stiffness = bad; });
    for (const double bad : {-1.0, infinity<double>, not_a_number<double>}) {
      refused<Compliant>(s + "compliance is negative, NaN or infinite",
                         [&](Settings& c) { (c.*kind).compliance = bad; });
      refused<Compliant>(s + "damping is negative, NaN or infinite", [&](Settings& c) { (c.*kind).damping = bad; });
    }
  }
}

TEMPLATE_TEST_CASE("whatever its scale a sheet is refused or valid", "[cloth]", float, double) {
  using Limits = std::numeric_limits<TestType>;
  for (int exponent = Limits::min_exponent - 1; exponent < Limits::max_exponent; exponent += 21) {
    pbd::ClothSettings<TestType, 3> settings;
    settings.spacing = std::ldexp(TestType{1}, exponent);
    const auto cloth = pbd::make_cloth(settings);
    INFO("spacing 2^" << exponent << ": " << cloth.error.message());
    CHECK(pbd::validate(cloth.particles, cloth.structural, cloth.shear).message().empty());
    if (!cloth.error)
      CHECK(cloth.shear.front().rest_length == Approx(std::ldexp(std::sqrt(2.0), exponent)).epsilon(1e-6));
    if (std::abs(exponent) < 60) CHECK_FALSE(cloth.error);
  }
}

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a sheet of a million particles is made in less than a second", "[cloth]") {
  pbd::ClothSettings<float, 3> settings;
  settings.columns = settings.rows = 1000;
  const std::clock_t before = std::clock();
  const auto cloth = pbd::make_cloth(settings);
  CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 1);
  CHECK(cloth.particles.count() == 1000000);
}
#endif

TEMPLATE_TEST_CASE("the diagonals may be of another type than the edges", "[cloth]", float, double) {
  pbd::ClothSettings<TestType, 3> settings;
  settings.columns = 5;
  settings.rows = 4;
  settings.spacing = 1;
  const auto hard = pbd::make_cloth<TestType, 3>(settings);
  const auto one_sided = pbd::make_cloth<TestType, 3, Layout::planar, pbd::DistanceConstraint<TestType>,
                                         pbd::DistanceLimit<TestType>>(settings);
  REQUIRE(one_sided.shear.size() == hard.shear.size());
  for (std::size_t k = 0; k < hard.shear.size(); ++k) {
    CHECK(one_sided.shear[k].indices() == hard.shear[k].indices());
    CHECK(one_sided.shear[k].shortest == 0);
    CHECK(one_sided.shear[k].longest == hard.shear[k].rest_length);
  }
  settings.shear.compliance = TestType(1e-3);
  const auto compliant = pbd::make_cloth<TestType, 3, Layout::planar, pbd::DistanceConstraint<TestType>,
                                         pbd::CompliantDistanceConstraint<TestType>>(settings);
  REQUIRE(compliant.shear.size() == hard.shear.size());
  CHECK(compliant.shear[0].compliance == TestType(1e-3));
  CHECK(compliant.structural.size() == hard.structural.size());
  CHECK(pbd::make_cloth<TestType, 3>(settings).error.message() ==
        "cloth settings: compliance and damping need CompliantDistanceConstraint");
}
