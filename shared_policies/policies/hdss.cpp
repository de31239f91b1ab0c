// hdss: HDSS (Belviranli, Bhuyan, Gupta, ACM TACO 9(4), 2013). In the adaptive phase (phase 1)
// blocks grow, and every unit's speed is fitted as a logarithm of the block size; the fitted speeds
// become weights, one number for each unit. In the completion phase (phase 2) blocks are a weighted
// part of what remains and shrink towards the end. The weights never change after phase 1: HDSS
// does not react to later events. The other policies are compared with it for this reason.
//
//     phase 1:  b = x0 g^r,       v_p(b) = alpha_p ln b + beta_p
//               w_p = v_p(b_last) / sum_j v_j(b_last)
//     phase 2:  b = max(b_min, ceil(w_p R / D))   with R items left
//
// Source: the descriptions in PLB-HeC, PLB-HAC and DLB-GPU (the paper itself was not available).
// They give neither the growth of blocks, nor the test of convergence, nor the share of the items
// in phase 1, nor the divisor D: each is a parameter with a default of ours. The blocks of a round
// have equal sizes: the non-optimal sizes of phase 1 are what PLB-HeC V.c and PLB-HAC 5.3 blame for
// the idleness of HDSS. On machines with CPU cores and GPUs, such a phase 1 may take as long as all
// of the work; with phase1_sizes=by_speed, sizes are multiplied by the latest relative speeds.
// What we add: memory caps (a block that cannot grow ends a unit's phase 1), units that are lost,
// several iterations and phases (weights are kept for every kernel), and units that join late (each
// learns its own weight while the other units work).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/fit/log_speed.hpp"
#include "shared_policies/policies/barrier.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

enum class Phase1Sizes { equal, by_speed };

struct HdssOptions {
  std::optional<Items> initial_block_items;
  double growth = 2.0;
  Phase1Sizes phase1_sizes = Phase1Sizes::equal;
  bool phase1_sync = true;
  double convergence = 0.05;
  Items min_points = 3;
  double training_share_max = 0.2;
  double divisor = 2.0;
  std::optional<Items> min_block_items;
};

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

class Hdss final : public Policy {
 public:
  explicit Hdss(const HdssOptions& options) : options_(options) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      kernel_ = &kernels_[view.workload().kernel];
      kernel_->units.resize(view.units().size());
      first_block_items_ = initial_block(view, options_.initial_block_items);
    } else if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      on_finished(view, *finished, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      on_idle(view, idle->unit, decisions);
    } else if (std::holds_alternative<UnitLost>(event.what)) {
      if (waits_for_all() && all_are_back(view)) begin_round(view, decisions);
    }
  }

 private:
  [[nodiscard]] WeighedUnit& unit_of(UnitId id) const { return kernel_->units[id.index]; }

  void on_finished(const View& view, const BlockFinished& finished, Decisions& decisions) {
    if (finished.block.tag != BlockTag::train) return;
    WeighedUnit& unit = unit_of(finished.unit);
    learn(unit, static_cast<double>(finished.block.items), block_duration_s(finished.times));
    if (finished.block.items >= view.unit(finished.unit).cap_items) unit.converged = true;
    if (!kernel_->phase1_is_over && view.remaining() == 0 && view.outstanding() == 0) {
      decisions.note("exhausted_in_training");
    }
  }

  /// Adds a point to the curve. The unit has converged if the next growth promises less than
  /// `convergence`, or the last growth brought less.
  void learn(WeighedUnit& unit, double items, double seconds) const {
    const double speed = items / seconds;
    const double before = unit.samples.empty() ? 0.0 : unit.samples.back().items_per_s;
    unit.samples.push_back({items, speed});
    unit.curve = fit_log_speed(unit.samples);
    const double promised = unit.curve.alpha * std::log(options_.growth) / unit.curve.at(items);
    const double brought = before > 0.0 ? std::abs(speed - before) / before : 1.0;
    if (unit.points() >= options_.min_points &&
        (promised < options_.convergence || brought < options_.convergence)) {
      unit.converged = true;
    }
  }

  void on_idle(const View& view, UnitId id, Decisions& decisions) {
    const bool is_free = view.unit(id).outstanding.empty();
    if (kernel_->phase1_is_over) {
      if (unit_of(id).speed > 0.0) {
        decisions.assign(id, weighted_block(view, id));
      } else if (is_free) {
        weigh_late(view, id, decisions);
      }
    } else if (!waits_for_all()) {
      if (is_free) grow_alone(view, id, decisions);
    } else if (all_are_back(view)) {
      begin_round(view, decisions);
    }
  }

  /// Whether phase 1 is running with barriers.
  [[nodiscard]] bool waits_for_all() const {
    return options_.phase1_sync && !kernel_->phase1_is_over;
  }

  // -- Phase 1 ---------------------------------------------------------------------------------

  /// The size of the unit's block after `growths` growths.
  [[nodiscard]] Items growing_block(const View& view, UnitId id, Items growths) const {
    double items = static_cast<double>(first_block_items_) *
                   std::pow(options_.growth, static_cast<double>(growths));
    if (options_.phase1_sizes == Phase1Sizes::by_speed && unit_of(id).points() > 0) {
      double fastest = 0.0;
      for (const WeighedUnit& unit : kernel_->units) {
        if (unit.points() > 0) fastest = std::max(fastest, unit.samples.back().items_per_s);
      }
      items *= unit_of(id).samples.back().items_per_s / fastest;
    }
    const auto most = static_cast<double>(view.unit(id).cap_items);
    return std::max<Items>(1, std::llround(std::min(items, most)));
  }

  /// Whether phase 1 may hand out `items` more.
  [[nodiscard]] bool fits_into_share(const View& view, double items) const {
    return kernel_->phase1_items + items <=
           options_.training_share_max * static_cast<double>(view.workload().items);
  }

  void assign_growing(UnitId id, Items items, Decisions& decisions) {
    kernel_->phase1_items += static_cast<double>(items);
    decisions.assign(id, items, BlockTag::train);
  }

  [[nodiscard]] bool all_converged(const View& view) const {
    return std::all_of(view.units().begin(), view.units().end(), [this](const UnitState& unit) {
      return !unit.present || unit_of(unit.id).converged;
    });
  }

  /// With barriers: starts one more round, or ends phase 1.
  void begin_round(const View& view, Decisions& decisions) {
    std::vector<std::pair<UnitId, Items>> blocks;
    double sum = 0.0;
    for (const UnitState& unit : view.units()) {
      if (unit.present) {
        blocks.emplace_back(unit.id, growing_block(view, unit.id, kernel_->round));
        sum += static_cast<double>(blocks.back().second);
      }
    }
    if (kernel_->round > 0 && (all_converged(view) || !fits_into_share(view, sum))) {
      end_phase1(view, decisions);
      return;
    }
    ++kernel_->round;
    for (const auto& [id, items] : blocks) assign_growing(id, items, decisions);
  }

  /// Without barriers: hands out the unit's own next block. A unit that has converged repeats its
  /// last block size until all units have converged.
  void grow_alone(const View& view, UnitId id, Decisions& decisions) {
    const WeighedUnit& unit = unit_of(id);
    const Items next = unit.converged ? std::llround(unit.samples.back().items)
                                      : growing_block(view, id, unit.points());
    if (all_converged(view) ||
        (unit.points() > 0 && !fits_into_share(view, static_cast<double>(next)))) {
      end_phase1(view, decisions);
    } else {
      assign_growing(id, next, decisions);
    }
  }

  /// A unit without a weight in phase 2 goes through phase 1 alone.
  void weigh_late(const View& view, UnitId id, Decisions& decisions) {
    WeighedUnit& unit = unit_of(id);
    const Items next = growing_block(view, id, unit.points());
    if (unit.points() == 0 ||
        (!unit.converged && fits_into_share(view, static_cast<double>(next)))) {
      assign_growing(id, next, decisions);
      return;
    }
    freeze(unit);
    decisions.decided(weights(view, DecisionKind::unit_joined));
    decisions.assign(id, weighted_block(view, id));
  }

  void end_phase1(const View& view, Decisions& decisions) {
    kernel_->phase1_is_over = true;
    for (WeighedUnit& unit : kernel_->units) {
      if (unit.points() > 0) freeze(unit);
    }
    decisions.decided(weights(view, DecisionKind::fit));
    // Each part is computed from what the parts asked for before it leave over.
    auto left = static_cast<double>(view.remaining());
    for (const UnitState& unit : view.units()) {
      if (!unit.present || !unit.outstanding.empty()) continue;
      if (unit_of(unit.id).speed > 0.0) {
        const Items items = weighted_part(view, unit.id, left);
        decisions.assign(unit.id, items);
        left = std::max(0.0, left - static_cast<double>(items));
      } else {
        weigh_late(view, unit.id, decisions);
      }
    }
  }

  /// Sets the unit's final speed: the curve's value at the largest block that was tried.
  static void freeze(WeighedUnit& unit) {
    const auto largest = std::max_element(
        unit.samples.begin(), unit.samples.end(),
        [](const SpeedSample& a, const SpeedSample& b) { return a.items < b.items; });
    unit.speed = unit.curve.at(largest->items);
  }

  // -- Phase 2 ---------------------------------------------------------------------------------

  /// w_p: the unit's part of the total speed of the present units.
  [[nodiscard]] double weight(const View& view, UnitId id) const {
    double sum = 0.0;
    for (const UnitState& unit : view.units()) sum += unit.present ? unit_of(unit.id).speed : 0.0;
    return unit_of(id).speed / sum;
  }

  [[nodiscard]] Items weighted_block(const View& view, UnitId id) const {
    return weighted_part(view, id, static_cast<double>(view.remaining()));
  }

  [[nodiscard]] Items weighted_part(const View& view, UnitId id, double left) const {
    const Items least = options_.min_block_items.value_or(
        std::max(view.workload().grain_items, first_block_items_));
    const double part = weight(view, id) * left / options_.divisor;
    // Weights are quotients of fitted numbers: a rounding error must not turn a whole number into
    // the next one.
    return std::max(least, static_cast<Items>(std::ceil(part * (1.0 - 1e-9))));
  }

  [[nodiscard]] Decision weights(const View& view, DecisionKind what) const {
    Decision decision{{}, what, {}};
    for (const UnitState& unit : view.units()) {
      const WeighedUnit& weighed = unit_of(unit.id);
      if (unit.present && weighed.speed > 0.0) {
        decision.estimates.push_back(
            {unit.id,
             fmt::format("x / ({:.4g} ln x + {:.4g})", weighed.curve.alpha, weighed.curve.beta),
             {},
             {},
             weighted_block(view, unit.id)});
      }
    }
    return decision;
  }

  HdssOptions options_;
  std::map<std::string, WeighedKernel> kernels_;
  WeighedKernel* kernel_ = nullptr;  // of the current phase
  Items first_block_items_ = 1;
};

std::unique_ptr<Policy> make_hdss(const Parameters& read, const KnownCosts* /*known*/) {
  HdssOptions options;
  options.initial_block_items = read.items_or_auto("initial_block_items", 1);
  options.growth = read.number("growth", 1.0, 1e6);
  options.phase1_sizes =
      static_cast<Phase1Sizes>(read.choice("phase1_sizes", {"equal", "by_speed"}));
  options.phase1_sync = read.flag("phase1_sync");
  options.convergence = read.number("convergence", 0.0, 1e9);
  options.min_points = read.items("min_points", 1);
  options.training_share_max = read.number("training_share_max", 0.0, 1.0);
  options.divisor = read.number("divisor", 1e-3, 1e9);
  options.min_block_items = read.items_or_auto("min_block_items", 1);
  return std::make_unique<Hdss>(options);
}

}  // namespace

PolicyInfo hdss_info() {
  return {
      "hdss",
      "learns each unit's speed from growing blocks, then shrinks blocks proportional to it",
      "HDSS (Belviranli, Bhuyan, Gupta, 2013), as PLB-HeC and PLB-HAC describe it",
      {initial_block_parameter(),
       {"growth", "2", "x a round", "how blocks grow in phase 1",
        "not said; chosen because PLB-HeC's training doubles, too"},
       {"phase1_sizes", "equal", "",
        "blocks of a round: equal (all wait for the slowest unit), or in proportion to the latest "
        "speeds (by_speed)",
        "PLB-HeC V.c, PLB-HAC 5.3: phase 1 uses non-optimal sizes; only PLB-HeC adapts them after "
        "the first block"},
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
      Foresight::none,
      0.0,
      make_hdss,
      nullptr,
      {{"robust",
        "slow units get smaller blocks in phase 1, so that fast ones do not wait for them",
        {{"phase1_sizes", "by_speed"}}}}};
}

}  // namespace equipoise
