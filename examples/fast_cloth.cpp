// SPDX-License-Identifier: MIT
//
// One sheet swept in three ways: constraint by constraint, in batches, and in batches on several threads. The times
// differ, the particles do not, by a bit.
#include <pbd/pbd.hpp>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

/// Stands for an engine's own: calls body(begin, end) for pieces of [0, count), and returns when all have ended.
/// (An engine has its threads already; starting them here, each time, is what makes this one slow.)
template <class Body>
void for_each(std::size_t count, Body&& body) {
#ifdef __EMSCRIPTEN__
  return body(std::size_t{0}, count);
#endif
  std::vector<std::thread> helpers;
  for (std::size_t n = 1; n < count; ++n) helpers.emplace_back([&body, n] { body(n, n + 1); });
  if (count > 0) body(0, 1);
  for (std::thread& helper : helpers) helper.join();
}

/// A second of the sheet, by whichever sets; prints what a frame took.
template <class Particles, class... Sets>
void run(const char* way, Particles& particles, Sets&... sets) {
  const auto begin = std::chrono::steady_clock::now();
  for (int frame = 0; frame < 60; ++frame)
    if (pbd::step(particles, pbd::StepSettings<float, 3>{}, sets...)) return;
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%-18s %6.2f ms a frame\n", way, passed.count() / 60);
}

}  // namespace

int main() {
  pbd::ClothSettings<float, 3> sheet;
  sheet.columns = sheet.rows = 100;
  sheet.plane = pbd::Plane::horizontal;
  auto cloth = pbd::make_cloth(sheet);
  auto batched = cloth.particles, threaded = cloth.particles;

  auto structural = pbd::make_batches(cloth.structural);
  auto shear = pbd::make_batches(cloth.shear);
  const auto workers = std::thread::hardware_concurrency();
  auto parallel = pbd::make_parallel([](std::size_t count, auto&& body) { for_each(count, body); }, workers, structural, shear);

  run("one by one", cloth.particles, cloth.structural, cloth.shear);
  run("in batches", batched, structural, shear);
  run("on several threads", threaded, parallel);

  const bool same = cloth.particles.position == batched.position && batched.position == threaded.position;
  std::puts(same ? "the same positions" : "different positions");
  return same ? 0 : 1;
}
