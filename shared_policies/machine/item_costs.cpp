// Sums of items' costs by sums over ranges, and generated costs.
#include "shared_policies/machine/item_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

bool are_whole(const std::vector<CostRange>& ranges) {
  Items next = 0;
  double most = 0.0;
  for (const CostRange& range : ranges) {
    const bool fits = range.items > 0 && range.items <= std::numeric_limits<Items>::max() - next;
    if (range.first != next || !fits || !(range.cost >= 0.0)) return false;
    next += range.items;
    most = std::max(most, range.cost);
  }
  return most > 0.0 && std::isfinite(most);
}

ItemCosts::ItemCosts(std::vector<CostRange> ranges) : ranges_(std::move(ranges)) {
  EQ_CHECK(are_whole(ranges_), "ranges are whole");
  const auto count_of_all = static_cast<long double>(items());
  long double sum = 0.0L;
  for (const CostRange& range : ranges_) {
    sum += static_cast<long double>(range.cost) * static_cast<long double>(range.items);
  }
  const long double mean = sum / count_of_all;
  const long double scale = std::abs(mean - 1.0L) <= 1e-12L ? 1.0L : mean;
  least_ = std::numeric_limits<double>::infinity();
  most_ = 0.0;
  sum = 0.0L;
  long double square = 0.0L;
  for (CostRange& range : ranges_) {
    range.cost = static_cast<double>(static_cast<long double>(range.cost) / scale);
    least_ = std::min(least_, range.cost);
    most_ = std::max(most_, range.cost);
    sums_.push_back(static_cast<double>(sum));
    const auto count = static_cast<long double>(range.items);
    sum += static_cast<long double>(range.cost) * count;
    const long double apart = static_cast<long double>(range.cost) - 1.0L;
    square += apart * apart * count;
  }
  deviation_ = std::sqrt(static_cast<double>(square / count_of_all));
}

double ItemCosts::up_to(Items item) const {
  const auto after = std::ranges::upper_bound(ranges_, item, {}, &CostRange::first);
  const auto k = static_cast<std::size_t>(after - ranges_.begin()) - 1;
  return sums_[k] + static_cast<double>(item - ranges_[k].first) * ranges_[k].cost;
}

double ItemCosts::sum(Items first, Items count) const {
  EQ_CHECK(first >= 0 && count >= 0 && first + count <= items(), "a block is of the workload");
  return std::max(up_to(first + count) - up_to(first), 0.0);
}

ItemCosts ItemCosts::stretched(Items items) const {
  if (items == this->items()) return *this;
  const long double factor =
      static_cast<long double>(items) / static_cast<long double>(this->items());
  std::vector<CostRange> ranges;
  Items first = 0;
  long double cost = 0.0L;  // of what of the ranges so far lies behind `first`
  long double from = 0.0L;
  for (const CostRange& range : ranges_) {
    const long double until = factor * static_cast<long double>(range.first) +
                              factor * static_cast<long double>(range.items);
    const bool is_last = &range == &ranges_.back();
    const Items end = is_last ? items : static_cast<Items>(std::floor(until));
    if (end > first) {
      // The first item may have parts of earlier ranges; the others are of this one.
      const long double part = static_cast<long double>(first + 1) - from;
      const double first_cost = static_cast<double>(cost + part * range.cost);
      ranges.push_back({first, 1, first_cost});
      if (end > first + 1) ranges.push_back({first + 1, end - first - 1, range.cost});
      first = end;
      cost = 0.0L;
      from = static_cast<long double>(end);
    }
    cost += (until - from) * range.cost;
    from = until;
  }
  return ItemCosts(std::move(ranges));
}

CostProfile profile_of(const ItemCosts& costs, Items points) {
  CostProfile profile{costs.items(), costs.least(), costs.most(), {}};
  points = std::min(points, profile.items);
  const auto first_of = [&](Items part) {  // part items / points, without overflow
    return part * (profile.items / points) + part * (profile.items % points) / points;
  };
  for (Items part = 0; part < points; ++part) {
    const Items first = first_of(part);
    const Items count = first_of(part + 1) - first;
    profile.means.push_back(costs.sum(first, count) / static_cast<double>(count));
  }
  return profile;
}

double work_of(const ItemCostsPtr& costs, const Block& block) {
  if (costs == nullptr) return static_cast<double>(block.items);
  // Items that cost nothing leave a block its fixed time.
  return std::max(costs->sum(block.first, block.items), std::numeric_limits<double>::min());
}

namespace {

/// The cost in the middle of `range` of `items` items, before it is scaled.
double cost_of(CostPattern pattern, const CostRange& range, Items items, double u) {
  constexpr double gaussian_deviation = 1.0 / 3.0;
  constexpr double heavy_share = 0.2;
  const double middle =
      (static_cast<double>(range.first) + 0.5 * static_cast<double>(range.items)) /
      static_cast<double>(items);
  switch (pattern) {
    case CostPattern::increasing:
      return 2.0 * middle;
    case CostPattern::decreasing:
      return 2.0 * (1.0 - middle);
    case CostPattern::gaussian:
      return std::max(0.0, 1.0 + gaussian_deviation * normal_quantile(u));
    case CostPattern::bimodal:
      return u < 1.0 - heavy_share ? 0.25 : 4.0;
    case CostPattern::exponential:
      return -std::log1p(-u);
  }
  return 1.0;
}

}  // namespace

ItemCosts generated_costs(CostPattern pattern, Items items, std::uint64_t seed) {
  const Items size = (items - 1) / generated_ranges_max + 1;
  const Draw draw({.seed = seed, .repetition = 0, .unit = "items", .kernel = "costs"});
  std::vector<CostRange> ranges;
  ranges.reserve(static_cast<std::size_t>((items - 1) / size + 1));
  for (Items first = 0; first < items; first += size) {
    CostRange& range = ranges.emplace_back(CostRange{first, std::min(size, items - first), 1.0});
    range.cost = cost_of(pattern, range, items, draw.quantile(ranges.size() - 1));
  }
  const bool is_any =
      std::ranges::any_of(ranges, [](const CostRange& of) { return of.cost > 0.0; });
  if (!is_any) return ItemCosts({{0, items, 1.0}});  // all were cut off at 0
  return ItemCosts(std::move(ranges));
}

}  // namespace equipoise
