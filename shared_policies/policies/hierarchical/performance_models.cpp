// Keeps samples and makes curves through them.
#include "shared_policies/policies/hierarchical/performance_models.hpp"

#include <algorithm>
#include <cmath>

#include "shared_policies/policies/block_sizes.hpp"

namespace equipoise {
namespace {

constexpr double near_share = 0.1;  // relative: totals whose sizes differ less replace one another

void add(std::vector<CostSample>& samples, Items items, Seconds time) {
  add_sample(samples, static_cast<double>(items), std::max(time.value, shortest_block_s));
}

std::size_t repeats_of(const CostSample& sample) {
  return static_cast<std::size_t>(std::llround(sample.weight)) - 1;
}

/// The cost of a copy. A copy that never took time costs exactly nothing: a smallest duration per
/// block would decide how shares are cut.
std::unique_ptr<CostModel> copy_curve(std::vector<CostSample> samples) {
  const auto takes_time = [](const CostSample& sample) { return sample.seconds > 0.0; };
  if (std::ranges::none_of(samples, takes_time)) return std::make_unique<AffineCurve>(0.0, 0.0);
  for (CostSample& sample : samples) sample.seconds = std::max(sample.seconds, shortest_block_s);
  return std::make_unique<SpeedCurve>(samples);
}

}  // namespace

std::unique_ptr<CostModel> PerformanceModels::in(UnitId unit) const {
  return copy_curve(units_[unit.index].in);
}

std::unique_ptr<CostModel> PerformanceModels::out(UnitId unit) const {
  return copy_curve(units_[unit.index].out);
}

void PerformanceModels::add_total(Totals& totals, Items items, Seconds time) const {
  const auto size = static_cast<double>(items);
  if (old_totals_ == OldTotals::replaced) {
    std::erase_if(totals, [&](const TotalSample& old) {
      const bool is_near = std::abs(old.sample.items - size) <= near_share * size;
      return old.round != round_ && (is_near || (is_learned_plan_ && !old.is_of_learned_plan));
    });
  }
  const auto size_of = [](const TotalSample& total) { return total.sample.items; };
  auto at = std::ranges::lower_bound(totals, size, {}, size_of);
  if (at == totals.end() || at->sample.items != size) {
    at = totals.insert(at, TotalSample{});
    at->sample.items = size;
    at->sample.weight = 0.0;
  }
  CostSample& sample = at->sample;
  sample.weight += 1.0;
  sample.seconds += (std::max(time.value, shortest_block_s) - sample.seconds) / sample.weight;
  at->round = round_;
  at->is_of_learned_plan = is_learned_plan_;
}

void PerformanceModels::add_block(UnitId unit, Items items, const StageTimes& times) {
  UnitSamples& samples = units_[unit.index];
  add_sample(samples.in, static_cast<double>(items), times.in.value);
  add(samples.compute, items, times.compute);
  add_sample(samples.out, static_cast<double>(items), times.out.value);
  add(samples.alone, items, recurring(times));
}

void PerformanceModels::add_together(UnitId unit, Items items, Seconds time) {
  add_total(units_[unit.index].together, items, time);
}

void PerformanceModels::add_node(const std::vector<UnitId>& units, Items items, Seconds time) {
  add_total(nodes_[units], items, time);
}

CostAt ShareTime::at(double items) const {
  const CostAt alone = alone_.at(items);
  if (!together_) return alone;
  const CostAt together = together_->at(items);
  return together.seconds < alone.seconds ? together : alone;
}

ShareTime PerformanceModels::total(UnitId unit) const {
  const UnitSamples& samples = units_[unit.index];
  if (samples.together.empty()) return {alone(unit), std::nullopt};
  std::vector<CostSample> points;
  for (const CostSample& sample : samples.alone) {
    if (sample.items < samples.together.front().sample.items) points.push_back(sample);
  }
  for (const TotalSample& total : samples.together) points.push_back(total.sample);
  return {alone(unit), SpeedCurve(points)};
}

std::optional<SpeedCurve> PerformanceModels::node_total(const std::vector<UnitId>& units) const {
  const auto found = nodes_.find(units);
  if (found == nodes_.end()) return std::nullopt;
  std::vector<CostSample> points;
  for (const TotalSample& total : found->second) points.push_back(total.sample);
  return SpeedCurve(points);
}

ModelPoints PerformanceModels::points(UnitId unit) const {
  ModelPoints points;
  for (const CostSample& sample : units_[unit.index].alone) {
    ++points.sizes;
    points.repeated += repeats_of(sample);
  }
  for (const TotalSample& total : units_[unit.index].together) {
    ++points.sizes;
    points.repeated += repeats_of(total.sample);
  }
  return points;
}

}  // namespace equipoise
