// Generates candidates for the blocks of a group and keeps the fastest.
#include "shared_policies/policies/hierarchical/block_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/solve/inverse_cost.hpp"
#include "shared_policies/solve/pipeline_schedule.hpp"

namespace equipoise {
namespace {

constexpr Items least_grains_to_split = 3;
constexpr std::array equal_counts{2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64};
constexpr std::array growing_counts{0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48};
constexpr double rounding = 1e-9;  // relative: a smaller gain does not count
constexpr std::size_t longest_group = 64;
constexpr int search_steps = 24;

constexpr double equality_error = 1e-9;  // relative error that a solver's equality may have

/// a >= b, up to rounding.
bool covers(Seconds a, Seconds b) { return a.value * (1.0 + equality_error) >= b.value; }

/// Whether `out` and `in` both fit into `span` on the unit's copy engines.
bool fit_within(Seconds out, Seconds in, Seconds span, int copy_engines) {
  return covers(span, copy_engines > 1 ? std::max(out, in) : out + in);
}

Items grains_in(Items items, Items grain_items) { return (items + grain_items - 1) / grain_items; }

std::vector<Items> times_grain(std::vector<Items> grains, Items grain_items) {
  for (Items& size : grains) size *= grain_items;
  return grains;
}

/// Whole sizes with the sum `grains`, in the proportions of `sizes`: the running sums are rounded.
/// A block of size 0 is left out.
std::vector<Items> rounded_to(const std::vector<double>& sizes, Items grains) {
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  std::vector<Items> whole;
  double running = 0.0;
  Items given = 0;
  for (const double size : sizes) {
    running += size;
    const Items until = std::llround(running / sum * static_cast<double>(grains));
    if (until > given) {
      whole.push_back(until - given);
      given = until;
    }
  }
  return whole;
}

/// Finds the blocks of one group of a given number of grains.
class GroupShape {
 public:
  struct Choice {
    std::vector<Items> grains;
    Seconds time = Seconds::infinity();
  };

  GroupShape(const GroupProblem& problem, Items grains)
      : problem_(problem),
        grains_(grains),
        limit_(static_cast<double>(grains * problem.grain_items)),
        in_(*problem.in, limit_),
        compute_(*problem.compute, limit_) {}

  [[nodiscard]] Choice best() {
    consider({grains_});
    if (grains_ >= least_grains_to_split) {
      consider(halving_blocks(grains_, 1));
      for (const int blocks : equal_counts) {
        consider(rounded_to(std::vector<double>(static_cast<std::size_t>(blocks), 1.0), grains_));
      }
      for (conditions_engines_ = 1; conditions_engines_ <= problem_.copy_engines;
           ++conditions_engines_) {
        consider_stall_free_starts();
      }
    }
    return std::move(best_);
  }

 private:
  /// Keeps the blocks if they are the fastest so far; returns the time that they take.
  Seconds consider(const std::vector<Items>& grains) {
    const auto times = problem_.stages(grains, static_cast<double>(problem_.grain_items));
    const Seconds time = pipeline_time(times, problem_.copy_engines);
    if (time.value < best_.time.value * (1.0 - rounding)) best_ = {grains, time};
    return time;
  }

  /// Tries more and more growing blocks, until that was slower twice.
  void consider_stall_free_starts() {
    Seconds fastest = Seconds::infinity();
    int slower = 0;
    for (const int growing : growing_counts) {
      const std::vector<double> sizes = filling_sizes(growing);
      if (sizes.empty() || slower == 2) return;
      const Seconds time = consider_with_joined_tails(sizes);
      slower += time > fastest ? 1 : 0;
      fastest = std::min(fastest, time);
    }
  }

  Seconds consider_with_joined_tails(std::vector<double> sizes) {
    Seconds fastest = consider(rounded_to(sizes, grains_));
    while (sizes.size() > 2) {
      const double last = sizes.back();
      sizes.pop_back();
      sizes.back() += last;
      fastest = std::min(fastest, consider(rounded_to(sizes, grains_)));
    }
    return fastest;
  }

  /// The sizes, in items, for the gamma_2 with which they add up to the group; empty if the copies
  /// cannot be hidden.
  [[nodiscard]] std::vector<double> filling_sizes(int growing) {
    double low = 0.0;
    double high = limit_;
    std::vector<double> found;
    for (int step = 0; step < search_steps; ++step) {
      const double second = 0.5 * (low + high);
      std::vector<double> sizes = sizes_from(second, growing);
      const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
      if (sizes.empty() || sum > limit_) {
        high = second;
      } else {
        low = second;
        found = std::move(sizes);
      }
    }
    return found;
  }

  /// gamma_1, gamma_2, growing blocks, tail. Empty if there is no time left to copy in a growing
  /// block, or if the first blocks would stall nevertheless.
  [[nodiscard]] std::vector<double> sizes_from(double second, int growing) {
    std::vector<double> sizes{compute_.within(problem_.in->at(second).seconds).items, second};
    if (sizes.front() <= 0.0) sizes.erase(sizes.begin());
    double sum = 0.0;
    for (int block = 0; block < growing && sum <= limit_; ++block) {
      const double size = growing_size(sizes);
      if (size <= 0.0) return {};
      sizes.push_back(size);
      sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    }
    if (growing > 0 && !are_stall_free(problem_.stages(sizes, 1.0), conditions_engines_)) {
      return {};
    }
    append_tail(sizes);
    return sizes;
  }

  /// The size of the next growing block, from condition (6) or (7) with equality.
  [[nodiscard]] double growing_size(const std::vector<double>& sizes) {
    double room_s = problem_.compute->at(sizes.back()).seconds;
    if (sizes.size() > 1) {
      const double out_s = problem_.out->at(sizes[sizes.size() - 2]).seconds;
      if (conditions_engines_ == 1) {
        room_s -= out_s;
      } else if (out_s > room_s) {
        return 0.0;
      }
    }
    return room_s > 0.0 ? in_.within(room_s).items : 0.0;
  }

  /// Appends blocks, each computed while the results of the block before it are copied out.
  void append_tail(std::vector<double>& sizes) {
    const double least = 0.5 * static_cast<double>(problem_.grain_items);
    while (sizes.size() < longest_group) {
      const double size = compute_.within(problem_.out->at(sizes.back()).seconds).items;
      if (size < least || size >= sizes.back()) return;
      sizes.push_back(size);
    }
  }

  const GroupProblem& problem_;
  Items grains_;
  double limit_;
  InverseCost in_;
  InverseCost compute_;
  int conditions_engines_ = 1;  ///< of the conditions used; those for one also suffice for two
  Choice best_;
};

/// Combines the best groups of each size to whole schedules.
class Schedules {
 public:
  explicit Schedules(const GroupProblem& problem)
      : problem_(problem),
        grains_(grains_in(problem.items, problem.grain_items)),
        cap_(std::max<Items>(1, problem.cap_items / problem.grain_items)) {}

  [[nodiscard]] BlockGroups best() {
    const Items fewest = grains_in(grains_, cap_);
    consider_full();
    consider(equal_blocks(grains_, fewest, 1));
    if (fewest > 1) consider(equal_blocks(grains_, fewest + 1, 1));
    BlockGroups groups;
    for (const Items size : best_sizes_) {
      groups.push_back(times_grain(shape_of(size).grains, problem_.grain_items));
      EQ_CHECK(cap_ == 1 || fit_together(groups.back(), problem_.cap_items),
               "a group fits into memory");
    }
    return groups;
  }

 private:
  const GroupShape::Choice& shape_of(Items grains) {
    const auto found = shapes_.find(grains);
    if (found != shapes_.end()) return found->second;
    return shapes_.emplace(grains, GroupShape(problem_, grains).best()).first->second;
  }

  void consider_full() {
    std::vector<Items> sizes(static_cast<std::size_t>(grains_ / cap_), cap_);
    if (grains_ % cap_ > 0) sizes.push_back(grains_ % cap_);
    consider(std::move(sizes));
  }

  void consider(std::vector<Items> sizes) {
    Seconds time;
    for (const Items size : sizes) time += shape_of(size).time;
    if (time < best_time_) {
      best_time_ = time;
      best_sizes_ = std::move(sizes);
    }
  }

  const GroupProblem& problem_;
  Items grains_;
  Items cap_;
  std::map<Items, GroupShape::Choice> shapes_;
  std::vector<Items> best_sizes_;
  Seconds best_time_ = Seconds::infinity();
};

}  // namespace

bool fit_together(std::span<const Items> blocks, Items cap_items) {
  return std::accumulate(blocks.begin(), blocks.end(), Items{0}) <= cap_items;
}

bool hide_outer_copies(std::span<const StageTimes> times) {
  return (times.size() < 2 || covers(times[0].compute, times[1].in)) &&
         (times.size() < 3 || covers(times[2].compute, times[1].out));
}

bool hide_inner_copies(std::span<const StageTimes> times, int copy_engines) {
  return times.size() < 3 || fit_within(times[0].out, times[2].in, times[1].compute, copy_engines);
}

bool hides_later_copies(std::span<const StageTimes> times, std::size_t position, int copy_engines) {
  EQ_CHECK(position < times.size(), "a block of the group");
  if (position < 3) return true;
  return fit_within(times[position - 2].out, times[position].in, times[position - 1].compute,
                    copy_engines) &&
         covers(times[position].compute, times[position - 1].out);
}

bool are_stall_free(std::span<const StageTimes> times, int copy_engines) {
  bool hidden = hide_outer_copies(times) && hide_inner_copies(times, copy_engines);
  for (std::size_t position = 3; position < times.size(); ++position) {
    hidden = hidden && hides_later_copies(times, position, copy_engines);
  }
  return hidden;
}

std::vector<Items> halving_blocks(Items items, Items grain_items) {
  const Items grains = grains_in(items, grain_items);
  std::vector<Items> blocks;
  // With halves rounded up, round(grains / 2^l) = (floor(grains / 2^(l-1)) + 1) / 2, in integers.
  for (Items left = grains; left > 0; left /= 2) blocks.push_back((left + 1) / 2);
  return times_grain(std::move(blocks), grain_items);
}

BlockGroups halving_groups(Items items, Items grain_items, Items cap_items) {
  EQ_CHECK(cap_items >= grain_items, "a unit that takes part holds a grain");
  if (items <= 0) return {};
  std::vector<Items> blocks = halving_blocks(items, grain_items);
  if (blocks.size() == 1 || fit_together(blocks, cap_items)) return {std::move(blocks)};
  const Items larger = (grains_in(items, grain_items) + 1) / 2 * grain_items;
  BlockGroups groups = halving_groups(larger, grain_items, cap_items);
  const BlockGroups others = halving_groups(items - larger, grain_items, cap_items);
  groups.insert(groups.end(), others.begin(), others.end());
  return groups;
}

BlockGroups plan_groups(const GroupProblem& problem) {
  return problem.items > 0 ? Schedules(problem).best() : BlockGroups{};
}

}  // namespace equipoise
