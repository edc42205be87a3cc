// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/pbd.hpp>

using namespace support;

namespace {

template <class Scalar>
using Links = std::vector<pbd::DistanceConstraint<Scalar>>;
template <class Scalar>
using Springs = std::vector<pbd::CompliantDistanceConstraint<Scalar>>;

/// `links` links of 0.1 m straight down from particle 0, which is pinned.
template <class Scalar = double, int Dim = 3>
pbd::Particles<Scalar, Dim> hanging(int links) {
  pbd::Particles<Scalar, Dim> particles(links + 1);
  for (Index i = 0; i <= links; ++i) particles.position(1, i) = Scalar(-0.1) * static_cast<Scalar>(i);
  particles.predicted = particles.position;
  static_cast<void>(pbd::pin(particles, 0));
  return particles;
}

template <class Scalar = double>
Links<Scalar> rope(int links) {
  Links<Scalar> rope;
  for (int k = 0; k < links; ++k) rope.push_back({k, k + 1, Scalar(0.1)});
  return rope;
}

template <class Particles>
double largest_stretch(const Particles& particles, const Links<typename Particles::Scalar>& links) {
  return static_cast<double>(pbd::stretch(particles, links).max);
}

}  // namespace

namespace {

/// Steps a sheet, or a rope if it has one column, by lines alone, whole steps at a time, and by the parts of a step.
template <class Scalar, int Dim, pbd::Layout layout>
void demand_the_bits_of_the_parts(int columns, int rows, int iterations, bool wants_tiles) {
  CAPTURE(columns, rows, iterations);
  pbd::ClothSettings<Scalar, Dim> settings;
  settings.columns = columns;
  settings.rows = rows;
  settings.size = {Scalar(0.1) * static_cast<Scalar>(columns - 1), Scalar(0.1) * static_cast<Scalar>(rows - 1)};
  settings.plane = Dim == 3 ? pbd::Plane::horizontal : pbd::Plane::vertical;
  settings.structural.compliance = columns % 2 == 0 ? Scalar(1e-5) : Scalar(0);
  settings.shear.present = false;
  auto whole = pbd::make_cloth<Scalar, Dim, layout, pbd::CompliantDistanceConstraint<Scalar>>(settings);
  REQUIRE_FALSE(whole.error);
  const Index n = whole.particles.count();
  for (const Index pinned : {Index{0}, n / 3, n - 1}) static_cast<void>(pbd::pin(whole.particles, pinned));
  whole.particles.velocity(0, n / 3) = Scalar(0.2);  // a scripted one
  whole.particles.velocity(0, n / 2) = Scalar(3);
  auto parts = whole;
  auto lines = pbd::make_lines(pbd::line_constraints(whole)), twin = lines;
  CHECK(lines.tiles.empty() != wants_tiles);

  pbd::StepSettings<Scalar, Dim> step;
  step.substeps = 3;
  step.iterations = iterations;
  const auto substep = step.substep();
  for (int frame = 0; frame < 4; ++frame) {
    REQUIRE_FALSE(pbd::step(whole.particles, step, lines));
    for (int s = 0; s < step.substeps; ++s) {
      pbd::begin_substep(twin, parts.particles, substep);
      pbd::predict(parts.particles, step.gravity, substep.dt);
      for (int i = 0; i < iterations; ++i) pbd::sweep(twin, parts.particles, substep);
      pbd::update_velocity(parts.particles, substep.dt);
    }
    CHECK(lines.tightness == twin.tightness);
  }
  CHECK(same_bits(state(whole.particles), state(parts.particles)));
  CHECK(same_bits(lines.lambda, twin.lambda));
}

}  // namespace

TEST_CASE("whole steps of lines give the bits of their parts", "[lines]") {
  using enum pbd::Layout;
  for (const int iterations : {1, 3}) {
    for (const auto& [columns, rows] : {std::pair{21, 13}, {16, 9}, {5, 1}, {2, 2}, {1, 12}, {1, 2}}) {
      demand_the_bits_of_the_parts<float, 3, planar>(columns, rows, iterations, false);
      demand_the_bits_of_the_parts<double, 2, planar>(columns, rows, iterations, false);
      demand_the_bits_of_the_parts<float, 3, interleaved>(columns, rows, iterations, false);
    }
    for (const auto& [columns, rows] : {std::pair{133, 7}, {144, 10}}) {
      demand_the_bits_of_the_parts<float, 3, planar>(columns, rows, iterations, true);
      demand_the_bits_of_the_parts<double, 3, planar>(columns, rows, iterations, true);
      demand_the_bits_of_the_parts<float, 2, planar>(columns, rows, iterations, true);
      demand_the_bits_of_the_parts<float, 3, interleaved>(columns, rows, iterations, true);
    }
  }
}

TEST_CASE("a step of lines beside an empty set takes and reports what it would without", "[lines]") {
  pbd::ClothSettings<float, 3> sheet;
  sheet.columns = sheet.rows = 12;
  sheet.plane = pbd::Plane::horizontal;
  sheet.shear.present = false;
  auto one = pbd::make_cloth(sheet), two = one;
  auto lines = pbd::make_lines(pbd::line_constraints(one)), twin = lines;
  auto none = pbd::make_batches(two.shear);
  pbd::StepSettings<float, 3> settings;
  settings.measure = true;
  settings.iterations = 2;
  for (int frame = 0; frame < 10; ++frame) {
    const auto expected = pbd::step(one.particles, settings, lines);
    const auto report = pbd::step(two.particles, settings, two.shear, twin, none);
    REQUIRE_FALSE(report);
    CHECK(report.substeps == settings.substeps);
    CHECK(report.sweeps == settings.substeps * settings.iterations);
    CHECK(report.sweeps == expected.sweeps);
    CHECK(report.left.max == expected.left.max);
    CHECK(report.left.count == expected.left.count);
  }
  CHECK(same_bits(state(one.particles), state(two.particles)));
}

TEST_CASE("lines that some particles are not in leave whole steps to their parts", "[lines]") {
  pbd::Particles<float, 3> plain(30);
  scatter(plain);
  auto too = plain;
  Links<float> rope;
  for (int k = 3; k < 20; ++k) rope.push_back({k, k + 1, 0.1f});
  auto lines = pbd::make_lines(rope), twin = lines;
  const pbd::StepSettings<float, 3> settings;
  const auto substep = settings.substep();
  REQUIRE_FALSE(pbd::step(plain, settings, lines));
  for (int s = 0; s < settings.substeps; ++s) {
    pbd::begin_substep(twin, too, substep);
    pbd::predict(too, settings.gravity, substep.dt);
    pbd::sweep(twin, too, substep);
    pbd::update_velocity(too, substep.dt);
  }
  CHECK(same_bits(state(plain), state(too)));
}

TEMPLATE_LIST_TEST_CASE("lines side by side give the bits of one line after another", "[lines]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  constexpr Index columns = 21, rows = 13;  // more than one strip, and lines left over
  TestType memory(columns * rows), twin_memory(columns * rows);
  auto& together = memory.particles;
  auto& apart = twin_memory.particles;
  scatter(together);
  scatter(apart);
  for (const Index pinned : {Index{0}, Index{5}, Index{columns * 3}, Index{columns * 3 + 1}, Index{columns * rows - 1}}) {
    together.inverse_mass(pinned) = apart.inverse_mass(pinned) = 0;
  }
  std::vector<Springs<Scalar>> lines;
  for (Index r = 0; r < rows; ++r) {
    lines.emplace_back();
    for (Index c = 0; c + 1 < columns; ++c)
      lines.back().push_back(between<pbd::CompliantDistanceConstraint<Scalar>>(r * columns + c, r * columns + c + 1, Scalar(1)));
  }
  for (Index c = 0; c < columns; ++c) {
    lines.emplace_back();
    for (Index r = 0; r + 1 < rows; ++r)
      lines.back().push_back(between<pbd::CompliantDistanceConstraint<Scalar>>(r * columns + c, (r + 1) * columns + c, Scalar(1)));
  }
  Springs<Scalar> all;
  std::vector<pbd::Lines<Scalar>> one_by_one;
  for (auto& line : lines) {
    for (auto& link : line) {
      link.damping = 0;
      link.compliance = link.i % 3 == 0 ? Scalar(0) : Scalar(1e-4);
      all.push_back(link);
    }
    one_by_one.push_back(pbd::make_lines(line));
  }
  auto set = pbd::make_lines(all);
  REQUIRE_FALSE(set.error);
  REQUIRE(set.groups.size() == 2);
  CHECK(set.groups[0].lines == rows);
  CHECK(set.groups[1].lines == columns);

  const pbd::Substep<Scalar> substep(Scalar(0.01), 2);
  set.begin_substep(together, substep);
  for (auto& line : one_by_one) line.begin_substep(apart, substep);
  const auto is_tight = [&] {
    return std::ranges::any_of(one_by_one, [](const auto& line) { return line.tightest_now > Scalar(0.7); });
  };
  int tight = 0;
  for (int pass = 0; pass < 3; ++pass) {
    set.sweep(together, substep);
    for (auto& line : one_by_one) line.sweep(apart, substep);
    for (int again = 0; again < 4 && is_tight(); ++again, ++tight)
      for (auto& line : one_by_one) line.sweep(apart, substep);
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) one_by_one[r].sweep(apart, substep);  // and back
  }
  CHECK(tight > 0);
  CHECK(same_bits(state(together), state(apart)));
  std::vector<Scalar> lambda, lambda_apart;
  set.for_each_constraint([&](const auto& link) { lambda.push_back(link.lambda); });
  for (const auto& line : one_by_one)
    line.for_each_constraint([&](const auto& link) { lambda_apart.push_back(link.lambda); });
  CHECK(same_bits(lambda, lambda_apart));
  CHECK(set.max_stretch(together) == pbd::stretch(together, all).max);
}

TEST_CASE("one solve of a line leaves what is quadratic in what was wrong", "[lines]") {
  // Halving a small error quarters what a solve leaves of it.
  std::vector<double> left;
  for (const double wrong : {8e-4, 4e-4, 2e-4, 1e-4}) {
    auto particles = hanging(40);
    for (Index i = 1; i <= 40; ++i)  // curled up: of a straight line even less is left
      particles.position.col(i) = particles.position.col(i - 1) + 0.1 * Eigen::Vector3d(std::cos(0.4 * double(i)), std::sin(0.4 * double(i)), 0);
    particles.predicted = particles.position;
    Random random(3);
    for (Index i = 1; i <= 40; ++i)
      for (int d = 0; d < 3; ++d) particles.predicted(d, i) += wrong * 0.1 * random(-1, 1);
    auto lines = pbd::make_lines(rope(40));
    lines.sweep(particles, pbd::Substep<double>(0.01, 1));
    left.push_back(lines.max_stretch(pbd::detail::AsPredicted<decltype(particles)>(particles)));
  }
  for (std::size_t k = 1; k < left.size(); ++k) CHECK(std::log2(left[k - 1] / left[k]) == Approx(2).margin(0.1));
}

TEST_CASE("a hanging line has no strain, and its tension is the weight below", "[lines]") {
  const int links = 50;
  auto particles = hanging(links);
  auto lines = pbd::make_lines(rope(links));
  pbd::StepSettings<double, 3> settings;
  settings.substeps = lines.substeps(particles, settings.dt, 9.81);
  settings.iterations = 2;
  for (int frame = 0; frame < 60; ++frame) REQUIRE_FALSE(pbd::step(particles, settings, lines));
  CHECK(largest_stretch(particles, rope(links)) < 1e-12);
  int k = 0;
  lines.for_each_constraint([&](const auto& link) {
    CHECK(link.force(settings.substep()) == Approx(9.81 * (links - k)).epsilon(1e-9));
    ++k;
  });
  CHECK(k == links);
}

TEST_CASE("a compliant line sags by alpha m g N (N + 1) / 2", "[lines]") {
  const int links = 20;
  const double alpha = 1e-5;
  auto particles = hanging(links);
  Springs<double> springs;
  for (const auto& link : rope(links)) springs.push_back({link.i, link.j, link.rest_length, alpha});
  for (Index i = 1; i <= links; ++i)  // where it hangs at rest: link k carries the weight of links − k particles
    particles.position(1, i) = particles.position(1, i - 1) - 0.1 - alpha * 9.81 * static_cast<double>(links - i + 1);
  auto lines = pbd::make_lines(springs);
  pbd::StepSettings<double, 3> settings;
  settings.substeps = 8;
  for (int frame = 0; frame < 20; ++frame) REQUIRE_FALSE(pbd::step(particles, settings, lines));
  const double sag = -particles.position(1, links) - 0.1 * links;
  CHECK(sag == Approx(alpha * 9.81 * links * (links + 1) / 2).epsilon(1e-9));
  for (int frame = 0; frame < 2000; ++frame) {  // and that is where it comes to rest from elsewhere
    if (frame == 0) particles.position.row(1) *= 1.01;
    REQUIRE_FALSE(pbd::step(particles, settings, lines));
  }
  CHECK(-particles.position(1, links) - 0.1 * links == Approx(sag).epsilon(1e-6));
}

TEST_CASE("a thousand kilograms on ten links of one do not stretch them by a thousandth", "[lines]") {
  for (const bool sideways : {false, true}) {
    auto particles = hanging<float>(10);
    particles.inverse_mass(10) = 1e-3f;
    if (sideways) {
      particles.position.row(0) = -particles.position.row(1);
      particles.position.row(1).setZero();
    }
    auto lines = pbd::make_lines(rope<float>(10));
    pbd::StepSettings<float, 3> settings;
    settings.iterations = 3;
    for (int frame = 0; frame < 240; ++frame) {
      settings.substeps = lines.substeps(particles, settings.dt, 9.81f);
      REQUIRE_FALSE(pbd::step(particles, settings, lines));
      REQUIRE(largest_stretch(particles, rope<float>(10)) <= 1e-3);
    }
  }
}

TEST_CASE("a curtain let go from the horizontal keeps within a thousandth in every frame", "[lines]") {
  for (const int side : {17, 50}) {
    pbd::ClothSettings<float, 3> sheet;
    sheet.columns = sheet.rows = side;
    sheet.spacing = 1.0f / static_cast<float>(side - 1);
    sheet.plane = pbd::Plane::horizontal;
    sheet.pin_top_row = true;
    auto cloth = pbd::make_cloth<float, 3>(sheet);
    auto lines = pbd::make_lines(pbd::line_constraints(cloth));
    REQUIRE(lines.count == static_cast<std::int64_t>(cloth.structural.size()));
    pbd::StepSettings<float, 3> settings;
    for (int frame = 0; frame < 120; ++frame) {
      settings.substeps = lines.substeps(cloth.particles, settings.dt, 9.81f);
      REQUIRE_FALSE(pbd::step(cloth.particles, settings, lines));
      REQUIRE(pbd::stretch(cloth.particles, cloth.structural).max <= 1e-3f);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("a free line keeps its momentum, whatever it weighs", "[lines]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(30);
  auto& particles = memory.particles;
  scatter(particles);
  particles.predicted = particles.position;
  particles.velocity.setZero();
  Springs<Scalar> springs;
  for (Index i = 0; i + 1 < 30; ++i)
    springs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + 1), Scalar(0.5), i % 2 ? Scalar(0) : Scalar(1e-4)});
  auto lines = pbd::make_lines(springs);
  for (int pass = 0; pass < 3; ++pass) lines.sweep(particles, pbd::Substep<Scalar>(Scalar(0.01), 1));
  double moved = 0;
  std::array<double, 3> total{};
  for (Index i = 0; i < 30; ++i) {
    std::array<double, 3> x{}, dx{};
    for (int d = 0; d < TestType::dim; ++d) {
      x[static_cast<std::size_t>(d)] = static_cast<double>(particles.position(d, i));
      dx[static_cast<std::size_t>(d)] =
          static_cast<double>(particles.predicted(d, i) - particles.position(d, i)) / static_cast<double>(particles.inverse_mass(i));
      total[static_cast<std::size_t>(d)] += dx[static_cast<std::size_t>(d)];
      moved += std::abs(dx[static_cast<std::size_t>(d)]);
    }
  }
  for (const double sum : total) CHECK(std::abs(sum) <= 100 * static_cast<double>(epsilon<Scalar>) * moved);
  CHECK(moved > 0.1);
}

TEMPLATE_LIST_TEST_CASE("a pinned particle never moves, wherever in a line it is", "[lines]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  for (Index pinned = 0; pinned < 6; ++pinned) {
    TestType memory(6);
    auto& particles = memory.particles;
    scatter(particles);
    particles.inverse_mass(pinned) = 0;
    Links<Scalar> links;
    for (int k = 0; k < 5; ++k) links.push_back({k, k + 1, Scalar(0.7)});
    auto lines = pbd::make_lines(links);
    const auto before = particles.predicted.col(pinned).eval();
    for (int pass = 0; pass < 5; ++pass) lines.sweep(particles, pbd::Substep<Scalar>(Scalar(0.01), 1));
    CHECK(particles.predicted.col(pinned) == before);
    CHECK(particles.predicted.allFinite());
  }
}

TEMPLATE_TEST_CASE("lines survive what has no answer", "[lines]", float, double) {
  using P = pbd::Particles<TestType, 3>;
  pbd::StepSettings<TestType, 3> settings;
  const auto run = [&](P particles, const Links<TestType>& links) {
    auto lines = pbd::make_lines(links);
    REQUIRE_FALSE(lines.error);
    for (int frame = 0; frame < 60; ++frame) REQUIRE_FALSE(pbd::step(particles, settings, lines));
    return particles;
  };
  CHECK(run(P(0), {}).count() == 0);
  CHECK(run(P(1), {}).position.allFinite());
  CHECK(run(hanging<TestType>(1), rope<TestType>(1)).position.allFinite());

  auto all_pinned = hanging<TestType>(9);
  all_pinned.inverse_mass.setZero();
  all_pinned.position *= 3;
  CHECK(run(all_pinned, rope<TestType>(9)).position == all_pinned.position);

  auto coincident = hanging<TestType>(9);  // all in one point: no link has a direction
  coincident.position.setZero();
  CHECK(run(coincident, rope<TestType>(9)).position.allFinite());

  auto folded = hanging<TestType>(9);  // onto itself, link by link
  for (Index i = 0; i <= 9; ++i) folded.position(1, i) = i % 2 == 0 ? TestType(0) : TestType(-0.1);
  CHECK(run(folded, rope<TestType>(9)).position.allFinite());

  for (const TestType span : {TestType(1), TestType(1.001), TestType(1.5)}) {  // taut, and too long, between two pins
    auto taut = hanging<TestType>(10);
    taut.position.row(1) *= span;
    static_cast<void>(pbd::pin(taut, 10));
    const auto after = run(taut, rope<TestType>(10));
    CHECK(after.position.allFinite());
    CHECK(pbd::stretch(after, rope<TestType>(10)).max < 12);
  }

  auto slack = hanging<TestType>(10);  // hangs between two pins that are near each other
  for (Index i = 0; i <= 10; ++i) {
    slack.position(0, i) = TestType(0.05) * static_cast<TestType>(i);
    slack.position(1, i) = 0;
  }
  static_cast<void>(pbd::pin(slack, 10));
  settings.substeps = 20;
  settings.iterations = 3;
  CHECK(pbd::stretch(run(slack, rope<TestType>(10)), rope<TestType>(10)).max < 0.01);
}

TEST_CASE("a line that is asked for more than its step allows gives way and does not burst", "[lines]") {
  auto particles = hanging(100);
  for (Index i = 0; i <= 100; ++i) particles.position(0, i) = 1e-4 * std::sin(static_cast<double>(i));
  auto lines = pbd::make_lines(rope(100));
  pbd::StepSettings<double, 3> settings;
  settings.substeps = 1;
  settings.iterations = 1;
  for (int frame = 0; frame < 600; ++frame) REQUIRE_FALSE(pbd::step(particles, settings, lines));
  CHECK(pbd::stretch(particles, rope(100)).max < 10);
}

TEST_CASE("a link continues the line that it shares its end with", "[lines]") {
  const auto lines_of = [](const std::vector<std::array<int, 2>>& links) {
    Links<double> edges;
    for (const auto& [i, j] : links) edges.push_back({i, j, 1.0});
    std::vector<std::vector<std::int32_t>> chains;
    for (const auto& chain : pbd::detail::find_chains(edges, 20)) chains.push_back(chain);
    return chains;
  };
  using Chains = std::vector<std::vector<std::int32_t>>;
  CHECK(lines_of({{0, 1}, {1, 2}, {2, 3}}) == Chains{{0, 1, 2, 3}});
  CHECK(lines_of({{1, 0}, {2, 1}, {2, 3}}) == Chains{{0, 1, 2, 3}});           // in whatever direction a link is given
  CHECK(lines_of({{0, 1}, {1, 2}, {2, 0}}) == Chains{{0, 1, 2}, {2, 0}});      // no loops
  CHECK(lines_of({{0, 1}, {2, 3}, {3, 4}}) == Chains{{0, 1}, {2, 3, 4}});
  CHECK(lines_of({{0, 1}, {1, 2}, {1, 3}}) == Chains{{0, 1, 2}, {1, 3}});      // no branches
  CHECK(lines_of({}).empty());
}

TEST_CASE("what cannot be a line is refused by its number", "[lines]") {
  const auto refused = [](const auto& links) { return pbd::make_lines(links).error.message(); };
  CHECK(refused(Links<double>{{0, 1, 1.0}, {-1, 2, 1.0}}) == "constraint 1: particle index out of range");
  CHECK(refused(Links<double>{{0, 1, 1.0}, {2, 2, 1.0}}) == "constraint 1: names the same particle twice");
  CHECK(refused(Links<double>{{0, 1, not_a_number<double>}}) == "constraint 0: rest length is NaN or infinite");
  CHECK(refused(Springs<double>{{0, 1, 1.0, 0.0, 1.0}}) == "constraint 0: a line has no damping");
  auto lines = pbd::make_lines(Links<double>{{0, 5, 1.0}});
  pbd::Particles<double, 3> particles(5);
  CHECK(pbd::step(particles, pbd::StepSettings<double, 3>{}, lines).message() ==
        "constraints of set 0: particle index out of range");
}

TEST_CASE("lines scale with length, mass and gravity", "[lines]") {
  const auto run = [](double length, double mass) {
    auto particles = hanging(12);
    for (Index i = 0; i <= 12; ++i) particles.position.col(i) << 0.1 * static_cast<double>(i), 0, 0;
    particles.position *= length;
    particles.inverse_mass /= mass;
    auto links = rope(12);
    for (auto& link : links) link.rest_length *= length;
    auto lines = pbd::make_lines(links);
    pbd::StepSettings<double, 3> settings;
    settings.gravity *= length;
    settings.iterations = 2;
    for (int frame = 0; frame < 30; ++frame) REQUIRE_FALSE(pbd::step(particles, settings, lines));
    auto values = state(particles);
    std::vector<double> positions;
    for (Index i = 0; i <= 12; ++i)
      for (int d = 0; d < 3; ++d) positions.push_back(particles.position(d, i) / length);
    return positions;
  };
  const auto reference = run(1, 1);
  for (const double scale : {1e-6, 1e6}) {
    CHECK(difference(run(scale, 1), reference) < 1e-9);
    CHECK(difference(run(1, scale), reference) < 1e-9);
  }
}
