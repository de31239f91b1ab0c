// Computes item times from finished blocks or a profile.
#include "shared_policies/policies/loop/item_times.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/policies/block_sizes.hpp"

namespace equipoise {
namespace {

/// The number of blocks from which a variance is estimated.
constexpr std::size_t latest_blocks = 64;

/// The e^2 of one block and the sum(w_i^2 c_i) in it, both over sum(w_i^2 g_i^2).
struct Deviation {
  double squared = 0.0;
  double of_items = 0.0;
};

/// The line through the times, each of which counts in proportion to its size.
TransferLine line_through(std::span<const TimedBlock> blocks) {
  std::vector<CostSample> samples;
  for (const TimedBlock& block : blocks) {
    add_sample(samples, block.items, block.seconds, 1.0 / (block.items * block.items));
  }
  return fit_transfer_line(samples);
}

Deviation deviation(std::span<const TimedBlock, 3> three, const TransferLine& line) {
  const double range = three[2].items - three[0].items;
  const double w3 = range > 0.0 ? (three[1].items - three[0].items) / range : 0.5;
  const std::array<double, 3> w = {w3 - 1.0, 1.0, -w3};
  double e = 0.0;
  double items = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected_s = line.latency_s + line.seconds_per_item * three[i].items;
    e += w[i] * three[i].seconds;
    items += w[i] * w[i] * three[i].items;
    square += w[i] * w[i] * expected_s * expected_s;
  }
  return {e * e / square, items / square};
}

/// The slope of the line through all (of_items, squared), if neither slope nor intercept may be
/// negative.
double non_negative_slope(std::span<const Deviation> deviations) {
  const auto n = static_cast<double>(deviations.size());
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const Deviation& one : deviations) {
    x += one.of_items / n;
    y += one.squared / n;
    xx += one.of_items * one.of_items / n;
    xy += one.of_items * one.squared / n;
  }
  constexpr double same_size = 1e-9;
  const double through_origin = xy / xx;
  if (xx - x * x <= same_size * xx) return through_origin;
  const double slope = (xy - x * y) / (xx - x * x);
  return y - slope * x < 0.0 ? through_origin : std::max(0.0, slope);
}

}  // namespace

ParameterInfo time_parameter(const std::string& default_text) {
  return {"time", default_text, "",
          "what counts as a block's time: compute, block (copies too) or request (from the request "
          "to the end, dispatch too)",
          "by the definition of each policy"};
}

TimedPart timed_part(const Parameters& read) {
  return read.choice<TimedPart>("time", {"compute", "block", "request"});
}

double item_variance_s2(std::span<const TimedBlock> blocks) {
  if (blocks.size() < 3) return 0.0;
  std::vector<TimedBlock> by_size(blocks.begin(), blocks.end());
  std::ranges::stable_sort(by_size, {}, &TimedBlock::items);
  const TransferLine line = line_through(by_size);
  std::vector<Deviation> deviations;
  for (std::size_t i = 0; i + 3 <= by_size.size(); ++i) {
    deviations.push_back(deviation(std::span(by_size).subspan(i).first<3>(), line));
  }
  return non_negative_slope(deviations);
}

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

std::optional<ItemTime> ItemTimes::of_any_unit() {
  double items = 0.0;
  double seconds = 0.0;
  for (const Sums& sums : now_->sums) {
    items += sums.items;
    seconds += sums.seconds;
  }
  if (items <= 0.0) return std::nullopt;
  ItemTime any{seconds / items, 0.0};
  for (std::uint32_t p = 0; p < now_->sums.size(); ++p) {
    if (now_->sums[p].blocks == 0) continue;
    const double off_s = *now_->mean_s[p] - any.mean_s;
    any.variance_s2 += now_->sums[p].items / items * (variance_s2(UnitId{p}) + off_s * off_s);
  }
  return any;
}

ItemSeconds profile_item_times(const KnownCosts& known, const View& view) {
  const KnownCosts::Phase& phase = known.phases[static_cast<std::size_t>(view.phase())];
  const double even =
      static_cast<double>(view.workload().items) / static_cast<double>(phase.size());
  ItemSeconds item_s;
  for (const auto& cost : phase) item_s.emplace_back(cost->at(even).seconds / even);
  return item_s;
}

double profile_fixed_s(const KnownCosts& known, const View& view) {
  const KnownCosts::Phase& phase = known.phases[static_cast<std::size_t>(view.phase())];
  const auto grain = static_cast<double>(view.workload().grain_items);
  double sum_s = 0.0;
  for (const auto& cost : phase) {
    const CostAt at = cost->at(grain);
    sum_s += std::max(0.0, at.seconds - grain * at.seconds_per_item);
  }
  return sum_s / static_cast<double>(phase.size());
}

ItemTime item_time_between_units(const ItemSeconds& item_s) {
  const auto n = static_cast<double>(item_s.size());
  ItemTime between;
  for (const std::optional<double>& s : item_s) between.mean_s += *s / n;
  for (const std::optional<double>& s : item_s) {
    between.variance_s2 += (*s - between.mean_s) * (*s - between.mean_s) / n;
  }
  return between;
}

}  // namespace equipoise
