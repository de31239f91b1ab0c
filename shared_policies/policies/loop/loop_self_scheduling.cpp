// ss, fsc, gss, tss, fac2, wf: loop self-scheduling by fixed rules. Block sizes depend on the
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
    if (std::holds_alternative<IterationStarted>(event.what)) {
      sizes_ = TrapezoidSizes();
    }
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

/// Batches of equal blocks: FAC2, or FAC if the coefficient of variation of item times is given
/// (Hummel, Schonberg, Flynn 1992).
class Factoring : public SelfScheduling {
 public:
  Factoring(std::optional<Items> min_block_items, std::optional<double> coefficient_of_variation)
      : SelfScheduling(min_block_items), coefficient_of_variation_(coefficient_of_variation) {}

 protected:
  void learn(const View& /*view*/, const Event& event) override {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      is_first_batch_ = true;
    }
    batch_.include(event);
  }

  /// The factor on the base size for a unit; the factors of all units add up to P.
  virtual double weight(const View& /*view*/, UnitId /*unit*/) { return 1.0; }

 private:
  WantedBlock wanted(const View& view, UnitId unit) override {
    if (batch_.is_over(view)) {
      const auto remaining = static_cast<double>(view.remaining());
      const double divisor =
          coefficient_of_variation_
              ? factoring_divisor(remaining, present(), *coefficient_of_variation_, is_first_batch_)
              : 2.0;
      batch_.begin(view, std::max(remaining / (divisor * present()), min_items(view)), present());
      is_first_batch_ = false;
    }
    return {weight(view, unit) * batch_.base_items()};
  }

  std::optional<double> coefficient_of_variation_;
  FactoringBatch batch_;
  bool is_first_batch_ = true;
};

/// Factoring with fixed weights (Hummel, Schmidt, Uma, Wein 1996): given weights, or the speeds in
/// the profile at an even share of the items.
class WeightedFactoring final : public Factoring {
 public:
  WeightedFactoring(std::optional<Items> min_block_items, const KnownCosts& known,
                    std::optional<std::vector<std::optional<double>>> given_item_s)
      : Factoring(min_block_items, std::nullopt),
        known_(known),
        given_item_s_(std::move(given_item_s)) {}

 private:
  void learn(const View& view, const Event& event) override {
    Factoring::learn(view, event);
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      item_s_ = given_item_s_.value_or(std::vector<std::optional<double>>());
      if (!given_item_s_) {
        const auto& phase = known_.phases[static_cast<std::size_t>(view.phase())];
        const double even =
            static_cast<double>(view.workload().items) / static_cast<double>(phase.size());
        for (const auto& cost : phase) {
          item_s_.emplace_back(cost->at(even).seconds / even);
        }
      }
    }
  }

  double weight(const View& view, UnitId unit) override {
    return present() * speed_share(view, unit, item_s_, UnknownUnit::as_fastest);
  }

  const KnownCosts& known_;
  std::optional<std::vector<std::optional<double>>> given_item_s_;  ///< (n); none: from the profile
  std::vector<std::optional<double>> item_s_;                       ///< (n), for this phase
};

enum class FixedRule { fsc, mfsc };

struct FixedOptions {
  std::optional<Items> min_block_items;
  FixedRule rule = FixedRule::fsc;
  std::optional<double> overhead_s;
  std::optional<double> sigma_s;
};

/// One size for the whole iteration, chosen when its first block is requested (Kruskal and Weiss
/// 1985). A profile of mean times does not have the inputs of the formula, so `auto` uses the
/// nearest values that it has. For the overhead: the fixed part of a block's time, averaged over
/// units. For the deviation of item times: the deviation between units, because the master does not
/// know which unit a block will go to. All items of a block are then slow or fast together.
class FixedSize final : public SelfScheduling {
 public:
  FixedSize(const FixedOptions& options, const KnownCosts& known)
      : SelfScheduling(options.min_block_items), options_(options), known_(known) {}

 private:
  void learn(const View& /*view*/, const Event& event) override {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      size_.reset();
    }
  }

  WantedBlock wanted(const View& view, UnitId /*unit*/) override {
    if (!size_) {
      const auto items = static_cast<double>(view.workload().items);
      if (options_.rule == FixedRule::mfsc) {
        size_ = as_many_as_factoring_items(items, present());
      } else {
        const auto& phase = known_.phases[static_cast<std::size_t>(view.phase())];
        const double overhead_s = options_.overhead_s.value_or(fixed_s(phase, view));
        size_ = options_.sigma_s
                    ? fixed_size_items(items, present(), overhead_s, *options_.sigma_s)
                    : fixed_size_alike_items(items, present(), overhead_s, between_s(phase, items));
      }
    }
    return {*size_};
  }

  /// The fixed part of a block's time, independent of its size: the mean over units.
  static double fixed_s(const KnownCosts::Phase& phase, const View& view) {
    const auto grain = static_cast<double>(view.workload().grain_items);
    double sum_s = 0.0;
    for (const auto& cost : phase) {
      const CostAt at = cost->at(grain);
      sum_s += std::max(0.0, at.seconds - grain * at.seconds_per_item);
    }
    return sum_s / static_cast<double>(phase.size());
  }

  /// The standard deviation between units of the time of one item, at an even share.
  static double between_s(const KnownCosts::Phase& phase, double items) {
    const auto n = static_cast<double>(phase.size());
    const double even = items / n;
    double mean_s = 0.0;
    double mean_square = 0.0;
    for (const auto& cost : phase) {
      const double item_s = cost->at(even).seconds / even;
      mean_s += item_s / n;
      mean_square += item_s * item_s / n;
    }
    return std::sqrt(std::max(0.0, mean_square - mean_s * mean_s));
  }

  FixedOptions options_;
  const KnownCosts& known_;
  std::optional<double> size_;
};

}  // namespace

PolicyInfo ss_info() {
  return {"ss",
          "one grain at a time",
          "Tang and Yew (1986)",
          {min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<PureSelfScheduling>(min_block(read));
          }};
}

PolicyInfo fsc_info() {
  return {"fsc",
          "blocks of one size, by overhead and scatter of times",
          "Kruskal and Weiss (1985); mFSC: DLS4LB",
          {profile_parameter(),
           {"rule", "fsc", "", "fsc (the formula) or mfsc (about as many blocks as fac2)"},
           {"overhead_s", "auto", "s",
            "h, of one request; auto: the fixed part of block times, mean of the profile's units"},
           {"sigma_s", "auto", "s",
            "standard deviation of item times; auto: the deviation between the profile's units"},
           min_block_parameter()},
          Foresight::informed,
          0.0,
          [](const Parameters& read, const KnownCosts* known) -> std::unique_ptr<Policy> {
            EQ_CHECK(known != nullptr, "make_policy checks this");
            FixedOptions options;
            options.min_block_items = min_block(read);
            options.rule = static_cast<FixedRule>(read.choice("rule", {"fsc", "mfsc"}));
            options.overhead_s = number_or_word(read, "overhead_s", "auto");
            options.sigma_s = number_or_word(read, "sigma_s", "auto");
            return std::make_unique<FixedSize>(options, *known);
          }};
}

PolicyInfo gss_info() {
  return {"gss",
          "an even share of what remains",
          "Polychronopoulos and Kuck (1987)",
          {min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<Guided>(min_block(read));
          }};
}

PolicyInfo tss_info() {
  return {"tss",
          "blocks that shrink by a constant",
          "Tzen and Ni (1993)",
          {{"delta", "real", "", "step between sizes: real (DLS4LB) or floor (the paper)"},
           min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<Trapezoid>(min_block(read),
                                               read.choice("delta", {"real", "floor"}) == 1);
          }};
}

PolicyInfo fac2_info() {
  return {"fac2",
          "batches of equal blocks, each half of what remains",
          "Hummel, Schonberg, Flynn (1992)",
          {{"coefficient_of_variation", "none", "",
            "standard deviation of item times over their mean: FAC, whose batches follow from it; "
            "none: FAC2, half of the rest"},
           min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<Factoring>(
                min_block(read), number_or_word(read, "coefficient_of_variation", "none"));
          }};
}

PolicyInfo wf_info() {
  return {"wf",
          "fac2 with fixed weights, known before the run",
          "Hummel, Schmidt, Uma, Wein (1996)",
          {profile_parameter(),
           {"weights", "auto", "",
            "relative speeds of the units in their order, 4/1/1; auto: the profile's at an even "
            "share"},
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
