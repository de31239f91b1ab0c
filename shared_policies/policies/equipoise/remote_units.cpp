// Compares what fetching and copying take with the time left.
#include "shared_policies/policies/equipoise/remote_units.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace equipoise {
namespace {

/// Fetching may take this share of the time left.
constexpr double worthwhile = 0.8;
/// The copy of a first block may take this share of it, and that of a single grain this one.
constexpr double first_copy_share = 0.01;
constexpr double grain_copy_share = 0.25;
/// How soon after the begin of a phase to look again at the earliest.
constexpr Seconds first_look{1e-3};
/// Links that carry so much less while all nodes copy are shared.
constexpr double shared_factor = 1.25;

/// The time left, iterations to come included.
double time_left_s(const View& view, const Division& division) {
  const Workload& workload = view.workload();
  const int later = workload.iterations - 1 - view.iteration();
  const double iteration_s =
      division.rate() > 0.0 ? static_cast<double>(workload.items) / division.rate() : 0.0;
  return division.end_s() - view.now().value + later * iteration_s;
}

/// The mean rate of the unit's kind for a second of fetching; infinite for accelerators of a kind
/// not yet measured.
double worth(const View& view, const UnitState& unit, const Division& division,
             const Network& network) {
  const double rate = division.rate_of(unit.unit.kind);
  const NodeLink* const link = network.link(unit);
  const double fetch_s = link == nullptr ? 0.0 : link->copy_s(view.resident_bytes_to_send(unit.id));
  const bool is_untried = rate == 0.0 && unit.unit.kind != UnitKind::cpu;
  return is_untried || fetch_s == 0.0 ? std::numeric_limits<double>::infinity() : rate / fetch_s;
}

/// Whether what `unit` has to fetch comes in time, and its link is not in use.
bool is_worthwhile(const View& view, const UnitState& unit, double left_s, const Network& network,
                   bool is_fetching) {
  const Workload& workload = view.workload();
  const double bytes = view.resident_bytes_to_send(unit.id);
  if (bytes == 0.0) return true;
  const NodeLink* const link = network.link(unit);
  if (link == nullptr) return false;
  const int later = workload.iterations - 1 - view.iteration();
  const double fetch_s = link->copy_s(bytes);
  const double again_s = later * link->copy_s(workload.iteration_bytes);
  if (fetch_s + again_s > worthwhile * left_s) return false;
  return !is_fetching || link->shared_copy_s(bytes) <= shared_factor * fetch_s;
}

}  // namespace

void RemoteUnits::keep_out(const View& view, Division& division) {
  const Workload& workload = view.workload();
  const double item_bytes = workload.in_bytes_per_item + workload.out_bytes_per_item;
  const bool is_copied = workload.first_bytes(0) + item_bytes > 0.0;
  for (const UnitState& unit : view.units()) {
    UnitPart& part = division.part(unit.id);
    part.is_kept_out = is_copied && unit.present && unit.unit.is_remote && !part.has_data &&
                       unit.outstanding.empty();
  }
}

bool RemoteUnits::let_in(const View& view, Division& division, const Network& network) {
  const auto is_local = [](const UnitState& unit) { return unit.present && !unit.unit.is_remote; };
  const bool is_any_local = std::ranges::any_of(view.units(), is_local);
  const double left_s = time_left_s(view, division);
  if (!network.is_known() || (is_any_local && left_s <= 0.0)) return false;
  bool is_fetching = false;
  std::multimap<double, const UnitState*, std::greater<>> waiting;  // by what they are worth
  for (const UnitState& unit : view.units()) {
    const UnitPart& part = division.part(unit.id);
    if (part.is_kept_out) {
      waiting.emplace(worth(view, unit, division, network), &unit);
    } else if (unit.present && !part.has_data) {
      is_fetching = is_fetching || view.now().value < arrives_s_[unit.unit.node];
    }
  }
  bool is_anyone_in = false;
  for (const auto& [by, unit] : waiting) {
    UnitPart& part = division.part(unit->id);
    part.is_kept_out = is_any_local && (!is_worthwhile(view, *unit, left_s, network, is_fetching) ||
                                        most_items(view, *unit, division, network) == 0.0);
    if (part.is_kept_out) continue;
    is_anyone_in = true;
    const double bytes = view.resident_bytes_to_send(unit->id);
    const NodeLink* const link = network.link(*unit);
    double& arrives_s = arrives_s_[unit->unit.node];
    if (bytes > 0.0) arrives_s = view.now().value + (link == nullptr ? 0.0 : link->copy_s(bytes));
    part.fetch_s = std::max(0.0, arrives_s - view.now().value);
    is_fetching = is_fetching || bytes > 0.0;
  }
  return is_anyone_in;
}

std::optional<Seconds> RemoteUnits::next_look(const View& view, const Division& division) {
  const auto is_out = [&](const UnitState& unit) { return division.part(unit.id).is_kept_out; };
  const bool is_due = view.now() >= looks_at_ && view.outstanding() > 0;
  if (!is_due || std::ranges::none_of(view.units(), is_out)) return std::nullopt;
  return looks_at_ = view.now() + std::max(view.now() - began_, first_look);
}

double RemoteUnits::most_items(const View& view, const UnitState& unit, const Division& division,
                               const Network& network) {
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
