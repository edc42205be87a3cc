// SPDX-License-Identifier: MIT
//
// The cloth for other programs. Comes in: a scene, a stream. Leaves: Wavefront OBJ, lines of a CSV table.
#pragma once

#include "scene.hpp"

#include <ostream>

namespace viewer {

/// v, vt, vn and f with all three indices, counted from 1; y is up, lengths in m.
void write_obj(std::ostream& out, const Scene& scene);

void write_csv_header(std::ostream& out);
void write_csv_row(std::ostream& out, int frame, const Scene& scene);

}  // namespace viewer
