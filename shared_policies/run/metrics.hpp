// The numbers of one run, computed from its journal alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/losses.hpp"

namespace equipoise {

/// The range of block sizes for which a unit's times were recorded.
struct RecordedSizes {
  double least_items = 0.0;
  double most_items = 0.0;
};

/// Where the energy of a run is known from.
enum class EnergySource : std::uint8_t {
  unknown,
  modelled,  ///< from the units' idle and busy watts
  measured   ///< by meters
};

constexpr auto words(DescriptionOf<EnergySource> /*of*/) {
  return std::array{Word{EnergySource::unknown, "unknown"},
                    Word{EnergySource::modelled, "modelled"},
                    Word{EnergySource::measured, "measured"}};
}

[[nodiscard]] constexpr const char* to_string(EnergySource source) { return word_of(source); }

/// The numbers of one unit in a run.
struct UnitNumbers {
  Items items = 0;
  std::uint64_t blocks = 0;
  StageTimes busy;   ///< sums over its blocks; stages of different blocks may overlap
  Seconds occupied;  ///< time in which at least one of its blocks, or dropped work, was in a stage
  /// The end of the last of these; the makespan if it still works on a dropped block then.
  Seconds last_end;
  /// Modelled; none if its idle or busy watts are unknown, or if the energy was measured, because
  /// meters measure domains, not units.
  std::optional<double> energy_j;
};

/// The numbers of one unit in one phase.
struct UnitInPhase {
  Items items = 0;
  std::uint64_t blocks = 0;
  Seconds last_end;  ///< of its blocks; time since the start of the run
  std::uint64_t dropped =
      0;  ///< blocks that it had begun when they were taken back or a copy was done
};

/// The numbers of one run.
struct RunNumbers {
  Seconds makespan;  ///< end of the last accepted block
  std::vector<UnitNumbers> units;
  std::vector<std::vector<UnitInPhase>> phases;  ///< [phase][unit]
  Items items = 0;
  std::uint64_t blocks = 0;
  std::uint64_t rebalances = 0;
  std::uint64_t decisions = 0;      ///< number of models solved
  Seconds decisions_total;          ///< what the cost meter charged: models, and all other calls
  Seconds decisions_max;            ///< the most that was charged for one of these
  Items items_redone = 0;           ///< of blocks that were lost, taken back or given twice
  double extrapolated_share = 0.0;  ///< share of the items that were in blocks outside the recorded
                                    ///< sizes
  std::optional<double> energy_j;   ///< of the whole run; none if it is unknown
  EnergySource energy_from = EnergySource::unknown;
  std::string energy_note;  ///< why the energy is unknown or only modelled, or what was measured;
                            ///< else empty
  std::optional<Losses> losses;  ///< the makespan, divided by cause; see LossAccount
};

/// The idle fraction of a unit, 1 - occupied / makespan, in [0, 1]: when it neither computed nor
/// copied.
[[nodiscard]] double idle_fraction(const RunNumbers& numbers, std::size_t unit);
/// The unit's share of the items.
[[nodiscard]] double share(const RunNumbers& numbers, std::size_t unit);
/// A unit's share of the items of a phase.
[[nodiscard]] double share_of(const std::vector<UnitInPhase>& units, std::size_t unit);
/// The end of the last block of a phase.
[[nodiscard]] Seconds end_of(const std::vector<UnitInPhase>& units);
/// The time between the first and the last of the units' last ends, over units that worked.
[[nodiscard]] Seconds finish_spread(const RunNumbers& numbers);

/// A phase of a lower bound: its time without merges, and the items of each unit with which it
/// would be reached.
struct BoundPhase {
  Seconds time;
  std::vector<double> share_items;  ///< (units)
};

/// How much longer the phases of a bound would be if the units that did no item of a phase were not
/// there.
struct WithoutUnits {
  Seconds unused;   ///< because of units that had no block
  Seconds dropped;  ///< because of units that began blocks, which were all dropped
};

/// The sum of T U / (W - U) over the phases, as in losses.hpp, at most the makespan, divided like
/// the items that make up U. 0 for phases in which no item was done, and without a bound.
[[nodiscard]] WithoutUnits time_without(const RunNumbers& numbers,
                                        std::span<const BoundPhase> bound);

/// The mean of the units' idle fractions.
[[nodiscard]] double mean_idle_fraction(const RunNumbers& numbers);

constexpr bool is_row(DescriptionOf<UnitNumbers> /*of*/) { return true; }
constexpr bool is_row(DescriptionOf<UnitInPhase> /*of*/) { return true; }

/// Numbers of items and blocks.
constexpr auto describe_work() {
  return std::tuple(
      member("makespan_s", &RunNumbers::makespan, "the time until the last unit has finished")
          .in("s")
          .at_least(0),
      computed("idle_fraction", &mean_idle_fraction,
               "the share of the run in which units neither compute nor copy")
          .at_least(0)
          .at_most(1)
          .only(in_repetitions),
      member("units", &RunNumbers::units, "the numbers of each unit").only(in_points),
      member("phases", &RunNumbers::phases, "the numbers of each unit in each phase")
          .only(in_points),
      member("items", &RunNumbers::items, "the number of items that were done")
          .at_least(0)
          .may_lack()
          .only(in_runs | in_points),
      member("blocks", &RunNumbers::blocks, "the number of completed blocks").may_lack(),
      member("rebalances", &RunNumbers::rebalances,
             "how often the policy stopped to choose new block sizes")
          .may_lack());
}

/// Numbers of decisions, and how far apart units end.
constexpr auto describe_decisions() {
  return std::tuple(member("decisions.count", &RunNumbers::decisions,
                           "how often the policy solved its model of block times")
                        .in_points_called("decisions")
                        .may_lack(),
                    member("decisions.total_s", &RunNumbers::decisions_total,
                           "the time that was charged for the policy's decisions")
                        .in("s")
                        .at_least(0)
                        .in_points_called("decisions_total_s")
                        .may_lack(),
                    member("decisions.max_s", &RunNumbers::decisions_max,
                           "the longest time that was charged for one decision")
                        .in("s")
                        .at_least(0)
                        .in_points_called("decisions_max_s")
                        .may_lack()
                        .only(in_runs | in_points),
                    computed("finish_spread_s", &finish_spread,
                             "the time from the first unit's end to the last's")
                        .in("s")
                        .at_least(0)
                        .only(in_runs | in_repetitions));
}

/// The energy and where it is known from.
constexpr auto describe_energy() {
  return std::tuple(
      member("energy_j", &RunNumbers::energy_j, "the energy of all units; null if unknown")
          .in("J")

          .or_null(),
      computed(
          "energy_from",
          +[](const RunNumbers& numbers) {
            return numbers.energy_from == EnergySource::unknown ? std::optional<EnergySource>()
                                                                : numbers.energy_from;
          },
          "where the energy is known from; null if it is not",
          [](RunNumbers& numbers, std::optional<EnergySource> from) {
            numbers.energy_from = from.value_or(EnergySource::unknown);
          })
          .or_null()
          .only(in_runs),
      computed(
          "energy_from",
          +[](const RunNumbers& numbers) { return static_cast<int>(numbers.energy_from); },
          "where the energy is known from: 0 unknown, 1 modelled, 2 measured",
          [](RunNumbers& numbers, int from) {
            numbers.energy_from = static_cast<EnergySource>(from);
          })
          .at_least(0)
          .at_most(2)
          .only(in_points),
      member(
          "energy_note", &RunNumbers::energy_note,
          "why the energy is unknown or only modelled, or what was measured; null: nothing to say")
          .or_null()
          .only(in_runs),
      member("energy_note", &RunNumbers::energy_note, "the same; empty: nothing to say")
          .only(in_points));
}

/// What the summary of a run file (in_runs), a point of a sweep (in_points) and a repetition in
/// results (in_repetitions) have of the numbers of a run. A new number is one of all three, and its
/// mean is in PolicyResult::means.
constexpr auto describe(DescriptionOf<RunNumbers> /*of*/) {
  return std::tuple_cat(
      describe_work(), describe_decisions(), describe_energy(),
      std::tuple(member("items_redone", &RunNumbers::items_redone,
                        "items that were done again after a loss, or twice")
                     .at_least(0)
                     .may_lack(),
                 member("extrapolated_share", &RunNumbers::extrapolated_share,
                        "the share of items in blocks smaller or larger than any recorded one")

                     .may_lack(),
                 member("losses_s", &RunNumbers::losses, "the makespan, divided by cause")
                     .or_null()
                     .only(in_points),
                 unwritten(&RunNumbers::energy_from)));
}

/// A journal that adds up its records. Its memory grows with the units, not with the blocks.
///
/// Measured energy: the sum over all domains of the last minus the first reading of "energy_j"; a
/// domain that was read only once, or not up to the end of the last block, is left out. It replaces
/// the modelled energy.
///
/// Modelled energy, known if the watts of all units are: a unit draws its idle watts during the
/// whole run, except that it draws its busy watts while it computes:
///
///     energy_p = idle_w makespan + (busy_w - idle_w) sum over its blocks of compute.
///
/// This equals what SimGrid's host energy plugin computes for a host of one core from the same
/// property (`wattage_per_state`). Copies do not load the core, and a unit computes one block at a
/// time, so overlapping stages are not counted twice. Blocks that are lost with their unit,
/// decisions and dispatching draw idle watts; so does an absent unit.
///
/// Work that is dropped is work: a block that goes on after it was taken back, or after its copy
/// was done, counts with its times when it has ended. While it has not, at the makespan or when its
/// unit is lost, its times are unknown; the unit then counts as computing since it was handed out,
/// or since the unit's end before, if that is later.
///
/// Occupied: the union of the blocks' [end - total(times), end]. Waiting between stages is left
/// out. While a block waits, another block of the unit is usually in a stage, so the union
/// covers the waiting. One exception: the oldest block waits for the only copy engine while a
/// younger one is copied in and nothing is computed; such a wait may be left out.
class Metrics final : public Journal {
 public:
  /// `recorded`: one entry for each unit and phase, [phase][unit]; empty if nothing is extrapolated
  /// (real runs).
  /// `meter_note`: what the machine's meters do not measure, and why; for the note on the energy.
  /// `alone`, `repeats_blocks`: for LossAccount.
  explicit Metrics(std::vector<Unit> units, std::vector<std::vector<RecordedSizes>> recorded = {},
                   std::string meter_note = {}, CopyTimesAlone alone = {},
                   bool repeats_blocks = false);

  void block(const BlockRecord& record) override;
  void decision(const DecisionRecord& record) override;
  void event(const EventRecord& record) override;
  void measured(const Measured& record) override;

  /// The numbers of the records received so far.
  /// The run ends at `end` or later: results were still on their way when the last unit had ended.
  void ends_not_before(Seconds end) { sum_.makespan = std::max(sum_.makespan, end); }
  [[nodiscard]] RunNumbers numbers() const;

 private:
  /// A period without gaps in which at least one block of the unit was in a stage.
  struct OccupiedStretch {
    Seconds earlier_end;  ///< end of the period before
    Seconds begin;
    Seconds end;
  };

  /// The readings of a domain's energy.
  struct EnergyReadings {
    double first_j = 0.0;
    double last_j = 0.0;
    Seconds last_at;
    std::uint64_t count = 0;
  };

  /// A lost block that goes on.
  struct GoingOn {
    std::uint64_t block = 0;
    Seconds assigned;
  };
  /// A unit besides its numbers.
  struct UnitTime {
    OccupiedStretch stretch;  ///< the latest one
    Seconds dropped;          ///< computing of lost blocks
    std::vector<GoingOn> going_on{};

    void occupy(UnitNumbers& of, Seconds from, Seconds until);
    void go_on(UnitNumbers& of, Seconds until);
  };

  UnitInPhase& in_phase(const Block& block, UnitId unit);
  void model_energy(RunNumbers& numbers, const std::vector<UnitTime>& times) const;
  void measure_energy(RunNumbers& numbers) const;
  /// Why no energy was measured.
  [[nodiscard]] std::string why_unmeasured() const;

  std::vector<Unit> units_;
  std::vector<std::vector<RecordedSizes>> recorded_;
  std::string meter_note_;
  LossAccount losses_;
  RunNumbers sum_;
  std::vector<UnitTime> times_;  ///< (units)
  Items extrapolated_items_ = 0;
  std::map<std::string, EnergyReadings> energy_;  ///< by domain
};

}  // namespace equipoise
