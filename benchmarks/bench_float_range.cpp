// SPDX-License-Identifier: MIT
//
// Does a float particle fall rightly, however far from the origin it is, by substeps?
//
// A particle at rest x m above the origin is let go for a second, 60 frames of so many substeps. Once g h² is less than
// half the distance between two neighbouring floats at x, x + h·(h g) is x again: a velocity rebuilt from the two would be
// 0, and it would never fall. Prints, as CSV, how far it fell; 4.91 m is right, and more so with more substeps.
#include "scenes.hpp"

namespace {

template <class Scalar>
double fallen(double height, int substeps) {
  pbd::Particles<Scalar, 3> particles(1);
  particles.position(1, 0) = static_cast<Scalar>(height);
  pbd::StepSettings<Scalar, 3> settings;
  settings.substeps = substeps;
  std::vector<pbd::DistanceConstraint<Scalar>> none;
  for (int frame = 0; frame < 60; ++frame)
    if (const pbd::Error error = pbd::step(particles, settings, none)) std::exit(1);
  return height - static_cast<double>(particles.position(1, 0));
}

}  // namespace

int main() {
  std::printf("height,substeps,float,double\n");
  for (const double height : {0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0})
    for (const int substeps : {1, 5, 10, 20, 50})
      std::printf("%.0f,%d,%.3f,%.3f\n", height, substeps, fallen<float>(height, substeps),
                  fallen<double>(height, substeps));
}
