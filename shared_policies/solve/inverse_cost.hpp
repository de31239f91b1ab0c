// The inverse of a cost: the largest block that a unit finishes within a given time.
#pragma once

#include <vector>

#include "shared_policies/fit/cost_model.hpp"

namespace equipoise {

/// A block size and its derivative with respect to time.
struct ItemsWithin {
  double items = 0.0;
  double items_per_s = 0.0;  ///< 0 if no block is short enough or the limit is reached
};

/// x(T) = max{ x in [0, limit] : cost(y) <= T for all 0 < y <= x }: the inverse of the monotone
/// envelope of a cost. A `non_decreasing` cost is inverted by a safeguarded Newton iteration that
/// starts from the last result. For other costs, a table of the envelope is made first (512 points,
/// local peaks refined), and the crossing is searched in one of its cells; a peak narrower than a
/// cell (a factor of 1.03 in size) may be missed. Exact to 1e-14 relative.
class InverseCost {
 public:
  /// `cost` must outlive this object; `limit_items` > 0.
  InverseCost(const CostModel& cost, double limit_items);

  [[nodiscard]] ItemsWithin within(double seconds);
  /// The envelope at the limit. For this time and longer ones, `within` returns the limit.
  [[nodiscard]] double longest_s() const { return longest_s_; }
  [[nodiscard]] double limit_items() const { return limit_; }

 private:
  struct Step {
    double items = 0.0;
    double envelope_s = 0.0;
  };
  struct Bracket {
    double low = 0.0;   // cost <= T
    double high = 0.0;  // cost > T
  };

  void tabulate();
  [[nodiscard]] double peak_between(double low, double high) const;
  [[nodiscard]] Bracket bracket(double seconds) const;

  const CostModel* cost_;
  double limit_;
  double tiny_;
  double shortest_s_;
  double longest_s_;
  double last_;              // the last result
  std::vector<Step> table_;  // ascending; empty if the cost never falls
};

}  // namespace equipoise
