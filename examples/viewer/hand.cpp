// SPDX-License-Identifier: MIT
//
// The user's hand in the scene: taking, moving and letting go of a particle, pinning and unpinning.
#include "scene.hpp"

#include <utility>

namespace viewer {

void remember(Grab& grab, double time) {
  grab.trail.push_back({time, grab.target});
  while (grab.trail.size() > 2 && grab.trail[1].time <= time - trail_seconds) grab.trail.pop_front();
}

void grab(Scene& scene, int particle) {
  release(scene);
  if (particle < 0 || particle >= count_particles(scene)) return;
  Grab grab{particle, position(scene, particle), is_pinned(scene, particle), {}};
  grab.trail.push_back({scene.time, grab.target});
  std::visit([particle](auto& cloth) { static_cast<void>(pbd::pin(cloth.particles, particle)); }, scene.cloth);
  scene.grab = std::move(grab);
}

void drag(Scene& scene, const Eigen::Vector3f& target) {
  if (!scene.grab || !target.allFinite()) return;
  scene.grab->target = target;
  if (scene.settings.dim == 2) scene.grab->target.z() = 0;
}

void place_grabbed(Scene& scene) {
  if (!scene.grab) return;
  std::visit(
      [&grab = *scene.grab](auto& cloth) {
        constexpr int dim = dim_of<std::remove_cvref_t<decltype(cloth)>>;
        cloth.particles.position.col(grab.particle) = grab.target.head<dim>();
        cloth.particles.velocity.col(grab.particle).setZero();
      },
      scene.cloth);
  scene.grab->trail.assign(1, {scene.time, scene.grab->target});
}

void release(Scene& scene) {
  if (!scene.grab) return;
  std::visit(
      [&grab = *scene.grab](auto& cloth) {
        constexpr int dim = dim_of<std::remove_cvref_t<decltype(cloth)>>;
        auto velocity = cloth.particles.velocity.col(grab.particle);
        velocity.setZero();
        if (grab.stays_pinned) return;
        // Over some steps, because a mouse reports its jumps at its own times: the last step's speed alone may be
        // nothing, or twice the hand's.
        const Grab::Sample& first = grab.trail.front();
        const Grab::Sample& last = grab.trail.back();
        if (last.time > first.time)
          velocity = (last.position - first.position).template head<dim>() / static_cast<float>(last.time - first.time);
        static_cast<void>(pbd::unpin(cloth.particles, grab.particle));
      },
      scene.cloth);
  scene.grab.reset();
}

void toggle_pin(Scene& scene, int particle) {
  if (particle < 0 || particle >= count_particles(scene)) return;
  if (scene.grab && scene.grab->particle == particle) {
    scene.grab->stays_pinned = !scene.grab->stays_pinned;
    return;
  }
  std::visit(
      [particle](auto& cloth) {
        if (pbd::is_pinned(cloth.particles, particle))
          static_cast<void>(pbd::unpin(cloth.particles, particle));
        else
          static_cast<void>(pbd::pin(cloth.particles, particle));
      },
      scene.cloth);
}

bool is_pinned(const Scene& scene, int particle) {
  if (scene.grab && scene.grab->particle == particle) return scene.grab->stays_pinned;
  return std::visit([particle](const auto& cloth) { return pbd::is_pinned(cloth.particles, particle); }, scene.cloth);
}

}  // namespace viewer
