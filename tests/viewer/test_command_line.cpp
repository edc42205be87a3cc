// SPDX-License-Identifier: MIT
//
// The program as a whole, without a window: what it writes, what it says, how it fails.
#include "../catch.hpp"
#include "process.hpp"
#include "readers.hpp"

#include <solve.hpp>

#include <cmath>

namespace {

const std::string small = "--columns 16 --rows 12 --size 320x240 ";

// Libraries for the display complain on their own where the user's session has no folder.
std::string without_foreign_lines(const std::string& err) {
  std::string own;
  for (const std::string& line : split(err, '\n'))
    if (line.find("XDG_RUNTIME_DIR") == std::string::npos) own += line + "\n";
  return own;
}

// One line, of the program itself, and no exit as if all were well.
void check_refused(Outcome outcome, const std::string& word = "") {
  CAPTURE(outcome.err);
  outcome.err = without_foreign_lines(outcome.err);
  CHECK(outcome.exit_code > 0);
  CHECK(outcome.exit_code < 126);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.rfind("pbd_viewer: ", 0) == 0);
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  CHECK(outcome.err.find(word) != std::string::npos);
}

int red_pixels(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const auto [r, g, b] = image.at(x, y);
      count += r > g + 40 && r > b + 40;
    }
  return count;
}

int different_pixels(const Image& a, const Image& b) {
  int count = 0;
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x) count += std::abs(a.at(x, y)[0] - b.at(x, y)[0]) > 8;
  return count;
}

}  // namespace

TEST_CASE("a picture is rendered without a display, shows the cloth, and changes with time") {
  const Folder folder;
  const auto render = [&](int frame) {
    const std::string name = folder / ("cloth" + std::to_string(frame) + ".png");
    const Outcome outcome = run_viewer(small + "--frames " + std::to_string(frame) + " --output " + name,
                                       "env -u DISPLAY -u WAYLAND_DISPLAY");
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.out.find("192 particles") != std::string::npos);
    return read_png(name);
  };
  const Image start = render(0);
  const Image later = render(55);
  REQUIRE(start.width == 320);
  REQUIRE(later.height == 240);

  // Hanging, the cloth is in the middle of the picture; beside it is none.
  const auto [r, g, b] = later.at(160, 90);
  CHECK(r > g + 40);
  CHECK(r > b + 40);
  CHECK(red_pixels(later) > 320 * 240 / 15);
  CHECK(red_pixels(later) < 320 * 240 / 2);
  for (const int x : {3, 316}) CHECK(std::abs(later.at(x, 20)[0] - later.at(x, 20)[2]) < 40);
  CHECK(different_pixels(start, later) > 320 * 240 / 20);
}

TEST_CASE("constraints and particles are drawn if asked for, with a legend") {
  const Folder folder;
  const auto render = [&](const std::string& look) {
    const Outcome outcome = run_viewer(small + "--frames 60 --output " + (folder / "a.png") + " " + look);
    REQUIRE(outcome.exit_code == 0);
    return read_png(folder / "a.png");
  };
  const Image cloth = render("");
  const Image constraints = render("--constraints");
  const Image particles = render("--no-shaded --particles");
  CHECK(different_pixels(cloth, constraints) > 3000);
  CHECK(different_pixels(cloth, particles) > 3000);
  // The legend's two ends, blue and red, above the lower edge.
  int blue = 0, red = 0;
  for (int x = 0; x < 320; ++x) {
    const auto [r, g, b] = constraints.at(x, 240 - 54);
    blue += b > 180 && r < 100;
    red += r > 180 && b < 100;
  }
  CHECK(red > 5);
  CHECK(blue > 5);
}

TEST_CASE("the surface is coloured if asked for, and what is asked for decides how") {
  const Folder folder;
  const auto render = [&](const std::string& look) {
    const Outcome outcome = run_viewer(small + "--compliance 1e-5 --frames 60 --output " + (folder / "a.png") + look);
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return read_png(folder / "a.png");
  };
  const Image plain = render(""), stretch = render(" --color stretch"), tension = render(" --color tension");
  CHECK(different_pixels(plain, stretch) > 3000);
  CHECK(different_pixels(plain, tension) > 3000);
  CHECK(different_pixels(stretch, tension) > 1000);
}

TEST_CASE("every solver can be named, and tells what it did") {
  const Folder folder;
  for (const viewer::SolverName& name : viewer::solver_names()) {
    const std::string csv = folder / "run.csv";
    const Outcome outcome = run_viewer("--columns 12 --rows 9 --frames 10 --diagnostics --iterations 3 --solver " +
                                       std::string(name.option) + " --csv " + csv);
    CAPTURE(outcome.err, name.option);
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.out.find("solver     " + std::string(name.option)) != std::string::npos);
    CHECK(outcome.out.find("residuals  ") != std::string::npos);
    CHECK(outcome.out.find("histogram  ") != std::string::npos);
    const auto rows = split(read_text(csv), '\n');
    REQUIRE(rows.size() == 12);
    const auto head = split(rows[0], ','), last = split(rows[11], ',');
    REQUIRE(head.size() == 13);
    REQUIRE(last.size() == 13);
    CHECK(head[8] == "sweeps");
    CHECK(std::stoi(last[8]) == 3 * std::stoi(last[7]));
    CHECK(last[9] == "iterations");
    CHECK(std::stod(last[11]) == Approx(std::stod(last[2])).epsilon(1e-3).margin(1e-6));
  }
  check_refused(run_viewer("--frames 1 --solver magic"), "gauss-seidel");
}

TEST_CASE("a run that is told to end leaves nothing half written") {
  const Folder folder;
  for (const char* signal : {"TERM", "INT"}) {
    const Outcome outcome = run_viewer("--frames 10000000 --csv " + (folder / "a.csv"),
                                       std::string("timeout --preserve-status -s ") + signal + " 2");
    CHECK(outcome.exit_code == (std::string(signal) == "TERM" ? 143 : 130));
    CHECK(folder.files() == 0);
  }
}

TEST_CASE("a mesh sequence is what another program reads as the same cloth") {
  const Folder folder;
  const Outcome outcome = run_viewer(small + "--frames 5 --export " + (folder / "frames/cloth_%03d.obj"));
  REQUIRE(outcome.exit_code == 0);
  for (int frame = 0; frame <= 5; ++frame) {
    const ObjMesh mesh = read_obj(folder / ("frames/cloth_00" + std::to_string(frame) + ".obj"));
    if (!mesh.available) {
      WARN("skipped: tinyobjloader was not installed when this test was built");
      return;
    }
    CHECK(mesh.complaint.empty());
    CHECK(mesh.vertices == 16 * 12);
    CHECK(mesh.normals == 16 * 12);
    CHECK(mesh.texture_coordinates == 16 * 12);
    CHECK(mesh.triangles == 2 * 15 * 11);
    CHECK(mesh.indices_in_range);
    for (const float x : mesh.positions) CHECK(std::abs(x) < 10);
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "frames"), {}) == 6);
  const ObjMesh first = read_obj(folder / "frames/cloth_000.obj"), last = read_obj(folder / "frames/cloth_005.obj");
  CHECK(first.positions[0] == last.positions[0]);  // pinned
  CHECK(first.positions.back() != last.positions.back());
}

TEST_CASE("a table has a row a frame, times that go on evenly, and stretch that makes sense") {
  const Folder folder;
  const std::string csv = folder / "run.csv";
  REQUIRE(run_viewer(small + "--frames 60 --csv " + csv).exit_code == 0);
  const auto rows = split(read_text(csv), '\n');
  REQUIRE(rows.size() == 62);
  CHECK(rows[0] == "frame,time_s,max_stretch,rms_stretch,kinetic_J,potential_J,elastic_J");
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const auto cells = split(rows[k], ',');
    REQUIRE(cells.size() == 7);
    const auto number = [&](std::size_t c) { return std::stod(cells[c]); };
    CHECK(number(0) == static_cast<double>(k - 1));
    CHECK(number(1) == Approx(static_cast<double>(k - 1) / 60).margin(1e-5));
    CHECK(number(2) >= number(3));
    CHECK(number(3) >= 0);
    CHECK(number(2) < 0.5);
    CHECK(number(4) >= 0);
    CHECK(number(6) == 0);
  }
  CHECK(std::stod(split(rows[61], ',')[2]) > 1e-4);
  CHECK(std::stod(split(rows[61], ',')[4]) > 1);
  const std::string once = read_text(csv);
  REQUIRE(run_viewer(small + "--frames 60 --csv " + csv).exit_code == 0);
  CHECK(read_text(csv) == once);  // the same run gives the same bytes
}

TEST_CASE("frames are as far apart as they say, whatever the time step") {
  const Folder folder;
  const std::string csv = folder / "run.csv";
  REQUIRE(run_viewer(small + "--frames 50 --fps 25 --dt 0.005 --substeps 1 --iterations 2 --csv " + csv).exit_code ==
          0);
  const auto rows = split(read_text(csv), '\n');
  CHECK(std::stod(split(rows.back(), ',')[1]) == Approx(2).margin(1e-4));
}

TEST_CASE("springs have an elastic energy, and every kind of scene runs") {
  const Folder folder;
  const std::string csv = folder / "run.csv";
  for (const char* kind :
       {"--dim 2", "--dim 3 --start vertical --pins row", "--compliance 1e-4", "--dim 2 --method xpbd",
        "--stiffness 0.5 --no-shear", "--bending --pins 4", "--pins none", "--pins 1 --slack 0"}) {
    CAPTURE(kind);
    const Outcome outcome = run_viewer(small + kind + " --frames 30 --csv " + csv);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
  }
  REQUIRE(run_viewer(small + "--compliance 1e-4 --frames 30 --csv " + csv).exit_code == 0);
  CHECK(std::stod(split(split(read_text(csv), '\n').back(), ',')[6]) > 0);
}

TEST_CASE("bad arguments end with one sentence, and nothing is written") {
  const Folder folder;
  const std::string output = " --frames 3 --output " + (folder / "a.png");
  for (const char* arguments :
       {"--columns 0", "--dt nan", "--dt 0", "--iterations -1", "--pins 3", "--size 5", "--unheard-of",
        "--stiffness 0.5 --compliance 1", "--dim 2 --start horizontal", "--export a.obj", "--frames -1"})
    check_refused(run_viewer(arguments + output));
  CHECK(folder.files() == 0);
}

TEST_CASE("an output that cannot be written is refused before the run") {
  const Folder folder;
  std::ofstream(folder / "file") << "not a folder";
  const std::string below = folder / "file/cloth";
  const std::string endless = "--frames 10000000 ";  // would take hours
  check_refused(run_viewer(endless + "--output " + below + ".png"), below);
  check_refused(run_viewer(endless + "--csv " + below + ".csv"), below);
  check_refused(run_viewer(endless + "--export " + below + "%d.obj"), below);
  check_refused(run_viewer(endless + "--output " + folder.path.string()), "folder");
  CHECK(folder.files() == 1);
}

TEST_CASE("a full disk is reported, not overlooked") {
  if (!std::filesystem::exists("/dev/full")) return;
  check_refused(run_viewer(small + "--frames 1 --output /dev/full"), "/dev/full");
  check_refused(run_viewer(small + "--frames 1 --csv /dev/full"), "/dev/full");
}

TEST_CASE("without a display the window says how to do without it") {
  const Outcome outcome = run_viewer("", "env -u DISPLAY -u WAYLAND_DISPLAY");
  check_refused(outcome, "--output");
  check_refused(run_viewer("", "env -u WAYLAND_DISPLAY DISPLAY=:987"), "--output");
  const Folder folder;
  check_refused(run_viewer("--report " + (folder / "a.csv"), "env -u DISPLAY -u WAYLAND_DISPLAY"), "--output");
  CHECK(folder.files() == 0);
}

TEST_CASE("without OpenGL a picture is refused, while meshes and tables need none") {
  const Folder folder;
  const std::string no_driver = "env -u DISPLAY __EGL_VENDOR_LIBRARY_FILENAMES=/dev/null EGL_PLATFORM=surfaceless";
  check_refused(run_viewer(small + "--frames 1 --output " + (folder / "a.png"), no_driver), "OpenGL");
  CHECK(folder.files() == 0);
  CHECK(run_viewer(small + "--frames 1 --csv " + (folder / "a.csv"), no_driver).exit_code == 0);
}
