// SPDX-License-Identifier: MIT
#include "../catch.hpp"

#include <options.hpp>

using viewer::parse;

TEST_CASE("every knob of the panel has an option") {
  const auto parsed =
      parse({"--columns",    "20",    "--rows",      "10",        "--spacing",  "0.1",    "--pins",       "row",
             "--dim",        "3",     "--start",     "vertical",  "--slack",    "0.1",    "--method",     "xpbd",
             "--compliance", "1e-4",  "--no-shear",  "--bending", "--mass",     "0.5",    "--gravity",    "1.62",
             "--drag",       "0",     "--dt",        "0.01",      "--substeps", "3",      "--iterations", "4",
             "--solver",     "lines", "--tolerance", "0.01",      "--size",     "640x480"});
  REQUIRE(parsed.mistake.empty());
  viewer::SceneSettings s;
  s.columns = 20;
  s.rows = 10;
  s.spacing = 0.1f;
  s.pins = viewer::Pins::row;
  s.start = viewer::Start::vertical;
  s.slack = 0.1f;
  s.method = viewer::Method::xpbd;
  s.compliance = 1e-4f;
  s.shear = false;
  s.bending = true;
  s.mass = 0.5f;
  s.gravity = 1.62f;
  s.drag = 0;
  s.dt = 0.01f;
  s.substeps = 3;
  s.iterations = 4;
  s.solver = viewer::Solver::lines;
  s.tolerance = 0.01f;
  CHECK(parsed.options.scene == s);
  CHECK(parsed.options.size.width == 640);
  CHECK(parsed.options.size.height == 480);
}

TEST_CASE("what was given decides between a window and none") {
  CHECK_FALSE(parse({}).options.headless());
  CHECK_FALSE(parse({"--columns", "10"}).options.headless());
  CHECK_FALSE(parse({"--screenshot", "a.png", "--frames", "5"}).options.headless());
  for (const char* option : {"--output", "--csv"}) CHECK(parse({option, "a"}).options.headless());
  CHECK(parse({"--export", "a%d.obj"}).options.headless());
  CHECK(parse({"--frames", "5"}).options.headless());
}

TEST_CASE("a compliance asks for XPBD, and 2-D for an upright sheet") {
  CHECK(parse({"--compliance", "1e-3"}).options.scene.method == viewer::Method::xpbd);
  CHECK(parse({"--dim", "2"}).options.scene.start == viewer::Start::vertical);
}

TEST_CASE("arguments that make no sense are refused in one sentence") {
  using Arguments = std::vector<std::string>;
  const auto arguments = GENERATE(values<Arguments>({
      {"--columns", "0"},
      {"--columns", "-3"},
      {"--columns", "many"},
      {"--columns", "3.5"},
      {"--columns"},
      {"--columns", "99999999999999"},
      {"--rows", "1"},
      {"--spacing", "0"},
      {"--dt", "nan"},
      {"--dt", "0"},
      {"--dt", "-0.01"},
      {"--dt", "inf"},
      {"--substeps", "0"},
      {"--iterations", "0"},
      {"--gravity", "nan"},
      {"--mass", "0"},
      {"--mass", "-1"},
      {"--stiffness", "1.5"},
      {"--compliance", "-1"},
      {"--compliance", "nan"},
      {"--slack", "0.9"},
      {"--drag", "-1"},
      {"--pins", "3"},
      {"--pins", "5"},
      {"--dim", "4"},
      {"--method", "fem"},
      {"--size", "big"},
      {"--size", "0x0"},
      {"--size", "800"},
      {"--size", "800x"},
      {"--size", "-8x8"},
      {"--frames", "-1"},
      {"--fps", "0", "--frames", "3"},
      {"--fps", "30"},
      {"--zoom", "0"},
      {"--azimuth", "inf"},
      {"--output", ""},
      {"--export", "cloth.obj"},
      {"--export", "%s.obj"},
      {"--export", "%d%d.obj"},
      {"--export", "%n%d.obj"},
      {"--solver", "magic"},
      {"--solver", "lines", "--stiffness", "0.5"},
      {"--solver", "coarse", "--compliance", "1e-3"},
      {"--substeps", "auto"},
      {"--substeps", "auto", "--solver", "batches"},
      {"--substeps", "many"},
      {"--tolerance", "-1"},
      {"--tolerance", "nan"},
      {"--color", "green"},
      {"--tension-range", "0"},
      {"--output", "a.jpg"},
      {"--screenshot", "a.bmp"},
      {"--output", "a.png", "--csv", "./a.png"},
      {"--output", "a_03.png", "--export", "b/../a_%02d.png"},
      {"--csv", "mesh0120.obj", "--export", "mesh%04d.obj"},
      {"--screenshot", "a.png", "--report", "a.png"},
      {"--unheard-of"},
      {"stray"},
      {"--stiffness", "0.5", "--compliance", "0.5"},
      {"--method", "pbd", "--compliance", "0.5"},
      {"--method", "xpbd", "--stiffness", "0.5"},
      {"--dim", "2", "--start", "horizontal"},
      {"--dim", "2", "--slack", "0.1"},
      {"--output", "a.png", "--screenshot", "b.png"},
      {"--output", "a", "--csv", "a"},
      {"--paused", "--frames", "3"},
      {"--frames", "3", "--no-shaded", "--output", "a.png"},
  }));
  const auto parsed = parse(arguments);
  CAPTURE(arguments, parsed.mistake);
  CHECK_FALSE(parsed.mistake.empty());
  CHECK(parsed.mistake.find('\n') == std::string::npos);
  CHECK(parsed.text.empty());
}

TEST_CASE("a solver comes with the substeps and iterations that suit it, unless others are given") {
  const auto scene = [](const std::vector<std::string>& arguments) { return parse(arguments).options.scene; };
  CHECK(scene({}).substeps == 10);
  CHECK(scene({"--solver", "lines"}).automatic_substeps);
  CHECK(scene({"--solver", "lines"}).iterations == 1);
  CHECK_FALSE(scene({"--solver", "lines", "--substeps", "7"}).automatic_substeps);
  CHECK(scene({"--substeps", "7", "--solver", "lines"}).substeps == 7);
  CHECK(scene({"--solver", "lines", "--substeps", "auto", "--iterations", "5"}).iterations == 5);
}

TEST_CASE("pictures may end in .png, however it is written, or in nothing, and meshes may lie beside them") {
  for (const char* name : {"a.png", "a.PNG", "a", "/dev/null"}) CHECK(parse({"--output", name}).mistake.empty());
  CHECK(parse({"--output", "cloth_1.png", "--export", "cloth_%d.obj"}).mistake.empty());
  CHECK(parse({"--csv", "/dev/null", "--output", "/dev/null"}).mistake.empty());
}

TEST_CASE("help and version are told instead of a run") {
  CHECK(parse({"--help"}).text.find("--columns") != std::string::npos);
  CHECK(parse({"--version"}).text.find("pbd_viewer ") == 0);
}
