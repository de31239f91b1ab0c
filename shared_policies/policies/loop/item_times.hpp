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
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/run/view.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// Seconds per item (n); nothing for units of which it is not known.
using ItemSeconds = std::vector<std::optional<double>>;

/// What counts as the time of a block.
enum class TimedPart {
  compute,  ///< computing only
  block,    ///< copy in, computing, copy out
  request   ///< from the hand-out, or from the end of the block before if later, to the end
};

/// The parameter `time` of a policy.
[[nodiscard]] ParameterInfo time_parameter(const std::string& default_text);
[[nodiscard]] TimedPart timed_part(const Parameters& read);

/// A finished block.
struct TimedBlock {
  double items = 0.0;
  double seconds = 0.0;
};

/// The variance of the times of single items (s^2) that the `blocks` of one unit show. 0 for less
/// than three blocks.
///
/// Two things that are no differences between items are kept apart from it:
///
/// - Speed that depends on size. A block is compared with its neighbours in size, by
///
///       e = t_2 - w_1 t_1 - w_3 t_3,   w_3 = (c_2 - c_1) / (c_3 - c_1),   w_1 = 1 - w_3,
///
///   which is 0 for all times on a line over c (Gasser, Sroka, Jennen-Steinmetz 1986).
/// - Scatter that is common to the items of a block. It grows with the time g(c) that such a block
///   takes, whereas independent items scatter by sqrt(c) only:
///
///       E e^2 = sigma^2 sum(w_i^2 c_i) + rho^2 sum(w_i^2 g_i^2),   w_2 = 1.
///
///   sigma^2 and rho^2, neither negative, are fitted to all e^2 by least squares, relative to the
///   second sum; g is the line fitted to the blocks. Blocks of a single size cannot tell the two
///   apart, and all their scatter counts as that of items.
///
/// Source: ours; the authors of adaptive factoring time single items. O(n log n).
[[nodiscard]] double item_variance_s2(std::span<const TimedBlock> blocks);

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
  [[nodiscard]] const ItemSeconds& mean_s() const { return now_->mean_s; }
  /// The mean of adaptive weighted factoring, in which later blocks count more: (n), nothing for
  /// units without a finished block,
  ///
  ///     pi_p = sum_j(j t_pj) / sum_j(j c_pj)
  ///
  /// for the j-th block of unit p, which had c_pj items and took t_pj seconds. Source: Banicescu,
  /// Velusamy, Devaprasad (2003); Carino and Banicescu (2008).
  [[nodiscard]] const ItemSeconds& recency_weighted_s() const { return now_->recency_weighted_s; }
  /// The variance of single item times that the last 64 blocks of `unit` show (see
  /// `item_variance_s2`).
  [[nodiscard]] double variance_s2(UnitId unit);
  /// Mean and variance of the times of single items on whichever unit did them: over the finished
  /// blocks of all units, each unit counting with the items that it did. The variance has that of
  /// each unit and that between units,
  ///
  ///     sum(c_p (sigma_p^2 + (mu_p - mu)^2)) / sum(c_p),
  ///
  /// as if single items were timed. Nothing without a finished block. O(units).
  [[nodiscard]] std::optional<ItemTime> of_any_unit();
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
    std::vector<Sums> sums;          // (n)
    ItemSeconds mean_s;              // (n)
    ItemSeconds recency_weighted_s;  // (n)
  };

  void add(const BlockFinished& finished, Seconds end);
  [[nodiscard]] double seconds_of(const BlockFinished& finished, Seconds end);

  TimedPart part_;
  std::map<std::string, KernelTimes> kernels_;
  KernelTimes* now_ = nullptr;     // of the current phase
  std::vector<Seconds> last_end_;  // (n): end of the unit's last block
};

/// The item times (n) of the current phase in the profile, in blocks of an even share of its items.
[[nodiscard]] ItemSeconds profile_item_times(const KnownCosts& known, const View& view);

/// The fixed part of a block's time, independent of its size (s): the mean over the profile's
/// units.
[[nodiscard]] double profile_fixed_s(const KnownCosts& known, const View& view);

/// Mean and variance between the units of `item_s` (n), which must have no gaps.
[[nodiscard]] ItemTime item_time_between_units(const ItemSeconds& item_s);

}  // namespace equipoise
