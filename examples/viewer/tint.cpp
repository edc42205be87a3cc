// SPDX-License-Identifier: MIT
#include "tint.hpp"

#include <cmath>

namespace viewer {

Tint tint(const Look& look, const SceneSettings& settings) {
  const bool asked = look.color == Color::tension;
  if (!asked || !knows_tension(settings)) return {false, asked, look.stretch_range};
  return {true, false, look.tension_range > 0 ? look.tension_range : usual_tension(settings)};
}

float usual_tension(const SceneSettings& s) {
  const float gravity = s.gravity != 0 ? std::abs(s.gravity) : 9.81f;
  const float weight = s.mass * gravity * static_cast<float>(s.rows);
  const float ten = std::pow(10.0f, std::floor(std::log10(weight)));
  for (const float round : {1.0f, 2.0f, 5.0f})
    if (weight <= round * ten) return round * ten;
  return 10 * ten;
}

std::vector<float> tint_particles(const Tint& tint, const std::vector<Line>& lines, int particles) {
  std::vector<float> sums(static_cast<std::size_t>(particles)), lengths(sums.size());
  for (const Line& line : lines)
    for (const std::int32_t end : {line.i, line.j}) {
      sums[static_cast<std::size_t>(end)] += line.length * tint.of(line);
      lengths[static_cast<std::size_t>(end)] += line.length;
    }
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (lengths[i] > 0) sums[i] /= lengths[i];
  return sums;
}

}  // namespace viewer
