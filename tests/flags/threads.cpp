// SPDX-License-Identifier: MIT
//
// A sheet swept by four threads, for ThreadSanitizer to watch, and to the same bits as on one.
#include "../tour.hpp"

#include <cstdio>
#include <thread>

namespace {

struct Threads {
  template <class Body>
  void operator()(std::size_t count, Body&& body) const {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&body, count, t] { body(count * t / 4, count * (t + 1) / 4); });
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace

int main() {
  pbd::ClothSettings<float, 3> sheet;
  sheet.columns = 17;
  sheet.rows = 90;
  sheet.plane = pbd::Plane::horizontal;
  auto plain = pbd::make_cloth(sheet), threaded = plain;
  auto structural = pbd::make_batches(threaded.structural), shear = pbd::make_batches(threaded.shear);
  auto parallel = pbd::make_parallel(Threads{}, 4, structural, shear);
  pbd::StepSettings<float, 3> settings;
  settings.substeps = 2;
  settings.iterations = 4;
  for (int frame = 0; frame < 10; ++frame)
    if (pbd::step(plain.particles, settings, plain.structural, plain.shear) ||
        pbd::step(threaded.particles, settings, parallel))
      return 1;
  if (tour::hash(plain.particles) == tour::hash(threaded.particles)) return 0;
  std::puts("four threads moved something differently");
  return 1;
}
