// SPDX-License-Identifier: MIT
#include "window.hpp"

#include "app.hpp"
#include "export.hpp"
#include "legend.hpp"
#include "mouse.hpp"
#include "offscreen.hpp"
#include "output.hpp"
#include "panel.hpp"
#include "plots.hpp"
#include "renderer.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <cstdio>
#include <fstream>
#include <memory>

namespace viewer {

namespace {

int fail(const std::string& sentence) {
  std::fprintf(stderr, "pbd_viewer: %s\n", sentence.c_str());
  return 1;
}

std::string glfw_complaint() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : "no reason given";
}

// What glfwInit() and glfwCreateWindow() make has to go again on every way out.
struct Glfw {
  bool ready = glfwInit() == GLFW_TRUE;
  ~Glfw() {
    if (ready) glfwTerminate();
  }
};

GLFWwindow* open_window(Size size, int samples, bool enlarge) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SAMPLES, samples);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, enlarge ? GLFW_TRUE : GLFW_FALSE);
  GLFWwindow* window = glfwCreateWindow(size.width, size.height, "pbd", nullptr, nullptr);
  if (window != nullptr) glfwMakeContextCurrent(window);
  return window;
}

bool draws_in_software() {
  const std::string name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name.find("llvmpipe") != std::string::npos || name.find("softpipe") != std::string::npos;
}

struct Gui {
  explicit Gui(GLFWwindow* window, float scale) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // nothing of this window is worth a file in the user's folder
    ImFontConfig font;
    font.SizePixels = 13 * scale;
    io.Fonts->AddFontDefault(&font);
    style_panel(scale);
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    ImGui_ImplOpenGL3_Init("#version 330 core");
  }
  ~Gui() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
};

void key_pressed(GLFWwindow* window, int key, int, int action, int) {
  auto& s = *static_cast<App*>(glfwGetWindowUserPointer(window));
  if (action != GLFW_PRESS && !(action == GLFW_REPEAT && key == GLFW_KEY_N)) return;
  if (ImGui::GetIO().WantTextInput) return;
  switch (key) {
    case GLFW_KEY_SPACE:
      s.paused = !s.paused;
      break;
    case GLFW_KEY_N:
      s.paused = s.single_step = true;
      break;
    case GLFW_KEY_R:
      begin(s);
      break;
    case GLFW_KEY_F:
      s.look.shaded = !s.look.shaded;
      break;
    case GLFW_KEY_C:
      s.look.constraints = !s.look.constraints;
      break;
    case GLFW_KEY_P:
      s.look.particles = !s.look.particles;
      break;
    case GLFW_KEY_T:
      s.look.color = s.look.color == Color::plain     ? Color::stretch
                     : s.look.color == Color::stretch ? Color::tension
                                                      : Color::plain;
      break;
    case GLFW_KEY_D:
      s.diagnostics = !s.diagnostics;
      break;
    case GLFW_KEY_V:
      place_camera(s, first_view(s.wanted.dim));
      break;
    case GLFW_KEY_H:
      s.panel = !s.panel;
      break;
    case GLFW_KEY_ESCAPE:
      glfwSetWindowShouldClose(window, GLFW_TRUE);
      break;
    default:
      break;
  }
}

// With the columns of the diagnostics if the command line asked for them, whether or not the plots are shown now.
void write_report(std::ostream& report, int frame, const App& s, bool diagnostics) {
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const int held = s.scene.grab ? s.scene.grab->particle : -1;
  Eigen::Vector3f pixel = Eigen::Vector3f::Zero();
  float speed = 0;
  if (s.touched >= 0 && s.touched < count_particles(s.scene)) {
    pixel = project(s.camera, s.window, position(s.scene, s.touched));
    speed = velocity(s.scene, s.touched).norm();
  }
  report << frame << ',' << s.scene.time << ',' << s.clock.real_factor << ',' << pointer.x << ',' << pointer.y << ','
         << held << ',' << s.touched << ',' << pixel.x() << ',' << pixel.y() << ',' << speed << ','
         << count_pinned(s.scene);
  if (diagnostics) {
    report << ',';
    write_csv_diagnostics(report, s.scene);
  }
  report << std::endl;  // flushed, for whoever reads along
}

std::string save_screenshot(const std::string& path, Size framebuffer) {
  OutputFile file(path);
  if (file.error.empty() && !write_png(file.stream(), read_framebuffer(framebuffer)))
    file.stream().setstate(std::ios::failbit);
  return file.commit();
}

Size framebuffer_of(GLFWwindow* window) {
  Size size{};
  glfwGetFramebufferSize(window, &size.width, &size.height);
  return size;
}

}  // namespace

int run_window(const Options& o) {
  App s;
  s.wanted = o.scene;
  s.look = o.look;
  s.panel = o.panel;
  s.paused = o.paused;
  s.diagnostics = o.diagnostics;
  begin(s);
  if (!s.refusal.empty()) return fail(s.refusal);
  for (const std::string& path : {o.screenshot, o.report})
    if (!path.empty())
      if (const std::string reason = why_not_writable(path); !reason.empty()) return fail(reason);

  const Glfw glfw;
  if (!glfw.ready)
    return fail("there is no display to open a window on (" + glfw_complaint() +
                "); render without one: pbd_viewer --frames 120 --output cloth.png");
  const bool saved = !o.screenshot.empty();  // then it has exactly the size asked for
  GLFWwindow* window = open_window(o.size, 4, !saved);
  // Four samples a pixel cost a software renderer half its frames; a picture to keep may take its time.
  if (window != nullptr && !saved && draws_in_software()) {
    glfwDestroyWindow(window);
    window = open_window(o.size, 0, !saved);
  }
  if (window == nullptr)
    return fail("this display gives no window with OpenGL 3.3 (" + glfw_complaint() +
                "); render without one: pbd_viewer --frames 120 --output cloth.png");
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(window, &s);
  glfwSetKeyCallback(window, key_pressed);  // before Dear ImGui's, which calls it
  Renderer renderer;
  if (const std::string reason = prepare(renderer); !reason.empty()) return fail(reason);
  // The content scale is how large things should be in pixels. Where the window's units are larger than pixels already,
  // text must not be enlarged once more.
  float content_scale = 1;
  glfwGetWindowContentScale(window, &content_scale, nullptr);
  glfwGetWindowSize(window, &s.window.width, &s.window.height);
  s.scale = content_scale * static_cast<float>(s.window.width) / static_cast<float>(framebuffer_of(window).width);
  const Gui gui(window, s.scale);
  place_camera(s, o.view);
  std::ofstream report;  // only now, so that a window that could not be opened leaves none
  if (!o.report.empty()) {
    report.open(o.report);
    if (!report) return fail("cannot write " + o.report);
    report << "frame,time_s,real_factor,pointer_x,pointer_y,held,touched,touched_x,touched_y,touched_speed,pinned";
    if (o.diagnostics) report << ',' << csv_diagnostics;
    report << '\n';
  }
  double before = glfwGetTime();
  for (int frame = 0; glfwWindowShouldClose(window) == GLFW_FALSE; ++frame) {
    glfwPollEvents();
    if (glfwGetWindowAttrib(window, GLFW_ICONIFIED) == GLFW_TRUE) glfwWaitEventsTimeout(0.1);
    const double now = glfwGetTime();
    // A picture that is to be saved is the same on every machine, however fast.
    const double elapsed = saved ? 1.0 / 60 : now - before;
    before = now;

    // The pointer counts in the window's units, the picture in pixels: on a HiDPI screen they differ.
    glfwGetWindowSize(window, &s.window.width, &s.window.height);
    const Size framebuffer = framebuffer_of(window);
    const bool visible = s.window.width > 0 && s.window.height > 0 && framebuffer.width > 0 && framebuffer.height > 0;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    if (visible) s.camera.shift = panel_width(s) / static_cast<float>(s.window.width);
    follow_mouse(s);
    draw_panel(s);
    draw_plots(s);
    follow_panel(s);
    if (frame > 0) advance(s, elapsed);  // frame 0 shows the start
    if (is_tinted(s.look)) draw_legend(tint(s.look, s.scene.settings), s.window, s.scale);
    ImGui::Render();

    if (visible) {
      const double owed = s.paused ? 1 : s.clock.owed / static_cast<double>(s.scene.settings.dt);
      draw(renderer, s.scene, s.camera, s.look, framebuffer, content_scale, static_cast<float>(std::min(owed, 1.0)));
      ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    }
    if (report.is_open()) write_report(report, frame, s, o.diagnostics);
    const bool last = o.frames >= 0 && frame >= o.frames;
    if (saved && (last || (o.frames < 0 && frame == 120))) {
      if (const std::string reason = save_screenshot(o.screenshot, framebuffer); !reason.empty()) return fail(reason);
      break;
    }
    if (last) break;
    glfwSwapBuffers(window);
  }
  return 0;
}

}  // namespace viewer
