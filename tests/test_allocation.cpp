// SPDX-License-Identifier: MIT
//
// This file replaces the program's allocation functions by ones that count.
#include "catch.hpp"
#include "support.hpp"
#include <pbd/pbd.hpp>

#include <cstdlib>
#include <new>
#include <span>

// Eigen allocates by malloc. Under the C library of GNU it can be counted, too; a sanitizer brings a malloc of its own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PBD_TEST_SANITIZED
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(PBD_TEST_SANITIZED)
#define PBD_TEST_COUNTS_MALLOC
#endif

namespace {

std::size_t allocations = 0;

}  // namespace

#ifdef PBD_TEST_COUNTS_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(block, size);
}
}
#else
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void* operator new(std::size_t size) {
  if (void* block = operator new(size, std::nothrow)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
#endif

using namespace support;

namespace {

template <class Work>
std::size_t allocations_of(Work&& work) {
  const std::size_t before = allocations;
  work();
  return allocations - before;
}

}  // namespace

TEST_CASE("the count sees what is allocated", "[allocation]") {
  std::vector<double> vector;
  CHECK(allocations_of([&] { vector.resize(100); }) == 1);
#ifdef PBD_TEST_COUNTS_MALLOC
  Eigen::VectorXd eigen;
  CHECK(allocations_of([&] { eigen.setZero(100); }) == 1);
  pbd::Particles<double, 3> particles;
  CHECK(allocations_of([&] { particles = pbd::Particles<double, 3>(10); }) >= 5);
#endif
}

TEMPLATE_LIST_TEST_CASE("a step allocates nothing", "[allocation]", SomeMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(50);
  auto& particles = memory.particles;
  scatter(particles);
  auto hard = net<pbd::DistanceConstraint<Scalar>>(particles);
  auto soft = net<pbd::SoftDistanceConstraint<Scalar>>(particles);
  auto compliant = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  auto limits = net<pbd::DistanceLimit<Scalar>>(particles);
  pbd::Acceleration drag{[](const auto& all, Index i) { return (-all.velocity.col(i)).eval(); }};
  pbd::StepSettings<Scalar, TestType::dim> settings;
  settings.iterations = 3;
  pbd::Error taken, refused;
  CHECK(allocations_of([&] {
          taken = pbd::step(particles, settings, drag, hard, soft, compliant, limits);
          settings.dt = -1;
          refused = pbd::step(particles, settings, hard);
        }) == 0);
  CHECK_FALSE(taken);
  CHECK(refused);
}

TEMPLATE_LIST_TEST_CASE("an accelerated step allocates nothing, nor do coarse levels", "[allocation]", SomeMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(48);
  auto& particles = memory.particles;
  scatter(particles);
  auto hard = net<pbd::DistanceConstraint<Scalar>>(particles);
  auto compliant = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  auto relaxed = pbd::make_over_relaxed(particles, hard, compliant);
  auto extrapolated = pbd::make_chebyshev(particles, hard, compliant);
  auto coarse = pbd::make_coarse_to_fine<Scalar, TestType::dim>(8, 6, {Scalar(0.1), Scalar(0.1)}, true);
  pbd::StepSettings<Scalar, TestType::dim> settings;
  settings.iterations = 6;
  pbd::Error error;
  CHECK(allocations_of([&] {
          error = pbd::step(particles, settings, coarse, relaxed);
          if (!error) error = pbd::step(particles, settings, extrapolated);
        }) == 0);
  CHECK_FALSE(error);
}

TEMPLATE_LIST_TEST_CASE("a step of lines allocates nothing", "[allocation]", SomeMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(48);
  auto& particles = memory.particles;
  scatter(particles);
  std::vector<pbd::DistanceConstraint<Scalar>> links;
  for (int k = 0; k < 47; ++k)
    if (k % 12 != 11) links.push_back({k, k + 1, Scalar(0.5)});
  auto lines = pbd::make_lines(links);
  pbd::StepSettings<Scalar, TestType::dim> settings;
  settings.iterations = 4;
  settings.tolerance = Scalar(0.01);
  pbd::Error error;
  CHECK(allocations_of([&] {
          settings.substeps = lines.substeps(particles, settings.dt, Scalar(9.81));
          error = pbd::step(particles, settings, lines);
        }) == 0);
  CHECK_FALSE(error);
}

TEMPLATE_LIST_TEST_CASE("a Newton step allocates nothing", "[allocation]", SomeMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(50);
  scatter(memory.particles);
  auto newton = pbd::make_implicit_newton(memory.particles, net<pbd::DistanceConstraint<Scalar>>(memory.particles),
                                          net<pbd::CompliantDistanceConstraint<Scalar>>(memory.particles));
  const pbd::StepSettings<Scalar, TestType::dim> settings{.substeps = 2, .iterations = 3};
  pbd::Error taken;
  CHECK(allocations_of([&] { taken = pbd::step(memory.particles, settings, newton); }) == 0);
  CHECK_FALSE(taken);
}

TEMPLATE_LIST_TEST_CASE("asking allocates nothing", "[allocation]", SomeMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(50);
  auto& particles = memory.particles;
  scatter(particles);
  const auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  const auto gravity = pbd::earth_gravity<Scalar, TestType::dim>();
  const std::vector<std::array<int, 3>> triangle{{0, 1, 2}};
  double sum = 0;
  CHECK(allocations_of([&] {
          sum += static_cast<double>(pbd::stretch(particles, edges).rms);
          sum += static_cast<double>(pbd::energy(particles, gravity, edges).total());
          sum += static_cast<double>(pbd::momentum(particles).mass);
          sum += pbd::validate(particles, edges) ? 1 : 0;
          sum +=
              pbd::pin(particles, 3) || pbd::unpin(particles, 3) || pbd::set_total_mass(particles, Scalar(2)) ? 1 : 0;
          sum += pbd::set_area_density(particles, std::span(triangle), Scalar(1)) ? 1 : 0;
        }) == 0);
  CHECK(std::isfinite(sum));
}
