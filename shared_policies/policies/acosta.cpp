// acosta: the iterative scheme of Acosta, Blanco and Almeida (ISPA 2012; Computers & Electrical
// Engineering 2013). Every unit works on its share of an iteration, all units wait for one another,
// and when their times differ by more than a threshold the shares become proportional to the
// measured speeds. As PLB-HeC describes it (section II):
//
//     at each iteration, every processor does its load             begin_step
//     synchronise; share the times t_p of the last load            synchronize
//     if their difference exceeds the threshold                    is_unbalanced
//       RP_p = x_p / t_p,  SRP = sum of RP_p                       redistribute
//       x_p(next) = S RP_p / SRP                                   redistribute
//
// The threshold and the imbalance 1 - t_min / t_max are those of UllMF, a later library of the same
// group, from which only facts were taken. Departures, besides what the catalog says of parameters:
//  - The scheme is made for programs that iterate. Here a step is one iteration of the workload, or
//    a slice of it if the work is done only once: mode. PLB-HeC "used the same initial block size
//    for all algorithms": the first slice is one first block for every unit.
//  - A unit without a measured time in a step keeps its share (UllMF would give it no work from
//    then on). No unit gets less than a grain. The part of a share that a unit's memory does not
//    hold goes to the other units. Largest remainders keep the sum exact.
// What we add stands at the end of the class: units that are lost or join, and phases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

enum class StepOf { automatic, slices, iterations };
enum class ThresholdMode { relative, absolute };

class Acosta final : public EventPolicy {
 public:
  explicit Acosta(const Parameters& read)
      : mode_(read.choice<StepOf>("mode", {"auto", "slices", "iterations"})),
        initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        step_fraction_(read.number("step_fraction", 0.0, 1.0)),
        threshold_(read.number("threshold", 0.0, 1e9)),
        threshold_mode_(read.choice<ThresholdMode>("threshold_mode", {"relative", "absolute"})),
        damping_(read.number("damping", 0.001, 1.0)) {}

 private:
  /// What was measured of a unit in the current step.
  struct Measured {
    double items = 0.0;
    double seconds = 0.0;
  };
  /// What is known of one kernel.
  struct Kernel {
    explicit Kernel(std::size_t units) : shares(units, 0.0) {}

    std::vector<double> shares;  ///< (n); 0: no share yet
    bool is_measured = false;    ///< a step has ended
  };

  void on_finished(const BlockFinished& finished) override {
    Measured& measured = step_[finished.unit.index];
    measured.items += static_cast<double>(finished.block.items);
    measured.seconds += block_duration_s(finished.times);
  }
  void on_idle(UnitId /*unit*/) override { synchronize(); }

  /// "Synchronization at every iteration": the next step begins when all blocks are back.
  void synchronize() {
    if (!all_are_back()) return;
    redistribute();
    begin_step();
  }

  [[nodiscard]] bool is_unbalanced() const {
    double low = 0.0;
    double high = 0.0;
    for (const Measured& unit : step_) {
      if (unit.seconds > 0.0) {
        low = low > 0.0 ? std::min(low, unit.seconds) : unit.seconds;
        high = std::max(high, unit.seconds);
      }
    }
    if (!(low < high)) return false;
    return threshold_mode_ == ThresholdMode::relative ? 1.0 - low / high >= threshold_
                                                      : high - low >= threshold_;
  }

  /// Computes new shares from the times of the step that ended, if these differ too much.
  void redistribute() {
    std::vector<double>& shares = kernel_->shares;
    const auto is_timed = [](const Measured& unit) { return unit.seconds > 0.0; };
    kernel_->is_measured = kernel_->is_measured || std::ranges::any_of(step_, is_timed);
    if (is_unbalanced()) {
      // The units that were measured divide the sum of their old shares anew.
      double theirs = 0.0;
      double srp = 0.0;
      for (std::size_t p = 0; p < step_.size(); ++p) {
        if (step_[p].seconds > 0.0) {
          theirs += shares[p];
          srp += step_[p].items / step_[p].seconds;
        }
      }
      Decision decision{.what = DecisionKind::rebalance};
      for (std::uint32_t p = 0; p < step_.size(); ++p) {
        if (step_[p].seconds > 0.0) {
          const double rp = step_[p].items / step_[p].seconds;
          double& share = shares[p];
          share += damping_ * (theirs * rp / srp - share);
          decision.estimates.push_back({.unit = UnitId{p},
                                        .cost = fmt::format("{:.4g} items/s", rp),
                                        .block_items = std::llround(share * step_items())});
        }
      }
      decisions().decided(decision);
    }
    step_.assign(step_.size(), {});
  }

  /// An iteration, the first slice of a kernel, or a later one.
  [[nodiscard]] double step_items() const {
    const Workload& workload = view().workload();
    const bool whole =
        mode_ == StepOf::iterations || (mode_ == StepOf::automatic && workload.iterations > 1);
    if (whole) return all_items();
    if (!kernel_->is_measured) {
      const auto present = std::ranges::count_if(view().units(), &UnitState::present);
      return static_cast<double>(present * initial_block(view(), initial_block_items_));
    }
    const auto grains = static_cast<double>(view().units().size()) * grain();
    return std::max(std::round(step_fraction_ * all_items()), grains);
  }

  /// Hands out the next step according to the shares of the units that are present.
  void begin_step() {
    make_shares();
    std::vector<UnitId> who;
    std::vector<double> weights;
    std::vector<Items> caps;
    for (const UnitState& unit : view().units()) {
      if (unit.present) {
        who.push_back(unit.id);
        weights.push_back(kernel_->shares[unit.id.index]);
        caps.push_back(std::max(unit.cap_items, view().workload().grain_items));
      }
    }
    const auto step = static_cast<Items>(std::min(step_items(), remaining()));
    const std::vector<Items> blocks =
        apportion({weights, caps, step, view().workload().grain_items});
    for (std::size_t i = 0; i < who.size(); ++i) decisions().assign(who[i], blocks[i]);
  }

  // -- What we add -----------------------------------------------------------------------------

  /// Shares are kept for every kernel.
  void on_phase() override {
    const std::size_t n = view().units().size();
    step_.assign(n, {});
    kernel_ = &kernels_.try_emplace(view().workload().kernel, n).first->second;
  }

  /// The unit that all others waited for is gone.
  void on_unit_lost(UnitId /*unit*/) override { synchronize(); }

  /// All units start with equal shares; a unit that joins later starts with the mean share. The
  /// shares add up to 1.
  void make_shares() {
    std::vector<double>& shares = kernel_->shares;
    const auto known = static_cast<double>(
        std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0.0; }));
    const double mean = known > 0.0 ? std::reduce(shares.begin(), shares.end()) / known : 1.0;
    for (const UnitState& unit : view().units()) {
      double& share = shares[unit.id.index];
      if (unit.present && share == 0.0) share = mean;
    }
    const double sum = std::reduce(shares.begin(), shares.end());
    for (double& share : shares) share /= sum;
  }

  StepOf mode_;
  std::optional<Items> initial_block_items_;
  double step_fraction_;
  double threshold_;
  ThresholdMode threshold_mode_;
  double damping_;
  std::map<std::string, Kernel> kernels_;
  Kernel* kernel_ = nullptr;    // of the current phase
  std::vector<Measured> step_;  // (n)
};

}  // namespace

PolicyInfo acosta_info() {
  return {
      .name = "acosta",
      .line =
          "shares proportional to measured speed; all units wait for one another after every step",
      .source = "Acosta, Blanco, Almeida (2012, 2013), as PLB-HeC (2015) gives it; UllMF",
      .parameters = {{"mode", "auto", "",
                      "a step is one iteration of the workload (iterations), or a slice of it "
                      "(slices); auto: slices where there is one iteration",
                      "PLB-HeC II: at each iteration; does not say for a load that is done once"},
                     initial_block_parameter(),
                     {"step_fraction", "0.05", "share of the items",
                      "items of a slice, but for the first",
                      "not said, because its programs iterate; chosen because it is the step of "
                      "PLB-HeC, which compares the two"},
                     {"threshold", "0.1", "relative, or s", "imbalance from which on shares change",
                      "PLB-HeC II: defined by the user; UllMF's default"},
                     {"threshold_mode", "relative", "",
                      "imbalance is 1 - t_min / t_max, or t_max - t_min in seconds (absolute)",
                      "PLB-HeC II: the difference between times, unit not given; UllMF: relative"},
                     {"damping", "1", "",
                      "how far shares go towards the measured ones; 1: all the way",
                      "PLB-HeC II: the next load follows from RP and SRP alone"}},
      .make = make_a<Acosta>};
}

}  // namespace equipoise
