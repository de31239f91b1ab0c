// taper, bold: loop self-scheduling with blocks that are smaller the more the times of items
// scatter. R items remain; an idle one of P units asks, and gets a block of
//
//     taper    T + v^2 / 2 - v sqrt(2 T + v^2 / 4), T = R / P + K_min / 2,  Taper
//              v = alpha sigma / mu
//              (Lucco: A dynamic scheduling method for irregular parallel
//              programs, PLDI 1992, doi:10.1145/143095.143134)
//     bold     by R, the items that are not done and the requests that      Bold
//              are still to come
//              (Hagerup: Allocating independent tasks to parallel
//              processors: an experimental study, JPDC 47, 1997,
//              doi:10.1006/jpdc.1997.1411)
//
// Neither paper was at hand. The formulas (`tapered_items`, `bold_items`) are those that LB4OMP's
// code has, and for taper those that later papers print.
//
// Where we depart:
//  - P is the number of present units. They are equal in both papers; here they may differ, and
//    the scatter of item times then includes the difference between units.
//  - taper measures mu and sigma during the run, unless the user gives sigma / mu: Lucco samples
//    the times of tasks, too. LB4OMP and bold's author take them to be known. We see blocks only,
//    and estimate sigma as af does, from pieces of a unit's first block (`FirstPieces`), then from
//    its last blocks.
//  - bold computes its estimate of the items that are not done from the blocks that are handed out;
//    the paper and LB4OMP keep it up to date by adding and subtracting, with the same result. Of
//    several blocks of a unit, only the one that it has begun makes progress.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/loop/first_pieces.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/loop_parameters.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/policies/loop/self_scheduling.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

class Taper final : public SelfScheduling {
 public:
  explicit Taper(const Parameters& read)
      : SelfScheduling(min_block(read)),
        alpha_(read.number("alpha", 0.0, 1e9)),
        given_(number_or_auto(read, "coefficient_of_variation")),
        pieces_(read),
        times_(timed_part(read)) {}

 private:
  void on_event(const Event& event) override { times_.include(view(), event); }

  WantedBlock wanted(UnitId unit) override {
    if (!given_) {
      if (const auto piece = pieces_.next(view(), times_, unit)) return {*piece, BlockTag::train};
    }
    return {tapered_items(remaining(), present(), min_items(), alpha_ * variation())};
  }

  /// sigma / mu.
  [[nodiscard]] double variation() {
    if (given_) return *given_;
    const ItemTime item = times_.of_any_unit().value_or(ItemTime{1.0, 0.0});
    return std::sqrt(item.variance_s2) / item.mean_s;
  }

  double alpha_;
  std::optional<double> given_;  ///< sigma / mu; none: measured
  FirstPieces pieces_;
  ItemTimes times_;
};

/// A profile of mean times does not have sigma, so `auto` uses the deviation between units, as for
/// fsc and fac.
class Bold final : public SelfScheduling {
 public:
  Bold(const Parameters& read, const KnownCosts& known)
      : SelfScheduling(min_block(read)),
        known_(known),
        mu_s_(number_or_auto(read, "mu_s", shortest_block_s)),
        sigma_s_(number_or_auto(read, "sigma_s")),
        overhead_s_(number_or_auto(read, "overhead_s")) {}

 private:
  void on_phase() override {
    const ItemTime item = item_time_between_units(profile_item_times(known_, view()));
    inputs_.mean_s = mu_s_.value_or(std::max(item.mean_s, shortest_block_s));
    inputs_.sigma_s = sigma_s_.value_or(std::sqrt(item.variance_s2));
    inputs_.overhead_s = overhead_s_ ? *overhead_s_ : profile_fixed_s(known_, view());
    free_since_.resize(view().units().size());
  }

  WantedBlock wanted(UnitId /*unit*/) override {
    BoldState now{remaining(), remaining(), remaining(), present()};
    for (const UnitState& unit : view().units()) {
      for (const OutstandingBlock& block : unit.outstanding) {
        now.unreturned += static_cast<double>(block.block.items);
      }
      now.undone += undone_items(unit);
    }
    return {bold_items(inputs_, now)};
  }

  /// The estimated items of the unit's blocks that it has not done. A block of c items is taken to
  /// advance by c / (c mu + h) items per second. It counts negative when it is late.
  [[nodiscard]] double undone_items(const UnitState& unit) const {
    double items = 0.0;
    for (const OutstandingBlock& block : unit.outstanding) {
      items += static_cast<double>(block.block.items);
    }
    if (unit.outstanding.empty() || !unit.going_on.empty()) return items;
    const OutstandingBlock& begun = unit.outstanding.front();
    const auto c = static_cast<double>(begun.block.items);
    const Seconds start = std::max(begun.assigned, free_since_[unit.id.index]);
    const double elapsed_s = (view().now() - start).value;
    return items - elapsed_s * c / (c * inputs_.mean_s + inputs_.overhead_s);
  }

  void on_finished(const BlockFinished& finished) override { is_free(finished.unit); }
  void on_block_lost(const BlockLost& lost) override { is_free(lost.unit); }
  void on_late_end(const LateEnd& late) override { is_free(late.unit); }
  void is_free(UnitId unit) { free_since_[unit.index] = at(); }

  const KnownCosts& known_;
  std::optional<double> mu_s_;
  std::optional<double> sigma_s_;
  std::optional<double> overhead_s_;
  BoldInputs inputs_;                // of this phase
  std::vector<Seconds> free_since_;  // (n): end of the unit's last block
};

// -- Catalog -----------------------------------------------------------------------------------

PolicyInfo taper_info() {
  return {.name = "taper",
          .line = "an even share of the remaining items, less what their scatter may cost",
          .source = "Lucco (1992)",
          .parameters =
              {{"coefficient_of_variation", "auto", "",
                "standard deviation of item times over their mean; auto: as the blocks of this run "
                "show it",
                "Lucco (1992): tasks are sampled at run time; LB4OMP: from a profile"},
               {"alpha", "1.3", "",
                "how many standard deviations a block may be late without making others wait",
                "Lucco (1992), as later papers cite it: 1.3"},
               initial_block_parameter(),
               sub_blocks_parameter(),
               time_parameter("compute"),
               min_block_parameter()},
          .make = make_a<Taper>};
}

PolicyInfo bold_info() {
  return {
      .name = "bold",
      .line = "blocks larger than those of taper while others are at work, by overhead and scatter",
      .source = "Hagerup (1997)",
      .parameters =
          {profile_parameter(),
           {"mu_s", "auto", "s", "mean time of an item; auto: mean of the profile's units",
            "Hagerup (1997): mu is known; not said from where; chosen because it is the mean if "
            "units do equally many items"},
           {"sigma_s", "auto", "s",
            "standard deviation of item times; auto: between the profile's units",
            "Hagerup (1997): sigma is known; not said from where; auto is chosen as for fac: a "
            "profile has means alone, and which unit gets an item is not known before"},
           {"overhead_s", "auto", "s",
            "h, of one request; auto: the fixed part of block times, mean of the profile's units",
            "Hagerup (1997): h is known; not said from where; chosen as for fsc: the fixed part is "
            "what one more block costs"},
           min_block_parameter()},
      .foresight = Foresight::informed,
      .make = make_a<Bold>};
}

}  // namespace

std::vector<PolicyInfo> scatter_rules_info() { return {taper_info(), bold_info()}; }

}  // namespace equipoise
