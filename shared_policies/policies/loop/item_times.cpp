// Computes item times from finished blocks or a profile, and shares from item times.
#include "shared_policies/policies/loop/item_times.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "shared_policies/policies/block_durations.hpp"

namespace equipoise {
namespace {

/// The number of blocks from which a variance is estimated.
constexpr std::size_t latest_blocks = 64;

}  // namespace

void ItemTimes::include(const View& view, const Event& event) {
  if (std::holds_alternative<PhaseStarted>(event.what)) {
    const std::size_t n = view.units().size();
    now_ = &kernels_[view.workload().kernel];
    now_->sums.resize(n);
    now_->mean_s.resize(n);
    now_->recency_weighted_s.resize(n);
    last_end_.resize(n);
  } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    add(*finished, event.at);
  }
}

void ItemTimes::add(const BlockFinished& finished, Seconds end) {
  const std::size_t p = finished.unit.index;
  const double seconds = std::max(seconds_of(finished, end), shortest_block_s);
  const auto items = static_cast<double>(finished.block.items);
  Sums& sums = now_->sums[p];
  if (sums.latest.size() < latest_blocks) {
    sums.latest.push_back({items, seconds});
  } else {
    sums.latest[sums.blocks % latest_blocks] = {items, seconds};
  }
  sums.variance_s2.reset();
  ++sums.blocks;
  sums.items += items;
  sums.seconds += seconds;
  now_->mean_s[p] = sums.seconds / sums.items;
  const auto j = static_cast<double>(sums.blocks);
  sums.weighted_items += j * items;
  sums.weighted_s += j * seconds;
  now_->recency_weighted_s[p] = sums.weighted_s / sums.weighted_items;
}

double ItemTimes::seconds_of(const BlockFinished& finished, Seconds end) {
  const std::size_t p = finished.unit.index;
  const Seconds begin = std::max(finished.assigned, last_end_[p]);
  last_end_[p] = end;
  switch (part_) {
    case TimedPart::compute:
      return finished.times.compute.value;
    case TimedPart::block:
      return recurring(finished.times).value;
    case TimedPart::request:
      return (end - begin - finished.times.setup).value;
  }
  return 0.0;
}

double ItemTimes::variance_s2(UnitId unit) {
  Sums& sums = now_->sums[unit.index];
  if (!sums.variance_s2) sums.variance_s2 = item_variance_s2(sums.latest);
  return *sums.variance_s2;
}

double speed_share(const View& view, UnitId unit, std::span<const std::optional<double>> item_s,
                   UnknownUnit unknown) {
  std::optional<double> assumed_s;
  for (const std::optional<double>& s : item_s) {
    if (s &&
        (!assumed_s || (unknown == UnknownUnit::as_fastest ? *s < *assumed_s : *s > *assumed_s))) {
      assumed_s = s;
    }
  }
  const double otherwise_s = assumed_s.value_or(1.0);
  double speed = 0.0;
  for (const UnitState& state : view.units()) {
    if (state.present) speed += 1.0 / item_s[state.id.index].value_or(otherwise_s);
  }
  return 1.0 / (item_s[unit.index].value_or(otherwise_s) * speed);
}

std::vector<std::optional<double>> profile_item_times(const KnownCosts& known, const View& view) {
  const KnownCosts::Phase& phase = known.phases[static_cast<std::size_t>(view.phase())];
  const double even =
      static_cast<double>(view.workload().items) / static_cast<double>(phase.size());
  std::vector<std::optional<double>> item_s;
  for (const auto& cost : phase) item_s.emplace_back(cost->at(even).seconds / even);
  return item_s;
}

ItemTime item_time_between_units(std::span<const std::optional<double>> item_s) {
  const auto n = static_cast<double>(item_s.size());
  ItemTime between;
  for (const std::optional<double>& s : item_s) between.mean_s += *s / n;
  for (const std::optional<double>& s : item_s) {
    between.variance_s2 += (*s - between.mean_s) * (*s - between.mean_s) / n;
  }
  return between;
}

}  // namespace equipoise
