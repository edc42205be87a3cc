// SPDX-License-Identifier: MIT
//
// The window with a hand on its mouse: Xvfb is the screen, xdotool moves the pointer, the viewer's report says what it
// made of it, and the screen's pixels say the same.
#include "../catch.hpp"
#include "process.hpp"
#include "screen.hpp"

#include <cmath>
#include <functional>

namespace {

// A line of the report.
struct Row {
  double frame, time, real_factor, pointer_x, pointer_y, held, touched, touched_x, touched_y, speed, pinned;
};

std::vector<Row> read_report(const std::string& path) {
  std::vector<Row> rows;
  std::string text = read_text(path);
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n'));  // the last line may be half written
  const auto lines = split(text, '\n');
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const auto c = split(lines[k], ',');
    REQUIRE(c.size() >= 11);  // more with --diagnostics
    const auto n = [&](std::size_t column) { return std::stod(c[column]); };
    rows.push_back({n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10)});
  }
  return rows;
}

/// A viewer in a window of 800 × 600 in the corner of a screen of its own. The sheet hangs flat before the camera, no
/// gravity pulls at it, so that every move of it is the mouse's doing.
struct Window {
  Folder folder;
  Screen screen;
  Process viewer;
  std::string report = folder / "report.csv";

  explicit Window(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{PBD_VIEWER,    "--size", "800x600",   "--no-panel", "--start",   "vertical",
                                       "--slack",     "0",      "--gravity", "0",          "--azimuth", "0",
                                       "--elevation", "0",      "--report",  report};
    arguments.insert(arguments.end(), more.begin(), more.end());
    viewer.start(arguments, screen.name());
    wait_for("the first frames", [](const Row& row) { return row.frame >= 3; });
    mouse("search --sync --onlyvisible --name '^pbd$' windowmove 0 0 windowfocus");
    mouse("mousemove 5 5 sleep 0.2");
  }

  void mouse(const std::string& command) const {
    const std::string all = "DISPLAY=" + screen.name() + " " + PBD_XDOTOOL + " " + command + " >/dev/null 2>&1";
    REQUIRE(std::system(all.c_str()) == 0);
  }

  [[nodiscard]] Row last() const {
    const auto rows = read_report(report);
    REQUIRE_FALSE(rows.empty());
    return rows.back();
  }

  // Waits up to 20 s, for a software renderer on a busy machine draws a few frames a second.
  Row wait_for(const std::string& what, const std::function<bool(const Row&)>& reached) const {
    for (int n = 0; n < 400; ++n) {
      const auto rows = read_report(report);
      if (!rows.empty() && reached(rows.back())) return rows.back();
      usleep(50000);
    }
    FAIL("waited in vain for " << what);
    return {};
  }

  // Two more frames, so that what was just done is in the report and on the screen.
  Row settle() const {
    const double frame = last().frame;
    return wait_for("two frames more", [frame](const Row& row) { return row.frame >= frame + 3; });
  }

  [[nodiscard]] int green_near(int x, int y) const {
    return screen.count(x, y, 12, [](int r, int g, int b) { return g > 180 && r < 140 && b < 180; });
  }
  [[nodiscard]] int orange_near(int x, int y) const {
    return screen.count(x, y, 12, [](int r, int g, int b) { return r > 220 && g > 150 && b < 120; });
  }
};

}  // namespace

TEST_CASE("a particle dragged with the mouse is where the pointer is, and stops being held when let go") {
  const Window window;
  const Row before = window.last();
  CHECK(before.held == -1);
  CHECK(before.pinned == 2);
  CHECK(window.green_near(520, 380) == 0);

  window.mouse("mousemove 400 300 sleep 0.1 mousedown 1 sleep 0.2");
  window.wait_for("the grab", [](const Row& row) { return row.held >= 0; });
  std::string moves;
  for (int n = 0; n < 12; ++n) moves += "mousemove_relative 10 7 sleep 0.03 ";
  window.mouse(moves);
  window.wait_for("the pointer", [](const Row& row) { return row.pointer_x == 520 && row.pointer_y == 384; });
  const Row held = window.settle();
  CHECK(held.held == held.touched);
  CHECK(held.touched_x == Approx(520).margin(0.5));
  CHECK(held.touched_y == Approx(384).margin(0.5));
  CHECK(held.pinned == 2);
  CHECK(window.green_near(520, 384) > 20);  // the marker of what is held, on the screen
  CHECK(window.green_near(400, 300) == 0);

  window.mouse("mouseup 1");
  window.wait_for("the release", [](const Row& row) { return row.held == -1; });
  window.settle();
  CHECK(window.green_near(520, 384) == 0);
}

TEST_CASE("a particle let go in full flight flies on") {
  const Window window;
  std::string flick = "mousemove 400 300 sleep 0.1 mousedown 1 sleep 0.3 ";
  for (int n = 0; n < 40; ++n) flick += "mousemove_relative 4 0 sleep 0.02 ";
  window.mouse(flick + "mouseup 1");
  window.wait_for("the release", [](const Row& row) { return row.touched >= 0 && row.held == -1; });
  window.settle();
  const auto rows = read_report(window.report);
  for (std::size_t k = 1; k < rows.size(); ++k)
    if (rows[k - 1].held >= 0 && rows[k].held == -1) {
      CHECK(rows[k].speed > 0.3);
      return;
    }
  FAIL("it was never let go");
}

TEST_CASE("a right click pins a particle, and another one frees it") {
  const Window window({"--particles"});
  window.mouse("mousemove 400 300 sleep 0.1 click 3");
  const Row pinned = window.wait_for("the pin", [](const Row& row) { return row.pinned == 3; });
  window.mouse("mousemove 5 5");  // or the pointer hides the marker
  window.settle();
  CHECK(window.orange_near(static_cast<int>(std::lround(pinned.touched_x)),
                           static_cast<int>(std::lround(pinned.touched_y))) > 20);
  window.mouse("mousemove 400 300 sleep 0.1 click 3");
  window.wait_for("the unpinning", [](const Row& row) { return row.pinned == 2; });
}

TEST_CASE("dragging beside the cloth turns the camera and moves nothing") {
  const Window window;
  window.mouse("mousemove 300 220 sleep 0.1 click 3 sleep 0.1");  // so that the report follows a particle
  window.wait_for("the pin", [](const Row& row) { return row.pinned == 3; });
  const Row before = window.settle();
  window.mouse("mousemove 20 20 sleep 0.1 mousedown 1 sleep 0.1 mousemove_relative 60 40 sleep 0.1 mouseup 1");
  const Row after = window.settle();
  CHECK(after.held == -1);
  CHECK(std::hypot(after.touched_x - before.touched_x, after.touched_y - before.touched_y) > 2);
  window.mouse("mousemove 20 20 click 4 click 4");
  const Row zoomed = window.settle();
  CHECK(std::hypot(zoomed.touched_x - after.touched_x, zoomed.touched_y - after.touched_y) > 0.3);
}

TEST_CASE("keys pause, step, restart and quit") {
  const Window window;
  window.wait_for("some time", [](const Row& row) { return row.time > 0.1; });
  window.mouse("key space");
  window.settle();
  const Row paused = window.last();
  CHECK(window.settle().time == paused.time);
  window.mouse("key n");
  CHECK(window.settle().time == Approx(paused.time + 1.0 / 60).margin(1e-4));
  window.mouse("key r");
  CHECK(window.settle().time == 0);
  window.mouse("key Escape");
  CHECK(const_cast<Process&>(window.viewer).wait() == 0);
}

TEST_CASE("a key colours the cloth, and the report tells what the solver did") {
  const Window window({"--diagnostics", "--iterations", "3", "--substeps", "2"});
  const auto red = [&window] {
    return window.screen.count(400, 300, 12, [](int r, int g, int b) { return r > g + 40 && r > b + 40; });
  };
  window.settle();
  CHECK(red() > 300);
  window.mouse("key t");  // by stretch, of which there is none without gravity
  window.settle();
  CHECK(red() < 30);
  window.mouse("key t key t");
  window.settle();
  CHECK(red() > 300);

  const auto lines = split(read_text(window.report), '\n');
  REQUIRE(lines.size() > 3);
  const auto head = split(lines[0], ','), row = split(lines[lines.size() - 2], ',');
  REQUIRE(head.size() == 17);
  REQUIRE(row.size() == 17);
  CHECK(head[12] == "sweeps");
  CHECK(row[12] == "6");
  CHECK(row[13] == "iterations");
  CHECK(std::stod(row[15]) < 1e-3);
}

TEST_CASE("a paused particle follows the pointer, too") {
  const Window window({"--paused"});
  window.mouse("mousemove 400 300 sleep 0.1 mousedown 1 sleep 0.2 mousemove_relative 50 30 sleep 0.2");
  window.wait_for("the pointer", [](const Row& row) { return row.held >= 0 && row.pointer_x == 450; });
  const Row held = window.settle();
  CHECK(held.time == 0);
  CHECK(held.touched_x == Approx(450).margin(0.5));
  CHECK(held.touched_y == Approx(330).margin(0.5));
}

TEST_CASE("time in the window goes as fast as on the wall") {
  const Window window;
  usleep(3000000);
  const double factor = window.last().real_factor;
  if (factor < 0.8)
    WARN("this machine draws too slowly to tell: " << factor << " times real time");
  else
    CHECK(factor < 1.15);
}

TEST_CASE("a mouse on the panel turns its knobs and does not reach the cloth") {
  const Window window;
  window.mouse("key h sleep 0.3 mousemove 100 400 sleep 0.1 click 3 sleep 0.1");
  CHECK(window.settle().pinned == 2);
  const double time = window.wait_for("some time", [](const Row& row) { return row.time > 1; }).time;
  window.mouse("mousemove 110 45 sleep 0.2 click 1");  // the slider of the columns: another cloth starts anew
  const Row after = window.settle();
  CHECK(after.held == -1);
  CHECK(after.time < time);
}

TEST_CASE("a picture of the window can be saved, however slow the machine") {
  const Folder folder;
  const Screen screen;
  const auto save = [&](const std::string& name) {
    const Outcome outcome =
        run_viewer("--size 640x480 --frames 20 --screenshot " + (folder / name), "env DISPLAY=" + screen.name());
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return read_text(folder / name).size();
  };
  CHECK(save("a.png") > 10000);
}
