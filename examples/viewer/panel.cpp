// SPDX-License-Identifier: MIT
#include "panel.hpp"

#include "export.hpp"
#include "tint.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace viewer {

namespace {

// An enum as a list to choose from.
template <class Value>
void combo(const char* label, Value& value, const char* names) {
  int index = static_cast<int>(value);
  if (ImGui::Combo(label, &index, names)) value = static_cast<Value>(index);
}

void hint(const char* text) {
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text);
}

void draw_buttons(App& s) {
  const ImVec2 size{90 * s.scale, 0};
  if (ImGui::Button(s.paused ? "Play" : "Pause", size)) s.paused = !s.paused;
  hint("space");
  ImGui::SameLine();
  if (ImGui::Button("Step", size)) s.paused = s.single_step = true;
  hint("n: one time step");
  ImGui::SameLine();
  if (ImGui::Button("Restart", size)) begin(s);
  hint("r");
}

void draw_cloth(SceneSettings& w) {
  ImGui::SliderInt("columns", &w.columns, 2, 120);
  ImGui::SliderInt("rows", &w.rows, 2, 120);
  combo("pins", w.pins, "none\0one corner\0two corners\0four corners\0top row\0");
  int dimension = w.dim - 2;
  if (ImGui::Combo("space", &dimension,
                   "2-D\0"
                   "3-D\0")) {
    w.dim = dimension + 2;
    w.start = w.dim == 2 ? Start::vertical : Start::horizontal;
  }
  if (w.dim == 3) {
    combo("start", w.start, "horizontal\0vertical\0");
    ImGui::SliderFloat("slack", &w.slack, 0, 0.5f, "%.2f");
    hint("Part of the width that is laid in folds when it starts");
  }
  ImGui::Checkbox("shear", &w.shear);
  ImGui::SameLine(0, 30);
  ImGui::Checkbox("bending", &w.bending);
}

// A change of solver brings the substeps and iterations that suit it.
void draw_solver(SceneSettings& w, const App& s) {
  if (ImGui::BeginCombo("solver", name_of(w.solver).label)) {
    for (const SolverName& name : solver_names())
      if (ImGui::Selectable(name.label, name.solver == w.solver)) suit(w, name.solver);
    ImGui::EndCombo();
  }
  if (w.automatic_substeps) {
    int taken = s.scene.report.substeps;
    ImGui::BeginDisabled();
    ImGui::SliderInt("substeps", &taken, 1, 50);
    ImGui::EndDisabled();
  } else {
    ImGui::SliderInt("substeps", &w.substeps, 1, 50);
  }
  if (name_of(w.solver).automatic) {
    ImGui::Checkbox("as many substeps as needed", &w.automatic_substeps);
    hint("So many that the tension of the last step does not make the lines shake");
  }
  ImGui::SliderInt("iterations", &w.iterations, 1, 50);
  hint("Sweeps a substep; the most of them if they stop at a stretch");
  float percent = 100 * w.tolerance;
  if (ImGui::SliderFloat("stop at", &percent, 0, 10, w.tolerance > 0 ? "max stretch %.3f %%" : "off",
                         ImGuiSliderFlags_Logarithmic))
    w.tolerance = percent / 100;
  hint("A substep's sweeps end once no constraint is stretched more");
}

void draw_physics(SceneSettings& w) {
  combo("method", w.method, "PBD\0XPBD\0");
  if (w.method == Method::pbd) {
    ImGui::SliderFloat("stiffness", &w.stiffness, 0, 1, "%.3f");
    hint("The part of a stretch that a substep takes back");
  } else {
    ImGui::SliderFloat("compliance", &w.compliance, 1e-8f, 1e-1f, "%.1e m/N", ImGuiSliderFlags_Logarithmic);
    hint("1 / stiffness of each spring, whatever the step and the iterations");
  }
  float ms = 1000 * w.dt;
  if (ImGui::SliderFloat("time step", &ms, 1, 50, "%.2f ms", ImGuiSliderFlags_Logarithmic)) w.dt = ms / 1000;
  ImGui::SliderFloat("gravity", &w.gravity, -20, 20, "%.2f m/s^2");
  ImGui::SliderFloat("mass", &w.mass, 0.01f, 10, "%.3f kg each", ImGuiSliderFlags_Logarithmic);
  ImGui::SliderFloat("air drag", &w.drag, 0, 3, "%.2f /s");
}

void draw_look(Look& look, const SceneSettings& settings) {
  ImGui::Checkbox("cloth", &look.shaded);
  ImGui::SameLine();
  ImGui::Checkbox("constraints", &look.constraints);
  ImGui::SameLine();
  ImGui::Checkbox("particles", &look.particles);
  combo("colour", look.color, "plain\0stretch\0tension\0");
  if (!is_tinted(look)) return;
  const Tint now = tint(look, settings);
  if (now.tension) {
    float newton = now.range;
    if (ImGui::SliderFloat("red at", &newton, 1, 1e5f, "%.0f N", ImGuiSliderFlags_Logarithmic))
      look.tension_range = newton;
    return;
  }
  float percent = 100 * look.stretch_range;
  if (ImGui::SliderFloat("red at", &percent, 0.1f, 50, "%.1f %%", ImGuiSliderFlags_Logarithmic))
    look.stretch_range = percent / 100;
}

void row(const char* name, const char* format, double value) {
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::Text(format, value);
}

void energy_row(const char* name, float joule) {
  if (std::abs(joule) < 1000)
    row(name, "%.1f J", static_cast<double>(joule));
  else
    row(name, "%.1f kJ", static_cast<double>(joule) / 1000);
}

void draw_readouts(App& s) {
  const Measures& m = s.measures;
  if (ImGui::BeginTable("numbers", 4)) {
    row("time", "%.2f s", s.scene.time);
    row("speed", s.paused ? "paused" : "%.2f x", s.clock.real_factor);
    row("step", "%.3f ms", s.step_ms);
    row("pinned", "%.0f", count_pinned(s.scene));
    row("particles", "%.0f", count_particles(s.scene));
    row("constr.", "%.0f", count_constraints(s.scene));
    energy_row("kinetic", m.kinetic);
    energy_row("potential", m.potential);
    energy_row("elastic", m.elastic);
    energy_row("total", m.kinetic + m.potential + m.elastic);
    row("sweeps", "%.0f", s.scene.report.sweeps);
    row("ended by", s.scene.report.ended == pbd::SweepEnd::tolerance ? "tolerance" : "count", 0);
    ImGui::EndTable();
  }
  const auto plot = [&](const char* label, const std::array<float, History::length>& values, float now) {
    char text[48];
    std::snprintf(text, sizeof text, "%s %.2f %%", label, static_cast<double>(now));
    const float top = std::max(*std::max_element(values.begin(), values.end()) * 1.15f, 0.1f);
    ImGui::PlotLines("##plot", values.data(), History::length, s.history.next, text, 0, top,
                     {ImGui::GetContentRegionAvail().x, 34 * s.scale});
  };
  ImGui::PushID(0);
  plot("max stretch", s.history.max_stretch, 100 * m.max_stretch);
  ImGui::PopID();
  ImGui::PushID(1);
  plot("rms stretch", s.history.rms_stretch, 100 * m.rms_stretch);
  ImGui::PopID();
  ImGui::Checkbox("diagnostics", &s.diagnostics);
  hint("How the sweeps converge, and how stretch is spread");
}

void draw_keys() {
  constexpr const char* keys[][2] = {{"drag cloth", "pull"}, {"space", "pause"},     {"drag beside", "orbit"},
                                     {"n", "single step"},   {"right-click", "pin"}, {"r", "restart"},
                                     {"shift-drag", "pan"},  {"f", "cloth"},         {"right-drag", "pan"},
                                     {"c", "constraints"},   {"wheel", "zoom"},      {"p", "particles"},
                                     {"h", "hide panel"},    {"v", "first view"},    {"t", "colour"},
                                     {"d", "diagnostics"},   {"esc", "quit"}};
  if (!ImGui::BeginTable("keys", 4, ImGuiTableFlags_SizingFixedFit)) return;
  for (const auto& [key, meaning] : keys) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(key);
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", meaning);
  }
  ImGui::EndTable();
}

}  // namespace

void style_panel(float scale) {
  ImGui::StyleColorsDark();
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowRounding = 0;
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.WindowBorderSize = 0;
  style.ItemSpacing = {8, 4};
  style.ScaleAllSizes(scale);
  style.Colors[ImGuiCol_WindowBg] = {0.07f, 0.085f, 0.105f, 0.88f};
  style.Colors[ImGuiCol_TextDisabled] = {0.62f, 0.66f, 0.70f, 1};
  const ImVec4 accent{0.66f, 0.22f, 0.19f, 1}, quiet{0.17f, 0.20f, 0.24f, 1}, hover{0.24f, 0.28f, 0.33f, 1};
  for (const ImGuiCol c : {ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive, ImGuiCol_ButtonActive,
                           ImGuiCol_FrameBgActive, ImGuiCol_HeaderActive})
    style.Colors[c] = accent;
  for (const ImGuiCol c : {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_Header}) style.Colors[c] = quiet;
  for (const ImGuiCol c : {ImGuiCol_FrameBgHovered, ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered})
    style.Colors[c] = hover;
  style.Colors[ImGuiCol_CheckMark] = style.Colors[ImGuiCol_PlotLines] = {0.95f, 0.62f, 0.40f, 1};
}

void draw_panel(App& s) {
  if (!s.panel) return;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({panel_width(s), static_cast<float>(s.window.height)});
  ImGui::Begin("pbd", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings);
  ImGui::PushItemWidth(200 * s.scale);
  draw_buttons(s);
  for (const std::string& complaint : {s.refusal, s.trouble}) {
    if (complaint.empty()) continue;
    ImGui::PushTextWrapPos();
    ImGui::TextColored({1, 0.45f, 0.35f, 1}, "%s", complaint.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::Separator();
  draw_cloth(s.wanted);
  ImGui::Separator();
  draw_solver(s.wanted, s);
  ImGui::Separator();
  draw_physics(s.wanted);
  ImGui::Separator();
  draw_look(s.look, s.scene.settings);
  ImGui::Separator();
  draw_readouts(s);
  ImGui::Separator();
  draw_keys();
  ImGui::PopItemWidth();
  ImGui::End();
}

}  // namespace viewer
