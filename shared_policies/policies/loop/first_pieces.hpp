// The first blocks of policies that estimate how the times of items scatter.
#pragma once

#include <cstdint>
#include <optional>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// Cuts a unit's first block into `sub_blocks` pieces, from which the scatter of item times is
/// estimated, as LB4OMP does with ten pieces of its first hundred iterations. Our pieces have two
/// sizes, in turns half and one and a half times an even piece, because pieces of one size cannot
/// tell scatter between items from scatter that a whole block has (`item_variance_s2`).
class FirstPieces {
 public:
  /// Reads `initial_block_items` and `sub_blocks`.
  explicit FirstPieces(const Parameters& read)
      : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        sub_blocks_(read.items("sub_blocks", 1, 1'000'000)) {}

  /// The items of the next piece of `unit`; nothing once it has got all of them and finished one.
  [[nodiscard]] std::optional<double> next(const View& view, const ItemTimes& times,
                                           UnitId unit) const {
    const std::uint64_t met = times.blocks(unit) + view.unit(unit).outstanding.size();
    if (times.blocks(unit) > 0 && met >= static_cast<std::uint64_t>(sub_blocks_)) {
      return std::nullopt;
    }
    const auto first = static_cast<double>(initial_block(view, initial_block_items_));
    const double even = first / static_cast<double>(sub_blocks_);
    if (sub_blocks_ == 1) return even;
    return (met % 2 == 0 ? 0.5 : 1.5) * even;
  }

 private:
  std::optional<Items> initial_block_items_;
  Items sub_blocks_;
};

}  // namespace equipoise
