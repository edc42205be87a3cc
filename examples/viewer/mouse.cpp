// SPDX-License-Identifier: MIT
#include "mouse.hpp"

#include "pick.hpp"

#include <imgui.h>

namespace viewer {

namespace {

constexpr ImGuiMouseButton left = 0, right = 1, middle = 2;

// Where the pointer is in the plane that the held particle moves in: parallel to the picture, or the sheet's own in
// 2-D.
Eigen::Vector3f under_pointer(const App& s, const Eigen::Vector2f& pointer) {
  const Ray line = ray(s.camera, s.window, pointer);
  if (s.scene.settings.dim == 2) return meet(line, Eigen::Vector3f::Zero(), Eigen::Vector3f::UnitZ());
  return meet(line, s.scene.grab->target, forward(s.camera));
}

void button_down(App& s, const Eigen::Vector2f& pointer, ImGuiMouseButton button, bool shift) {
  const auto picked = [&] { return pick(s.camera, s.window, pointer, positions(s.scene), triangles(s.scene)); };
  const int particle = button == middle || shift ? -1 : picked();
  if (particle < 0) {
    s.gesture = shift || button == right ? Gesture::pan : Gesture::orbit;
    return;
  }
  s.touched = particle;
  if (button == right) return toggle_pin(s.scene, particle);
  grab(s.scene, particle);
  s.hand_before = s.scene.grab->target;
  s.gesture = Gesture::hold;
}

}  // namespace

void follow_mouse(App& s) {
  const ImGuiIO& io = ImGui::GetIO();
  const Eigen::Vector2f pointer{io.MousePos.x, io.MousePos.y};
  if (!io.WantCaptureMouse) {
    for (const ImGuiMouseButton button : {left, right, middle})
      if (ImGui::IsMouseClicked(button) && (s.gesture == Gesture::none || s.gesture == Gesture::hold))
        button_down(s, pointer, button, io.KeyShift);
    if (io.MouseWheel != 0) zoom(s.camera, io.MouseWheel);
  }

  const Eigen::Vector2f moved{io.MouseDelta.x, io.MouseDelta.y};
  if (s.gesture == Gesture::orbit) orbit(s.camera, moved, s.window);
  if (s.gesture == Gesture::pan) pan(s.camera, moved, s.window);
  if (s.gesture == Gesture::hold && s.scene.grab && ImGui::IsMousePosValid()) drag(s.scene, under_pointer(s, pointer));

  const bool held = s.gesture == Gesture::hold;
  if (held && !ImGui::IsMouseDown(left)) release(s.scene);
  if (!ImGui::IsMouseDown(left) && (held || (!ImGui::IsMouseDown(right) && !ImGui::IsMouseDown(middle))))
    s.gesture = Gesture::none;
}

}  // namespace viewer
