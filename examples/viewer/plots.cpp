// SPDX-License-Identifier: MIT
#include "plots.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace viewer {

namespace {

void draw_convergence(const App& s, float width) {
  const std::vector<float>& residuals = s.scene.residuals;
  ImGui::TextUnformatted("max |C|/d, sweep by sweep");
  if (residuals.size() < 2) {
    ImGui::TextDisabled("with the next step");
    return;
  }
  std::vector<float> digits;
  float low = 1e9f, high = -1e9f;
  for (const float r : residuals) {
    digits.push_back(std::isfinite(r) && r > 0 ? std::log10(r) : -9.0f);
    low = std::min(low, digits.back());
    high = std::max(high, digits.back());
  }
  low = std::floor(low);
  high = std::max(std::ceil(high), low + 1) + 0.0f;  // no negative zero
  char ends[2][16];
  std::snprintf(ends[0], sizeof ends[0], "1e%.0f", static_cast<double>(high));
  std::snprintf(ends[1], sizeof ends[1], "1e%.0f", static_cast<double>(low));
  ImGui::TextDisabled("%s", ends[0]);
  ImGui::PlotLines("##residuals", digits.data(), static_cast<int>(digits.size()), 0, nullptr, low, high,
                   {width, 90 * s.scale});
  ImGui::TextDisabled("%s", ends[1]);
  ImGui::SameLine();
  char last[32];
  std::snprintf(last, sizeof last, "sweep %zu: %.2e", residuals.size() - 1, static_cast<double>(residuals.back()));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(last).x);
  ImGui::TextDisabled("%s", last);
  ImGui::Text("times %.3f a sweep", static_cast<double>(pbd::convergence_factor(residuals)));
}

void draw_spread(const App& s, float width) {
  const Histogram spread = histogram(s.scene, s.look.stretch_range);
  ImGui::TextUnformatted("constraints by stretch");
  std::array<float, histogram_bins> counts;
  std::transform(spread.count.begin(), spread.count.end(), counts.begin(),
                 [](pbd::Index n) { return static_cast<float>(n); });
  ImGui::PlotHistogram("##spread", counts.data(), static_cast<int>(counts.size()), 0, nullptr, 0,
                       std::max(*std::max_element(counts.begin(), counts.end()), 1.0f), {width, 70 * s.scale});
  char right[24];
  const double range = 100 * static_cast<double>(s.look.stretch_range);
  ImGui::TextDisabled("-%g %%", range);
  std::snprintf(right, sizeof right, "+%g %%", range);
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(right).x);
  ImGui::TextDisabled("%s", right);
  ImGui::Text("below %lld, above %lld", static_cast<long long>(spread.below), static_cast<long long>(spread.above));
}

}  // namespace

void draw_plots(App& s) {
  if (!s.diagnostics) return;
  const float width = 280 * s.scale;
  ImGui::SetNextWindowPos({static_cast<float>(s.window.width) - width, 0});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::Begin("diagnostics", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings);
  const float inside = ImGui::GetContentRegionAvail().x;
  draw_convergence(s, inside);
  ImGui::Separator();
  draw_spread(s, inside);
  ImGui::End();
}

}  // namespace viewer
