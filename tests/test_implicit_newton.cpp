// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/implicit_newton.hpp>

#include <Eigen/Cholesky>

#include <array>

using namespace support;

namespace {

using P = pbd::Particles<double, 3>;
using Hard = pbd::DistanceConstraint<double>;
using Spring = pbd::CompliantDistanceConstraint<double>;
using Settings = pbd::StepSettings<double, 3>;

/// Another solver through the same seam: Eigen's dense Cholesky.
template <int Dim>
struct Dense {
  Eigen::MatrixXd matrix;

  void analyze(const pbd::BlockMatrix<Dim>& blocks, const pbd::BlockVector<Dim>&) {
    matrix.resize(blocks.count() * Dim, blocks.count() * Dim);
  }
  void factorize(const pbd::BlockMatrix<Dim>& blocks) noexcept {
    pbd::BlockVector<Dim> in(Dim, blocks.count()), out = in;
    for (Index c = 0; c < matrix.cols(); ++c) {
      in.setZero();
      in(c % Dim, c / Dim) = 1;
      blocks.multiply(in, out);
      matrix.col(c) = out.reshaped();
    }
  }
  void solve(const pbd::BlockMatrix<Dim>&, const pbd::BlockVector<Dim>& b, pbd::BlockVector<Dim>& x) noexcept {
    x = matrix.llt().solve(b.reshaped()).reshaped(Dim, b.cols());
  }
};

/// A sheet of n×n particles, 1 m wide, released flat from its two upper corners.
template <class Scalar, pbd::Layout layout = pbd::Layout::planar>
auto sheet(int n) {
  pbd::ClothSettings<Scalar, 3> settings;
  settings.columns = settings.rows = n;
  settings.size = {1, 1};
  settings.total_mass = Scalar(0.2);
  settings.plane = pbd::Plane::horizontal;
  return pbd::make_cloth<Scalar, 3, layout>(settings);
}

/// Two particles of 2 kg and 0.5 kg, `apart` along the last axis.
template <class Memory>
void place_pair(Memory& memory, double apart) {
  using Scalar = typename Memory::Scalar;
  auto& p = memory.particles;
  p.position.setZero();
  p.velocity.setZero();
  p.position(Memory::dim - 1, 1) = static_cast<Scalar>(apart);
  p.predicted = p.position;
  p.inverse_mass(0) = Scalar(0.5);
  p.inverse_mass(1) = 2;
}

template <class Memory>
double apart(const Memory& memory) {
  return static_cast<double>(pbd::detail::distance(memory.particles, 0, 1));
}

template <class Memory>
auto weightless(int iterations) {
  using S = pbd::StepSettings<typename Memory::Scalar, Memory::dim>;
  S settings{.substeps = 1, .iterations = iterations};
  settings.gravity.setZero();
  return settings;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("the gradient and the Hessian are those of the energy", "[implicit_newton]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  constexpr int dim = TestType::dim;
  TestType memory(9);
  scatter(memory.particles);
  memory.particles.inverse_mass(4) = 0;
  auto springs = net<pbd::CompliantDistanceConstraint<Scalar>>(memory.particles);
  auto limits = net<pbd::DistanceLimit<Scalar>>(memory.particles);
  auto soft = net<pbd::SoftDistanceConstraint<Scalar>>(memory.particles);
  for (auto& c : springs) c.rest_length *= Scalar(0.5);  // all stretched: there the Hessian is exact
  for (auto& c : soft) c.rest_length *= Scalar(0.5);
  for (std::size_t c = 0; c < limits.size(); ++c)
    limits[c] = pbd::at_most(limits[c].i, limits[c].j, (c % 2 == 0 ? Scalar(0.5) : Scalar(2)) * limits[c].longest);

  auto newton = pbd::make_implicit_newton(memory.particles, springs, limits, soft);
  newton.stiffness = 100;
  REQUIRE_FALSE(newton.error);
  const pbd::Substep<Scalar> substep(Scalar(0.1), 1);
  newton.begin_substep(memory.particles, substep);
  newton.sweep(memory.particles, substep);
  pbd::BlockVector<dim> where(dim, 9), in(dim, 9), out(dim, 9);
  for (Index i = 0; i < 9; ++i)
    for (int d = 0; d < dim; ++d) where(d, i) = static_cast<double>(memory.particles.position(d, i));

  newton.place = where;
  const double energy = newton.linearize();
  const pbd::BlockVector<dim> gradient = newton.gradient;
  const auto hessian = newton.matrix;
  CHECK(newton.energy_at(where) == Approx(energy).epsilon(1e-14));
  CHECK(gradient.col(4).norm() == 0);
  const double e = 1e-6;
  for (Index i = 0; i < 9; ++i)
    for (int d = 0; d < dim; ++d) {
      if (i == 4) continue;
      auto ahead = where, behind = where;
      ahead(d, i) += e;
      behind(d, i) -= e;
      CHECK(gradient(d, i) ==
            Approx((newton.energy_at(ahead) - newton.energy_at(behind)) / (2 * e)).margin(1e-7 * gradient.norm()));
      in.setZero();
      in(d, i) = 1;
      hessian.multiply(in, out);
      newton.place = ahead;
      newton.linearize();
      pbd::BlockVector<dim> difference = newton.gradient;
      newton.place = behind;
      newton.linearize();
      difference = (difference - newton.gradient) / (2 * e);
      CHECK((out - difference).norm() < 1e-6 * out.norm());
    }
}

TEMPLATE_LIST_TEST_CASE("one spring moves by the closed form of implicit Euler", "[implicit_newton]", SomeMemory) {
  // along its line the energy is a quadratic, and one Newton step its minimum
  using Scalar = typename TestType::Scalar;
  const double damping = GENERATE(0.0, 3.0), k = 50, m = 0.5, h = 1.0 / 60, d = 0.8;
  TestType memory(2);
  place_pair(memory, 1.0);
  memory.particles.inverse_mass(0) = 0;
  const std::vector<pbd::CompliantDistanceConstraint<Scalar>> springs{
      {0, 1, Scalar(d), Scalar(1 / k), static_cast<Scalar>(damping)}};
  auto newton = pbd::make_implicit_newton(memory.particles, springs);
  double x = 1, v = 0;
  for (int n = 0; n < 100; ++n) {
    REQUIRE_FALSE(pbd::step(memory.particles, weightless<TestType>(1), newton));
    const double now = (m * (x + h * v) + k * h * h * d + damping * h * x) / (m + k * h * h + damping * h);
    v = (now - x) / h;
    x = now;
  }
  CHECK(apart(memory) == Approx(x).epsilon(sizeof(Scalar) == 4 ? 1e-4 : 1e-12));
}

TEMPLATE_LIST_TEST_CASE("a lone constraint leaves what its stiffness says", "[implicit_newton]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  const auto left = [](const auto& constraint) {
    TestType memory(2);
    place_pair(memory, 1.0);
    auto newton = pbd::make_implicit_newton(memory.particles, std::array{constraint});
    newton.stiffness = 1000;
    REQUIRE_FALSE(pbd::step(memory.particles, weightless<TestType>(1), newton));
    return apart(memory);
  };
  const double digits = 1e-6;
  using pbd::at_least, pbd::at_most;
  CHECK(left(pbd::DistanceConstraint<Scalar>{0, 1, Scalar(0.75)}) == Approx(0.75 + 0.25 / 2001).epsilon(digits));
  CHECK(left(pbd::SoftDistanceConstraint<Scalar>{0, 1, Scalar(0.5), Scalar(0.7)}) == Approx(0.65).epsilon(digits));
  CHECK(left(pbd::SoftDistanceConstraint<Scalar>{0, 1, Scalar(0.5), Scalar(0)}) == Approx(1).epsilon(digits));
  CHECK(left(pbd::SoftDistanceConstraint<Scalar>{0, 1, Scalar(0.75), Scalar(1)}) ==
        Approx(0.75 + 0.25 / 2001).epsilon(digits));
  CHECK(left(at_most<Scalar>(0, 1, Scalar(0.75))) == Approx(0.75 + 0.25 / 2001).epsilon(digits));
  CHECK(left(at_least<Scalar>(0, 1, Scalar(1.25))) == Approx(1.25 - 0.25 / 2001).epsilon(digits));
  CHECK(left(at_most<Scalar>(0, 1, Scalar(1.25))) == 1);
  CHECK(left(at_least<Scalar>(0, 1, Scalar(0.75))) == 1);
}

TEST_CASE("near the solution Newton steps converge quadratically", "[implicit_newton]") {
  P particles(12);
  scatter(particles);
  particles.inverse_mass(0) = particles.inverse_mass(11) = 0;
  auto springs = net<Spring>(particles);
  for (auto& spring : springs) {
    spring.rest_length *= 0.3;
    spring.damping = 0;
  }
  auto newton = pbd::make_implicit_newton(particles, springs);
  const pbd::Substep<double> substep(0.1, 1);
  newton.begin_substep(particles, substep);
  std::vector<double> norms;
  for (int n = 0; n < 12; ++n) {
    newton.sweep(particles, substep);
    norms.push_back(newton.gradient.norm());  // where the step began
  }
  CHECK(norms.back() < 1e-12 * norms.front());
  int seen = 0;
  for (std::size_t n = 2; n < norms.size(); ++n) {
    if (norms[n - 1] > 1e-2 * norms.front() || norms[n] < 1e-12 * norms.front()) continue;
    CHECK(std::log(norms[n] / norms[n - 1]) / std::log(norms[n - 1] / norms[n - 2]) > 1.5);
    ++seen;
  }
  CHECK(seen > 0);
}

TEMPLATE_LIST_TEST_CASE("free cloth keeps its momentum and falls as its center of mass does", "[implicit_newton]",
                        SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  constexpr int dim = TestType::dim;
  TestType memory(20);
  scatter(memory.particles);
  auto hard = net<pbd::DistanceConstraint<Scalar>>(memory.particles);
  auto newton = pbd::make_implicit_newton(memory.particles, hard);
  newton.stiffness = 1e4;
  const double digits = sizeof(Scalar) == 4 ? 2e-5 : 1e-11;
  const auto before = pbd::momentum(memory.particles);
  pbd::StepSettings<Scalar, dim> settings{.substeps = 1, .iterations = 30};
  for (int n = 1; n <= 10; ++n) {
    REQUIRE_FALSE(pbd::step(memory.particles, settings, newton));
    const auto now = pbd::momentum(memory.particles);
    const auto given = now.mass * settings.gravity * (settings.dt * static_cast<Scalar>(n));
    CHECK(static_cast<double>((now.linear - before.linear - given).norm()) <
          digits * static_cast<double>(now.mass) * 10);
  }
}

TEST_CASE("the forces of a converged step have no moment", "[implicit_newton]") {
  P particles(12);
  scatter(particles);
  auto springs = net<Spring>(particles);
  auto newton = pbd::make_implicit_newton(particles, springs);
  const pbd::Substep<double> substep(0.1, 1);
  newton.begin_substep(particles, substep);
  const auto prediction = particles.predicted;
  for (int n = 0; n < 100; ++n) newton.sweep(particles, substep);
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  double size = 0;
  for (Index i = 0; i < 12; ++i) {
    const Eigen::Vector3d x = particles.predicted.col(i), moved = x - prediction.col(i);
    moment += x.cross(moved) / particles.inverse_mass(i);
    size += x.norm() * moved.norm() / particles.inverse_mass(i);
  }
  CHECK(moment.norm() < 1e-9 * size);
}

TEMPLATE_LIST_TEST_CASE("a pinned particle never moves and a scripted one keeps its velocity", "[implicit_newton]",
                        SomeMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(10);
  auto& p = memory.particles;
  scatter(p);
  auto hard = net<pbd::DistanceConstraint<Scalar>>(p);
  p.inverse_mass(3) = p.inverse_mass(7) = 0;
  p.velocity.col(3).setZero();
  p.velocity.col(7).setConstant(Scalar(0.25));
  const auto held = p.position.col(3).eval(), led = p.position.col(7).eval();
  auto newton = pbd::make_implicit_newton(p, hard);
  const pbd::StepSettings<Scalar, TestType::dim> settings{.dt = Scalar(0.125), .substeps = 1, .iterations = 3};
  for (int n = 0; n < 8; ++n) REQUIRE_FALSE(pbd::step(p, settings, newton));
  CHECK((p.position.col(3) - held).norm() == 0);
  CHECK(static_cast<double>((p.position.col(7) - led).cwiseAbs().maxCoeff()) == Approx(0.25));
  CHECK(p.velocity.col(7).minCoeff() == Scalar(0.25));

  p.inverse_mass(3) = 1;  // pins may change between steps
  p.inverse_mass(5) = 0;
  p.velocity.col(5).setZero();
  const auto caught = p.position.col(5).eval();
  REQUIRE_FALSE(pbd::step(p, settings, newton));
  CHECK((p.position.col(3) - held).norm() > 0);
  CHECK((p.position.col(5) - caught).norm() == 0);
}

TEST_CASE("a scene scaled in length or mass moves the same", "[implicit_newton]") {
  const auto drop = [](double length, double mass) {
    auto cloth = sheet<double>(6);
    cloth.particles.position *= length;
    cloth.particles.inverse_mass /= mass;
    for (auto* array : {&cloth.structural, &cloth.shear})
      for (auto& edge : *array) edge.rest_length *= length;
    auto newton = pbd::make_implicit_newton(cloth.particles, cloth.structural, cloth.shear);
    Settings settings{.substeps = 1, .iterations = 3};
    settings.gravity *= length;
    for (int n = 0; n < 15; ++n) REQUIRE_FALSE(pbd::step(cloth.particles, settings, newton));
    cloth.particles.position /= length;
    const Eigen::VectorXd place = cloth.particles.position.reshaped();
    return std::vector<double>(place.begin(), place.end());
  };
  const auto plain = drop(1, 1);
  for (const double scale : {1e-6, 1e-3, 0.3, 7.0, 1e6}) {
    CHECK(difference(plain, drop(scale, 1)) < 1e-8);
    CHECK(difference(plain, drop(1, scale)) < 1e-8);
  }
}

TEMPLATE_LIST_TEST_CASE("degenerate input is skipped and leaves its neighbours finite", "[implicit_newton]",
                        SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  using Edge = pbd::DistanceConstraint<Scalar>;
  const pbd::StepSettings<Scalar, TestType::dim> settings{.substeps = 2, .iterations = 2};
  SECTION("no particles, one, and no constraints") {
    for (const Index count : {0, 1, 5}) {
      TestType memory(count);
      auto newton = pbd::make_implicit_newton(memory.particles, std::vector<Edge>{});
      auto same = memory.particles;
      REQUIRE_FALSE(pbd::step(memory.particles, settings, newton));
      REQUIRE_FALSE(pbd::step(same, settings, std::vector<Edge>{}));
      CHECK(difference(state(memory.particles), state(same)) < 1e-6);
    }
  }
  SECTION("all pinned") {
    TestType memory(8);
    scatter(memory.particles);
    memory.particles.inverse_mass.setZero();
    memory.particles.velocity.setZero();
    memory.particles.predicted = memory.particles.position;
    auto newton = pbd::make_implicit_newton(memory.particles, net<Edge>(memory.particles));
    const auto before = state(memory.particles);
    REQUIRE_FALSE(pbd::step(memory.particles, settings, newton));
    CHECK(same_bits(before, state(memory.particles)));
  }
  SECTION("all in one place") {
    TestType memory(8);
    scatter(memory.particles);
    auto edges = net<Edge>(memory.particles);
    memory.particles.position.setZero();
    memory.particles.velocity.setZero();
    auto newton = pbd::make_implicit_newton(memory.particles, edges);
    REQUIRE_FALSE(pbd::step(memory.particles, settings, newton));
    for (const double number : state(memory.particles)) CHECK(pbd::detail::is_finite(number));
  }
  SECTION("two in one place, one without a number, one without a mass") {
    TestType memory(12);
    auto& p = memory.particles;
    scatter(p);
    auto edges = net<Edge>(p);
    p.position.col(1) = p.position.col(2);
    p.velocity.col(1) = p.velocity.col(2);
    p.inverse_mass(1) = p.inverse_mass(2);
    p.position(0, 6) = GENERATE(not_a_number<Scalar>, infinity<Scalar>);
    p.inverse_mass(9) = GENERATE(not_a_number<Scalar>, infinity<Scalar>, std::numeric_limits<Scalar>::denorm_min());
    auto newton = pbd::make_implicit_newton(p, edges);
    for (int n = 0; n < 5; ++n) REQUIRE_FALSE(pbd::step(p, settings, newton));
    for (Index i = 0; i < 12; ++i)
      for (int d = 0; d < TestType::dim; ++d)
        if (i != 6 && i != 9) CHECK(pbd::detail::is_finite(p.position(d, i)));
  }
}

TEST_CASE("what makes no sense is named, and nothing moves", "[implicit_newton]") {
  P particles(4);
  scatter(particles);
  const auto before = state(particles);
  const auto refused = [&](const std::vector<Hard>& edges) {
    auto newton = pbd::make_implicit_newton(particles, std::vector<Hard>{{0, 1, 1.0}}, edges);
    const pbd::Error error = pbd::step(particles, Settings{}, newton);
    CHECK(same_bits(before, state(particles)));
    CHECK(newton.error.message() == error.message().replace(error.message().find("of set 0"), 8, "of set 1"));
    return newton.error.message();
  };
  CHECK(refused({{0, 1, 1.0}, {3, 4, 1.0}}) == "constraint 1 of set 1: particle index out of range");
  CHECK(refused({{2, 2, 1.0}}) == "constraint 0 of set 1: names the same particle twice");
  CHECK(refused({{0, 1, -1.0}}) == "constraint 0 of set 1: rest length is negative");

  auto newton = pbd::make_implicit_newton(P(5), std::vector<Hard>{{0, 1, 1.0}});
  CHECK(pbd::step(particles, Settings{}, newton).message() ==
        "constraints of set 0: implicit Newton was made for another number of particles");
  CHECK(same_bits(before, state(particles)));
}

TEST_CASE("a mass on a compliant constraint hangs in its own force", "[implicit_newton]") {
  P particles(2);
  particles.position(1, 1) = -1;
  particles.inverse_mass << 0, 0.5;
  const std::vector<Spring> springs{{0, 1, 1.0, 1e-3, 100}};
  auto newton = pbd::make_implicit_newton(particles, springs);
  const Settings settings{.substeps = 1, .iterations = 1};
  for (int n = 0; n < 600; ++n) REQUIRE_FALSE(pbd::step(particles, settings, newton));
  CHECK(-particles.position(1, 1) - 1 == Approx(1e-3 * 2 * 9.81).epsilon(1e-8));
  newton.for_each_constraint(
      [&](const Spring& spring) { CHECK(spring.force(settings.substep()) == Approx(2 * 9.81).epsilon(1e-8)); });
}

TEST_CASE("the solver is exchangeable and the steps are the same", "[implicit_newton]") {
  auto a = sheet<double>(7), b = sheet<double>(7);
  auto own = pbd::make_implicit_newton(a.particles, a.structural, a.shear);
  auto eigen = pbd::make_implicit_newton<Dense>(b.particles, b.structural, b.shear);
  const Settings settings{.substeps = 1, .iterations = 3};
  for (int n = 0; n < 20; ++n) {
    REQUIRE_FALSE(pbd::step(a.particles, settings, own));
    REQUIRE_FALSE(pbd::step(b.particles, settings, eigen));
  }
  CHECK(difference(state(a.particles), state(b.particles)) < 1e-8);
}

TEMPLATE_TEST_CASE("a sheet held by two corners stays within one percent, a Newton step a frame", "[implicit_newton][long]",
                   float, double) {
  auto cloth = sheet<TestType>(17);
  auto newton = pbd::make_implicit_newton(cloth.particles, cloth.structural, cloth.shear);
  const pbd::StepSettings<TestType, 3> settings{.substeps = 1, .iterations = 1};
  double worst = 0, lowest = 0;
  for (int frame = 0; frame < 120; ++frame) {
    REQUIRE_FALSE(pbd::step(cloth.particles, settings, newton));
    worst = std::max(worst, static_cast<double>(pbd::stretch(cloth.particles, newton).max));
    lowest = std::min(lowest, static_cast<double>(cloth.particles.position.row(1).minCoeff()));
  }
  CHECK(worst < 0.01);
  CHECK(lowest < -0.9);  // and it has swung down
}

TEST_CASE("two Newton steps a frame move a sheet as many do", "[implicit_newton][long]") {
  const auto fall = [](int iterations) {
    auto cloth = sheet<double>(17);
    auto newton = pbd::make_implicit_newton(cloth.particles, cloth.structural, cloth.shear);
    const Settings settings{.substeps = 1, .iterations = iterations};
    for (int frame = 0; frame < 30; ++frame) REQUIRE_FALSE(pbd::step(cloth.particles, settings, newton));
    return pbd::momentum(cloth.particles).center_of_mass(1);
  };
  CHECK(fall(2) == Approx(fall(15)).epsilon(0.02));
}

TEMPLATE_TEST_CASE("two runs give the same bits", "[implicit_newton]", float, double) {
  const auto run = [] {
    auto cloth = sheet<TestType, pbd::Layout::interleaved>(9);
    auto newton = pbd::make_implicit_newton(cloth.particles, cloth.structural, cloth.shear);
    const pbd::StepSettings<TestType, 3> settings{.substeps = 1, .iterations = 2};
    for (int frame = 0; frame < 20; ++frame) REQUIRE_FALSE(pbd::step(cloth.particles, settings, newton));
    return state(cloth.particles);
  };
  CHECK(same_bits(run(), run()));
}
