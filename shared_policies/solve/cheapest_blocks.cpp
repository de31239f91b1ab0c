// A lower convex hull and its tangent from the origin.
#include "shared_policies/solve/cheapest_blocks.hpp"

#include <cstddef>
#include <limits>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Whether `b` lies on or above the line from `a` to `c`.
bool is_above(const BlockTake& a, const BlockTake& b, const BlockTake& c) {
  return (b.takes - a.takes) * (c.items - a.items) >= (c.takes - a.takes) * (b.items - a.items);
}

}  // namespace

CheapestBlocks::CheapestBlocks(std::span<const BlockTake> takes) {
  EQ_CHECK(!takes.empty() && takes.front().items > 0.0, "blocks have a size");
  for (const BlockTake& next : takes) {
    while (hull_.size() > 1 && is_above(hull_[hull_.size() - 2], hull_.back(), next)) {
      hull_.pop_back();
    }
    hull_.push_back(next);
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < hull_.size(); ++k) {
    if (hull_[k].takes * hull_[best].items <= hull_[best].takes * hull_[k].items) {
      best = k;
    }
  }
  hull_.resize(best + 1);
}

double CheapestBlocks::per_item() const { return hull_.back().takes / hull_.back().items; }

double CheapestBlocks::within(double limit) const {
  if (limit >= hull_.back().takes) {
    return per_item() > 0.0 ? limit / per_item() : std::numeric_limits<double>::infinity();
  }
  for (std::size_t k = hull_.size() - 1; k > 0; --k) {
    const BlockTake& low = hull_[k - 1];
    const BlockTake& high = hull_[k];
    if (low.takes <= limit) {
      return low.items + (high.items - low.items) * (limit - low.takes) / (high.takes - low.takes);
    }
  }
  return 0.0;
}

}  // namespace equipoise
