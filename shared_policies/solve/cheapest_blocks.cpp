// Computes the running minimum of the cost per item, and its inverse.
#include "shared_policies/solve/cheapest_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

double quotient(double limit, double per_item) {
  return per_item > 0.0 ? limit / per_item : std::numeric_limits<double>::infinity();
}

}  // namespace

CheapestBlocks::CheapestBlocks(std::span<const BlockTake> takes) {
  EQ_CHECK(!takes.empty() && takes.front().items > 0.0, "blocks have a size");
  // If nothing is taken at any size (copies of 0 bytes), one size is enough.
  const auto is_free = [](const BlockTake& take) { return take.takes == 0.0; };
  if (std::ranges::all_of(takes, is_free)) takes = takes.last(1);
  double least = std::numeric_limits<double>::infinity();
  kinks_.reserve(takes.size());
  for (const BlockTake& take : takes) {
    least = std::min(least, take.takes / take.items);
    kinks_.push_back({take.items, take.takes, least});
  }
}

double CheapestBlocks::within(double limit) const {
  const double by_largest = quotient(limit, kinks_.back().least_per_item);
  if (by_largest >= kinks_.back().items) return by_largest;
  for (std::size_t k = kinks_.size() - 1; k > 0; --k) {
    const Kink& low = kinks_[k - 1];
    const Kink& high = kinks_[k];
    double items = quotient(limit, low.least_per_item);  // in blocks of up to low.items
    if (high.takes <= limit) {
      items = high.items;
    } else if (low.takes <= limit) {  // one block of that size, or an equally costly one
      items = std::max(items, low.items + (high.items - low.items) * (limit - low.takes) /
                                              (high.takes - low.takes));
    }
    if (items >= low.items) return std::min(items, high.items);
  }
  return 0.0;
}

}  // namespace equipoise
