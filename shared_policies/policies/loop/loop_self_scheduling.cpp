// ss, gss, tss, fac, fac2, wf: loop self-scheduling by fixed rules. Block sizes depend on the
// remaining items and the number of units, not on measurements during the run (loop_sizes.hpp has
// the formulas and their sources).
//
// Where we depart: the number of units is that of the present units. A batch of factoring ends when
// its items are handed out, because heterogeneous units do not take turns. Lost work begins a new
// batch; for tss, it begins a new trapezoid over the remaining items when the first trapezoid has
// ended. The smallest block is a grain unless `min_block_items` says otherwise: accelerators are
// slow on small blocks, so the family performs badly with a single item, and a few thousand items
// are a fairer setting.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/loop_parameters.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/policies/loop/self_scheduling.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// One grain at a time (Tang and Yew 1986).
class PureSelfScheduling final : public SelfScheduling {
 public:
  using SelfScheduling::SelfScheduling;

 private:
  WantedBlock wanted(const View& /*view*/, UnitId /*unit*/) override { return {1.0}; }
};

/// An even share of what remains (Polychronopoulos and Kuck 1987); with `min_block_items` = k this
/// is their GSS(k).
class Guided final : public SelfScheduling {
 public:
  using SelfScheduling::SelfScheduling;

 private:
  WantedBlock wanted(const View& view, UnitId /*unit*/) override {
    return {static_cast<double>(view.remaining()) / present()};
  }
};

/// Sizes that fall linearly (Tzen and Ni 1993).
class Trapezoid final : public SelfScheduling {
 public:
  Trapezoid(std::optional<Items> min_block_items, bool floor_delta)
      : SelfScheduling(min_block_items), floor_delta_(floor_delta) {}

 private:
  void learn(const View& /*view*/, const Event& event) override {
    if (std::holds_alternative<IterationStarted>(event.what)) sizes_ = TrapezoidSizes();
  }

  WantedBlock wanted(const View& view, UnitId /*unit*/) override {
    if (sizes_.is_over()) {
      sizes_ = TrapezoidSizes(static_cast<double>(view.remaining()), present(), min_items(view),
                              floor_delta_);
    }
    return {sizes_.next()};
  }

  bool floor_delta_;
  TrapezoidSizes sizes_;
};

/// FAC2: batches of equal blocks, each half of what remains (Hummel, Schonberg, Flynn 1992).
class Factoring : public SelfScheduling {
 public:
  using SelfScheduling::SelfScheduling;

 protected:
  void learn(const View& /*view*/, const Event& event) override {
    if (std::holds_alternative<IterationStarted>(event.what)) is_first_batch_ = true;
    batch_.include(event);
  }

  /// x: a batch takes 1 / x of what remains.
  virtual double divisor(const View& /*view*/, bool /*is_first_batch*/) { return 2.0; }
  /// The factor on the base size for a unit; the factors of all units add up to P.
  virtual double weight(const View& /*view*/, UnitId /*unit*/) { return 1.0; }

 private:
  WantedBlock wanted(const View& view, UnitId unit) override {
    if (batch_.is_over(view)) {
      const double base =
          static_cast<double>(view.remaining()) / (divisor(view, is_first_batch_) * present());
      batch_.begin(view, std::max(base, min_items(view)), present());
      is_first_batch_ = false;
    }
    return {weight(view, unit) * batch_.base_items()};
  }

  FactoringBatch batch_;
  bool is_first_batch_ = true;
};

/// FAC: batches that follow from the coefficient of variation of item times (same paper). A profile
/// of mean times does not have it, so `auto` uses the variation between units, as for fsc.
class KnownVariationFactoring final : public Factoring {
 public:
  KnownVariationFactoring(std::optional<Items> min_block_items, const KnownCosts& known,
                          std::optional<double> given)
      : Factoring(min_block_items), known_(known), given_(given) {}

 private:
  double divisor(const View& view, bool is_first_batch) override {
    return factoring_divisor(static_cast<double>(view.remaining()), present(),
                             given_ ? *given_ : between_units(known_, view), is_first_batch);
  }

  static double between_units(const KnownCosts& known, const View& view) {
    const ItemTime item = item_time_between_units(profile_item_times(known, view));
    return std::sqrt(item.variance_s2) / item.mean_s;
  }

  const KnownCosts& known_;
  std::optional<double> given_;
};

/// Factoring with fixed weights (Hummel, Schmidt, Uma, Wein 1996): given weights, or the speeds in
/// the profile at an even share of the items.
class WeightedFactoring final : public Factoring {
 public:
  WeightedFactoring(std::optional<Items> min_block_items, const KnownCosts& known,
                    std::optional<std::vector<std::optional<double>>> given_item_s)
      : Factoring(min_block_items), known_(known), given_item_s_(std::move(given_item_s)) {}

 private:
  void learn(const View& view, const Event& event) override {
    Factoring::learn(view, event);
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      item_s_ = given_item_s_ ? *given_item_s_ : profile_item_times(known_, view);
    }
  }

  double weight(const View& view, UnitId unit) override {
    return present() * speed_share(view, unit, item_s_, UnknownUnit::as_fastest);
  }

  const KnownCosts& known_;
  std::optional<std::vector<std::optional<double>>> given_item_s_;  ///< (n); none: from the profile
  std::vector<std::optional<double>> item_s_;                       ///< (n), for this phase
};

}  // namespace

PolicyInfo ss_info() {
  return {"ss",
          "one grain (the smallest block) at a time",
          "Tang and Yew (1986)",
          {min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<PureSelfScheduling>(min_block(read));
          }};
}

PolicyInfo gss_info() {
  return {"gss",
          "an even share of the remaining items",
          "Polychronopoulos and Kuck (1987)",
          {min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<Guided>(min_block(read));
          }};
}

PolicyInfo tss_info() {
  return {
      "tss",
      "blocks that shrink by a constant",
      "Tzen and Ni (1993)",
      {{"delta", "floor", "",
        "step between sizes: floor, rounded down, or real, which ends with smaller blocks (1000 "
        "items, 4 units: 14 instead of 28)",
        "Tzen and Ni (1993): rounded down (DLS4LB: not rounded)"},
       min_block_parameter()},
      Foresight::none,
      0.0,
      [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
        return std::make_unique<Trapezoid>(min_block(read),
                                           read.choice("delta", {"floor", "real"}) == 0);
      }};
}

PolicyInfo fac_info() {
  return {"fac",
          "batches of equal blocks; the more times scatter, the smaller",
          "Hummel, Schonberg, Flynn (1992)",
          {profile_parameter(),
           {"coefficient_of_variation", "auto", "",
            "standard deviation of item times over their mean; auto: between the profile's units",
            "Hummel, Schonberg, Flynn (1992): sigma and mu are known; not said from where; auto is "
            "chosen "
            "because a profile has means alone, and which unit gets an item is not known before"},
           min_block_parameter()},
          Foresight::informed,
          0.0,
          [](const Parameters& read, const KnownCosts* known) -> std::unique_ptr<Policy> {
            EQ_CHECK(known != nullptr, "make_policy checks this");
            return std::make_unique<KnownVariationFactoring>(
                min_block(read), *known, number_or_auto(read, "coefficient_of_variation"));
          }};
}

PolicyInfo fac2_info() {
  return {"fac2",
          "batches of equal blocks, each half of what remains",
          "Hummel, Schonberg, Flynn (1992)",
          {min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<Factoring>(min_block(read));
          }};
}

PolicyInfo wf_info() {
  return {"wf",
          "fac2 with fixed weights from speeds known before the run",
          "Hummel, Schmidt, Uma, Wein (1996)",
          {profile_parameter(),
           {"weights", "auto", "",
            "relative speeds of the units in their order, 4/1/1; auto: the profile's at an even "
            "share",
            "Hummel, Schmidt, Uma, Wein (1996): weights are known before and stay; not said from "
            "where; chosen because an even share is the size of an average unit's whole work"},
           min_block_parameter()},
          Foresight::informed,
          0.0,
          [](const Parameters& read, const KnownCosts* known) -> std::unique_ptr<Policy> {
            EQ_CHECK(known != nullptr, "make_policy checks this");
            return std::make_unique<WeightedFactoring>(min_block(read), *known,
                                                       item_times_or_auto(read, "weights", known));
          }};
}

}  // namespace equipoise
