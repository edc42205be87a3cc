// SPDX-License-Identifier: MIT
//
// The cloth for other programs. Comes in: a scene, a stream. Leaves: Wavefront OBJ, lines of a CSV table.
#pragma once

#include "scene.hpp"

#include <ostream>

namespace viewer {

/// v, vt, vn and f with all three indices, counted from 1; y is up, lengths in m.
void write_obj(std::ostream& out, const Scene& scene);

void write_csv_header(std::ostream& out, bool diagnostics);
void write_csv_row(std::ostream& out, int frame, const Scene& scene, bool diagnostics);

/// What the last step's solver did, without a line's end: sweeps in all substeps, what ended the last one's, max |C|/d
/// before and after them, the factor of a sweep. The last three only of a scene that is watched.
inline constexpr const char* csv_diagnostics = "substeps,sweeps,ended_by,residual_before,residual_after,sweep_factor";
void write_csv_diagnostics(std::ostream& out, const Scene& scene);

[[nodiscard]] const char* name_of(pbd::SweepEnd end);

}  // namespace viewer
