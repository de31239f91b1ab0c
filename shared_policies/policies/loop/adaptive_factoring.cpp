// awf-b, awf-c, awf-d, awf-e, af: factoring whose shares are adapted to the block times of this
// run.
//
// The first four are adaptive weighted factoring (Carino and Banicescu 2008): awf-b and awf-d in
// batches of half of what remains, awf-c and awf-e by half of what remains at each request. awf-b
// and awf-c learn from computing times, awf-d and awf-e from the whole time between a request and
// the end of its block. With `update=iteration` awf-b is the AWF of Banicescu, Velusamy and
// Devaprasad (2003), whose weights change between the iterations of an application. af is adaptive
// factoring (Banicescu and Liu 2000).
//
// Where we depart: a unit's first block is the common first block of all policies, not one item,
// which says nothing about an accelerator (`initial_block_items=1` gives the libraries' own first
// block). af cuts it into `sub_blocks`, from which it estimates the deviation of item times, as
// LB4OMP does with ten pieces of its first hundred iterations, and continues with whole blocks. Our
// pieces have two sizes, because pieces of one size cannot tell scatter between items from scatter
// that a whole block has (item_variance.hpp). Weights are updated at each request, as in DLS4LB.
// What was learned of a kernel is kept over iterations and phases.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/loop_parameters.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/policies/loop/self_scheduling.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

struct AdaptiveOptions {
  std::optional<Items> initial_block_items;
  std::optional<Items> min_block_items;
  TimedPart time = TimedPart::compute;
  UnknownUnit unknown = UnknownUnit::as_fastest;
  Items sub_blocks = 10;               // af
  bool update_each_iteration = false;  // awf-b
  bool is_batched = true;              // awf-b, awf-d
};

class AdaptiveWeightedFactoring final : public SelfScheduling {
 public:
  explicit AdaptiveWeightedFactoring(const AdaptiveOptions& options)
      : SelfScheduling(options.min_block_items), options_(options), times_(options.time) {}

 private:
  void learn(const View& view, const Event& event) override {
    times_.include(view, event);
    batch_.include(event);
    if (options_.update_each_iteration && std::holds_alternative<IterationStarted>(event.what)) {
      const auto item_s = times_.recency_weighted_s();
      at_iteration_s_.assign(item_s.begin(), item_s.end());
    }
  }

  WantedBlock wanted(const View& view, UnitId unit) override {
    if (!options_.update_each_iteration && times_.blocks(unit) == 0) {
      const Items first = initial_block(view, options_.initial_block_items);
      return {static_cast<double>(first), BlockTag::train};
    }
    const auto item_s = options_.update_each_iteration ? std::span(std::as_const(at_iteration_s_))
                                                       : times_.recency_weighted_s();
    const double weight = present() * speed_share(view, unit, item_s, options_.unknown);
    if (!options_.is_batched) return {weight * whole_grains_up(view, half_a_share(view))};
    if (batch_.is_over(view)) {
      batch_.begin(view, std::max(half_a_share(view), min_items(view)), present());
    }
    return {weight * batch_.base_items()};
  }

  [[nodiscard]] double half_a_share(const View& view) const {
    return static_cast<double>(view.remaining()) / (2.0 * present());
  }

  AdaptiveOptions options_;
  ItemTimes times_;
  FactoringBatch batch_;
  std::vector<std::optional<double>> at_iteration_s_;  // (n), as of the iteration's start
};

class AdaptiveFactoring final : public SelfScheduling {
 public:
  explicit AdaptiveFactoring(const AdaptiveOptions& options)
      : SelfScheduling(options.min_block_items), options_(options), times_(options.time) {}

 private:
  void learn(const View& view, const Event& event) override { times_.include(view, event); }

  WantedBlock wanted(const View& view, UnitId unit) override {
    const std::uint64_t met = times_.blocks(unit) + view.unit(unit).outstanding.size();
    if (times_.blocks(unit) == 0 || met < static_cast<std::uint64_t>(options_.sub_blocks)) {
      return {piece(view, met), BlockTag::train};
    }
    const std::size_t p = gather(view, unit);
    return {adaptive_factoring_items(static_cast<double>(view.remaining()), estimates_, p)};
  }

  /// The size of a unit's piece number `met`, counted from 0, of its first block: half and one and
  /// a half times an even piece, in turns.
  [[nodiscard]] double piece(const View& view, std::uint64_t met) const {
    const auto first = static_cast<double>(initial_block(view, options_.initial_block_items));
    const double even = first / static_cast<double>(options_.sub_blocks);
    return options_.sub_blocks == 1 ? even : (met % 2 == 0 ? 0.5 : 1.5) * even;
  }

  /// Fills the estimates of the present units and returns the position of `unit` in them. A unit
  /// without measurements is assumed to be like the fastest or the slowest measured unit.
  std::size_t gather(const View& view, UnitId unit) {
    estimates_.clear();
    std::size_t position = 0;
    std::optional<ItemTime> extreme;
    std::size_t unknown = 0;
    for (const UnitState& state : view.units()) {
      const std::optional<double>& mean_s = times_.mean_s()[state.id.index];
      if (!state.present) continue;
      if (!mean_s) {
        ++unknown;
        continue;
      }
      if (state.id == unit) position = estimates_.size();
      estimates_.push_back({*mean_s, times_.variance_s2(state.id)});
      if (!extreme || (options_.unknown == UnknownUnit::as_fastest ? *mean_s < extreme->mean_s
                                                                   : *mean_s > extreme->mean_s)) {
        extreme = estimates_.back();
      }
    }
    estimates_.insert(estimates_.end(), unknown, extreme.value_or(ItemTime{}));
    return position;
  }

  AdaptiveOptions options_;
  ItemTimes times_;
  std::vector<ItemTime> estimates_;  // of the present units
};

AdaptiveOptions read_options(const Parameters& read) {
  AdaptiveOptions options;
  options.initial_block_items = read.items_or_auto("initial_block_items", 1);
  options.min_block_items = min_block(read);
  options.unknown = unknown_unit(read);
  return options;
}

/// `time` of awf-b and awf-c; awf-d and awf-e are what they are with times from the request.
ParameterInfo copies_parameter() {
  return {
      "time", "compute", "", "what counts as a block's time: compute or block (copies too)",
      "the variants of Carino and Banicescu (2008): B and C time the computation alone, D and E "
      "everything from the request on"};
}

/// Makes the policy called Awf-`letter`.
template <char letter>
std::unique_ptr<Policy> make_awf(const Parameters& read, const KnownCosts* /*known*/) {
  AdaptiveOptions options = read_options(read);
  options.is_batched = letter == 'b' || letter == 'd';
  if constexpr (letter == 'b' || letter == 'c') {
    options.time = std::array{TimedPart::compute, TimedPart::block}.at(
        read.choice("time", {"compute", "block"}));
  } else {
    options.time = TimedPart::request;
  }
  if constexpr (letter == 'b') {
    options.update_each_iteration = read.choice("update", {"request", "iteration"}) == 1;
  }
  return std::make_unique<AdaptiveWeightedFactoring>(options);
}

}  // namespace

PolicyInfo awf_b_info() {
  return {"awf-b",
          "fac2 with weights learned from finished blocks",
          "Carino and Banicescu (2008); AWF: Banicescu, Velusamy, Devaprasad (2003)",
          {initial_block_parameter(),
           copies_parameter(),
           {"update", "request", "",
            "when weights follow what was learned: at each request, or at each iteration (AWF)",
            "Carino and Banicescu (2008), as DLS4LB does it: at each request; AWF (2003): between "
            "the time steps of an application"},
           unknown_parameter(),
           min_block_parameter()},
          Foresight::none,
          0.0,
          make_awf<'b'>};
}

PolicyInfo awf_c_info() {
  return {
      "awf-c",
      "awf-b without batches: blocks by what remains at each request",
      "Carino and Banicescu (2008)",
      {initial_block_parameter(), copies_parameter(), unknown_parameter(), min_block_parameter()},
      Foresight::none,
      0.0,
      make_awf<'c'>};
}

PolicyInfo awf_d_info() {
  return {"awf-d",
          "awf-b with block times that include copies and waiting",
          "Carino and Banicescu (2008)",
          {initial_block_parameter(), unknown_parameter(), min_block_parameter()},
          Foresight::none,
          0.0,
          make_awf<'d'>};
}

PolicyInfo awf_e_info() {
  return {"awf-e",
          "awf-c with block times that include copies and waiting",
          "Carino and Banicescu (2008)",
          {initial_block_parameter(), unknown_parameter(), min_block_parameter()},
          Foresight::none,
          0.0,
          make_awf<'e'>};
}

PolicyInfo af_info() {
  return {"af",
          "block sizes from mean and variance of each unit's item times",
          "Banicescu and Liu (2000)",
          {initial_block_parameter(),
           {"sub_blocks", "10", "blocks", "pieces of a unit's first block, for a first variance",
            "LB4OMP: ten pieces of the first block; Banicescu and Liu (2000) time single items"},
           time_parameter("compute"),
           unknown_parameter(),
           min_block_parameter()},
          Foresight::none,
          0.0,
          [](const Parameters& read, const KnownCosts* /*known*/) -> std::unique_ptr<Policy> {
            AdaptiveOptions options = read_options(read);
            options.time = timed_part(read);
            options.sub_blocks = read.items("sub_blocks", 1, 1'000'000);
            return std::make_unique<AdaptiveFactoring>(options);
          }};
}

}  // namespace equipoise
