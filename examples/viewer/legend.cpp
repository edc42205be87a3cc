// SPDX-License-Identifier: MIT
#include "legend.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cstdio>

namespace viewer {

namespace {

// The shader's colours after its conversion to the monitor's.
const ImU32 blue = IM_COL32(59, 148, 255, 255);
const ImU32 grey = IM_COL32(114, 114, 114, 255);
const ImU32 red = IM_COL32(255, 65, 43, 255);

void text_centered(ImDrawList& list, ImVec2 at, const char* text) {
  const float width = ImGui::CalcTextSize(text).x;
  list.AddText({at.x - width / 2 + 1, at.y + 1}, IM_COL32(0, 0, 0, 160), text);
  list.AddText({at.x - width / 2, at.y}, IM_COL32(235, 238, 242, 255), text);
}

}  // namespace

void draw_legend(const Tint& tint, Size window, float scale) {
  const float width = std::min(300 * scale, 0.4f * static_cast<float>(window.width)), height = 12 * scale,
              margin = 28 * scale;
  const float right = static_cast<float>(window.width) - margin - 20 * scale;
  const float left = right - width, middle = right - width / 2;
  const float bottom = static_cast<float>(window.height) - margin - 20 * scale;
  const float top = bottom - height;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.AddRectFilledMultiColor({left, top}, {middle, bottom}, blue, grey, grey, blue);
  list.AddRectFilledMultiColor({middle, top}, {right, bottom}, grey, red, red, grey);
  char ends[2][32];
  const double range = (tint.tension ? 1 : 100) * static_cast<double>(tint.range);
  const char* const unit = tint.tension ? "N" : "%";
  std::snprintf(ends[0], sizeof ends[0], "-%g %s", range, unit);
  std::snprintf(ends[1], sizeof ends[1], "+%g %s", range, unit);
  const float below = bottom + 5 * scale, above = top - 19 * scale;
  text_centered(list, {left, below}, ends[0]);
  text_centered(list, {middle, below}, "0");
  text_centered(list, {right, below}, ends[1]);
  if (width < 200 * scale) return;  // the words would run into each other
  text_centered(list, {left + 30 * scale, above}, tint.tension ? "pushes" : "compressed");
  text_centered(list, {right - 30 * scale, above}, tint.tension ? "pulls" : "stretched");
  const char* const title = tint.tension ? "tension" : "stretch";
  text_centered(list, {middle, above}, title);
  if (tint.missing) text_centered(list, {middle, above - 16 * scale}, "no forces known: this solver keeps none");
}

void draw_legend_offscreen(const Tint& tint, Size picture) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {static_cast<float>(picture.width), static_cast<float>(picture.height)};
  ImGui_ImplOpenGL3_Init("#version 330 core");
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  draw_legend(tint, picture, 1);
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

}  // namespace viewer
