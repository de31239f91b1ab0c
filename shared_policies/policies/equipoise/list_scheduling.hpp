// Assigns the last grains of a run one by one.
#pragma once

#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The times that grains would take on one unit.
struct GrainCost {
  bool takes_part = false;
  double first_end_s = 0.0;  ///< when it would end with one more grain
  double more_s = 0.0;       ///< time that each further grain adds, >= 0
};

/// Gives each grain to the unit (the first of several) that would finish it first, which is optimal
/// if each further grain really adds `more_s`. Returns the number of grains of each unit (n); all 0
/// if no unit takes part. O((n + grains) log n). Source: list scheduling, Graham 1966.
[[nodiscard]] inline std::vector<Items> list_schedule(std::span<const GrainCost> units,
                                                      Items grains) {
  using End = std::pair<double, std::size_t>;  // when the unit would end with one more grain
  std::vector<Items> given(units.size());
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (std::size_t p = 0; p < units.size(); ++p) {
    if (units[p].takes_part) ends.emplace(units[p].first_end_s, p);
  }
  for (; grains > 0 && !ends.empty(); --grains) {
    const auto [end_s, first] = ends.top();
    ends.pop();
    ++given[first];
    ends.emplace(end_s + units[first].more_s, first);
  }
  return given;
}

}  // namespace equipoise
