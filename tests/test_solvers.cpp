// SPDX-License-Identifier: MIT
//
// What every solver owes, whatever it is: the same laws for all of them, judged by the direct solve.
#include "catch.hpp"
#include "support.hpp"
#include <pbd/pbd.hpp>

using namespace support;

namespace {

using Sheet = pbd::Cloth<double, 3>;
using Settings = pbd::StepSettings<double, 3>;

Sheet sheet(int columns, int rows, bool diagonals, bool held, pbd::Plane plane = pbd::Plane::vertical) {
  pbd::ClothSettings<double, 3> settings;
  settings.columns = columns;
  settings.rows = rows;
  settings.spacing = 0.1;
  settings.plane = plane;
  settings.shear.present = diagonals;
  settings.pin_top_left = settings.pin_top_right = false;
  settings.pin_top_row = held;
  return pbd::make_cloth<double, 3>(settings);
}

/// Calls body(name, particles, step) once a solver, each with a copy of the sheet of its own; step(settings) takes a step.
template <class Body>
void with_every_solver(const Sheet& original, Body body) {
  const auto run = [&](const char* name, auto make) {
    Sheet cloth = original;
    auto stepper = make(cloth);
    INFO(name);
    body(std::string(name), cloth.particles, stepper);
  };
  run("gauss-seidel", [](Sheet& cloth) {
    return [&cloth](const Settings& settings) {
      return pbd::step(cloth.particles, settings, cloth.structural, cloth.shear);
    };
  });
  run("batches", [](Sheet& cloth) {
    return [&cloth, a = pbd::make_batches(cloth.structural), b = pbd::make_batches(cloth.shear)](
               const Settings& settings) mutable { return pbd::step(cloth.particles, settings, a, b); };
  });
  run("over-relaxed", [](Sheet& cloth) {
    return [&cloth](const Settings& settings) {
      auto set = pbd::make_over_relaxed(cloth.particles, cloth.structural, cloth.shear);
      return pbd::step(cloth.particles, settings, set);
    };
  });
  run("chebyshev", [](Sheet& cloth) {
    return [&cloth](const Settings& settings) {
      auto set = pbd::make_chebyshev(cloth.particles, cloth.structural, cloth.shear);
      return pbd::step(cloth.particles, settings, set);
    };
  });
  run("coarse-to-fine", [](Sheet& cloth) {
    return [&cloth, coarse = pbd::make_coarse_to_fine(cloth)](const Settings& settings) mutable {
      return pbd::step(cloth.particles, settings, coarse, cloth.structural, cloth.shear);
    };
  });
  run("lines", [](Sheet& cloth) {
    return [&cloth, lines = pbd::make_lines(pbd::line_constraints(cloth))](const Settings& settings) mutable {
      return pbd::step(cloth.particles, settings, cloth.shear, lines);
    };
  });
  run("global", [](Sheet& cloth) {
    return [&cloth, global = pbd::make_global_solve(cloth.structural, cloth.shear)](const Settings& settings) mutable {
      return pbd::step(cloth.particles, settings, global);
    };
  });
  run("newton", [](Sheet& cloth) {
    return [&cloth, newton = pbd::make_implicit_newton(cloth.particles, cloth.structural, cloth.shear)](
               const Settings& settings) mutable { return pbd::step(cloth.particles, settings, newton); };
  });
}

/// Positions after some frames of 8 substeps, each swept to a tolerance.
template <class Step>
std::vector<double> positions_after(int frames, double tolerance, pbd::Particles<double, 3>& particles, Step& step,
                                    int substeps = 8) {
  Settings settings;
  settings.substeps = substeps;
  settings.iterations = 20000;
  settings.tolerance = tolerance;
  for (int frame = 0; frame < frames; ++frame) REQUIRE_FALSE(step(settings));
  std::vector<double> positions;
  for (Index i = 0; i < particles.count(); ++i)
    for (int d = 0; d < 3; ++d) positions.push_back(particles.position(d, i));
  return positions;
}

}  // namespace

TEST_CASE("every solver hangs a sheet as the direct solve does", "[solvers]") {
  std::vector<std::pair<std::string, std::vector<double>>> hung;
  with_every_solver(sheet(9, 9, false, true), [&](const std::string& name, auto& particles, auto& step) {
    // A spring of κ = kh²/m = 1e6 is as stiff as its own law says, no more: ε = m g (links below)/k.
    hung.emplace_back(name, positions_after(5, name == "newton" ? 2e-5 : 1e-12, particles, step));
  });
  const auto& truth = hung[6].second;
  for (const auto& [name, positions] : hung) {
    INFO(name);
    CHECK(difference(positions, truth) < (name == "newton" ? 1e-4 : 1e-10));
  }
}

TEST_CASE("every solver swings a sheet as the direct solve does", "[solvers][long]") {
  // Each projects onto the same constraints, but not to the same point of them: what differs is of second order in the
  // way of a substep.
  // The Newton step is another discretisation, implicit in the directions, too: it comes nearer as the substeps shrink.
  std::vector<double> newton_apart;
  for (const int substeps : {8, 32}) {
    std::vector<std::pair<std::string, std::vector<double>>> swung;
    with_every_solver(sheet(7, 7, false, true, pbd::Plane::horizontal),
                      [&](const std::string& name, auto& particles, auto& step) {
                        const double tolerance = name == "newton" ? 1e-4 : 1e-8;
                        swung.emplace_back(name, positions_after(12, tolerance, particles, step, substeps));
                      });
    const auto& truth = swung[6].second;
    for (const auto& [name, positions] : swung) {
      INFO(name);
      if (name == "newton")
        newton_apart.push_back(difference(positions, truth));
      else
        CHECK(difference(positions, truth) < 0.02);
    }
  }
  CHECK(newton_apart[0] < 0.2);
  CHECK(newton_apart[1] < 0.4 * newton_apart[0]);
}

TEST_CASE("no solver moves the centre of mass of free cloth, nor gives it a push", "[solvers]") {
  with_every_solver(sheet(6, 5, true, false), [](const std::string& name, auto& particles, auto& step) {
    INFO(name);
    Random random(7);
    for (Index i = 0; i < particles.count(); ++i) {
      particles.inverse_mass(i) = std::pow(4, random(-1, 1));
      for (int d = 0; d < 3; ++d) particles.velocity(d, i) = random(-0.3, 0.3);
    }
    const auto before = pbd::momentum(particles);
    Settings settings;
    settings.gravity.setZero();
    settings.substeps = 4;
    settings.iterations = 3;
    for (int frame = 0; frame < 10; ++frame) REQUIRE_FALSE(step(settings));
    const auto after = pbd::momentum(particles);
    const double scale = before.mass * 0.3;
    CHECK((after.linear - before.linear).norm() < 1e-9 * scale);
    const pbd::Vector<double, 3> way = before.linear / before.mass * (10 * settings.dt);
    CHECK((after.center_of_mass - before.center_of_mass - way).norm() < 1e-9);
  });
}

TEST_CASE("no solver moves a pinned particle", "[solvers]") {
  with_every_solver(sheet(7, 6, true, true, pbd::Plane::horizontal), [](const std::string& name, auto& particles, auto& step) {
    INFO(name);
    static_cast<void>(pbd::pin(particles, 17));  // and one in the middle, and at the rim
    static_cast<void>(pbd::pin(particles, 41));
    const auto before = particles.position.eval();
    Settings settings;
    settings.iterations = 3;
    for (int frame = 0; frame < 10; ++frame) REQUIRE_FALSE(step(settings));
    for (Index i = 0; i < particles.count(); ++i)
      if (pbd::is_pinned(particles, i)) CHECK(particles.position.col(i) == before.col(i));
    CHECK(particles.position.allFinite());
  });
}

TEST_CASE("every solver survives what has little to solve", "[solvers]") {
  struct Size {
    int columns, rows;
  };
  for (const Size size : {Size{1, 1}, Size{2, 1}, Size{1, 2}, Size{2, 2}, Size{1, 9}, Size{9, 1}, Size{3, 2}})
    for (const bool held : {false, true})
      with_every_solver(sheet(size.columns, size.rows, true, held), [&](const std::string& name, auto& particles, auto& step) {
        INFO(name << " " << size.columns << "x" << size.rows);
        Settings settings;
        settings.iterations = 2;
        for (int frame = 0; frame < 10; ++frame) REQUIRE_FALSE(step(settings));
        CHECK(particles.position.allFinite());
      });
}

TEST_CASE("every solver survives cloth that is all pinned, all slack, folded onto itself, or in one point", "[solvers]") {
  for (const std::string how : {"pinned", "slack", "folded", "in one point", "stretched"})
    with_every_solver(sheet(6, 5, true, true), [&](const std::string& name, auto& particles, auto& step) {
      INFO(name << " " << how);
      auto& x = particles.position;
      if (how == "pinned")
        for (Index i = 0; i < particles.count(); ++i) static_cast<void>(pbd::pin(particles, i));
      if (how == "slack") x *= 0.3;
      if (how == "folded")
        for (Index i = 0; i < particles.count(); ++i) x(1, i) = (i / 6) % 2 == 0 ? 0.0 : -0.1;
      if (how == "in one point") x.setZero();
      if (how == "stretched") x *= 1.5;
      const auto before = x.eval();
      Settings settings;
      settings.iterations = 3;
      for (int frame = 0; frame < 20; ++frame) REQUIRE_FALSE(step(settings));
      CHECK(x.allFinite());
      if (how == "pinned") CHECK(x == before);
      if (how != "pinned") CHECK(x.cwiseAbs().maxCoeff() < 20);
    });
}

TEST_CASE("every solver gives the same bits when it is run again", "[solvers]") {
  std::vector<std::vector<double>> first;
  for (int run = 0; run < 2; ++run) {
    std::size_t n = 0;
    with_every_solver(sheet(8, 7, true, true, pbd::Plane::horizontal), [&](const std::string& name, auto& particles, auto& step) {
      INFO(name);
      Settings settings;
      settings.iterations = 2;
      for (int frame = 0; frame < 10; ++frame) REQUIRE_FALSE(step(settings));
      if (run == 0)
        first.push_back(state(particles));
      else
        CHECK(same_bits(state(particles), first[n++]));
    });
  }
}
