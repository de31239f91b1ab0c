// Compares what fetching and copying take with the time left.
#include "shared_policies/policies/equipoise/remote_units.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace equipoise {
namespace {

/// Fetching may take this share of the time left.
constexpr double worthwhile = 0.8;
/// The copy of a first block may take this share of it, and that of a first block of one grain this one.
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

}  // namespace

double RemoteUnits::left_s(const View& view, const Division& division) {
  const Workload& workload = view.workload();
  const int later = workload.iterations - 1 - view.iteration();
  const double iteration_s =
      division.rate() > 0.0 ? static_cast<double>(workload.items) / division.rate() : 0.0;
  return division.end_s() - view.now().value + later * iteration_s;
}

void RemoteUnits::keep_out(const View& view, Division& division, const Network& network) {
  const auto units = view.units();
  const Workload& workload = view.workload();
  if (workload.first_bytes(0) + workload.in_bytes_per_item + workload.out_bytes_per_item == 0.0) {
    return;  // nothing is copied
  }
  const bool is_any_local = std::ranges::any_of(units, is_local);
  bool is_end_known = division.end_s() > view.now().value;
  bool is_fetching = false;
  std::vector<const UnitState*> waiting;
  for (const UnitState& unit : units) {
    UnitPart& part = division.part(unit.id);
    part.is_kept_out = false;
    if (!unit.present) continue;
    if (is_local(unit) && !unit.outstanding.empty() && !division.cost(unit.id).is_known()) {
      is_end_known = false;
    }
    if (!unit.unit.is_remote || part.has_data) continue;
    if (!unit.outstanding.empty()) {
      is_fetching = is_fetching || view.now().value < arrives_s_[unit.unit.node];
      continue;
    }
    part.is_kept_out = true;
    waiting.push_back(&unit);
  }
  division.await_remote_units(is_fetching || (!waiting.empty() && !network.is_known()));
  if (!network.is_known() || (is_any_local && !is_end_known)) return;
  const auto worth = [&](const UnitState* unit) {
    const double fetch_s =
        network.copy_s(*unit, view.resident_bytes_to_send(unit->id)).value_or(0.0);
    return expected_rate(*unit, division) / fetch_s;
  };
  std::ranges::stable_sort(waiting,
                           [&](const auto* a, const auto* b) { return worth(a) > worth(b); });
  for (const UnitState* const unit : waiting) {
    const double bytes = view.resident_bytes_to_send(unit->id);
    const std::optional<double> fetch_s = network.copy_s(*unit, bytes);
    const std::optional<double> shared_s = network.shared_copy_s(*unit, bytes);
    UnitPart& part = division.part(unit->id);
    if (is_any_local && bytes > 0.0) {
      if (!fetch_s) continue;
      const int later = workload.iterations - 1 - view.iteration();
      const double again_s = later * network.copy_s(*unit, workload.iteration_bytes).value_or(0.0);
      if (*fetch_s + again_s > worthwhile * left_s(view, division)) continue;
      if (is_fetching && *shared_s > shared_factor * *fetch_s) continue;
    }
    if (most_items(view, *unit, division, network) == 0.0) continue;
    part.is_kept_out = false;
    double& arrives_s = arrives_s_[unit->unit.node];
    if (bytes > 0.0) {
      arrives_s = view.now().value + fetch_s.value_or(0.0);
      is_fetching = true;
    }
    part.fetch_s = std::max(0.0, arrives_s - view.now().value);
  }
}

double RemoteUnits::most_items(const View& view, const UnitState& unit, const Division& division,
                               const Network& network) const {
  const Workload& workload = view.workload();
  const double item_bytes = workload.in_bytes_per_item + workload.out_bytes_per_item;
  const std::optional<double> fixed_s = network.shared_copy_s(unit, 0.0);
  const std::optional<double> item_s = network.shared_copy_s(unit, item_bytes);
  const double left_s = RemoteUnits::left_s(view, division);
  if (item_bytes == 0.0 || !item_s || left_s <= 0.0) return std::numeric_limits<double>::infinity();
  const auto grain = static_cast<double>(workload.grain_items);
  const double per_item_s = *item_s - *fixed_s;
  if (*fixed_s + grain * per_item_s > grain_copy_share * left_s) return 0.0;
  return std::max(grain, (first_copy_share * left_s - *fixed_s) / per_item_s);
}

}  // namespace equipoise
