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
  StageTimes busy;   ///< sums over its blocks; stages of several blocks may overlap
  Seconds occupied;  ///< in which at least one of its blocks was in a stage
  Seconds last_end;
  std::optional<double> energy_j;  ///< where its idle and busy watts are known
};

/// What one unit did in one phase.
struct UnitInPhase {
  Items items = 0;
  std::uint64_t blocks = 0;
  Seconds last_end;  ///< since the run began
};

/// The numbers of one run.
struct RunNumbers {
  Seconds makespan;  ///< end of the last accepted block
  std::vector<UnitNumbers> units;
  std::vector<std::vector<UnitInPhase>> phases;  ///< [phase][unit]
  Items items = 0;
  std::uint64_t blocks = 0;
  std::uint64_t rebalances = 0;
  std::uint64_t decisions = 0;  ///< models solved
  Seconds decisions_total;
  Seconds decisions_max;
  Items items_redone = 0;           ///< handed out again after a loss
  double extrapolated_share = 0.0;  ///< of the items: in blocks outside the recorded sizes
  std::optional<double> energy_j;   ///< of all units, where that of each is known
};

/// 1 - occupied / makespan of a unit, in [0, 1]: the part in which it neither computed nor copied.
[[nodiscard]] double idle_fraction(const RunNumbers& numbers, std::size_t unit);
/// The unit's share of the items.
[[nodiscard]] double share(const RunNumbers& numbers, std::size_t unit);
/// A unit's share of the items of a phase.
[[nodiscard]] double share_of(const std::vector<UnitInPhase>& units, std::size_t unit);
/// When the last block of a phase ended.
[[nodiscard]] Seconds end_of(const std::vector<UnitInPhase>& units);
/// From the first to the last of the units' last ends, over units that did a block.
[[nodiscard]] Seconds finish_spread(const RunNumbers& numbers);

/// A journal that adds up. Memory grows with units, not with blocks.
///
/// Energy: a unit draws its idle watts for as long as the run lasts, its busy watts instead while
/// it computes,
///
///     energy_p = idle_w makespan + (busy_w - idle_w) sum over its blocks of compute.
///
/// That is what SimGrid's host energy plugin counts for a host of one core, from the same property
/// (`wattage_per_state`); copies load no core, and a unit computes one block at a time, so nothing
/// is counted twice however stages overlap. Blocks that were lost, thinking and dispatching draw
/// idle watts, and so does a unit that is away.
///
/// Occupied: the union of the blocks' [end - (in + compute + out), end]. Waiting between stages is
/// not recorded, but while a block waits, another block of the unit is in a stage. All of it is
/// covered, except where the oldest block waits for the one copy engine while a younger one is
/// copied in and nothing is computed: such a wait may be left out.
class Metrics final : public Journal {
 public:
  /// `recorded`: one for each unit and phase, [phase][unit]; empty where nothing is extrapolated
  /// (real runs).
  explicit Metrics(std::vector<Unit> units, std::vector<std::vector<RecordedSizes>> recorded = {});

  void block(const BlockRecord& record) override;
  void decision(const DecisionRecord& record) override;
  void event(const EventRecord& record) override;

  /// The numbers so far.
  [[nodiscard]] RunNumbers numbers() const;

 private:
  /// Without a gap, one block of the unit after another was in a stage.
  struct OccupiedStretch {
    Seconds earlier_end;  ///< of the stretch before
    Seconds begin;
    Seconds end;
  };

  void occupy(UnitId unit, Seconds from, Seconds until);

  std::vector<Unit> units_;
  std::vector<std::vector<RecordedSizes>> recorded_;
  RunNumbers sum_;
  std::vector<OccupiedStretch> stretches_;  ///< (n), the last one of each unit
  Items extrapolated_items_ = 0;
};

}  // namespace equipoise
