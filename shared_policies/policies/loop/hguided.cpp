// hguided: loop self-scheduling with blocks that shrink and are proportional to each unit's power.
// R items remain; an idle one of n units asks, and gets a block of
//
//     max(m_p grains, R P_p / (k_p n sum of P_j)),   P_p: power of unit p
//
// Maat (Perez, Bosque, Beivide) has k = 2 and m = 1. EngineCL (Nozal, Bosque, Beivide: EngineCL:
// usability and performance in heterogeneous computing, FGCS 107, 2020,
// doi:10.1016/j.future.2020.02.016) gives each device a k and an m of its own. Its authors find
// that the faster a device, the smaller its k and the larger its m should be, and take k = 3.5,
// 1.5, 1 and m = 1, 15, 30 for a CPU, an integrated and a discrete GPU (Nozal, Bosque, Beivide:
// Towards co-execution on commodity heterogeneous systems: optimizations for time-constrained
// scenarios, HPCS 2019, doi:10.1109/HPCS48598.2019.9188188; the text was not at hand to check the
// values). `preset=tuned` takes these by rank of power.
//
// Where we depart:
//  - In Maat and EngineCL the user gives the powers. If none are given, a unit's power is the items
//    per second of its blocks so far, and its first block is the common first block of all
//    policies.
//  - In EngineCL m counts work groups, the smallest package that a device can do; here, grains.
//  - The ranks of the tuned values are ours: the paper has three devices and no rule for other
//    machines. Units of nearly the same power have the same rank (`same_power`), so that equal
//    cores do not get different values because their measured powers differ a little.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/loop_parameters.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/policies/loop/self_scheduling.hpp"
#include "shared_policies/policies/loop/speed_shares.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

constexpr const char* by_rank = "by_rank";

/// A parameter that is one number for all units, or a list with one for each.
class UnitNumbers {
 public:
  explicit UnitNumbers(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
  [[nodiscard]] double of(UnitId unit) const {
    return numbers_.size() == 1 ? numbers_.front() : numbers_[unit.index];
  }
  [[nodiscard]] bool fits(std::size_t units) const {
    return numbers_.size() == 1 || numbers_.size() == units;
  }

 private:
  std::vector<double> numbers_;
};

bool is_list(const std::string& text) { return text.find('/') != std::string::npos; }

/// `divisor`; nothing if it goes by rank.
std::optional<UnitNumbers> divisors(const Parameters& read, const KnownCosts* known) {
  if (read.text("divisor") == by_rank) return std::nullopt;
  if (is_list(read.text("divisor"))) return UnitNumbers(one_for_each_unit(read, "divisor", known));
  return UnitNumbers({read.number("divisor", 1e-3, 1e9)});
}

/// `min_block_items`; nothing if it goes by rank.
std::optional<UnitNumbers> min_blocks(const Parameters& read, const KnownCosts* known) {
  const std::string& text = read.text("min_block_items");
  if (text == by_rank) return std::nullopt;
  if (!is_list(text)) return UnitNumbers({static_cast<double>(min_block(read).value_or(1))});
  std::vector<double> items = one_for_each_unit(read, "min_block_items", known);
  if (std::ranges::any_of(items, [](double one) { return one != std::floor(one); })) {
    throw InputError("policy",
                     fmt::format("min_block_items={}: give whole numbers, such as 64/1", text));
  }
  return UnitNumbers(std::move(items));
}

class HGuided final : public SelfScheduling {
 public:
  HGuided(const Parameters& read, const KnownCosts* known)
      : SelfScheduling(std::nullopt),
        initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        divisors_(divisors(read, known)),
        min_blocks_(min_blocks(read, known)),
        given_item_s_(item_times_or_auto(read, "powers", known)),
        times_(timed_part(read)),
        unknown_(unknown_unit(read)) {}

 private:
  /// A unit has the rank of a faster one if its power is more than this part of it.
  static constexpr double same_power = 0.8;

  void on_event(const Event& event) override {
    times_.include(view(), event);
    shares_.include(view(), event);
    const std::size_t n = view().units().size();
    EQ_CHECK((!given_item_s_ || given_item_s_->size() == n) && (!divisors_ || divisors_->fits(n)) &&
                 (!min_blocks_ || min_blocks_->fits(n)),
             "lists as long as there are units were asked for when the policy was made");
  }

  void on_phase() override { shares_.begin(view(), item_s()); }
  void on_finished(const BlockFinished& finished) override {
    shares_.set(view().unit(finished.unit), item_s()[finished.unit.index]);
  }

  WantedBlock wanted(UnitId unit) override {
    if (!given_item_s_ && times_.blocks(unit) == 0) {
      return {static_cast<double>(initial_block(view(), initial_block_items_)), BlockTag::train};
    }
    const double share = shares_.of(unit, unknown_);
    const double k = divisors_ ? divisors_->of(unit) : tuned_by_rank(rank(unit)).divisor;
    return {std::floor(remaining() * share / (k * present()))};
  }

  [[nodiscard]] double min_items_of(UnitId unit) const override {
    return whole_grains_up(min_blocks_ ? min_blocks_->of(unit)
                                       : tuned_by_rank(rank(unit)).min_grains * grain());
  }

  [[nodiscard]] const ItemSeconds& item_s() const {
    return given_item_s_ ? *given_item_s_ : times_.mean_s();
  }

  /// The rank of a unit's power among those of the present units: 0 for the slowest, 1 for the
  /// fastest, the others evenly between. Nothing if its power is unknown, or all have the same.
  [[nodiscard]] std::optional<double> rank(UnitId unit) const {
    if (!item_s()[unit.index]) return std::nullopt;
    const double own = 1.0 / *item_s()[unit.index];
    std::vector<double> powers;
    for (const UnitState& state : view().units()) {
      const std::optional<double>& s = item_s()[state.id.index];
      if (state.present && s) powers.push_back(1.0 / *s);
    }
    std::ranges::sort(powers, std::greater<>());
    std::size_t classes = 0;
    std::size_t faster = 0;  // classes that are faster than the unit's
    double fastest = 0.0;    // of the class
    for (const double power : powers) {
      if (classes == 0 || power <= same_power * fastest) {
        fastest = power;
        ++classes;
      }
      if (power == own) faster = classes - 1;
    }
    if (classes < 2) return std::nullopt;
    return 1.0 - static_cast<double>(faster) / static_cast<double>(classes - 1);
  }

  std::optional<Items> initial_block_items_;
  std::optional<UnitNumbers> divisors_;      ///< k; none: by rank
  std::optional<UnitNumbers> min_blocks_;    ///< items; none: by rank
  std::optional<ItemSeconds> given_item_s_;  ///< (n), from given powers
  ItemTimes times_;
  SpeedShares shares_;
  UnknownUnit unknown_;
};

}  // namespace

PolicyInfo hguided_info() {
  return {
      .name = "hguided",
      .line = "shrinking blocks, proportional to each unit's speed",
      .source = "Maat; EngineCL",
      .parameters =
          {initial_block_parameter(),
           {"powers", "auto", "",
            "relative speeds of the units in their order, 4/1/1; auto: as their blocks show them",
            "given by the user in EngineCL; auto: ours, for runs without such knowledge"},
           {"divisor", "2", "",
            "k: a block is the unit's share of the remaining items, divided by k; one for all "
            "units, one for each in their order, 1/3.5/3.5, or by_rank: by speed, from 3.5 for the "
            "slowest to 1 for the fastest",
            "Maat, EngineCL: k = 2; by_rank: EngineCL's authors (HPCS 2019), for three devices"},
           time_parameter("block"),
           unknown_parameter(),
           {"min_block_items", "auto", "items",
            "smallest block; auto: one grain (accelerators want more); one for all units, one for "
            "each in their order, 64/1/1, or by_rank: by speed, from 1 grain for the slowest to 30 "
            "for the fastest",
            "Maat: the smallest package of a device; EngineCL: a multiple of it for each device; "
            "by_rank: its authors (HPCS 2019), for three devices"}},
      .make = make_a<HGuided>,
      .presets = {{"tuned",
                   "EngineCL's tuning: faster units get larger blocks, and no small ones",
                   {{"divisor", by_rank}, {"min_block_items", by_rank}}}}};
}

}  // namespace equipoise
