// The first block.
#include "shared_policies/policies/block_sizes.hpp"

#include <algorithm>

#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {

Items initial_block(const View& view, std::optional<Items> given) {
  if (given) {
    return *given;
  }
  const Workload& workload = view.workload();
  const double share = 0.10 * static_cast<double>(workload.items) /
                       (15.0 * static_cast<double>(view.units().size()));
  const Items rounded =
      nearest_block(share, workload.grain_items, workload.items + workload.grain_items);
  return std::max(rounded, workload.grain_items);
}

}  // namespace equipoise
