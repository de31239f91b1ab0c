// The largest block that a unit finishes within a given time: the inverse of a cost.
#pragma once

#include <vector>

#include "shared_policies/fit/cost_model.hpp"

namespace equipoise {

/// A block size and how fast it grows with the time.
struct ItemsWithin {
  double items = 0.0;
  double items_per_s = 0.0;  ///< derivative; 0 where nothing fits or the limit binds
};

/// x(T) = max{ x in [0, limit] : cost(y) <= T for all 0 < y <= x }: the inverse of the monotone
/// envelope of a cost. For costs that are `non_decreasing` a safeguarded Newton iteration from the
/// last answer; for others a table of the envelope is made first (512 points, local peaks refined)
/// and the crossing is then found in one of its cells, so that a rise and fall narrower than a cell
/// (a factor of 1.03 in size) may be overlooked. Exact to 1e-14 relative.
class InverseCost {
 public:
  /// `cost` must outlive this; `limit_items` > 0.
  InverseCost(const CostModel& cost, double limit_items);

  [[nodiscard]] ItemsWithin within(double seconds);
  /// The envelope at the limit: from there on `within` answers the limit.
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
  double last_;              // the last answer
  std::vector<Step> table_;  // ascending; only for costs that fall somewhere
};

}  // namespace equipoise
