// SPDX-License-Identifier: MIT
#include "options.hpp"

#include "output.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

namespace viewer {

namespace {

std::string version() {
  return "pbd_viewer " + std::to_string(PBD_VERSION_MAJOR) + "." + std::to_string(PBD_VERSION_MINOR) + "." +
         std::to_string(PBD_VERSION_PATCH);
}

// An option with named values. CLI11's own transformer would take their numbers, too.
template <class Value>
void add_choice(CLI::App& app, const std::string& name, Value& value, std::map<std::string, Value> choices,
                const std::string& help) {
  std::string names;
  for (const auto& [key, unused] : choices) names += (names.empty() ? "" : ", ") + key;
  app.add_option_function<std::string>(
         name,
         [&value, choices, names, name](const std::string& text) {
           const auto found = choices.find(text);
           if (found == choices.end()) throw CLI::ValidationError(name, "\"" + text + "\" is not one of " + names);
           value = found->second;
         },
         help + " (" + names + ")")
      ->type_name("NAME");
}

void add_scene_options(CLI::App& app, SceneSettings& s) {
  app.add_option("--columns", s.columns, "Particles across, 2 to 2000")->capture_default_str();
  app.add_option("--rows", s.rows, "Particles down, 2 to 2000")->capture_default_str();
  app.add_option("--spacing", s.spacing, "Distance of neighbours, m")->capture_default_str();
  add_choice<Pins>(app, "--pins", s.pins,
                   {{"none", Pins::none}, {"1", Pins::one}, {"2", Pins::two}, {"4", Pins::four}, {"row", Pins::row}},
                   "Pinned corners, or the top row [2]");
  add_choice<int>(app, "--dim", s.dim, {{"2", 2}, {"3", 3}}, "Dimensions [3]");
  add_choice<Start>(app, "--start", s.start, {{"horizontal", Start::horizontal}, {"vertical", Start::vertical}},
                    "How the sheet lies when it is let go [horizontal; in 2-D vertical]");
  app.add_option("--slack", s.slack, "3-D: part of the width that is laid in folds, 0 to 0.5")->capture_default_str();
  add_choice<Method>(app, "--method", s.method, {{"pbd", Method::pbd}, {"xpbd", Method::xpbd}},
                     "Hard or soft constraints, or springs of a compliance [pbd; xpbd if a compliance is given]");
  app.add_option("--stiffness", s.stiffness, "k of PBD, 0 to 1")->capture_default_str();
  app.add_option("--compliance", s.compliance, "Compliance of XPBD, m/N")->capture_default_str();
  app.add_flag("--shear,!--no-shear", s.shear, "Constraints along both diagonals [on]");
  app.add_flag("--bending,!--no-bending", s.bending, "Constraints from each particle to the next but one [off]");
  app.add_option("--mass", s.mass, "Mass of a particle, kg")->capture_default_str();
  app.add_option("--gravity", s.gravity, "Downward, m/s^2")->capture_default_str();
  app.add_option("--drag", s.drag, "Air drag, 1/s")->capture_default_str();
  app.add_option("--dt", s.dt, "Time step, s")->capture_default_str();
  std::map<std::string, Solver> solvers;
  for (const SolverName& name : solver_names()) solvers[name.option] = name.solver;
  add_choice<Solver>(app, "--solver", s.solver, solvers, "How the constraints are solved [batches]");
  app.add_option_function<std::string>(
         "--substeps",
         [&s](const std::string& text) {
           s.automatic_substeps = text == "auto";
           if (!s.automatic_substeps && !CLI::detail::lexical_cast(text, s.substeps))
             throw CLI::ValidationError("--substeps", "\"" + text + "\" is neither a number nor auto");
         },
         "Substeps a time step; auto, with --solver lines: as many as the tension needs [what suits the solver]")
      ->type_name("INT|auto");
  app.add_option("--iterations", s.iterations, "Sweeps a substep [what suits the solver]");
  app.add_option("--tolerance", s.tolerance,
                 "End a substep's sweeps once no stretch is above this; --iterations are the most then [0: off]");
}

void add_run_options(CLI::App& app, Options& o, std::string& size) {
  app.add_option("--size", size, "Of the window or picture, WIDTHxHEIGHT in pixels")->capture_default_str();
  app.add_option("--azimuth", o.view.azimuth, "Camera's angle around the cloth, degrees [22; in 2-D 0]");
  app.add_option("--elevation", o.view.elevation, "Camera's angle above the horizon, degrees [12; in 2-D 0]");
  app.add_option("--zoom", o.view.zoom, "2: twice as large")->capture_default_str();
  app.add_flag("--shaded,!--no-shaded", o.look.shaded, "Draw the cloth's surface [on]");
  add_choice<Color>(app, "--color", o.look.color,
                    {{"plain", Color::plain}, {"stretch", Color::stretch}, {"tension", Color::tension}},
                    "What colours the surface; tension colours the constraints, too [plain]");
  app.add_flag("--constraints", o.look.constraints, "Draw the constraints, coloured by stretch or tension");
  app.add_flag("--particles", o.look.particles, "Draw the particles, pinned ones marked");
  app.add_option("--stretch-range", o.look.stretch_range, "The stretch that is all red or, negative, all blue")
      ->capture_default_str();
  app.add_option("--tension-range", o.look.tension_range,
                 "The tension that is all red or, negative, all blue, N [the weight of a column]");
  app.add_flag(
      "--diagnostics", o.diagnostics,
      "Show how the sweeps converge and how stretch is spread; without a window, print it and add it to --csv");
  app.add_flag("--panel,!--no-panel", o.panel, "Open the window with its panel [on]");
  app.add_flag("--paused", o.paused, "Open the window with time standing still");
  app.add_option("--frames", o.frames, "Run so many frames without a window, then stop; frame 0 is the start [120]");
  app.add_option("--fps", o.fps, "Frames a simulated second, without a window")->capture_default_str();
  app.add_option("--output", o.output, "Render the last frame to this PNG, with no display")->type_name("FILE");
  app.add_option("--export", o.export_pattern, "Write every frame as a mesh: a name with one %d, as in cloth_%04d.obj")
      ->type_name("FILE");
  app.add_option("--csv", o.csv, "Write stretch and energy of every frame as a table")->type_name("FILE");
  app.add_option("--screenshot", o.screenshot, "Open the window for --frames frames, save its last picture as PNG")
      ->type_name("FILE");
  app.add_option("--report", o.report, "With the window: write what it shows and what the mouse holds, a line a frame")
      ->type_name("FILE");
}

bool parse_size(const std::string& text, Size& size) {
  const auto cross = text.find('x');
  if (cross == std::string::npos) return false;
  const auto number = [](const std::string& digits, int& value) {
    if (digits.empty() || digits.size() > 5) return false;
    if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
    value = std::stoi(digits);
    return value >= 16 && value <= 16384;
  };
  return number(text.substr(0, cross), size.width) && number(text.substr(cross + 1), size.height);
}

// A name without an ending, or a device, may be one.
bool may_be_png(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending.empty() || ending == ".png";
}

// Do two options name the same file, however it is spelled? One sentence if they do. Two to /dev/null are none.
std::string same_file(const Options& o) {
  namespace fs = std::filesystem;
  const auto place = [](const std::string& path) {
    std::error_code code;
    const fs::path found = fs::weakly_canonical(fs::absolute(path, code), code);
    return code ? fs::path(path) : found;
  };
  const auto clash = [](const char* a, const char* b) { return std::string(a) + " and " + b + " name the same file"; };
  const std::pair<const char*, const std::string&> files[] = {
      {"--output", o.output}, {"--csv", o.csv}, {"--screenshot", o.screenshot}, {"--report", o.report}};
  for (const auto& [name, path] : files) {
    if (path.empty()) continue;
    const fs::path here = place(path);
    std::error_code code;
    if (fs::exists(here, code) && !fs::is_regular_file(here, code)) continue;
    for (const auto& [other_name, other_path] : files)
      if (name != other_name && !other_path.empty() && place(other_path) == here) return clash(name, other_name);
    const auto pattern = parse_pattern(o.export_pattern);
    if (!pattern) continue;
    // A mesh's name has its number in it, so only numbers that stand in this name can lead to it.
    const std::string text = path + " " + here.string();
    for (std::size_t k = 0; k < text.size(); ++k)
      for (std::size_t digits = 1; digits <= 9 && k + digits <= text.size(); ++digits) {
        if (text[k + digits - 1] < '0' || text[k + digits - 1] > '9') break;
        if (place(pattern->name(std::stoi(text.substr(k, digits)))) == here) return clash(name, "a mesh of --export");
      }
  }
  return {};
}

// What no option can know alone: which exclude each other, and what CLI11 lets through, NaN first of all.
std::string contradiction(const CLI::App& app, Options& o) {
  const auto given = [&app](const char* name) { return app.count(name) > 0; };
  if (given("--stiffness") && given("--compliance"))
    return "--stiffness belongs to PBD and --compliance to XPBD; give one of them";
  if (given("--compliance") && !given("--method")) o.scene.method = Method::xpbd;
  if (given("--compliance") && o.scene.method == Method::pbd)
    return "--compliance needs --method xpbd; PBD has --stiffness";
  if (given("--stiffness") && o.scene.method == Method::xpbd)
    return "--stiffness needs --method pbd; XPBD has --compliance";
  if (const SceneSettings typed = o.scene; given("--solver")) {
    suit(o.scene, typed.solver);
    if (given("--substeps")) o.scene.substeps = typed.substeps, o.scene.automatic_substeps = typed.automatic_substeps;
    if (given("--iterations")) o.scene.iterations = typed.iterations;
  }
  if (o.scene.automatic_substeps && !name_of(o.scene.solver).automatic)
    return "--substeps auto needs a solver that knows how many it wants: --solver lines";
  if (o.scene.dim == 2 && !given("--start")) o.scene.start = Start::vertical;
  if (!given("--azimuth")) o.view.azimuth = first_view(o.scene.dim).azimuth;
  if (!given("--elevation")) o.view.elevation = first_view(o.scene.dim).elevation;
  if (o.scene.dim == 2 && o.scene.start == Start::horizontal) return "in 2-D a cloth can only start vertical";
  if (o.scene.dim == 2 && given("--slack")) return "--slack is for 3-D; in 2-D a cloth has no room for folds";
  if (const char* reason = flaw(o.scene)) return reason;

  for (const float number : {o.view.azimuth, o.view.elevation})
    if (!std::isfinite(number) || std::abs(number) > 360) return "a camera angle must be between -360 and 360 degrees";
  if (std::abs(o.view.elevation) > 85) return "--elevation must be between -85 and 85 degrees";
  if (!(o.view.zoom >= 0.01f && o.view.zoom <= 100)) return "--zoom must be between 0.01 and 100";
  if (!(o.look.stretch_range >= 1e-6f && o.look.stretch_range <= 10))
    return "--stretch-range must be between 0.000001 and 10";
  if (given("--tension-range") && !(o.look.tension_range >= 1e-9f && o.look.tension_range <= 1e9f))
    return "--tension-range must be between 1e-9 and 1e9 N";
  if (!(o.fps >= 0.1 && o.fps <= 1e6)) return "--fps must be between 0.1 and 1000000";
  if (given("--frames") && (o.frames < 0 || o.frames > 10000000)) return "--frames must be between 0 and 10000000";

  for (const char* name : {"--output", "--export", "--csv", "--screenshot", "--report"})
    if (given(name) && app[name]->as<std::string>().empty()) return std::string(name) + " needs a file name";
  for (const char* windowed : {"--screenshot", "--report", "--paused"})
    for (const char* headless : {"--output", "--export", "--csv"})
      if (given(windowed) && given(headless))
        return std::string(windowed) + " opens the window and " + headless + " does without; give one of them";
  if (given("--paused") && o.headless()) return "--paused is for the window, and --frames alone does without";
  if (given("--fps") && !o.headless()) return "--fps is for runs without a window; give --frames, too";
  if (given("--export") && !parse_pattern(o.export_pattern))
    return "--export needs a name with exactly one %d for the frame number, as in cloth_%04d.obj";
  for (const char* picture : {"--output", "--screenshot"})
    if (given(picture) && !may_be_png(app[picture]->as<std::string>()))
      return std::string(picture) + " writes PNG: give it a name that ends in .png";
  if (std::string clash = same_file(o); !clash.empty()) return clash;
  if (!o.look.shaded && !o.look.constraints && !o.look.particles && o.headless())
    return "--no-shaded without --constraints or --particles leaves nothing to draw";
  return {};
}

}  // namespace

void aim(Camera& camera, const View& view, const Extent& extent, Size size) {
  constexpr float degree = 0.0174533f;
  camera.azimuth = view.azimuth * degree;
  camera.elevation = view.elevation * degree;
  look_at(camera, extent.center, extent.radius / view.zoom, size);
}

Parsed parse(std::vector<std::string> arguments) {
  Parsed parsed;
  Options& o = parsed.options;
  std::string size = std::to_string(o.size.width) + "x" + std::to_string(o.size.height);
  CLI::App app{
      "Cloth by position-based dynamics: a window to play with it, or pictures, meshes and tables without one.",
      "pbd_viewer"};
  app.set_version_flag("--version", version());
  app.get_formatter()->column_width(34);
  add_scene_options(app, o.scene);
  add_run_options(app, o, size);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(arguments));
    if (!parse_size(size, o.size))
      parsed.mistake = "--size must look like 1280x800, each between 16 and 16384";
    else
      parsed.mistake = contradiction(app, o);
    if (o.headless() && o.frames < 0) o.frames = 120;
  } catch (const CLI::CallForHelp&) {
    parsed.text = app.help();
  } catch (const CLI::CallForVersion&) {
    parsed.text = version() + "\n";
  } catch (const CLI::ParseError& error) {
    parsed.mistake = error.what();
  }
  return parsed;
}

}  // namespace viewer
