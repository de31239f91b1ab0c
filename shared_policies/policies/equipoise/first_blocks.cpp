// Small first blocks; CPUs that may be too slow for a grain wait.
#include "shared_policies/policies/equipoise/first_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {

bool is_worth_trying(double known_s, double left_s, double doubt) {
  if (left_s >= doubt * known_s) return true;
  if (left_s <= known_s) return false;
  const double most = left_s / known_s;  // the largest k that fits
  // The integrals of (k - most) / k from `most` to `doubt`, and of half of (most - k) / k from 1.
  const double loss = doubt - most - most * std::log(doubt / most);
  const double gain = 0.5 * (most * std::log(most) - most + 1.0);
  return gain >= loss;
}

void FirstBlocks::look(const View& view, const Division& division) {
  const auto grain = static_cast<double>(view.workload().grain_items);
  grain_s_ = 0.0;
  is_accelerator_awaited_ = false;
  for (const UnitState& unit : view.units()) {
    if (!unit.present || unit.unit.kind == UnitKind::cpu || division.part(unit.id).is_kept_out) {
      continue;
    }
    if (!division.cost(unit.id).is_known()) {
      is_accelerator_awaited_ = true;
      continue;
    }
    const double takes_s = division.cost(unit.id).queued().seconds(grain);
    grain_s_ = grain_s_ > 0.0 ? std::min(grain_s_, takes_s) : takes_s;
  }
}

double FirstBlocks::items(const View& view, const UnitState& unit) const {
  const double share = unit.unit.kind == UnitKind::cpu ? shares_.cpu : shares_.accelerator;
  return share * static_cast<double>(view.workload().items) /
         static_cast<double>(view.units().size());
}

bool FirstBlocks::may_try(const View& view, const UnitState& unit, double end_s) const {
  if (unit.unit.kind != UnitKind::cpu) return true;
  if (items(view, unit) >= static_cast<double>(view.workload().grain_items)) return true;
  if (grain_s_ > 0.0) return is_worth_trying(grain_s_, end_s - view.now().value, doubt_);
  return !is_accelerator_awaited_;
}

}  // namespace equipoise
