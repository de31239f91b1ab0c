// hguided: guided self-scheduling weighted by computing powers, from Maat and EngineCL. A unit gets
//
//     max(min_block_items, floor(R P_p / (k n sum_j(P_j))))
//
// of the R items that remain for n units, k = 2. In these programs the user gives the powers P. If
// none are given here, a unit's power is the items per second of its blocks so far, and its first
// block is the common first block of all policies.
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/loop_parameters.hpp"
#include "shared_policies/policies/loop/self_scheduling.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

struct HGuidedOptions {
  std::optional<Items> initial_block_items;
  std::optional<Items> min_block_items;
  double divisor = 2.0;
  std::optional<std::vector<std::optional<double>>> given_item_s;  ///< (n), from given powers
  TimedPart time = TimedPart::block;
  UnknownUnit unknown = UnknownUnit::as_fastest;
};

class HGuided final : public SelfScheduling {
 public:
  explicit HGuided(HGuidedOptions options)
      : SelfScheduling(options.min_block_items),
        options_(std::move(options)),
        times_(options_.time) {}

 private:
  void learn(const View& view, const Event& event) override {
    times_.include(view, event);
    EQ_CHECK(!options_.given_item_s || options_.given_item_s->size() == view.units().size(),
             "as many powers as units were asked for when the policy was made");
  }

  WantedBlock wanted(const View& view, UnitId unit) override {
    if (!options_.given_item_s && times_.blocks(unit) == 0) {
      const Items first = initial_block(view, options_.initial_block_items);
      return {static_cast<double>(first), BlockTag::train};
    }
    const double share = options_.given_item_s
                             ? speed_share(view, unit, *options_.given_item_s, options_.unknown)
                             : speed_share(view, unit, times_.mean_s(), options_.unknown);
    return {
        std::floor(static_cast<double>(view.remaining()) * share / (options_.divisor * present()))};
  }

  HGuidedOptions options_;
  ItemTimes times_;
};

}  // namespace

PolicyInfo hguided_info() {
  return {
      "hguided",
      "shrinking blocks, proportional to each unit's speed",
      "Maat; EngineCL",
      {initial_block_parameter(),
       {"powers", "auto", "",
        "relative speeds of the units in their order, 4/1/1; auto: as their blocks show them",
        "given by the user in EngineCL; auto: ours, for runs without such knowledge"},
       {"divisor", "2", "", "k: a block is the unit's share of the remaining items, divided by k",
        "Maat, EngineCL: k = 2"},
       time_parameter("block"),
       unknown_parameter(),
       min_block_parameter()},
      Foresight::none,
      0.0,
      [](const Parameters& read, const KnownCosts* known) -> std::unique_ptr<Policy> {
        HGuidedOptions options;
        options.initial_block_items = read.items_or_auto("initial_block_items", 1);
        options.min_block_items = min_block(read);
        options.divisor = read.number("divisor", 1e-3, 1e9);
        options.given_item_s = item_times_or_auto(read, "powers", known);
        options.time = timed_part(read);
        options.unknown = unknown_unit(read);
        return std::make_unique<HGuided>(std::move(options));
      }};
}

}  // namespace equipoise
