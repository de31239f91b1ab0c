// What finished blocks say of the time that one item takes on each unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Which part of a block's life is its time.
enum class TimedPart {
  compute,  ///< computing alone
  block,    ///< copy in, computing, copy out
  request   ///< from the request, or the end of the block before it if that is later, to the end
};

/// What is assumed of a unit of which nothing is known yet, while another's share is worked out.
enum class UnknownUnit {
  as_fastest,  ///< the smallest item time known
  as_slowest   ///< the largest
};

/// Item times of all units, learned from finished blocks and kept apart by kernel: a phase or
/// iteration with a kernel that was met before begins with what is known of it. O(1) for a block.
///
/// The first block of a unit in a phase brings the resident data along; of its copy in, only the
/// part that its own bytes have in all bytes counts.
class ItemTimes {
 public:
  explicit ItemTimes(TimedPart part) : part_(part) {}

  /// Is to be told every event.
  void include(const View& view, const Event& event);

  /// Items of finished blocks over their seconds, inverted: (n), nothing for units without a block.
  [[nodiscard]] std::span<const std::optional<double>> mean_s() const { return now_->mean_s; }
  /// The mean of adaptive weighted factoring, in which later blocks weigh more: (n), as above,
  ///
  ///     pi_p = sum_j(j t_pj) / sum_j(j c_pj)
  ///
  /// for the j-th block of unit p, of c_pj items in t_pj seconds. Source: Banicescu, Velusamy,
  /// Devaprasad (2003); Carino and Banicescu (2008).
  [[nodiscard]] std::span<const std::optional<double>> recency_weighted_s() const {
    return now_->recency_weighted_s;
  }
  /// The variance of single item times, estimated from k whole blocks by
  ///
  ///     sum_j(c_j (t_j / c_j - mean)^2) / (k - 1),
  ///
  /// unbiased where item times are independent, as a block's time then has c_j times the variance.
  /// 0 with less than two blocks. Source: ours; adaptive factoring's authors time single items.
  [[nodiscard]] double variance_s2(UnitId unit) const;
  /// Finished blocks of `unit` with this kernel.
  [[nodiscard]] std::uint64_t blocks(UnitId unit) const { return now_->sums[unit.index].blocks; }

 private:
  /// Of one unit and kernel.
  struct Sums {
    std::uint64_t blocks = 0;
    double items = 0.0;
    double seconds = 0.0;
    double squares = 0.0;  ///< sum of c_j (t_j / c_j - mean)^2
    double weighted_items = 0.0;
    double weighted_s = 0.0;
  };
  struct KernelTimes {
    std::vector<Sums> sums;                                 // (n)
    std::vector<std::optional<double>> mean_s;              // (n)
    std::vector<std::optional<double>> recency_weighted_s;  // (n)
  };

  void add(const View& view, const BlockFinished& finished, Seconds end);
  [[nodiscard]] double seconds_of(const View& view, const BlockFinished& finished, Seconds end);

  TimedPart part_;
  std::map<std::string, KernelTimes> kernels_;
  KernelTimes* now_ = nullptr;      // of the current phase
  std::vector<char> has_resident_;  // (n) has done a block of this phase
  std::vector<Seconds> last_end_;   // (n) of a block of the unit
};

/// The share of `unit`, which is present, in the speed of all present units:
///
///     (1 / s_p) / sum_i(1 / s_i)
///
/// for item times `item_s` (n); 1 / P where none is known. O(n).
[[nodiscard]] double speed_share(const View& view, UnitId unit,
                                 std::span<const std::optional<double>> item_s,
                                 UnknownUnit unknown);

}  // namespace equipoise
