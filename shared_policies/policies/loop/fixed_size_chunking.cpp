// fsc, mfsc: loop self-scheduling in blocks of one size (loop_sizes.hpp has the formulas and their
// sources).
//
// Where we depart: the number of units is that of the units that are present when the size is
// chosen.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/loop_parameters.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/policies/loop/self_scheduling.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// mFSC: one size for the whole iteration, chosen when its first block is requested.
class FixedSize : public SelfScheduling {
 public:
  using SelfScheduling::SelfScheduling;

 private:
  void learn(const View& /*view*/, const Event& event) final {
    if (std::holds_alternative<IterationStarted>(event.what)) size_.reset();
  }

  WantedBlock wanted(const View& view, UnitId /*unit*/) final {
    if (!size_) size_ = choose(view);
    return {*size_};
  }

  [[nodiscard]] virtual double choose(const View& view) const {
    return as_many_as_factoring_items(static_cast<double>(view.workload().items), present());
  }

  std::optional<double> size_;
};

/// FSC (Kruskal and Weiss 1985). A profile of mean times does not have the inputs of the formula,
/// so `auto` uses the nearest values that it has. For the overhead: the fixed part of a block's
/// time, averaged over units. For the deviation: that between units, because the master does not
/// know which unit a block will go to. All items of a block are then slow or fast together.
class KnownScatterFixedSize final : public FixedSize {
 public:
  KnownScatterFixedSize(std::optional<Items> min_block_items, const KnownCosts& known,
                        std::optional<double> overhead_s, std::optional<double> sigma_s)
      : FixedSize(min_block_items), known_(known), overhead_s_(overhead_s), sigma_s_(sigma_s) {}

 private:
  [[nodiscard]] double choose(const View& view) const override {
    const auto items = static_cast<double>(view.workload().items);
    const double overhead_s = overhead_s_ ? *overhead_s_ : fixed_s(view);
    if (sigma_s_) return fixed_size_items(items, present(), overhead_s, *sigma_s_);
    const ItemTime item = item_time_between_units(profile_item_times(known_, view));
    return fixed_size_alike_items(items, present(), overhead_s, item.mean_s,
                                  std::sqrt(item.variance_s2) / item.mean_s);
  }

  /// The fixed part of a block's time, independent of its size: the mean over units.
  [[nodiscard]] double fixed_s(const View& view) const {
    const KnownCosts::Phase& phase = known_.phases[static_cast<std::size_t>(view.phase())];
    const auto grain = static_cast<double>(view.workload().grain_items);
    double sum_s = 0.0;
    for (const auto& cost : phase) {
      const CostAt at = cost->at(grain);
      sum_s += std::max(0.0, at.seconds - grain * at.seconds_per_item);
    }
    return sum_s / static_cast<double>(phase.size());
  }

  const KnownCosts& known_;
  std::optional<double> overhead_s_;
  std::optional<double> sigma_s_;
};

}  // namespace

PolicyInfo fsc_info() {
  return {"fsc",
          "blocks of one size, which weighs overhead against scatter of times",
          "Kruskal and Weiss (1985)",
          {profile_parameter(),
           {"overhead_s", "auto", "s",
            "h, of one request; auto: the fixed part of block times, mean of the profile's units",
            "Kruskal and Weiss (1985): h is given; not said from where; chosen because the fixed "
            "part is what one more block costs"},
           {"sigma_s", "auto", "s",
            "standard deviation of independent item times; auto: all items of a block deviate "
            "together, as much as the profile's units do",
            "Kruskal and Weiss (1985): sigma is given, items are independent; auto is ours, chosen "
            "because a profile has means alone, and units differ more than items"},
           min_block_parameter()},
          Foresight::informed,
          0.0,
          [](const Parameters& read, const KnownCosts* known) -> std::unique_ptr<Policy> {
            EQ_CHECK(known != nullptr, "make_policy checks this");
            return std::make_unique<KnownScatterFixedSize>(min_block(read), *known,
                                                           number_or_auto(read, "overhead_s"),
                                                           number_or_auto(read, "sigma_s"));
          }};
}

PolicyInfo mfsc_info() {
  return {"mfsc",
          "blocks of one size, about as many as fac2 has",
          "DLS4LB; LB4OMP",
          {min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            return std::make_unique<FixedSize>(min_block(read));
          }};
}

}  // namespace equipoise
