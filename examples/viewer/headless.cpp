// SPDX-License-Identifier: MIT
#include "headless.hpp"

#include "export.hpp"
#include "legend.hpp"
#include "offscreen.hpp"
#include "output.hpp"
#include "renderer.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>

namespace viewer {

namespace {

using std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;  // by which signal

// Who is asked to end clears up first: the loop sees it after the step, and what is half written goes away.
void end_cleanly() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, [](int number) { interrupted = number; }) == SIG_IGN) std::signal(signal, SIG_IGN);
}

int fail(const std::string& sentence) {
  std::fprintf(stderr, "pbd_viewer: %s\n", sentence.c_str());
  return 1;
}

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

// A line that is rewritten twice a second on a terminal, a line every ten seconds in a log; nothing in a short run.
class Progress {
 public:
  explicit Progress(int frames) : frames_(frames), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { erase(); }

  void show(int frame) {
    if (seconds_since(last_) < (terminal_ ? 0.5 : 10)) return;
    last_ = steady_clock::now();
    const double left = frame > 0 ? seconds_since(begin_) * (frames_ - frame) / frame : 0;
    std::fprintf(stderr, "%sframe %d of %d, about %.0f s left%s", terminal_ ? "\r" : "", frame, frames_, left,
                 terminal_ ? "  " : "\n");
    shown_ = terminal_;
  }
  void erase() {
    if (shown_) std::fprintf(stderr, "\r%60s\r", "");
    shown_ = false;
  }

 private:
  int frames_;
  bool terminal_;
  bool shown_ = false;
  steady_clock::time_point begin_ = steady_clock::now();
  steady_clock::time_point last_ = begin_;
};

std::string write_obj_file(const Options& o, const Scene& scene, int frame) {
  OutputFile file(parse_pattern(o.export_pattern)->name(frame));
  if (file.error.empty()) write_obj(file.stream(), scene);
  return file.commit();
}

std::string write_picture(const Options& o, const Scene& scene, const Renderer& renderer) {
  Camera camera;
  aim(camera, o.view, extent(o.scene), o.size);
  const Picture picture = paint_offscreen(o.size, [&] {
    draw(renderer, scene, camera, o.look, o.size, 1, 1);
    if (is_tinted(o.look)) draw_legend_offscreen(tint(o.look, scene.settings), o.size);
  });
  if (picture.rgb.empty()) return "the graphics driver cannot make a picture of this size; give a smaller --size";
  OutputFile file(o.output);
  if (file.error.empty() && !write_png(file.stream(), picture)) file.stream().setstate(std::ios::failbit);
  return file.commit();
}

// What the window's plots show, as numbers.
void print_diagnostics(const Scene& scene, float range) {
  std::printf("residuals ");
  for (const float r : scene.residuals) std::printf(" %.3g", static_cast<double>(r));
  std::printf("\n           max |C|/d in the last substep: before its sweeps, and after each; times %.3g a sweep\n",
              static_cast<double>(pbd::convergence_factor(scene.residuals)));
  const Histogram spread = histogram(scene, range);
  std::printf("histogram ");
  for (const pbd::Index n : spread.count) std::printf(" %lld", static_cast<long long>(n));
  std::printf("\n           constraints by stretch, from -%g %% to %g %%; %lld below, %lld above\n",
              100 * static_cast<double>(range), 100 * static_cast<double>(range), static_cast<long long>(spread.below),
              static_cast<long long>(spread.above));
}

void print_summary(const Options& o, const Scene& scene, double ms, int frames_written) {
  const SceneSettings& s = scene.settings;
  const Measures m = measure(scene);
  const double per_step = scene.steps > 0 ? ms / static_cast<double>(scene.steps) : 0;
  std::printf("cloth      %d x %d = %d particles, %d pinned; %d constraints; %d-D, %s %g\n", s.columns, s.rows,
              count_particles(scene), count_pinned(scene), count_constraints(scene), s.dim,
              s.method == Method::pbd ? "PBD, stiffness" : "XPBD, compliance",
              static_cast<double>(s.method == Method::pbd ? s.stiffness : s.compliance));
  char substeps[32] = "automatic";
  if (!s.automatic_substeps) std::snprintf(substeps, sizeof substeps, "%d", s.substeps);
  std::printf("simulated  %.3f s in %lld steps of %.3g ms, %s substeps of %d iteration%s\n", scene.time,
              static_cast<long long>(scene.steps), 1000 * static_cast<double>(s.dt), substeps, s.iterations,
              s.iterations == 1 ? "" : "s");
  std::printf("solver     %s; in the last step %d sweeps in %d substep%s, ended by %s\n", name_of(s.solver).option,
              scene.report.sweeps, scene.report.substeps, scene.report.substeps == 1 ? "" : "s",
              name_of(scene.report.ended));
  if (scene.steps > 0)
    std::printf("speed      %.3f ms a step, %.1f times real time\n", per_step, 1000 * scene.time / ms);
  std::printf("stretch    max %.2f %%, rms %.2f %%\n", 100 * static_cast<double>(m.max_stretch),
              100 * static_cast<double>(m.rms_stretch));
  std::printf("energy     kinetic %.4g J, potential %.4g J, elastic %.4g J\n", static_cast<double>(m.kinetic),
              static_cast<double>(m.potential), static_cast<double>(m.elastic));
  if (o.diagnostics) print_diagnostics(scene, o.look.stretch_range);
  if (!o.output.empty()) std::printf("wrote      %s (%d x %d)\n", o.output.c_str(), o.size.width, o.size.height);
  if (!o.csv.empty()) std::printf("wrote      %s (%d rows)\n", o.csv.c_str(), frames_written);
  if (!o.export_pattern.empty()) {
    const FramePattern pattern = *parse_pattern(o.export_pattern);
    std::printf("wrote      %s … %s (%d meshes)\n", pattern.name(0).c_str(), pattern.name(o.frames).c_str(),
                frames_written);
  }
}

}  // namespace

int run_headless(const Options& o) {
  // Everything that can fail is tried before the run, which may take minutes.
  end_cleanly();
  Scene scene;
  if (const pbd::Error error = restart(scene, o.scene)) return fail(error.reason);
  scene.watched = o.diagnostics;
  if (!o.output.empty())
    if (const std::string reason = why_not_writable(o.output); !reason.empty()) return fail(reason);
  if (!o.export_pattern.empty())
    if (const std::string reason = why_not_writable(parse_pattern(o.export_pattern)->name(0)); !reason.empty())
      return fail(reason);
  std::unique_ptr<OutputFile> csv;
  if (!o.csv.empty()) {
    csv = std::make_unique<OutputFile>(o.csv);
    if (!csv->error.empty()) return fail(csv->error);
    write_csv_header(csv->stream(), o.diagnostics);
  }
  Renderer renderer;
  if (!o.output.empty()) {
    if (const std::string reason = make_offscreen_context(); !reason.empty()) return fail(reason);
    if (const std::string reason = prepare(renderer); !reason.empty()) return fail(reason);
  }

  double ms = 0;
  Progress progress(o.frames);
  for (int frame = 0; frame <= o.frames; ++frame) {
    // Whole steps only, as many as bring the time to the frame's; the small part absorbs rounding.
    const auto wanted = static_cast<std::int64_t>(std::floor(frame / o.fps / static_cast<double>(o.scene.dt) + 1e-4));
    while (scene.steps < wanted && interrupted == 0) {
      if (const pbd::Error error = step(scene)) return progress.erase(), fail(error.reason);
      ms += scene.last_step_ms;
    }
    if (interrupted != 0) {
      progress.erase();
      static_cast<void>(fail("interrupted at frame " + std::to_string(frame) + " of " + std::to_string(o.frames)));
      return 128 + interrupted;
    }
    if (!std::isfinite(measure(scene).max_stretch)) {
      progress.erase();
      return fail("the cloth blew up at frame " + std::to_string(frame) +
                  "; more substeps, a smaller time step or less gravity may hold it");
    }
    if (csv) write_csv_row(csv->stream(), frame, scene, o.diagnostics);
    if (!o.export_pattern.empty())
      if (const std::string reason = write_obj_file(o, scene, frame); !reason.empty())
        return progress.erase(), fail(reason);
    progress.show(frame);
  }
  progress.erase();
  if (!o.output.empty())
    if (const std::string reason = write_picture(o, scene, renderer); !reason.empty()) return fail(reason);
  if (csv)
    if (const std::string reason = csv->commit(); !reason.empty()) return fail(reason);
  print_summary(o, scene, ms, o.frames + 1);
  return 0;
}

}  // namespace viewer
