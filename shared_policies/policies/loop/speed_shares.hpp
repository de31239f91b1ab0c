// The shares of units in the speed of all of them, kept up to date while units and speeds change.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The item time assumed for a unit without measurements when the shares of units are computed.
enum class UnknownUnit {
  as_fastest,  ///< the smallest item time known
  as_slowest   ///< the largest item time known
};

/// The share of each unit in the speed of all present units:
///
///     (1 / s_p) / sum_i(1 / s_i)
///
/// for item times s; 1 / P if none is known. Sums are kept for pairs of units, for pairs of pairs,
/// and so on: a share takes O(1), a change O(log n), and no rounding error stays of what was
/// before.
class SpeedShares {
 public:
  /// All units of the run have the item times `item_s` (n).
  void begin(const View& view, const ItemSeconds& item_s);
  /// Must be called with every event: units come and go.
  void include(const View& view, const Event& event);
  /// The item time of `unit` has changed.
  void set(const UnitState& unit, std::optional<double> item_s);

  /// The share of `unit`, which must be present.
  [[nodiscard]] double of(UnitId unit, UnknownUnit unknown) const;

 private:
  /// Of one unit or of several: what is summed of those that are present, and the extremes of all.
  struct Speeds {
    double known = 0.0;                                        ///< items per second
    double unknown = 0.0;                                      ///< units
    double least_s = std::numeric_limits<double>::infinity();  ///< for an item
    double most_s = 0.0;
  };

  void set_leaf(const UnitState& unit);
  void add_up(std::size_t node);

  ItemSeconds item_s_;         // (n)
  std::vector<Speeds> nodes_;  // (2 n): node k has the sum of 2 k and 2 k + 1; n + p is unit p
};

}  // namespace equipoise
