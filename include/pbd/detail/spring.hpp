// SPDX-License-Identifier: MIT
//
// A constraint as a global minimisation sees it. Comes in: any distance constraint. Leaves: the spring of energy
// ½K·(length − nearest allowed length)², K = k·h², that stands for it during a substep. Included by implicit_newton.hpp
// alone.
#pragma once

#include <pbd/distance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pbd::detail {

struct Spring {
  std::int32_t i, j;
  std::size_t pair;      ///< of BlockMatrix::pairs
  double stiffness = 0;  ///< K, kg
  double shortest = 0;   ///< m
  double longest = 0;    ///< m
  double pull = 0;       ///< K·C where it was last evaluated, kg·m: −λ

  /// False if it has no direction or nothing to move.
  [[nodiscard]] bool evaluate(double length) noexcept {
    pull = 0;
    if (!(stiffness > 0) || !(length > 0) || !is_finite(length)) return false;
    pull = stiffness * (length - (std::min)((std::max)(length, shortest), longest));
    return true;
  }

  [[nodiscard]] double energy() const noexcept { return pull * pull / stiffness / 2; }

  /// False between the two limits of a one-sided constraint.
  [[nodiscard]] bool acts(double length) const noexcept {
    return shortest == longest || length < shortest || length > longest;
  }

  /// `hard` is K of a hard constraint between particles of 1 kg.
  template <class C, ParticleSet P>
  void set_up(const C& c, const P& particles, double hard, const Substep<typename P::Scalar>& substep) noexcept {
    const auto weight_of = [&](std::int32_t particle) {
      const double w = static_cast<double>(particles.inverse_mass(particle));
      return w > 0 && is_finite(w) ? w : 0;
    };
    const double weight = weight_of(c.i) + weight_of(c.j), h = static_cast<double>(substep.dt);
    const double hardest = weight > 0 ? 2 * hard / weight : 0;
    stiffness = hardest;
    if constexpr (requires { c.longest; }) {
      shortest = static_cast<double>(c.shortest);
      longest = static_cast<double>(c.longest);
    } else {
      shortest = longest = static_cast<double>(c.rest_length);
    }
    if constexpr (requires { c.stiffness; }) {
      const double part = static_cast<double>(c.stiffness);
      if (part < 1 && weight > 0) stiffness = (std::min)(hardest, part / ((1 - part) * weight));
    }
    if constexpr (requires { c.compliance; }) {
      const double compliance = static_cast<double>(c.compliance), damping = static_cast<double>(c.damping) * h;
      if (!(compliance > 0) || !(h * h / compliance < hardest)) return;
      stiffness = h * h / compliance;
      const double before = static_cast<double>(distance(particles, c.i, c.j));
      if (!(damping > 0) || !is_finite(before)) return;
      // Two quadratics of the length are one, about a length between those of the two.
      shortest = longest = (stiffness * longest + damping * before) / (stiffness + damping);
      stiffness += damping;
    }
  }
};

}  // namespace pbd::detail
