// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"

#include <numeric>
#include <set>
#include <span>

namespace {

using support::Index;
using support::Layout;

/// A cloth's constraints of all kinds in one array, as constraints of the given type.
template <class Constraint>
std::vector<Constraint> sheet_edges(int columns, int rows, pbd::SweepOrder order) {
  using Scalar = typename Constraint::Scalar;
  pbd::ClothSettings<Scalar, 2> settings;
  settings.columns = columns;
  settings.rows = rows;
  settings.order = order;
  settings.bending.present = true;
  const auto cloth = pbd::make_cloth(settings);
  std::vector<Constraint> edges;
  for (const auto* kind : {&cloth.structural, &cloth.shear, &cloth.bending})
    for (const auto& edge : *kind) edges.push_back(support::between<Constraint>(edge.i, edge.j, edge.rest_length));
  return edges;
}

/// Any pairs of `count` particles, whatever their order.
template <class Constraint>
std::vector<Constraint> random_edges(int count, int edges, std::uint64_t seed) {
  support::Random random(seed);
  std::vector<Constraint> result;
  while (static_cast<int>(result.size()) < edges) {
    const auto i = static_cast<int>(random(0, count)), j = static_cast<int>(random(0, count));
    if (i != j) result.push_back(support::between<Constraint>(i, j, static_cast<typename Constraint::Scalar>(random(0, 1))));
  }
  return result;
}

template <class Constraint>
std::vector<Constraint> joined(std::vector<Constraint> all, const std::vector<Constraint>& second,
                               const std::vector<Constraint>& third) {
  all.insert(all.end(), second.begin(), second.end());
  all.insert(all.end(), third.begin(), third.end());
  return all;
}

template <class Constraint>
void shuffle(std::vector<Constraint>& edges) {
  support::Random random(3);
  for (std::size_t n = edges.size(); n > 1; --n)
    std::swap(edges[n - 1], edges[static_cast<std::size_t>(random(0, static_cast<double>(n)))]);
}

template <class Constraint>
std::vector<double> numbers(const Constraint& constraint) {
  std::vector<double> values{static_cast<double>(constraint.i), static_cast<double>(constraint.j)};
  for (const auto field : Constraint::fields) values.push_back(static_cast<double>(constraint.*field));
  return values;
}

template <class Set>
std::vector<double> all_numbers(const Set& set) {
  std::vector<double> values;
  const auto append = [&](const auto& constraint) {
    const auto more = numbers(constraint);
    values.insert(values.end(), more.begin(), more.end());
  };
  if constexpr (std::ranges::range<const Set>)
    for (const auto& constraint : set) append(constraint);
  else
    set.for_each_constraint(append);
  return values;
}

/// Steps the same scene with the array and with its batches, and demands the same bits of all that either changed.
template <class Memory, class Constraint>
void demand_same_bits(std::vector<Constraint> edges, Index count, int steps) {
  using Scalar = typename Memory::Scalar;
  Memory plain(count), batched(count);
  for (Memory* memory : {&plain, &batched}) {
    support::scatter(memory->particles);
    for (Index i = 0; i < count; i += 5) static_cast<void>(pbd::pin(memory->particles, i));  // in every position of a run
    if (count > 3) memory->particles.position.col(3) = memory->particles.position.col(2);    // coincident
    if (count > 6) memory->particles.velocity(0, 5) = Scalar(0.3);                           // pinned and scripted
  }
  auto batches = pbd::make_batches(edges);
  REQUIRE_FALSE(batches.error);
  pbd::StepSettings<Scalar, Memory::dim> settings;
  settings.substeps = 2;
  settings.iterations = 3;
  for (int s = 0; s < steps; ++s) {
    REQUIRE_FALSE(pbd::step(plain.particles, settings, edges));
    REQUIRE_FALSE(pbd::step(batched.particles, settings, batches));
  }
  CHECK(support::same_bits(support::state(plain.particles), support::state(batched.particles)));
  CHECK(support::same_bits(all_numbers(edges), all_numbers(batches)));
}

template <class Memory, class Constraint>
void demand_same_bits_on_every_mesh() {
  for (const auto order : {pbd::SweepOrder::rows, pbd::SweepOrder::natural}) {
    demand_same_bits<Memory>(sheet_edges<Constraint>(19, 7, order), 19 * 7, 20);
    demand_same_bits<Memory>(sheet_edges<Constraint>(8, 9, order), 8 * 9, 20);
    demand_same_bits<Memory>(sheet_edges<Constraint>(1, 23, order), 23, 20);
    demand_same_bits<Memory>(sheet_edges<Constraint>(23, 1, order), 23, 20);
  }
  auto edges = sheet_edges<Constraint>(19, 7, pbd::SweepOrder::rows);
  shuffle(edges);
  demand_same_bits<Memory>(edges, 19 * 7, 10);
  demand_same_bits<Memory>(random_edges<Constraint>(90, 200, 5), 90, 10);
  demand_same_bits<Memory>(std::vector<Constraint>{}, 4, 1);
}

template <class Scalar, int Dim>
using BatchedMemories = std::tuple<support::Owned<Scalar, Dim, Layout::planar>, support::Owned<Scalar, Dim, Layout::interleaved>,
                                   support::Mapped<Scalar, Dim, Layout::planar, 3>,
                                   support::Mapped<Scalar, Dim, Layout::interleaved, 3>>;
using EveryBatchedMemory =
    decltype(std::tuple_cat(std::declval<BatchedMemories<float, 2>>(), std::declval<BatchedMemories<float, 3>>(),
                            std::declval<BatchedMemories<double, 2>>(), std::declval<BatchedMemories<double, 3>>()));

}  // namespace

TEMPLATE_LIST_TEST_CASE("batches give the bits of the plain sweep", "[batches]", EveryBatchedMemory) {
  using Scalar = typename TestType::Scalar;
  SECTION("hard") { demand_same_bits_on_every_mesh<TestType, pbd::DistanceConstraint<Scalar>>(); }
  SECTION("soft") { demand_same_bits_on_every_mesh<TestType, pbd::SoftDistanceConstraint<Scalar>>(); }
  SECTION("compliant") { demand_same_bits_on_every_mesh<TestType, pbd::CompliantDistanceConstraint<Scalar>>(); }
  SECTION("one-sided") { demand_same_bits_on_every_mesh<TestType, pbd::DistanceLimit<Scalar>>(); }
}

TEMPLATE_TEST_CASE("runs of every length, shape and direction give the bits of the plain sweep", "[batches]", float,
                   double) {
  using C = pbd::CompliantDistanceConstraint<TestType>;
  using Memory = support::Owned<TestType, 3, Layout::planar>;
  for (int count = 1; count <= 35; ++count)
    for (const bool uniform : {false, true})
      for (const bool backwards : {false, true}) {
        std::vector<C> rows, pairs;
        for (int k = 0; k < count; ++k) {
          const auto rest_length = TestType(uniform ? 0.5 : 0.5 + 0.01 * k);
          const auto edge = [&](int i, int j) {
            return support::between<C>(backwards ? j : i, backwards ? i : j, rest_length);
          };
          rows.push_back(edge(k, count + k));
          pairs.push_back(edge(2 * k, 2 * k + 1));
        }
        INFO(count << " constraints");
        demand_same_bits<Memory>(rows, 2 * count, 1);
        demand_same_bits<Memory>(pairs, 2 * count, 1);
        demand_same_bits<Memory>(joined(rows, pairs, rows), 2 * count, 1);
      }
}

TEST_CASE("uniform runs read their numbers in one place, and a change by hand is noticed when it is told of", "[batches]") {
  using C = pbd::DistanceConstraint<float>;
  auto edges = sheet_edges<C>(40, 5, pbd::SweepOrder::rows);
  auto batches = pbd::make_batches(edges);
  std::set<std::int64_t> places;
  for (const pbd::Run& run : batches.runs) {
    CHECK(run.uniform == !run.is_listed());
    if (run.uniform) places.insert(run.numbers);
  }
  CHECK(places.size() == 3);  // structural, shear and bending edges have a length each

  pbd::Particles<float, 3> plain(40 * 5);
  support::scatter(plain);
  auto batched = plain;
  const auto sweep_both = [&] {
    const pbd::Substep<float> substep(0.01f, 1);
    pbd::sweep(edges, plain, substep);
    batches.sweep(batched, substep);
    CHECK(support::same_bits(support::state(plain), support::state(batched)));
  };
  for (const std::size_t changed : {std::size_t{0}, std::size_t{57}, edges.size() - 1}) {
    edges[changed].rest_length *= 1.5f;
    batches.fields[0][changed] *= 1.5f;
    batches.find_uniform_runs();
    sweep_both();
  }
  for (std::size_t n = 0; n < edges.size(); ++n) edges[n].rest_length = batches.fields[0][n] = 0.2f;
  batches.find_uniform_runs();
  sweep_both();
}

TEST_CASE("batches give the bits of the plain sweep after hundreds of steps of a real sheet", "[batches][long]") {
  pbd::ClothSettings<float, 3> settings;
  settings.columns = 37;
  settings.rows = 29;
  settings.plane = pbd::Plane::horizontal;
  auto plain = pbd::make_cloth(settings), batched = plain;
  auto structural = pbd::make_batches(batched.structural), shear = pbd::make_batches(batched.shear);
  pbd::StepSettings<float, 3> step;
  step.substeps = 4;
  for (int s = 0; s < 300; ++s) {
    REQUIRE_FALSE(pbd::step(plain.particles, step, plain.structural, plain.shear));
    REQUIRE_FALSE(pbd::step(batched.particles, step, structural, shear));
  }
  CHECK(support::same_bits(support::state(plain.particles), support::state(batched.particles)));
  CHECK(pbd::stretch(batched.particles, structural, shear).rms < 0.1f);
}

TEST_CASE("no two constraints of an independent run share a particle", "[batches]") {
  using C = pbd::DistanceConstraint<float>;
  std::vector<std::vector<C>> meshes;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    meshes.push_back(random_edges<C>(static_cast<int>(4 + 7 * seed), static_cast<int>(1 + 9 * seed), seed));
  for (const auto order : {pbd::SweepOrder::rows, pbd::SweepOrder::natural})
    for (int columns = 1; columns < 20; ++columns) meshes.push_back(sheet_edges<C>(columns, 6, order));
  for (const auto& edges : meshes) {
    const auto batches = pbd::make_batches(edges);
    std::int64_t next = 0;
    for (const pbd::Run& run : batches.runs) {
      REQUIRE(run.first == next);
      REQUIRE(run.count > 0);
      next += run.count;
      std::set<std::int32_t> touched;
      for (std::int32_t n = 0; n < run.count; ++n)
        for (const std::int32_t end : {batches.first_of(run, n), batches.second_of(run, n)}) {
          touched.insert(end);
          REQUIRE(end >= run.lowest());
          REQUIRE(end <= run.highest());
        }
      if (run.shape != pbd::RunShape::sequential) REQUIRE(touched.size() == 2 * static_cast<std::size_t>(run.count));
    }
    CHECK(next == batches.count);
    CHECK(all_numbers(edges) == all_numbers(batches));  // every constraint once, in array order
  }
}

TEST_CASE("a sheet in row order is all even runs, at 8 bytes or less a constraint", "[batches]") {
  const int columns = 100, rows = 40;
  pbd::ClothSettings<float, 3> settings;
  settings.columns = columns;
  settings.rows = rows;
  const auto cloth = pbd::make_cloth(settings);
  const auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
  CHECK(structural.runs.size() == static_cast<std::size_t>(3 * rows - 1));
  CHECK(shear.runs.size() == static_cast<std::size_t>(2 * (rows - 1)));
  for (const auto* set : {&structural, &shear}) {
    CHECK(set->i.empty());
    CHECK(static_cast<double>(set->bytes()) <= 8.0 * static_cast<double>(set->count));
  }
}

TEST_CASE("a constraint that makes no sense is named, and the set is empty", "[batches]") {
  using C = pbd::CompliantDistanceConstraint<float>;
  const auto refused = [](C bad) {
    const std::vector<C> edges{{0, 1, 1.0f}, {1, 2, 1.0f}, bad};
    const auto batches = pbd::make_batches(edges);
    CHECK(batches.runs.empty());
    CHECK(batches.count == 0);
    CHECK(batches.error.item == 2);
    return batches.error.message();
  };
  CHECK(refused({-1, 2, 1.0f}) == "constraint 2: particle index out of range");
  CHECK(refused({2, 2, 1.0f}) == "constraint 2: names the same particle twice");
  CHECK(refused({1, 2, -1.0f}) == "constraint 2: rest length is negative");
  CHECK(refused({1, 2, 1.0f, support::not_a_number<float>}) == "constraint 2: compliance is negative, NaN or infinite");
}

TEST_CASE("a step refuses batches that were refused", "[batches]") {
  pbd::Particles<float, 3> particles(4);
  auto batches = pbd::make_batches(std::vector<pbd::DistanceConstraint<float>>{{0, 1, -1.0f}});
  const auto before = support::state(particles);
  CHECK(pbd::step(particles, pbd::StepSettings<float, 3>{}, batches).message() ==
        "constraint 0 of set 0: rest length is negative");
  CHECK(support::same_bits(before, support::state(particles)));
}

TEST_CASE("a step refuses batches that reach beyond the particles, and touches nothing", "[batches]") {
  pbd::Particles<float, 3> particles(4);
  const std::vector<pbd::DistanceConstraint<float>> edges{{0, 1, 1.0f}, {2, 4, 1.0f}};
  auto batches = pbd::make_batches(edges);
  const auto before = support::state(particles);
  const pbd::Error error = pbd::step(particles, pbd::StepSettings<float, 3>{}, batches);
  CHECK(error.message() == "constraints of set 0: particle index out of range");
  CHECK(support::same_bits(before, support::state(particles)));
}

TEST_CASE("stretch and energy of batches are those of their array", "[batches]") {
  using C = pbd::CompliantDistanceConstraint<double>;
  pbd::Particles<double, 3> particles(90);
  support::scatter(particles);
  const auto edges = random_edges<C>(90, 200, 2);
  const auto batches = pbd::make_batches(edges);
  CHECK(pbd::stretch(particles, batches).max == pbd::stretch(particles, edges).max);
  CHECK(pbd::stretch(particles, batches).rms == pbd::stretch(particles, edges).rms);
  CHECK(pbd::energy(particles, {0, 0, 0}, batches).elastic == pbd::energy(particles, {0, 0, 0}, edges).elastic);
}

TEST_CASE("a sheet held by two corners survives both orders alike", "[batches][order][long]") {
  for (const int substeps : {1, 10, 50}) {
    std::vector<float> left;
    for (const auto order : {pbd::SweepOrder::natural, pbd::SweepOrder::rows}) {
      pbd::ClothSettings<float, 2> settings;
      settings.order = order;
      auto cloth = pbd::make_cloth(settings);
      auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
      pbd::StepSettings<float, 2> step;
      step.substeps = substeps;
      float worst = 0;
      for (int s = 0; s < 180; ++s) {
        REQUIRE_FALSE(pbd::step(cloth.particles, step, structural, shear));
        worst = std::max(worst, pbd::stretch(cloth.particles, structural, shear).rms);
      }
      left.push_back(worst);
    }
    INFO(substeps << " substeps: natural " << left[0] << ", rows " << left[1]);
    CHECK(left[1] < 1.5f * left[0]);
  }
}

namespace {

/// Steps a sheet so large that batches take it part by part, alone and on threads, and the same sheet's arrays.
template <class Scalar, int Dim, Layout layout>
void demand_same_bits_in_parts(int columns, int rows, int substeps, int iterations, pbd::SweepOrder order) {
  CAPTURE(columns, rows, substeps, iterations);
  pbd::ClothSettings<Scalar, Dim> sheet;
  sheet.columns = columns;
  sheet.rows = rows;
  sheet.order = order;
  sheet.shear.present = columns < 100;
  sheet.structural.compliance = Scalar(1e-6);
  auto plain = pbd::make_cloth<Scalar, Dim, layout, pbd::CompliantDistanceConstraint<Scalar>>(sheet);
  REQUIRE_FALSE(plain.error);
  const Index n = plain.particles.count();
  REQUIRE(n > (1 << 20) / static_cast<Index>(sizeof(Scalar) * (Dim + 1)));
  for (const Index pinned : {n / 3, n / 2 + 7, n - 1}) REQUIRE_FALSE(pbd::pin(plain.particles, pinned));
  plain.particles.velocity(0, n / 2 + 7) = Scalar(0.5);  // a scripted one
  for (Index i = 0; i < n; i += 97) plain.particles.velocity(1, i + 1) += Scalar(0.3);
  auto batched = plain, threaded = plain;
  auto structural = pbd::make_batches(batched.structural), shear = pbd::make_batches(batched.shear);
  auto structural_too = structural, shear_too = shear;
  const auto backwards = [](std::size_t count, auto&& body) {
    for (std::size_t k = count; k-- > 0;) body(k, k + 1);
  };
  auto parallel = pbd::make_parallel(backwards, static_cast<std::size_t>(1 + iterations % 3), structural_too, shear_too);
  pbd::StepSettings<Scalar, Dim> settings;
  settings.substeps = substeps;
  settings.iterations = iterations;
  settings.measure = true;
  for (int frame = 0; frame < 2; ++frame) {
    const auto expected = pbd::step(plain.particles, settings, plain.structural, plain.shear);
    const auto report = pbd::step(batched.particles, settings, structural, shear);
    REQUIRE_FALSE(report);
    REQUIRE_FALSE(pbd::step(threaded.particles, settings, parallel));
    CHECK(report.substeps == expected.substeps);
    CHECK(report.sweeps == expected.sweeps);
    CHECK(report.left.max == expected.left.max);
  }
  CHECK(support::same_bits(support::state(plain.particles), support::state(batched.particles)));
  CHECK(support::same_bits(support::state(plain.particles), support::state(threaded.particles)));
  std::vector<Scalar> lambda, expected;
  structural.for_each_constraint([&](const auto& c) { lambda.push_back(c.lambda); });
  for (const auto& c : plain.structural) expected.push_back(c.lambda);
  CHECK(support::same_bits(lambda, expected));
}

}  // namespace

TEST_CASE("a large sheet is stepped part by part to the bits of the plain step", "[batches]") {
  demand_same_bits_in_parts<double, 2, Layout::planar>(25, 1800, 2, 1, pbd::SweepOrder::rows);
  demand_same_bits_in_parts<double, 2, Layout::interleaved>(25, 1800, 1, 2, pbd::SweepOrder::natural);
}

TEST_CASE("batches of nothing are a set, however many particles there are", "[batches]") {
  pbd::Particles<float, 3> particles(70000), twin = particles;
  pbd::Batches<pbd::DistanceConstraint<float>> nothing{};
  REQUIRE_FALSE(pbd::step(particles, pbd::StepSettings<float, 3>{}, nothing));
  REQUIRE_FALSE(pbd::step(twin, pbd::StepSettings<float, 3>{}));
  CHECK(support::same_bits(support::state(particles), support::state(twin)));
}

TEST_CASE("so are sheets of other shapes, with more sweeps", "[batches][long]") {
  demand_same_bits_in_parts<float, 3, Layout::planar>(40, 1700, 3, 4, pbd::SweepOrder::rows);
  demand_same_bits_in_parts<float, 3, Layout::planar>(260, 260, 7, 3, pbd::SweepOrder::rows);
  demand_same_bits_in_parts<double, 3, Layout::planar>(3000, 13, 4, 2, pbd::SweepOrder::rows);  // fewer rows than sweeps
  demand_same_bits_in_parts<double, 3, Layout::planar>(9, 4000, 1, 40, pbd::SweepOrder::rows);
  demand_same_bits_in_parts<float, 2, Layout::planar>(90000, 1, 2, 3, pbd::SweepOrder::rows);
}

TEST_CASE("runs that leap about are stepped in order, however many particles there are", "[batches][long]") {
  constexpr Index n = 70000;
  pbd::Particles<float, 3> plain(n);
  support::scatter(plain);
  auto edges = random_edges<pbd::DistanceConstraint<float>>(n, 60000, 3);
  auto batched = plain;
  auto batches = pbd::make_batches(edges);
  const pbd::StepSettings<float, 3> settings{.substeps = 3, .iterations = 3};
  REQUIRE_FALSE(pbd::step(plain, settings, edges));
  REQUIRE_FALSE(pbd::step(batched, settings, batches));
  CHECK(support::same_bits(support::state(plain), support::state(batched)));
}
