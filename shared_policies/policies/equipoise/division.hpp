// Divides the remaining items among the units, at the rates that they have shown.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "shared_policies/policies/equipoise/next_block.hpp"
#include "shared_policies/policies/equipoise/pipeline_cost.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

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
///     end = (remaining + sum_p r_p b_p) / sum_p r_p   over the units with b_p < end,
///
/// where unit p does r_p items/s from b_p on: when its outstanding blocks will have ended, plus the
/// fixed costs of its later ones, which are queued, but for the last block of an empty unit. Both
/// sums are kept. `renew` brings the part of one unit up to date, `divide` all parts, in O(n) for
/// each time that one of them turns out to begin too late. Source: ours.
class Division {
 public:
  explicit Division(const BlockSizing& sizing) : sizing_(sizing) {}

  /// A phase begins, with nothing known of its `units` but `costs` (n), which must outlive it.
  void begin_phase(std::size_t units, std::span<const PipelineCost> costs);
  /// An iteration begins at `now_s`.
  void begin_iteration(double now_s);
  void divide(const View& view);
  void renew(const View& view, UnitId id);
  /// A unit was given a block that will take it `seconds`.
  void took(UnitId id, double seconds);

  [[nodiscard]] UnitPart& part(UnitId id) { return parts_[id.index]; }
  [[nodiscard]] const UnitPart& part(UnitId id) const { return parts_[id.index]; }
  [[nodiscard]] const PipelineCost& cost(UnitId id) const { return costs_[id.index]; }
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
  [[nodiscard]] double most_items(const View& view, const UnitState& unit) const;
  /// The sizes of the next blocks of a unit.
  [[nodiscard]] NextBlock sizes(UnitId id) const;
  /// The mean rate of the known units of a kind at the last `divide`; 0 if there were none.
  [[nodiscard]] double rate_of(UnitKind kind) const;

 private:
  void sum_up(const View& view);
  void find_rates_of_kinds(const View& view);
  void enter(const View& view, const UnitState& unit);
  bool leave_if_late(UnitPart& part);
  void count_blocks(const View& view, const UnitState& unit);
  void assign_last_grains(const View& view);

  BlockSizing sizing_;
  std::span<const PipelineCost> costs_;
  std::vector<UnitPart> parts_;                                  // (n)
  std::map<UnitKind, std::pair<double, double>> rates_of_kind_;  // sum in items/s, and of how many
  double begin_s_ = 0.0;                                         // of the iteration
  double end_s_ = 0.0;
  double rate_ = 0.0;         // sum of r_p
  double done_before_ = 0.0;  // sum of r_p b_p
  bool has_few_grains_ = false;
  bool is_new_iteration_ = false;
};

}  // namespace equipoise
