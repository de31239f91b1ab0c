// The numbers of one run, added up from its journal and from nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// The block sizes that a unit's times were recorded for.
struct RecordedSizes {
  double least_items = 0.0;
  double most_items = 0.0;
};

/// What one unit did in a run.
struct UnitNumbers {
  Items items = 0;
  std::uint64_t blocks = 0;
  StageTimes busy;  ///< sums over its blocks
  Seconds last_end;
};

/// The numbers of one run.
struct RunNumbers {
  Seconds makespan;  ///< end of the last accepted block
  std::vector<UnitNumbers> units;
  Items items = 0;
  std::uint64_t blocks = 0;
  std::uint64_t rebalances = 0;
  std::uint64_t decisions = 0;  ///< Thoughts
  Seconds decisions_total;
  Seconds decisions_max;
  Items items_redone = 0;           ///< handed out again after a loss
  double extrapolated_share = 0.0;  ///< of the items: in blocks outside the recorded sizes
  std::optional<double> energy_j;   ///< where idle and busy watts of every unit are known
};

/// 1 - busy / makespan of one unit.
[[nodiscard]] double idle_fraction(const RunNumbers& numbers, std::size_t unit);
/// The unit's share of the items.
[[nodiscard]] double share(const RunNumbers& numbers, std::size_t unit);
/// From the first to the last of the units' last ends, over units that did a block.
[[nodiscard]] Seconds finish_spread(const RunNumbers& numbers);

/// A journal that adds up. Memory grows with units, not with blocks.
class Metrics final : public Journal {
 public:
  /// `recorded`: one for each unit and phase, [phase][unit]; empty where nothing is extrapolated
  /// (real runs).
  explicit Metrics(std::vector<Unit> units, std::vector<std::vector<RecordedSizes>> recorded = {});

  void block(const BlockRecord& record) override;
  void decision(const DecisionRecord& record) override;
  void event(const EventRecord& record) override;

  /// The numbers so far.
  ///
  ///     energy = sum over units of idle_w * makespan + (busy_w - idle_w) * busy time
  [[nodiscard]] RunNumbers numbers() const;

 private:
  std::vector<Unit> units_;
  std::vector<std::vector<RecordedSizes>> recorded_;
  RunNumbers sum_;
  Items extrapolated_items_ = 0;
};

}  // namespace equipoise
