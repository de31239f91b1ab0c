// The block times of a paced unit, from its trace and its route to the input.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The block times of one phase on a paced unit, independent of the run.
struct PacedTiming {
  BlockTiming timing;
  Seconds first_use;  ///< the part of the first block's setup before resident data is copied
  CopySpeeds copies;
  std::optional<ResidentStream> stream{};     ///< none: the unit holds the resident data
  std::optional<StepFunction> stream_rate{};  ///< under the scenario; none: that of copies in
  ItemCostsPtr items{};                       ///< the costs of items
};

/// What decides the random draws of a run.
struct RunDraws {
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  bool noise = true;  ///< false: mean times
};

/// How precisely paced units kept to their times.
struct PacingReport {
  std::uint64_t blocks = 0;
  Seconds late_mean;  ///< from the end of a block until it was noticed
  Seconds late_most;
};

/// The report of all units of two reports.
[[nodiscard]] inline PacingReport together(const PacingReport& a, const PacingReport& b) {
  const std::uint64_t blocks = a.blocks + b.blocks;
  if (blocks == 0) return {};
  const double sum_s = a.late_mean.value * static_cast<double>(a.blocks) +
                       b.late_mean.value * static_cast<double>(b.blocks);
  return {blocks, Seconds{sum_s / static_cast<double>(blocks)}, std::max(a.late_most, b.late_most)};
}

/// Collects how late the ends of blocks were noticed. Several threads may use it at once.
class Lateness {
 public:
  void add(Seconds late) {
    count_.fetch_add(1);
    sum_s_.fetch_add(late.value);
    for (double most = most_s_.load(); most < late.value;) {
      if (most_s_.compare_exchange_weak(most, late.value)) break;
    }
  }
  [[nodiscard]] PacingReport report() const {
    const std::uint64_t blocks = count_.load();
    const double mean_s = blocks == 0 ? 0.0 : sum_s_.load() / static_cast<double>(blocks);
    return {blocks, Seconds{mean_s}, Seconds{most_s_.load()}};
  }

 private:
  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<double> sum_s_ = 0.0;
  std::atomic<double> most_s_ = 0.0;
};

}  // namespace equipoise
