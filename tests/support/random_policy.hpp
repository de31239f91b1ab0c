// A policy that does everything that policies may do, at random.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>

#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Assigns blocks of up to `most_items`, takes back, gives twice, probes, and sets timers up to
/// `longest` ahead. A run of it ends: it takes back, probes and sets timers a limited number of
/// times.
class RandomPolicy final : public Policy {
 public:
  RandomPolicy(unsigned seed, Items most_items, Seconds longest)
      : random_(seed), most_items_(most_items), longest_(longest) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit,
                       static_cast<Items>(1 + draw(static_cast<std::size_t>(most_items_))));
    }
    if (draw(3) == 0 && timers_ < 200) {
      const double share = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
      decisions.set_timer(view.now() + share * longest_, ++timers_);
    }
    if (draw(20) == 0) decisions.decided({std::nullopt, DecisionKind::rebalance, {}});
    const UnitState& unit = view.units()[draw(view.units().size())];
    const UnitState& other = view.units()[draw(view.units().size())];
    if (draw(5) == 0 && probes_ < 60) probe(other.id, decisions);
    if (unit.outstanding.empty()) return;
    const std::uint64_t block = unit.outstanding[draw(unit.outstanding.size())].block.id;
    const std::size_t choice = draw(4);
    if (choice == 0 && taken_back_ < 60) {
      taken_back_ += decisions.take_back(unit.id, block) ? 1 : 0;
    } else if (choice == 1) {
      decisions.give_twice(block, unit.id, other.id);
    }
  }

 private:
  void probe(UnitId unit, Decisions& decisions) {
    const auto bytes = static_cast<double>(draw(2) * draw(2'000));
    const bool comes_back = draw(2) == 0;
    const auto back = static_cast<double>(draw(2'000));
    decisions.probe(unit, bytes, comes_back ? std::optional(back) : std::nullopt, ++probes_);
  }

  std::size_t draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  std::mt19937 random_;
  Items most_items_;
  Seconds longest_;
  std::uint64_t timers_ = 0;
  int taken_back_ = 0;
  std::uint64_t probes_ = 0;
};

}  // namespace equipoise
