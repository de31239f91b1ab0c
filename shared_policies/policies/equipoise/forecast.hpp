// When all units will end at the rates that they have shown, what each of them is to do until then,
// and the sizes of its next blocks.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "shared_policies/policies/equipoise/block_costs.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Parameters of the block size; none has a unit of measure.
struct BlockSizing {
  double first = 0.0005;            ///< of all items: first blocks of all units, if all are CPUs
  double first_accelerator = 0.02;  ///< the same if none is a CPU
  double growth = 2.0;              ///< a block is at most this many times the largest before it
  double accelerator_growth = 8.0;  ///< the same on accelerators and over networks
  double slack = 0.5;               ///< a block's share of the time left if times do not scatter
  double least_slack = 0.05;        ///< the same if items differ, or if small blocks cost nothing
  double overlap = 0.7;             ///< factor on `slack` where blocks hide copies
  double safety_margin = 2.5;       ///< standard deviations by which a block is shortened
  double overhead = 0.01;      ///< blocks are enlarged until fixed costs are at most this share
  double risk_aversion = 0.5;  ///< weight of scatter relative to fixed costs in the last block
};

/// Chooses block sizes for a run of `run_s` seconds. A block need be no longer than that its fixed
/// time is a thousandth of it: items may differ that were alike so far. Once they are known to
/// differ (ItemDifferences), only the share `overhead` makes blocks longer. Source: ours.
class NextBlock {
 public:
  /// `overlap`: blocks hide copies, and are shorter, so that less is queued when the run ends.
  NextBlock(const BlockSizing& sizing, double run_s, bool overlap, bool items_differ = false);

  /// The size in items of the next block of a unit that has `left_s` seconds of work to come; at
  /// most `cap_items`. May be less than one.
  ///
  /// If `left_s` is at most `last_block_s`: all items that fit into `left_s`. Otherwise a block of
  ///
  ///     max(min(share * left / (1 + margin * sd), hidden), min(fixed / overhead, left / 2))
  ///
  /// seconds, where sd is the scatter, the share lies between `least_slack` and `slack`, as large
  /// as the fixed time asks for (`least_slack` if items differ), and `hidden_s` is the time of the
  /// longest block whose copy in is hidden (PipelineCost::longest_hidden_s).
  [[nodiscard]] double items(const RunningCost& cost, double left_s, double cap_items,
                             double hidden_s) const;

  /// The longest time that a single last block may take: for a longer one, its scatter costs more
  /// than the fixed costs that halving it would add. 2 * fixed / (risk_aversion * sd).
  [[nodiscard]] double last_block_s(const RunningCost& cost) const;

 private:
  [[nodiscard]] double fixed_s(const RunningCost& cost) const;

  BlockSizing sizing_;
  double run_s_;
  bool items_differ_;
};

/// The times that grains would take on one unit.
struct GrainCost {
  bool takes_part = false;
  double first_end_s = 0.0;  ///< when it would end with one more grain
  double more_s = 0.0;       ///< time that each further grain adds, >= 0
};

/// Gives each grain to the unit (the first of several) that would finish it first, which is optimal
/// if each further grain really adds `more_s`. Returns the number of grains of each unit (n); all 0
/// if no unit takes part. O((n + grains) log n). Source: list scheduling, Graham 1966.
[[nodiscard]] std::vector<Items> list_schedule(std::span<const GrainCost> units, Items grains);

/// A unit in this phase, and its part of the remaining items.
struct UnitPart {
  bool has_data = false;       ///< it has finished a block, so it has the resident data
  bool is_kept_out = false;    ///< it gets no first block yet
  bool is_answer = false;      ///< its last block was handed out when another of its blocks ended
  double fetch_s = 0.0;        ///< what bringing its data was expected to take when it was let in
  double largest_items = 0.0;  ///< its largest block that finished
  Seconds last_end;            ///< end of its last block that finished

  double ready_s = 0.0;  ///< when its outstanding blocks will have ended
  double rate = 0.0;     ///< items/s in the largest block that it may get; 0: takes no part
  double begin_s = 0.0;  ///< ready_s plus the fixed costs of its later blocks
  double blocks = 1.0;   ///< how many later blocks it will take
  Items grains = 0;      ///< how many of the last grains it is to get
};

/// When all units would end if they went on at the rates that they have shown:
///
///     end = (remaining + sum_p r_p b_p) / sum_p r_p   over the units with b_p < end
///
/// Unit p does r_p items/s from b_p on. That is when its outstanding blocks will have ended, plus
/// the fixed costs of the blocks that it will still take: those of queued blocks or, if an empty
/// unit will take only one, of a block alone. Both sums are kept. `renew` brings the part of one
/// unit up to date, `update` all parts, in O(n) for each time that one of them turns out to begin
/// too late. Source: ours.
class Forecast {
 public:
  explicit Forecast(const BlockSizing& sizing) : sizing_(sizing) {}

  /// To be called at every event: the run as it is now.
  void look(const View& view) { view_ = &view; }
  [[nodiscard]] const View& view() const { return *view_; }
  /// A phase begins, with nothing known of its units but `costs` (n), which must outlive it, and
  /// whether its items differ.
  void begin_phase(std::span<const PipelineCost> costs, bool items_differ);
  void items_differ() { items_differ_ = true; }
  void begin_iteration();
  void update();
  void renew(UnitId id);
  /// A unit was given a block that will take it `seconds`.
  void took(UnitId id, double seconds);

  [[nodiscard]] UnitPart& part(UnitId id) { return parts_[id.index]; }
  [[nodiscard]] const UnitPart& part(UnitId id) const { return parts_[id.index]; }
  [[nodiscard]] const PipelineCost& cost_of(UnitId id) const { return costs_[id.index]; }
  [[nodiscard]] bool takes_part(const UnitState& unit) const {
    return unit.present && !part(unit.id).is_kept_out;
  }
  /// The end of the iteration as last estimated.
  [[nodiscard]] double end_s() const { return end_s_; }
  /// The rate of all units together, as last summed.
  [[nodiscard]] double rate() const { return rate_; }
  /// Whether so few grains remain that they are assigned one by one, as UnitPart::grains says.
  [[nodiscard]] bool has_few_grains() const { return has_few_grains_; }
  /// The largest block that a unit may get; several fit in its memory where items are cheaper so.
  [[nodiscard]] double most_items(const UnitState& unit) const;
  /// The sizes of the next blocks of a unit.
  [[nodiscard]] NextBlock sizes(UnitId id) const;
  /// The parameters for a unit. On an accelerator, and where a network copies items, large blocks
  /// are cheaper by more than the first blocks show: they grow faster, and small ones are not for
  /// nothing, as long as items seem alike.
  [[nodiscard]] BlockSizing sizing_of(UnitId id) const;
  /// The mean rate of the known units of a kind at the last `update`; 0 if there were none.
  [[nodiscard]] double rate_of(UnitKind kind) const;

 private:
  void sum_up();
  void find_rates_of_kinds();
  void enter(const UnitState& unit);
  bool leave_if_late(UnitPart& part);
  void count_blocks(const UnitState& unit);
  void assign_last_grains();

  BlockSizing sizing_;
  const View* view_ = nullptr;
  std::span<const PipelineCost> costs_;
  std::vector<UnitPart> parts_;                                  // (n)
  std::map<UnitKind, std::pair<double, double>> rates_of_kind_;  // sum in items/s, and of how many
  double begin_s_ = 0.0;                                         // of the iteration
  double end_s_ = 0.0;
  double rate_ = 0.0;         // sum of r_p
  double done_before_ = 0.0;  // sum of r_p b_p
  bool items_differ_ = false;
  bool has_few_grains_ = false;
  bool is_new_iteration_ = false;
};

}  // namespace equipoise
