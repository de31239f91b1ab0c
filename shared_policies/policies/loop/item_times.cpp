// Computes item times from finished blocks, and shares from item times.
#include "shared_policies/policies/loop/item_times.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "shared_policies/policies/block_durations.hpp"

namespace equipoise {

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
  ++sums.blocks;
  const double off_before = seconds / items - now_->mean_s[p].value_or(0.0);
  sums.items += items;
  sums.seconds += seconds;
  now_->mean_s[p] = sums.seconds / sums.items;
  if (sums.blocks > 1) {
    sums.squares += items * off_before * (seconds / items - *now_->mean_s[p]);
  }
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

double ItemTimes::variance_s2(UnitId unit) const {
  const Sums& sums = now_->sums[unit.index];
  return sums.blocks < 2 ? 0.0 : std::max(0.0, sums.squares) / static_cast<double>(sums.blocks - 1);
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
    if (state.present) {
      speed += 1.0 / item_s[state.id.index].value_or(otherwise_s);
    }
  }
  return 1.0 / (item_s[unit.index].value_or(otherwise_s) * speed);
}

}  // namespace equipoise
