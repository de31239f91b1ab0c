// How the items of a workload differ in the time that they take. Part of the truth of a machine:
// policies are not told, unless they are said to know costs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/item_work.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// The greatest cost that files may give an item.
inline constexpr double cost_max = 1e15;

/// The cost of each of several neighbouring items, relative to other items of the workload.
struct CostRange {
  Items first = 0;
  Items items = 1;
  double cost = 1.0;

  bool operator==(const CostRange&) const = default;
};

constexpr auto describe(DescriptionOf<CostRange> /*of*/) {
  return std::tuple(member("first", &CostRange::first, "the first item").in("items").at_least(0),
                    member("items", &CostRange::items, "how many").in("items").at_least(1),
                    member("cost", &CostRange::cost,
                           "the cost of each of them, relative to the mean of all items")
                        .at_least(0)
                        .at_most(cost_max));
}

/// The costs of all items as files have them. They need not have mean 1.
struct CostsRecord {
  Items items = 0;
  std::vector<CostRange> ranges;  ///< without gaps, from item 0 on

  bool operator==(const CostsRecord&) const = default;
};

constexpr auto describe(DescriptionOf<CostsRecord> /*of*/) {
  return std::tuple(
      member("items", &CostsRecord::items, "the number of items").in("items").at_least(1),
      member("ranges", &CostsRecord::ranges, "items of the same cost, from item 0 on"));
}

/// Whether `ranges` begin at item 0 and follow one another without gaps, and their costs are at
/// least 0, one of them above 0.
[[nodiscard]] bool are_whole(const std::vector<CostRange>& ranges);

/// The relative costs of all items of a workload, with mean 1, the same in every iteration. A block
/// takes as long as one of so many items of mean cost as its own items' costs add up to; what it
/// copies goes by the number of its items. Immutable; threads may share it.
class ItemCosts final : public ItemWork {
 public:
  /// `ranges` are whole (`are_whole`); otherwise it is a bug. They are scaled so that the mean over
  /// items is 1, unless it is that within 1e-12.
  explicit ItemCosts(std::vector<CostRange> ranges);

  /// Of one item.
  ItemCosts() : ItemCosts({CostRange{}}) {}

  [[nodiscard]] Items items() const { return ranges_.back().first + ranges_.back().items; }
  /// With mean 1.
  [[nodiscard]] const std::vector<CostRange>& ranges() const { return ranges_; }

  /// The sum of the costs of the `count` items from `first` on. O(log ranges); relative error about
  /// 1e-16 times the sum of all costs before `first + count`.
  [[nodiscard]] double sum(Items first, Items count) const override;

  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double most() const { return most_; }
  /// The standard deviation of the costs of items: their coefficient of variation, as the mean is
  /// 1.
  [[nodiscard]] double deviation() const { return deviation_; }

  /// The same costs along a workload of `items` items: range by range, as far as whole items allow.
  [[nodiscard]] ItemCosts stretched(Items items) const;

 private:
  [[nodiscard]] double up_to(Items item) const;

  std::vector<CostRange> ranges_;
  std::vector<double> sums_;  ///< (ranges) of the costs of all items before the range
  double least_ = 1.0;
  double most_ = 1.0;
  double deviation_ = 0.0;
};

/// What is shown of the costs of items.
struct CostProfile {
  Items items = 1;
  double least = 1.0;         ///< cost of an item, over the mean
  double most = 1.0;          ///< the greatest
  std::vector<double> means;  ///< over the mean of all items; see `profile_of`

  bool operator==(const CostProfile&) const = default;
};

constexpr auto describe(DescriptionOf<CostProfile> /*of*/) {
  return std::tuple(
      member("items", &CostProfile::items, "their number").in("items").at_least(1),
      member("least", &CostProfile::least, "the least cost of an item over the mean"),
      member("most", &CostProfile::most, "the greatest"),
      member("means", &CostProfile::means,
             "mean costs of neighbouring items over that of all: of n, number k is of the items "
             "from k items / n on, rounded down"));
}

/// The profile of `costs` with means of `points` parts, or of each item if there are fewer.
/// O(points log ranges).
[[nodiscard]] CostProfile profile_of(const ItemCosts& costs, Items points = 200);

/// Null: all items cost the same.
using ItemCostsPtr = std::shared_ptr<const ItemCosts>;

/// How many items of mean cost take as long to compute as `block`. Above 0.
[[nodiscard]] double work_of(const ItemCostsPtr& costs, const Block& block);

/// Costs that a formula or a distribution gives.
enum class CostPattern : std::uint8_t {
  increasing,   ///< item i of N costs (2 i + 1) / N
  decreasing,   ///< in the reverse order
  gaussian,     ///< independent, normal with standard deviation 1/3, cut off at 0
  bimodal,      ///< independent: 1/4 for four items in five, 4 for the fifth, at random places
  exponential,  ///< independent, exponential
};

constexpr auto words(DescriptionOf<CostPattern> /*of*/) {
  return std::array{Word{CostPattern::increasing, "increasing"},
                    Word{CostPattern::decreasing, "decreasing"},
                    Word{CostPattern::gaussian, "gaussian"}, Word{CostPattern::bimodal, "bimodal"},
                    Word{CostPattern::exponential, "exponential"}};
}

/// The most ranges of generated costs. Of more items, neighbours have the same cost.
inline constexpr Items generated_ranges_max = Items{1} << 20;

/// Whether costs of `pattern` are drawn.
[[nodiscard]] constexpr bool is_random(CostPattern pattern) {
  return pattern != CostPattern::increasing && pattern != CostPattern::decreasing;
}

/// The costs of `items` items. Equal seeds give equal costs on machines with the same mathematical
/// library. Scaled to mean 1, whatever was drawn.
[[nodiscard]] ItemCosts generated_costs(CostPattern pattern, Items items, std::uint64_t seed);

}  // namespace equipoise
