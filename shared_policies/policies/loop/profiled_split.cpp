// naive, asymmetric: profile at the start of the run, then divide once by measured rates (Kaleem,
// Barik, Shpeisman, Lewis, Hu, Pingali, PACT 2014).
//
//     naive: every unit times one block, and waits             wants_profile, is_profiled
//            divide the rest by items per second               divide
//     asymmetric: units keep taking blocks from the pool       wants_profile
//            while the accelerators time theirs, in rounds,    is_round_over, end_round
//            until the division no longer changes,             end_round
//            or the share for profiling is used up             is_share_used_up
//            divide the rest by items per second               divide
//
// The paper has one CPU and one integrated GPU; it is known here only as PLB-HeC and PLB-HAC
// describe it. Tolerance and share are ours. If all units are of one kind, each counts as an
// accelerator. What was learned of a kernel is kept: later iterations and phases with it divide at
// once. The blocks that a lost unit had, outstanding or planned, go to idle units.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/speed_shares.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

/// The common part of both: profile, divide once, then follow the division.
class ProfiledSplit : public EventPolicy {
 public:
  explicit ProfiledSplit(const Parameters& read)
      : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        times_(timed_part(read)) {}

 protected:
  /// Whether enough is known to divide what remains; called at every event until it returns true.
  virtual bool is_profiled(const Event& event) = 0;
  /// Whether an idle unit gets a block while profiling goes on.
  [[nodiscard]] virtual bool wants_profile(UnitId unit) const = 0;

  [[nodiscard]] const ItemTimes& times() const { return times_; }
  [[nodiscard]] bool all_present(const auto& holds) const {
    return std::ranges::all_of(view().units(),
                               [&](const UnitState& unit) { return !unit.present || holds(unit); });
  }
  [[nodiscard]] bool all_known() const {
    return all_present([this](const UnitState& unit) { return times().blocks(unit.id) > 0; });
  }

 private:
  void on_event(const Event& event) final {
    times_.include(view(), event);
    if (std::holds_alternative<RunStarted>(event.what)) return;
    if (std::holds_alternative<PhaseStarted>(event.what)) return;
    if (std::holds_alternative<IterationStarted>(event.what)) is_divided_ = false;
    if (!is_divided_ && view().remaining() > 0 && is_profiled(event)) {
      divide();
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      if (is_divided_) {
        plan_.offer(view(), idle->unit, decisions());
      } else if (wants_profile(idle->unit)) {
        decisions().assign(idle->unit, initial_block(view(), initial_block_items_),
                           BlockTag::train);
      }
    } else if (const auto* lost = std::get_if<UnitLost>(&event.what); lost && is_divided_) {
      plan_.drop(view(), lost->unit, decisions());
    }
  }

  /// Gives every present unit that has a rate its share of what remains, and idle units their
  /// blocks.
  void divide() {
    std::vector<AffineCurve> lines;
    std::vector<std::size_t> units;
    double speed = 0.0;
    for (const UnitState& unit : view().units()) {
      const std::optional<double>& item_s = times_.mean_s()[unit.id.index];
      if (unit.present && item_s) {
        lines.emplace_back(0.0, *item_s);
        units.push_back(unit.id.index);
        speed += 1.0 / *item_s;
      }
    }
    if (units.empty()) return;
    const std::vector<const CostModel*> costs = pointers_to(lines);
    std::vector<double> shares;
    for (const AffineCurve& line : lines) {
      shares.push_back(remaining() / (line.at(1.0).seconds * speed));
    }
    const Items grain = view().workload().grain_items;
    const std::vector<Items> caps(units.size(), view().remaining());
    const std::vector<Items> whole = round_to_sum({costs, shares, caps, view().remaining(), grain});
    is_divided_ = true;
    plan_.clear(view());
    Decision decision{.what = DecisionKind::divide};
    for (std::size_t i = 0; i < units.size(); ++i) {
      const UnitState& unit = view().units()[units[i]];
      plan_.add(unit.id, whole[i], (whole[i] + unit.cap_items - 1) / unit.cap_items, grain);
      decision.estimates.push_back({.unit = unit.id,
                                    .cost = fmt::format("{:.6g} x", lines[i].at(1.0).seconds),
                                    .block_items = whole[i]});
    }
    decisions().decided(decision);
    for (const UnitState& unit : view().units()) {
      if (unit.present && unit.outstanding.size() < static_cast<std::size_t>(unit.unit.slots)) {
        plan_.offer(view(), unit.id, decisions());
      }
    }
  }

  std::optional<Items> initial_block_items_;
  ItemTimes times_;
  bool is_divided_ = false;
  BlockPlan plan_;
};

class Naive final : public ProfiledSplit {
 public:
  using ProfiledSplit::ProfiledSplit;

 private:
  bool is_profiled(const Event& /*event*/) override { return all_known(); }
  [[nodiscard]] bool wants_profile(UnitId unit) const override {
    return times().blocks(unit) == 0 && view().unit(unit).outstanding.empty();
  }
};

class Asymmetric final : public ProfiledSplit {
 public:
  explicit Asymmetric(const Parameters& read)
      : ProfiledSplit(read),
        tolerance_(read.number("tolerance", 0.0, 1e9)),
        profile_share_max_(read.number("profile_share_max", 0.0, 1.0)) {}

 private:
  /// The state of profiling one kernel.
  struct Profile {
    std::vector<std::uint64_t> blocks;  ///< (n) finished blocks when the round began
    std::vector<double> shares;         ///< (n) by the speeds at the end of the last round
    bool is_steady = false;
  };

  void on_phase() override {
    profile_ = &profiles_[view().workload().kernel];
    profile_->blocks.resize(view().units().size());
  }

  bool is_profiled(const Event& event) override {
    if (!profile_->is_steady && std::holds_alternative<BlockFinished>(event.what) &&
        is_round_over()) {
      end_round();
    }
    return all_known() && (profile_->is_steady || is_share_used_up());
  }

  [[nodiscard]] bool wants_profile(UnitId /*unit*/) const override { return true; }

  /// Whether every accelerator has finished a block of this round.
  [[nodiscard]] bool is_round_over() const {
    const UnitKind kind = view().units().front().unit.kind;
    const bool one_kind =
        all_present([&](const UnitState& unit) { return unit.unit.kind == kind; });
    return all_known() && all_present([&](const UnitState& unit) {
             return (unit.unit.kind == UnitKind::cpu && !one_kind) ||
                    times().blocks(unit.id) > profile_->blocks[unit.id.index];
           });
  }

  /// Compares the division by the latest speeds with that of the round before.
  void end_round() {
    std::vector<double> shares(view().units().size(), 0.0);
    bool is_steady = !profile_->shares.empty();
    SpeedShares latest;
    latest.begin(view(), times().mean_s());
    for (const UnitState& unit : view().units()) {
      if (!unit.present) continue;
      double& share = shares[unit.id.index];
      share = latest.of(unit.id, UnknownUnit::as_fastest);
      is_steady =
          is_steady && std::abs(share - profile_->shares[unit.id.index]) <= tolerance_ * share;
      profile_->blocks[unit.id.index] = times().blocks(unit.id);
    }
    profile_->shares = std::move(shares);
    profile_->is_steady = is_steady;
  }

  [[nodiscard]] bool is_share_used_up() const {
    return all_items() - remaining() >= profile_share_max_ * all_items();
  }

  double tolerance_;
  double profile_share_max_;
  std::map<std::string, Profile> profiles_;
  Profile* profile_ = nullptr;  // of the current phase
};

}  // namespace

PolicyInfo naive_info() {
  return {.name = "naive",
          .line = "measures one block on every unit, then divides once by their speeds",
          .source = "Kaleem et al., PACT 2014",
          .parameters = {initial_block_parameter(), time_parameter("block")},
          .make = make_a<Naive>};
}

PolicyInfo asymmetric_info() {
  return {
      .name = "asymmetric",
      .line = "measures speeds without a barrier until they settle, then divides once",
      .source = "Kaleem et al., PACT 2014",
      .parameters = {initial_block_parameter(),
                     {"tolerance", "0.05", "share of a share",
                      "profiling ends when no unit's share changes by more from round to round",
                      "PLB-HeC II: until it converges; does not say how closely; chosen like hdss"},
                     {"profile_share_max", "0.5", "share of the items",
                      "profiling ends at this share in any case",
                      "PLB-HeC II: or until a certain termination condition, not said which; "
                      "chosen because half of the items are left to be divided"},
                     time_parameter("block")},
      .make = make_a<Asymmetric>};
}

}  // namespace equipoise
