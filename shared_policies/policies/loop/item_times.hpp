// The time of one item on each unit, learned from finished blocks or read off a profile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/loop/item_variance.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// What counts as the time of a block.
enum class TimedPart {
  compute,  ///< computing only
  block,    ///< copy in, computing, copy out
  request   ///< from the hand-out, or from the end of the block before if later, to the end
};

/// The item time assumed for a unit without measurements when the shares of units are computed.
enum class UnknownUnit {
  as_fastest,  ///< the smallest item time known
  as_slowest   ///< the largest item time known
};

/// Item times of all units, learned from finished blocks and kept separately for each kernel: a
/// phase or iteration with a known kernel starts with what is known of it. O(1) for a block.
///
/// The setup of a block never counts, because later blocks do not have it.
class ItemTimes {
 public:
  explicit ItemTimes(TimedPart part) : part_(part) {}

  /// Must be called with every event.
  void include(const View& view, const Event& event);

  /// The mean seconds per item over all finished blocks: (n), nothing for units without a finished
  /// block.
  [[nodiscard]] std::span<const std::optional<double>> mean_s() const { return now_->mean_s; }
  /// The mean of adaptive weighted factoring, in which later blocks count more: (n), nothing for
  /// units without a finished block,
  ///
  ///     pi_p = sum_j(j t_pj) / sum_j(j c_pj)
  ///
  /// for the j-th block of unit p, which had c_pj items and took t_pj seconds. Source: Banicescu,
  /// Velusamy, Devaprasad (2003); Carino and Banicescu (2008).
  [[nodiscard]] std::span<const std::optional<double>> recency_weighted_s() const {
    return now_->recency_weighted_s;
  }
  /// The variance of single item times that the last 64 blocks of `unit` show (see
  /// `item_variance_s2`).
  [[nodiscard]] double variance_s2(UnitId unit);
  /// The number of finished blocks of `unit` with this kernel.
  [[nodiscard]] std::uint64_t blocks(UnitId unit) const { return now_->sums[unit.index].blocks; }

 private:
  /// The sums for one unit and kernel.
  struct Sums {
    std::uint64_t blocks = 0;
    double items = 0.0;
    double seconds = 0.0;
    double weighted_items = 0.0;
    double weighted_s = 0.0;
    std::vector<TimedBlock> latest;     ///< block j is at (j - 1) mod 64
    std::optional<double> variance_s2;  ///< of `latest`, once it was asked for
  };
  struct KernelTimes {
    std::vector<Sums> sums;                                 // (n)
    std::vector<std::optional<double>> mean_s;              // (n)
    std::vector<std::optional<double>> recency_weighted_s;  // (n)
  };

  void add(const BlockFinished& finished, Seconds end);
  [[nodiscard]] double seconds_of(const BlockFinished& finished, Seconds end);

  TimedPart part_;
  std::map<std::string, KernelTimes> kernels_;
  KernelTimes* now_ = nullptr;     // of the current phase
  std::vector<Seconds> last_end_;  // (n): end of the unit's last block
};

/// The share of `unit`, which must be present, in the speed of all present units:
///
///     (1 / s_p) / sum_i(1 / s_i)
///
/// for item times `item_s` (n); 1 / P if none is known. O(n).
[[nodiscard]] double speed_share(const View& view, UnitId unit,
                                 std::span<const std::optional<double>> item_s,
                                 UnknownUnit unknown);

/// The item times (n) of the current phase in the profile, in blocks of an even share of its items.
[[nodiscard]] std::vector<std::optional<double>> profile_item_times(const KnownCosts& known,
                                                                    const View& view);

/// Mean and variance between the units of `item_s` (n), which must have no gaps.
[[nodiscard]] ItemTime item_time_between_units(std::span<const std::optional<double>> item_s);

}  // namespace equipoise
