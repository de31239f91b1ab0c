// weighted-greedy: a unit that is idle gets a part of the remaining work, in proportion to its
// speed.
//
// To make it your own: change `decide`, then the parameters in `info` below, then the schedule in
// weighted_greedy_test.cpp.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "shared_policies/policies/policy_library.hpp"

namespace {

using namespace equipoise;

class WeightedGreedyPolicy final : public Policy {
 public:
  explicit WeightedGreedyPolicy(double share) : share_(share) {}

  /// Is called once for every event. May use nothing but `view`, `event` and what it has kept of
  /// earlier events: no clock, no random numbers. Then runs can be repeated.
  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      items_per_s_.clear();  // another kernel: its speeds are not known yet
    } else if (const auto* done = std::get_if<BlockFinished>(&event.what)) {
      // `recurring` leaves out what only the first block of a unit has.
      const double seconds = recurring(done->times).value;
      if (seconds > 0.0) {
        items_per_s_[done->unit.index] = static_cast<double>(done->block.items) / seconds;
      }
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      // What is not needed any more, too large or no whole number of grains is adjusted.
      decisions.assign(idle->unit, block_items(view, idle->unit));
    }
  }

 private:
  /// A fiftieth of the work in equal blocks, one for each unit, shows how fast the units are. Later
  /// blocks are not smaller.
  Items first_items(const View& view) const {
    const Items parts = 50 * static_cast<Items>(view.units().size());
    return std::max<Items>(1, view.workload().items / parts);
  }

  Items block_items(const View& view, UnitId unit) const {
    const auto own = items_per_s_.find(unit.index);
    if (own == items_per_s_.end()) return first_items(view);
    double all_items_per_s = 0.0;
    for (const UnitState& other : view.units()) {
      if (other.present) all_items_per_s += speed_of(other.id);
    }
    const double part = share_ * own->second / all_items_per_s;
    const Items items = std::llround(part * static_cast<double>(view.remaining()));
    return std::max(first_items(view), items);
  }

  /// Of a unit that has not finished a block yet: the mean of the others.
  double speed_of(UnitId unit) const {
    const auto known = items_per_s_.find(unit.index);
    if (known != items_per_s_.end()) return known->second;
    double sum = 0.0;
    for (const auto& [index, items_per_s] : items_per_s_) sum += items_per_s;
    return sum / static_cast<double>(items_per_s_.size());
  }

  double share_;
  std::map<std::uint32_t, double> items_per_s_;  // of each unit's latest block
};

std::unique_ptr<Policy> make(const Parameters& parameters, const KnownCosts* /*known*/) {
  return std::make_unique<WeightedGreedyPolicy>(parameters.number("share", 0.01, 1.0));
}

/// What `equipoise list policies` shows, and what `--policy` accepts.
PolicyInfo info() {
  PolicyInfo info;
  info.name = "weighted-greedy";
  info.line = "a part of the remaining work for whoever is idle, by speed";
  info.source = "our own";
  info.parameters = {{"share", "0.5", "share of the items",
                      "how much of the remaining work all units together would get at once",
                      "ours; chosen because half leaves enough to make up for wrong guesses"}};
  info.make = make;
  return info;
}

}  // namespace

const equipoise::PolicyLibrary* equipoise_policy() {
  static constexpr equipoise::PolicyLibrary library{.info = info};
  return &library;
}
