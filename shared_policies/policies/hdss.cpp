// hdss: HDSS (Belviranli, Bhuyan, Gupta, ACM TACO 9(4), 2013). In the adaptive phase (phase 1)
// blocks grow, and every unit's speed is fitted as a logarithm of the block size; the fitted speeds
// become weights, one number for each unit. In the completion phase (phase 2) blocks are a weighted
// part of what remains and shrink towards the end. The weights never change after phase 1: HDSS
// does not react to later events. The other policies are compared with it for this reason.
//
//     phase 1: rounds r = 0, 1, ... of blocks of x0 g^r items          begin_round, growing_block
//       v_p(b) = alpha_p ln b + beta_p, by least squares               learn
//       until the speeds have converged                                all_converged
//     w_p = v_p(b_last) / sum of v_j(b_last)                           end_phase1, freeze, weight
//     phase 2: an idle unit gets max(b_min, ceil(w_p R / D)) items     on_idle, weighted_part
//       of the R that are left
//
// Source: the descriptions in PLB-HeC, PLB-HAC and DLB-GPU (the paper itself was not available).
// What they do not say is a parameter with a default of ours. The blocks of a round have equal
// sizes: the non-optimal sizes of phase 1 are what PLB-HeC V.c and PLB-HAC 5.3 blame for the
// idleness of HDSS. On machines with CPU cores and GPUs, such a phase 1 may take as long as all of
// the work; with phase1_sizes=by_speed, sizes are multiplied by the latest relative speeds.
// What we add stands at the end of the class: memory caps, units that are lost or join, iterations
// and phases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

enum class Phase1Sizes { equal, by_speed };

/// One unit, for one kernel.
struct WeighedUnit {
  std::vector<SpeedSample> samples;
  LogSpeed curve;
  bool converged = false;
  double speed = 0.0;  // frozen; 0: not known yet

  [[nodiscard]] Items points() const { return static_cast<Items>(samples.size()); }
};

/// What is known of one kernel.
struct WeighedKernel {
  std::vector<WeighedUnit> units;  // (n)
  bool phase1_is_over = false;
  Items round = 0;          // of phase 1, with barriers
  double phase1_items = 0;  // handed out in phase 1
};

class Hdss final : public EventPolicy {
 public:
  explicit Hdss(const Parameters& read)
      : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        growth_(read.number("growth", 1.0, 1e6)),
        phase1_sizes_(read.choice<Phase1Sizes>("phase1_sizes", {"equal", "by_speed"})),
        phase1_sync_(read.flag("phase1_sync")),
        convergence_(read.number("convergence", 0.0, 1e9)),
        min_points_(read.items("min_points", 1)),
        training_share_max_(read.number("training_share_max", 0.0, 1.0)),
        divisor_(read.number("divisor", 1e-3, 1e9)),
        min_block_items_(read.items_or_auto("min_block_items", 1)) {}

 private:
  [[nodiscard]] WeighedUnit& unit_of(UnitId id) const { return kernel_->units[id.index]; }

  void on_finished(const BlockFinished& finished) override {
    if (finished.block.tag != BlockTag::train) return;
    WeighedUnit& unit = unit_of(finished.unit);
    learn(unit, static_cast<double>(finished.block.items), block_duration_s(finished.times));
    end_growth_at_cap(unit, finished);
  }

  /// Adds a point to the curve. The unit has converged if the next growth promises less than
  /// `convergence`, or the last growth brought less.
  void learn(WeighedUnit& unit, double items, double seconds) const {
    const double speed = items / seconds;
    const double before = unit.samples.empty() ? 0.0 : unit.samples.back().items_per_s;
    unit.samples.push_back({items, speed});
    unit.curve = fit_log_speed(unit.samples);
    const double promised = unit.curve.alpha * std::log(growth_) / unit.curve.at(items);
    const double brought = before > 0.0 ? std::abs(speed - before) / before : 1.0;
    if (unit.points() >= min_points_ && (promised < convergence_ || brought < convergence_)) {
      unit.converged = true;
    }
  }

  void on_idle(UnitId id) override {
    const bool is_free = view().unit(id).outstanding.empty();
    if (kernel_->phase1_is_over) {
      if (unit_of(id).speed > 0.0) {
        decisions().assign(id, weighted_block(id));
      } else if (is_free) {
        weigh_late(id);
      }
    } else if (!waits_for_all()) {
      if (is_free) grow_alone(id);
    } else if (all_are_back()) {
      begin_round();
    }
  }

  /// Whether phase 1 is running with barriers.
  [[nodiscard]] bool waits_for_all() const { return phase1_sync_ && !kernel_->phase1_is_over; }

  // -- Phase 1 ---------------------------------------------------------------------------------

  /// The size of the unit's block after `growths` growths.
  [[nodiscard]] Items growing_block(UnitId id, Items growths) const {
    double items =
        static_cast<double>(first_block_items_) * std::pow(growth_, static_cast<double>(growths));
    if (phase1_sizes_ == Phase1Sizes::by_speed && unit_of(id).points() > 0) {
      double fastest = 0.0;
      for (const WeighedUnit& unit : kernel_->units) {
        if (unit.points() > 0) fastest = std::max(fastest, unit.samples.back().items_per_s);
      }
      items *= unit_of(id).samples.back().items_per_s / fastest;
    }
    const auto most = static_cast<double>(view().unit(id).cap_items);
    return std::max<Items>(1, std::llround(std::min(items, most)));
  }

  /// Whether phase 1 may hand out `items` more.
  [[nodiscard]] bool fits_into_share(double items) const {
    return kernel_->phase1_items + items <= training_share_max_ * all_items();
  }

  void assign_growing(UnitId id, Items items) {
    kernel_->phase1_items += static_cast<double>(items);
    decisions().assign(id, items, BlockTag::train);
  }

  [[nodiscard]] bool all_converged() const {
    return std::ranges::all_of(view().units(), [this](const UnitState& unit) {
      return !unit.present || unit_of(unit.id).converged;
    });
  }

  /// With barriers: starts one more round, or ends phase 1.
  void begin_round() {
    std::vector<std::pair<UnitId, Items>> blocks;
    double sum = 0.0;
    for (const UnitState& unit : view().units()) {
      if (unit.present) {
        blocks.emplace_back(unit.id, growing_block(unit.id, kernel_->round));
        sum += static_cast<double>(blocks.back().second);
      }
    }
    if (kernel_->round > 0 && (all_converged() || !fits_into_share(sum))) {
      end_phase1();
      return;
    }
    ++kernel_->round;
    for (const auto& [id, items] : blocks) assign_growing(id, items);
  }

  /// Without barriers: hands out the unit's own next block. A unit that has converged repeats its
  /// last block size until all units have converged.
  void grow_alone(UnitId id) {
    const WeighedUnit& unit = unit_of(id);
    const Items next =
        unit.converged ? std::llround(unit.samples.back().items) : growing_block(id, unit.points());
    if (all_converged() || (unit.points() > 0 && !fits_into_share(static_cast<double>(next)))) {
      end_phase1();
    } else {
      assign_growing(id, next);
    }
  }

  void end_phase1() {
    kernel_->phase1_is_over = true;
    for (WeighedUnit& unit : kernel_->units) {
      if (unit.points() > 0) freeze(unit);
    }
    decisions().decided(weights(DecisionKind::fit));
    // Each part is computed from what the parts asked for before it leave over.
    double left = remaining();
    for (const UnitState& unit : view().units()) {
      if (!unit.present || !unit.outstanding.empty()) continue;
      if (unit_of(unit.id).speed > 0.0) {
        const Items items = weighted_part(unit.id, left);
        decisions().assign(unit.id, items);
        left = std::max(0.0, left - static_cast<double>(items));
      } else {
        weigh_late(unit.id);
      }
    }
  }

  /// Sets the unit's final speed: the curve's value at the largest block that was tried.
  static void freeze(WeighedUnit& unit) {
    const auto largest = std::ranges::max_element(unit.samples, {}, &SpeedSample::items);
    unit.speed = unit.curve.at(largest->items);
  }

  // -- Phase 2 ---------------------------------------------------------------------------------

  /// w_p: the unit's part of the total speed of the present units.
  [[nodiscard]] double weight(UnitId id) const {
    double sum = 0.0;
    for (const UnitState& unit : view().units()) sum += unit.present ? unit_of(unit.id).speed : 0.0;
    return unit_of(id).speed / sum;
  }

  [[nodiscard]] Items weighted_block(UnitId id) const { return weighted_part(id, remaining()); }

  [[nodiscard]] Items weighted_part(UnitId id, double left) const {
    const Items least =
        min_block_items_.value_or(std::max(view().workload().grain_items, first_block_items_));
    const double part = weight(id) * left / divisor_;
    // Weights are quotients of fitted numbers: a rounding error must not turn a whole number into
    // the next one.
    return std::max(least, static_cast<Items>(std::ceil(part * (1.0 - 1e-9))));
  }

  [[nodiscard]] Decision weights(DecisionKind what) const {
    Decision decision{.what = what};
    for (const UnitState& unit : view().units()) {
      const WeighedUnit& weighed = unit_of(unit.id);
      if (unit.present && weighed.speed > 0.0) {
        decision.estimates.push_back({.unit = unit.id,
                                      .cost = fmt::format("x / ({:.4g} ln x + {:.4g})",
                                                          weighed.curve.alpha, weighed.curve.beta),
                                      .block_items = weighted_block(unit.id)});
      }
    }
    return decision;
  }

  // -- What we add -----------------------------------------------------------------------------

  /// Weights are kept for every kernel: a later iteration or phase with it has no phase 1.
  void on_phase() override {
    kernel_ = &kernels_[view().workload().kernel];
    kernel_->units.resize(view().units().size());
    first_block_items_ = initial_block(view(), initial_block_items_);
  }

  /// A block that cannot grow ends the unit's phase 1. The work may end in phase 1, too.
  void end_growth_at_cap(WeighedUnit& unit, const BlockFinished& finished) {
    if (finished.block.items >= view().unit(finished.unit).cap_items) unit.converged = true;
    if (!kernel_->phase1_is_over && view().remaining() == 0 && view().outstanding() == 0) {
      decisions().note("exhausted_in_training");
    }
  }

  void on_unit_lost(UnitId /*unit*/) override {
    if (waits_for_all() && all_are_back()) begin_round();
  }

  /// A unit without a weight in phase 2 goes through phase 1 alone.
  void weigh_late(UnitId id) {
    WeighedUnit& unit = unit_of(id);
    const Items next = growing_block(id, unit.points());
    if (unit.points() == 0 || (!unit.converged && fits_into_share(static_cast<double>(next)))) {
      assign_growing(id, next);
      return;
    }
    freeze(unit);
    decisions().decided(weights(DecisionKind::unit_joined));
    decisions().assign(id, weighted_block(id));
  }

  std::optional<Items> initial_block_items_;
  double growth_;
  Phase1Sizes phase1_sizes_;
  bool phase1_sync_;
  double convergence_;
  Items min_points_;
  double training_share_max_;
  double divisor_;
  std::optional<Items> min_block_items_;
  std::map<std::string, WeighedKernel> kernels_;
  WeighedKernel* kernel_ = nullptr;  // of the current phase
  Items first_block_items_ = 1;
};

}  // namespace

PolicyInfo hdss_info() {
  return {
      .name = "hdss",
      .line =
          "learns each unit's speed from growing blocks, then shrinks blocks proportional to it",
      .source = "HDSS (Belviranli, Bhuyan, Gupta, 2013), as PLB-HeC and PLB-HAC describe it",
      .parameters =
          {initial_block_parameter(),
           {"growth", "2", "x a round", "how blocks grow in phase 1",
            "not said; chosen because PLB-HeC's training doubles, too"},
           {"phase1_sizes", "equal", "",
            "blocks of a round: equal (all wait for the slowest unit), or in proportion to the "
            "latest speeds (by_speed)",
            "PLB-HeC V.c, PLB-HAC 5.3: phase 1 uses non-optimal sizes; only PLB-HeC adapts them "
            "after the first block"},
           {"phase1_sync", "true", "",
            "a barrier after every round of phase 1; false: each unit goes on alone",
            "PLB-HAC 2: it contains synchronization steps"},
           {"convergence", "0.05", "relative speed",
            "a unit has converged when its next growth should gain, or its last gained, less than "
            "this",
            "not said; chosen because a change of 5 % is within what block times scatter"},
           {"min_points", "3", "blocks", "blocks of a unit before it may have converged",
            "not said; chosen because two points do not show whether a curve levels off"},
           {"training_share_max", "0.2", "share of the items", "phase 1 ends here at the latest",
            "not said; chosen because PLB-HeC's training has this limit (III.B)"},
           {"divisor", "2", "", "D: 2 halves what is left like factoring; 1: weighted guided",
            "not said (PLB-HeC II: large blocks that decrease); chosen because factoring halves"},
           {"min_block_items", "auto", "items", "smallest block of phase 2; auto: the initial one",
            "not said; chosen because smaller blocks were not timed"}},
      .make = make_a<Hdss>,
      .presets = {
          {"robust",
           "slow units get smaller blocks in phase 1, so that fast ones do not wait for them",
           {{"phase1_sizes", "by_speed"}}}}};
}

}  // namespace equipoise
