// Decides about remote units that lack data, and about CPUs that may be too slow for a grain.
#include "shared_policies/policies/equipoise/first_blocks.hpp"

#include <algorithm>

namespace equipoise {
namespace {

/// The assumed bandwidth of a network, 1 Gb/s.
constexpr double network_bytes_per_s = 1.25e8;
/// A CPU without measurements is assumed to be this many times slower than an accelerator.
constexpr double slowest_guess = 30.0;

}  // namespace

double first_items(const View& view, const UnitState& unit, const FirstShares& shares) {
  const double share = unit.unit.kind == UnitKind::cpu ? shares.cpu : shares.accelerator;
  return share * static_cast<double>(view.workload().items) /
         static_cast<double>(view.units().size());
}

double fetch_s(const View& view, const UnitState& unit) {
  const auto is_beside = [](const UnitState& other) {
    return other.present && !other.unit.is_remote;
  };
  const auto& units = view.units();
  if (!unit.unit.is_remote || std::none_of(units.begin(), units.end(), is_beside)) return 0.0;
  return view.workload().first_bytes(0) / network_bytes_per_s;
}

bool is_kept_out(double fetch_s, double now_s, const ExpectedIteration& expected) {
  return fetch_s > 0.0 && (now_s < expected.began_s + waiting_share * fetch_s ||
                           fetch_s > 0.5 * (expected.end_s - now_s));
}

bool may_try(const View& view, const UnitState& unit, const FirstShares& shares,
             const ExpectedIteration& expected, std::span<const PipelineCost> costs,
             const std::vector<bool>& kept_out) {
  if (unit.unit.kind != UnitKind::cpu) return true;
  const auto grain = static_cast<double>(view.workload().grain_items);
  const auto all = static_cast<double>(view.workload().items);
  if (shares.cpu * all >= grain * static_cast<double>(view.units().size())) return true;
  bool must_wait = false;
  for (const UnitState& other : view.units()) {
    if (!other.present || other.unit.kind == UnitKind::cpu || kept_out[other.id.index]) continue;
    const PipelineCost& cost = costs[other.id.index];
    if (cost.is_known()) {
      return slowest_guess * cost.queued().seconds(grain) <= expected.end_s - view.now().value;
    }
    must_wait = true;
  }
  return !must_wait;
}

}  // namespace equipoise
