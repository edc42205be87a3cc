// SPDX-License-Identifier: MIT
//
// The door: one include for everything, the rooms in reading order. A step is 2 → 5, substeps times.
//
//   paper     code                unit      |  paper     code                unit
//   x         position            m         |  C         violation           m
//   x*        predicted           m         |  λ         lambda              N·s²
//   v         velocity            m/s       |  k         stiffness           1, in [0, 1]
//   w = 1/m   inverse_mass        1/kg      |  α         compliance          m/N
//   Δt        dt                  s         |  α/Δt²     scaled_compliance   1/kg
//   d         rest_length         m         |  n         iterations          1
//
// References, as the comments cite them: [Mueller07] Position Based Dynamics; [Macklin16] XPBD; [Macklin19] Small Steps
// in Physics Simulation; [Wonnacott00] time skewing; [George79] peripheral nodes; [Goldenthal07] fast projection;
// [Hintermueller03] primal-dual active sets; [Bender08] strips of cloth; [Mueller08] Hierarchical Position
// Based Dynamics; [Wang15] Chebyshev semi-iteration; [Baraff98] Large Steps in Cloth Simulation; [Tournier15] geometric
// stiffness; [Chen24] absolute eigenvalue filtering; [George73] nested dissection; [Duff83] multifrontal elimination.
// docs/references.md has them in full.
#pragma once

#include <pbd/config.hpp>           //   version, PBD_ASSERT, Error
#include <pbd/particles.hpp>        // 1 the data
#include <pbd/mass.hpp>             // 1 masses and pins
#include <pbd/predict.hpp>          // 2 v += Δt·g; x* = x + Δt·v
#include <pbd/constraint.hpp>       // 3 what a constraint is, and Δλ
#include <pbd/edge.hpp>             // 3 two particles and the line between them
#include <pbd/distance.hpp>         // 3 hard, soft, compliant and one-sided distances
#include <pbd/gauss_seidel.hpp>     // 4 sweep(): every constraint once, in array order
#include <pbd/batches.hpp>          // 4 the same sweep, several constraints at a time
#include <pbd/accelerated.hpp>      // 4 the same sweeps, over-relaxed or extrapolated
#include <pbd/coarse_to_fine.hpp>   // 4 a grid's coarse levels, before its own sweeps
#include <pbd/global_solve.hpp>     // 4 all constraints at once, by a sparse direct solve
#include <pbd/block_matrix.hpp>     // 4 the matrix of a global solve, and what may solve it
#include <pbd/block_cholesky.hpp>   // 4 … directly
#include <pbd/implicit_newton.hpp>  // 4 all constraints at once, for cloth that points hold
#include <pbd/residual.hpp>         // 4 how far from satisfied
#include <pbd/iterate.hpp>          // 4 a fixed number of sweeps, or to a tolerance
#include <pbd/update_velocity.hpp>  // 5 v = (x* − x)/Δt; x = x*
#include <pbd/lines.hpp>            // 2→5 whole chains of links at once
#include <pbd/parallel.hpp>         // 2→5 the same steps, on an engine's threads
#include <pbd/step.hpp>             //   1→5 in order: substeps × iterations
#include <pbd/predicted_stretch.hpp>  //   how far it will stretch, beforehand
#include <pbd/planner.hpp>          //   which solver, how many substeps, for a tolerance and a budget
#include <pbd/conserved.hpp>        //   energy and momentum
#include <pbd/diagnostics.hpp>      //   histogram, forces, convergence factor, Courant number, headroom
#include <pbd/cloth.hpp>            //   a grid → particles, constraints, triangles
#include <pbd/reorder.hpp>          //   any mesh → an order with long runs
