// Compares what fetching and copying take with the time left.
#include "shared_policies/policies/equipoise/remote_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace equipoise {
namespace {

/// Fetching may take this share of the time left.
constexpr double worthwhile = 0.8;
/// The copy of a first block may take this share of it, and that of a single grain this one.
constexpr double first_copy_share = 0.01;
constexpr double grain_copy_share = 0.25;
/// Links that carry so much less while all nodes copy are shared.
constexpr double shared_factor = 1.25;

/// The rate that `unit` is expected to have; infinite for accelerators of a kind not yet measured.
double expected_rate(const UnitState& unit, const Division& division) {
  const double rate = division.rate_of(unit.unit.kind);
  if (rate > 0.0 || unit.unit.kind == UnitKind::cpu) return rate;
  return std::numeric_limits<double>::infinity();
}

bool is_local(const UnitState& unit) { return unit.present && !unit.unit.is_remote; }

/// The time left, iterations to come included.
double time_left_s(const View& view, const Division& division) {
  const Workload& workload = view.workload();
  const int later = workload.iterations - 1 - view.iteration();
  const double iteration_s =
      division.rate() > 0.0 ? static_cast<double>(workload.items) / division.rate() : 0.0;
  return division.end_s() - view.now().value + later * iteration_s;
}

/// Puts those first that are expected to do most for a second of fetching.
void sort_by_worth(std::vector<const UnitState*>& units, const View& view, const Division& division,
                   const Network& network) {
  const auto worth = [&](const UnitState* unit) {
    const NodeLink* const link = network.link(*unit);
    const double fetch_s =
        link == nullptr ? 0.0 : link->copy_s(view.resident_bytes_to_send(unit->id));
    return fetch_s > 0.0 ? expected_rate(*unit, division) / fetch_s
                         : std::numeric_limits<double>::infinity();
  };
  std::ranges::stable_sort(units, std::ranges::greater{}, worth);
}

/// Whether what `unit` has to fetch comes in time, and its link is not in use.
bool is_worthwhile(const View& view, const UnitState& unit, const Division& division,
                   const Network& network, bool is_fetching) {
  const Workload& workload = view.workload();
  const double bytes = view.resident_bytes_to_send(unit.id);
  const double left_s = time_left_s(view, division);
  if (bytes == 0.0) return left_s > 0.0;
  const NodeLink* const link = network.link(unit);
  if (link == nullptr) return false;
  const int later = workload.iterations - 1 - view.iteration();
  const double fetch_s = link->copy_s(bytes);
  const double again_s = later * link->copy_s(workload.iteration_bytes);
  if (fetch_s + again_s > worthwhile * left_s) return false;
  return !is_fetching || link->shared_copy_s(bytes) <= shared_factor * fetch_s;
}

}  // namespace

std::size_t RemoteUnits::keep_out(const View& view, Division& division, const Network& network) {
  const auto units = view.units();
  const Workload& workload = view.workload();
  const double item_bytes = workload.in_bytes_per_item + workload.out_bytes_per_item;
  if (workload.first_bytes(0) + item_bytes == 0.0) return 0;  // nothing is copied
  const bool is_any_local = std::ranges::any_of(units, is_local);
  bool is_fetching = false;
  std::vector<const UnitState*> waiting;
  for (const UnitState& unit : units) {
    UnitPart& part = division.part(unit.id);
    part.is_kept_out = false;
    if (!unit.present) continue;
    if (!unit.unit.is_remote || part.has_data) continue;
    if (!unit.outstanding.empty()) {
      is_fetching = is_fetching || view.now().value < arrives_s_[unit.unit.node];
      continue;
    }
    part.is_kept_out = true;
    waiting.push_back(&unit);
  }
  std::size_t kept_out = waiting.size();
  if (!network.is_known()) return kept_out;
  sort_by_worth(waiting, view, division, network);
  for (const UnitState* const unit : waiting) {
    const bool is_worth =
        !is_any_local || is_worthwhile(view, *unit, division, network, is_fetching);
    if (!is_worth || most_items(view, *unit, division, network) == 0.0) continue;
    UnitPart& part = division.part(unit->id);
    part.is_kept_out = false;
    --kept_out;
    const double bytes = view.resident_bytes_to_send(unit->id);
    const NodeLink* const link = network.link(*unit);
    double& arrives_s = arrives_s_[unit->unit.node];
    if (bytes > 0.0) arrives_s = view.now().value + (link == nullptr ? 0.0 : link->copy_s(bytes));
    part.fetch_s = std::max(0.0, arrives_s - view.now().value);
    is_fetching = is_fetching || bytes > 0.0;
  }
  const auto takes_part = [&](const UnitState& unit) { return division.takes_part(unit); };
  if (std::ranges::any_of(units, takes_part)) return kept_out;
  for (const UnitState& unit : units) division.part(unit.id).is_kept_out = false;
  return 0;  // somebody has to
}

double RemoteUnits::most_items(const View& view, const UnitState& unit, const Division& division,
                               const Network& network) const {
  const Workload& workload = view.workload();
  const double item_bytes = workload.in_bytes_per_item + workload.out_bytes_per_item;
  const NodeLink* const link = network.link(unit);
  const auto grain = static_cast<double>(workload.grain_items);
  const double left_s = time_left_s(view, division);
  if (item_bytes == 0.0 || link == nullptr || left_s <= 0.0) {
    return std::numeric_limits<double>::infinity();
  }
  if (link->shared_copy_s(grain * item_bytes) > grain_copy_share * left_s) return 0.0;
  const double copied_s = first_copy_share * left_s - link->latency_s;
  return std::max(grain, copied_s / (link->together_s * item_bytes));
}

}  // namespace equipoise
