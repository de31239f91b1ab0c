// The blocks that units repeat, and whether their durations have drifted apart.
#pragma once

#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// When units count as out of balance.
struct BalanceRule {
  double threshold = 0.1;        ///< spread of block durations, relative to their mean
  double noise_allowance = 6.0;  ///< standard errors put down to noise; 0: the paper's plain rule
};

/// A block size for each unit and how long such blocks have taken since it was chosen.
class RepeatedBlocks {
 public:
  RepeatedBlocks() = default;
  explicit RepeatedBlocks(std::size_t n) : units_(n) {}

  /// New sizes (n); all durations are forgotten.
  void choose(const std::vector<Items>& block_items);
  [[nodiscard]] Items items(UnitId unit) const { return units_[unit.index].items; }
  /// A block took `seconds`; one of another size says nothing and is ignored.
  void finished(UnitId unit, Items items, double seconds);
  /// Whether a unit that is present has a block at all.
  [[nodiscard]] bool anyone_works(const View& view) const;

  /// Whether, once every unit that has a block has done one,
  ///
  ///     max - min >= threshold * mean.
  ///
  /// The paper compares the latest durations. With recorded noise of 15 % on two dozen units their
  /// range always exceeds its 10 %, and a run is one drain after another, while the paper saw none.
  /// So means since the sizes were chosen are compared, and noise is left what noise explains:
  ///
  ///     max_p (m_p - e / sqrt(k_p)) - min_p (m_p + e / sqrt(k_p)),   e = allowance * noise * mean
  ///
  /// for k_p blocks of unit p and a relative standard deviation `noise`. Without noise that is the
  /// paper's rule, on means; `noise_allowance` 0 is the paper's, on the latest durations. O(n).
  [[nodiscard]] bool are_unbalanced(const View& view, const BalanceRule& rule, double noise) const;

 private:
  struct Repeated {
    Items items = 0;
    double count = 0.0;
    double last_s = 0.0;
    double mean_s = 0.0;
  };
  std::vector<Repeated> units_;
};

}  // namespace equipoise
