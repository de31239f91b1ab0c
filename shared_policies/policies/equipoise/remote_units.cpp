// Fetching of resident data: tried once, then decided by what that took.
#include "shared_policies/policies/equipoise/remote_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "shared_policies/policies/equipoise/first_blocks.hpp"

namespace equipoise {
namespace {

/// Fetching may take this share of the time left.
constexpr double fetch_share = 0.5;
/// What a copy within a machine is taken to carry if none was seen.
constexpr double local_bytes_per_s = 1e10;
/// If the fetches of all units take at most this share of the time left, they begin together.
constexpr double short_share = 0.05;

/// Raises `bytes_per_s` to what a copy of `bytes` reached.
void measure(double& bytes_per_s, double bytes, Seconds takes) {
  if (bytes > 0.0 && takes > Seconds{}) bytes_per_s = std::max(bytes_per_s, bytes / takes.value);
}

/// The rate that `unit` is expected to have; infinite for accelerators of a kind not yet measured.
double expected_rate(const UnitState& unit, const Division& division) {
  const double rate = division.rate_of(unit.unit.kind);
  if (rate > 0.0 || unit.unit.kind == UnitKind::cpu) return rate;
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void RemoteUnits::learn(const View& view, const UnitState& unit, const BlockFinished& finished,
                        bool is_first) {
  if (!unit.unit.is_remote && unit.unit.copy_engines == 0) return;  // copies nothing over a link
  const Workload& workload = view.workload();
  double& own = unit.unit.is_remote ? network_ : local_[unit.id.index];
  const auto items = static_cast<double>(finished.block.items);
  measure(own, workload.in_bytes_per_item * items, finished.times.in);
  if (!is_first) return;
  double& fetch = unit.unit.is_remote && is_on_known_node(unit) ? again_ : own;
  measure(fetch, workload.first_bytes(0), finished.times.setup);
  if (unit.unit.is_remote && workload.first_bytes(0) > 0.0) {
    nodes_with_data_.insert(unit.unit.node);
  }
}

double RemoteUnits::local_s(const View& view) const {
  double longest_s = 0.0;
  for (const double bytes_per_s : local_) {
    if (bytes_per_s > 0.0) {
      longest_s = std::max(longest_s, view.workload().first_bytes(0) / bytes_per_s);
    }
  }
  return longest_s > 0.0 ? longest_s : view.workload().first_bytes(0) / local_bytes_per_s;
}

double RemoteUnits::fetch_s(const View& view, const UnitState& unit, double local_s) const {
  const double bytes = view.workload().first_bytes(0);
  if (is_on_known_node(unit) && again_ > 0.0) return bytes / again_;
  if (network_ > 0.0) return bytes / network_;
  return local_s * (doubt_ - 1.0) / std::log(doubt_);
}

void RemoteUnits::keep_out(const View& view, Division& division) const {
  const auto units = view.units();
  const bool nobody_is_beside = std::none_of(units.begin(), units.end(), [](const auto& unit) {
    return unit.present && !unit.unit.is_remote;
  });
  const double near_s = local_s(view);
  bool is_fetching = false;
  bool is_end_known = division.end_s() > view.now().value;
  double all_s = 0.0;
  const UnitState* best = nullptr;
  for (const UnitState& unit : units) {
    UnitPart& part = division.part(unit.id);
    part.is_kept_out = false;
    if (nobody_is_beside || view.workload().first_bytes(0) == 0.0) continue;
    if (!unit.unit.is_remote && !unit.outstanding.empty() && !division.cost(unit.id).is_known()) {
      is_end_known = false;
    }
    if (!unit.present || !unit.unit.is_remote || part.has_data) continue;
    all_s += fetch_s(view, unit, near_s);
    if (!unit.outstanding.empty()) {
      is_fetching = true;
      continue;
    }
    part.is_kept_out = true;
    if (best == nullptr || expected_rate(unit, division) > expected_rate(*best, division)) {
      best = &unit;
    }
  }
  if (best == nullptr || !is_end_known) return;
  const double left_s = division.end_s() - view.now().value;
  if (all_s <= short_share * left_s && all_s > 0.0) {
    for (const UnitState& unit : units) division.part(unit.id).is_kept_out = false;
  } else if (!is_fetching) {
    const bool pays = network_ > 0.0 ? fetch_s(view, *best, near_s) <= fetch_share * left_s
                                     : is_worth_trying(near_s, left_s, doubt_);
    if (pays) division.part(best->id).is_kept_out = false;
  }
}

}  // namespace equipoise
