// Which units are to be told that they are idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A set of units, taken in the order of their ids. O(log units) for each call.
class IdleOffers {
 public:
  explicit IdleOffers(std::size_t units) : is_in_(units, 0) {}

  void add(UnitId unit) {
    if (is_in_[unit.index] != 0) return;
    is_in_[unit.index] = 1;
    units_.push(unit.index);
  }
  /// The first unit, which is removed; none if there is none.
  [[nodiscard]] std::optional<UnitId> take() {
    if (units_.empty()) return std::nullopt;
    const UnitId first{units_.top()};
    units_.pop();
    is_in_[first.index] = 0;
    return first;
  }

 private:
  std::vector<char> is_in_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> units_;
};

}  // namespace equipoise
