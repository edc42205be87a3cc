// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/coarse_to_fine.hpp>

#include <array>
#include <utility>

using namespace support;

namespace {

enum class Hold { top_row, corners, nothing };

auto make_sheet(int columns, int rows, Hold hold, pbd::Plane plane, bool shear) {
  pbd::ClothSettings<double, 3> s;
  s.columns = columns;
  s.rows = rows;
  s.spacing = 1.0 / std::max({columns - 1, rows - 1, 1});
  s.total_mass = 1;
  s.plane = plane;
  s.shear.present = shear;
  s.pin_top_left = s.pin_top_right = hold == Hold::corners;
  s.pin_top_row = hold == Hold::top_row;
  return pbd::make_cloth<double, 3>(s);
}
using Sheet = decltype(make_sheet(1, 1, Hold::nothing, pbd::Plane::vertical, false));

/// The most stretch after any frame from `from` on, and the most energy above the beginning's.
struct Seen {
  double stretch = 0;
  double gained = 0;
};
template <class... Sets>
Seen watch(Sheet& sheet, int frames, int from, int substeps, int iterations, Sets&... sets) {
  pbd::StepSettings<double, 3> settings;
  settings.substeps = substeps;
  settings.iterations = iterations;
  const double before = pbd::energy(sheet.particles, settings.gravity).total();
  Seen seen;
  for (int f = 0; f < frames; ++f) {
    REQUIRE_FALSE(pbd::step(sheet.particles, settings, sets...));
    if (f >= from) seen.stretch = std::max(seen.stretch, pbd::stretch(sheet.particles, sheet.structural, sheet.shear).max);
    seen.gained = std::max(seen.gained, pbd::energy(sheet.particles, settings.gravity).total() - before);
  }
  return seen;
}

Seen swing(int columns, int rows, Hold hold, bool shear, int substeps, int cycles, int frames = 60) {
  auto sheet = make_sheet(columns, rows, hold, pbd::Plane::horizontal, shear);
  auto coarse = pbd::make_coarse_to_fine(sheet);
  auto structural = pbd::make_batches(sheet.structural);
  auto diagonals = pbd::make_batches(sheet.shear);
  return watch(sheet, frames, frames / 2, substeps, cycles, coarse, structural, diagonals);
}

constexpr std::array<std::array<int, 2>, 11> sizes{
    {{17, 17}, {33, 9}, {50, 50}, {101, 21}, {40, 30}, {7, 3}, {2, 2}, {1, 30}, {30, 1}, {1, 101}, {1, 1}}};
const pbd::Substep<double> substep(1.0 / 60, 1);

double first_moment(const pbd::Particles<double, 3>& particles, int d) {
  double sum = 0;
  for (Index i = 0; i < particles.count(); ++i)
    if (particles.inverse_mass(i) > 0) sum += particles.predicted(d, i) / particles.inverse_mass(i);
  return sum;
}

}  // namespace

TEST_CASE("a level keeps the first and the last column and row, and shares every particle's mass out", "[coarse]") {
  for (const auto& [columns, rows] : sizes) {
    auto sheet = make_sheet(columns, rows, Hold::nothing, pbd::Plane::vertical, false);
    support::Random random;
    for (Index i = 0; i < sheet.particles.count(); ++i) sheet.particles.inverse_mass(i) = random(0.5, 2);
    const double mass = sheet.particles.inverse_mass.cwiseInverse().sum();
    auto coarse = pbd::make_coarse_to_fine(sheet);
    REQUIRE_FALSE(coarse.error);
    CHECK(coarse.levels.empty() == (columns <= 2 && rows <= 2));
    coarse.begin_substep(sheet.particles, substep);
    std::vector<int> finer;
    for (int c = 0; c < columns; ++c) finer.push_back(c);
    for (const auto& level : coarse.levels) {
      const auto& at = level.across.at;
      CHECK(at.front() == 0);
      CHECK(at.back() == columns - 1);
      CHECK(level.down.at.back() == rows - 1);
      CHECK(std::includes(finer.begin(), finer.end(), at.begin(), at.end()));
      double sum = 0;
      for (const double m : level.mass) sum += m;
      CHECK(sum == Approx(mass).epsilon(1e-13));
      finer = at;
    }
    if (!coarse.levels.empty()) CHECK(coarse.levels.back().across.at.size() <= 2);
  }
}

TEST_CASE("a linear displacement of a level's nodes moves all particles linearly", "[coarse]") {
  for (const auto& [columns, rows] : sizes) {
    auto coarse = pbd::make_coarse_to_fine<double, 2>(columns, rows, {1.0, 1.0});
    const int width = columns;  // a name that a lambda can capture
    if (coarse.levels.empty()) continue;
    auto& level = coarse.levels.front();
    Index node = 0;
    for (const int r : level.down.at)
      for (const int c : level.across.at) level.nodes.velocity.col(node++) = Eigen::Vector2d(1 + 3 * c - 2 * r, r);
    double worst = 0;
    level.prolong([&](Index i, const auto& moved) {
      const auto c = static_cast<double>(i % width), r = static_cast<double>(i / width);
      worst = std::max({worst, std::abs(moved[0] - (1 + 3 * c - 2 * r)), std::abs(moved[1] - r)});
    });
    CHECK(worst <= 1e-12 * (columns + rows));
  }
}

TEST_CASE("one cycle holds a hanging sheet of any size", "[coarse]") {
  for (const bool shear : {false, true})
    for (const auto& [columns, rows] : sizes) {
      auto sheet = make_sheet(columns, rows, Hold::top_row, pbd::Plane::vertical, shear);
      auto coarse = pbd::make_coarse_to_fine(sheet);
      // a solver that really holds a sheet steps over its transverse waves unless N h √(g/L) is less than about 1
      const int substeps = columns == 101 ? 4 : 1;
      const Seen seen = watch(sheet, 40, 0, substeps, 1, coarse, sheet.structural, sheet.shear);
      INFO(columns << " x " << rows << (shear ? " shear" : ""));
      CHECK(seen.stretch < 1e-3);
      CHECK(seen.gained < 1e-12);
    }
}

TEST_CASE("a dozen cycles hold a curtain that swings down", "[coarse]") {
  CHECK(swing(3, 17, Hold::top_row, false, 1, 9, 120).stretch < 0.01);
  CHECK(swing(3, 33, Hold::top_row, false, 1, 12, 120).stretch < 0.01);
  CHECK(swing(3, 65, Hold::top_row, false, 1, 18, 120).stretch < 0.01);
}

TEST_CASE("a swinging sheet of any size stays together and gains no energy", "[coarse][long]") {
  const bool shear = GENERATE(false, true);
  for (const auto& [columns, rows] : sizes)
    for (const int substeps : {1, 2, 4, 10}) {
      if (columns * rows > 2000 && substeps != 2) continue;
      const Seen seen = swing(columns, rows, Hold::top_row, shear, substeps, 1);
      INFO(columns << " x " << rows << (shear ? " shear, " : ", ") << substeps << " substeps");
      CHECK(seen.gained < 1e-12);
      CHECK(seen.stretch < (substeps < 10 ? 0.07 : 0.15));
    }
}

TEST_CASE("neither do several cycles add energy, nor a sheet held by its corners", "[coarse][long]") {
  for (const bool shear : {false, true})
    for (const int substeps : {1, 4, 10, 20}) {
      CHECK(swing(17, 17, Hold::corners, shear, substeps, 1).gained < 1e-12);
      CHECK(swing(17, 17, Hold::corners, shear, substeps, 4).gained < 1e-12);
      CHECK(swing(20, 13, Hold::top_row, shear, substeps, 4).gained < 1e-12);
    }
}

TEST_CASE("the same on sheets of the size of a game's", "[coarse][long]") {
  for (const bool shear : {false, true})
    for (const int substeps : {1, 4, 10}) {
      CHECK(swing(50, 50, Hold::corners, shear, substeps, 1, 40).gained < 1e-12);
      if (substeps < 10) CHECK(swing(101, 101, Hold::top_row, shear, substeps, 1, 30).gained < 1e-12);
    }
}

TEST_CASE("pins that are no node of a level never move and hold the nodes about them", "[coarse]") {
  auto sheet = make_sheet(21, 21, Hold::nothing, pbd::Plane::vertical, true);
  const std::array<int, 3> pins{sheet.index(3, 0), sheet.index(17, 0), sheet.index(11, 7)};
  for (const int i : pins) REQUIRE_FALSE(pbd::pin(sheet.particles, i));
  const auto start = sheet.particles.position;
  auto coarse = pbd::make_coarse_to_fine(sheet);
  coarse.begin_substep(sheet.particles, substep);

  // without a single sweep of the cloth's own: a pull that would tear the sheet off its pins is taken back
  sheet.particles.predicted.row(1).array() -= 0.5;
  for (const int i : pins) sheet.particles.predicted.col(i) = start.col(i);
  for (int n = 0; n < 40; ++n) coarse.sweep(sheet.particles, substep);
  for (const int i : pins) CHECK(sheet.particles.predicted.col(i) == start.col(i));
  const double dropped = (start - sheet.particles.predicted).row(1).mean();
  CHECK(dropped < 0.1);

  sheet.particles.predicted = start;
  auto plain = sheet;
  const Seen seen = watch(sheet, 60, 30, 4, 1, coarse, sheet.structural, sheet.shear);
  for (const int i : pins) CHECK(sheet.particles.position.col(i) == start.col(i));
  CHECK(seen.stretch < watch(plain, 60, 30, 4, 1, plain.structural, plain.shear).stretch);
  CHECK(seen.gained < 1e-12);
}

TEST_CASE("a cycle keeps the momentum of a sheet without pins", "[coarse]") {
  for (const auto& [columns, rows] : sizes) {
    auto sheet = make_sheet(columns, rows, Hold::nothing, pbd::Plane::horizontal, true);
    support::Random random;
    for (Index i = 0; i < sheet.particles.count(); ++i) {
      sheet.particles.inverse_mass(i) = random(0.2, 5);
      for (int d = 0; d < 3; ++d) sheet.particles.predicted(d, i) = 1.2 * sheet.particles.position(d, i) + random(-0.02, 0.02);
    }
    auto coarse = pbd::make_coarse_to_fine(sheet);
    coarse.begin_substep(sheet.particles, substep);
    const auto before = sheet.particles.predicted;
    const std::array<double, 3> moment{first_moment(sheet.particles, 0), first_moment(sheet.particles, 1),
                                       first_moment(sheet.particles, 2)};
    coarse.sweep(sheet.particles, substep);
    if (!coarse.levels.empty()) CHECK((sheet.particles.predicted - before).norm() > 1e-3);
    for (int d = 0; d < 3; ++d)
      CHECK(std::abs(first_moment(sheet.particles, d) - moment[static_cast<std::size_t>(d)]) <
            1e-13 * static_cast<double>(columns * rows));
  }
}

TEST_CASE("masses and pins may change at any time", "[coarse]") {
  auto sheet = make_sheet(13, 10, Hold::corners, pbd::Plane::horizontal, false);
  auto used = pbd::make_coarse_to_fine(sheet);
  pbd::StepSettings<double, 3> settings;
  REQUIRE_FALSE(pbd::step(sheet.particles, settings, used, sheet.structural));
  REQUIRE_FALSE(pbd::unpin(sheet.particles, 0));
  REQUIRE_FALSE(pbd::pin(sheet.particles, sheet.index(5, 5)));
  sheet.particles.inverse_mass(sheet.index(7, 3)) *= 3;
  auto fresh = pbd::make_coarse_to_fine(sheet);
  auto other = sheet;
  REQUIRE_FALSE(pbd::step(sheet.particles, settings, used, sheet.structural));
  REQUIRE_FALSE(pbd::step(other.particles, settings, fresh, other.structural));
  CHECK(same_bits(state(sheet.particles), state(other.particles)));
}

TEST_CASE("the size of a scene and its masses do not matter", "[coarse]") {
  // by powers of two, so that nothing is rounded otherwise: the same bits
  const auto fall = [](double length, double mass) {
    pbd::ClothSettings<double, 3> s;
    s.columns = 14;
    s.rows = 11;
    s.spacing = 0.125 * length;
    s.particle_mass = mass;
    s.plane = pbd::Plane::horizontal;
    auto cloth = pbd::make_cloth<double, 3>(s);
    auto coarse = pbd::make_coarse_to_fine(cloth);
    pbd::StepSettings<double, 3> settings;
    settings.gravity *= length;
    for (int f = 0; f < 30; ++f) REQUIRE_FALSE(pbd::step(cloth.particles, settings, coarse, cloth.structural, cloth.shear));
    cloth.particles.inverse_mass.setZero();
    auto values = state(cloth.particles);
    for (double& value : values) value /= length;
    return values;
  };
  const auto expected = fall(1, 1);
  for (const double factor : {0x1p-20, 0x1p20}) {
    CHECK(same_bits(fall(factor, 1), expected));
    CHECK(same_bits(fall(1, factor), expected));
  }
}

TEMPLATE_LIST_TEST_CASE("every memory gives the same bits", "[coarse]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  constexpr int dim = TestType::dim;
  const auto run = [](auto& particles) {
    auto coarse = pbd::make_coarse_to_fine<Scalar, dim>(9, 6, {Scalar(0.2), Scalar(0.1)}, true);
    scatter(particles, 3);
    static_cast<void>(pbd::pin(particles, 4));
    std::vector<pbd::DistanceConstraint<Scalar>> none;
    for (int n = 0; n < 3; ++n) REQUIRE_FALSE(pbd::step(particles, {}, coarse, none));
  };
  TestType memory(54);
  pbd::Particles<Scalar, dim> plain(54);
  run(memory.particles);
  run(plain);
  CHECK(same_bits(state(memory.particles), state(plain)));
}

TEST_CASE("what is degenerate stays where it is", "[coarse]") {
  auto sheet = make_sheet(9, 9, Hold::corners, pbd::Plane::vertical, true);
  auto coarse = pbd::make_coarse_to_fine(sheet);
  const auto sweep = [&] {
    coarse.begin_substep(sheet.particles, substep);
    coarse.sweep(sheet.particles, substep);
  };
  SECTION("a particle that is no number") {
    sheet.particles.predicted.row(1).array() *= 1.5;
    const int i = sheet.index(4, 4);
    sheet.particles.predicted.col(i).setConstant(not_a_number<double>);
    sweep();
    for (Index k = 0; k < sheet.particles.count(); ++k)
      if (k != i) CHECK(sheet.particles.predicted.col(k).allFinite());
  }
  SECTION("all in one point") {
    sheet.particles.predicted.setZero();
    sweep();
    CHECK(sheet.particles.predicted.isZero(0));
  }
  SECTION("all pinned") {
    sheet.particles.inverse_mass.setZero();
    sheet.particles.predicted *= 7;
    const auto before = sheet.particles.predicted;
    sweep();
    CHECK(sheet.particles.predicted == before);
  }
  SECTION("nothing pulls") {
    const auto before = sheet.particles.predicted;
    sweep();
    CHECK(sheet.particles.predicted == before);
  }
}

TEST_CASE("a grid that makes no sense is named and no step is taken with it", "[coarse]") {
  const auto reason = [](const auto& coarse) { return std::string(coarse.error.message()); };
  CHECK(reason(pbd::make_coarse_to_fine<float, 3>(0, 4, {1.f, 1.f})) == "coarse levels: columns or rows is less than 1");
  CHECK(pbd::make_coarse_to_fine<float, 3>(1 << 16, 1 << 16, {1.f, 1.f}).error);
  CHECK(pbd::make_coarse_to_fine<float, 3>(4, 4, {1.f, 0.f}).error);
  CHECK(pbd::make_coarse_to_fine<float, 3>(4, 4, {not_a_number<float>, 1.f}).error);
  CHECK_FALSE(pbd::make_coarse_to_fine<float, 3>(4, 1, {1.f, 0.f}).error);
  auto sheet = make_sheet(5, 5, Hold::corners, pbd::Plane::vertical, false);
  auto other = pbd::make_coarse_to_fine<double, 3>(5, 6, {1.0, 1.0});
  const auto before = state(sheet.particles);
  CHECK(pbd::step(sheet.particles, {}, other).message() == "coarse levels of set 0: made for another number of particles");
  auto refused = pbd::make_coarse_to_fine<double, 3>(5, -5, {1.0, 1.0});
  CHECK(pbd::step(sheet.particles, {}, refused));
  CHECK(same_bits(state(sheet.particles), before));
}
