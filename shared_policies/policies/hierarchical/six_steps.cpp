// The six-step construction with which hierarchical divisible load scheduling cuts the share of one
// accelerator into groups of overlapping blocks. With the times t_i (copy in), t_c (computing) and
// t_o (copy out) of a block:
//
//   3.1  (FirstTriple) A first group gamma_1, gamma_2, gamma_3 that fits (3, 4) and uses the link
//        all the time that gamma_2 is computed,
//
//            t_o(gamma_1) + t_i(gamma_3) = t_c(gamma_2),                                (6, equal)
//
//        with the greatest psi_delta = (gamma_1 + gamma_2 + gamma_3) / (its time).
//   3.2  (NextGroups::starts) Up to three more groups with the same gamma_2: t_c(gamma_1) =
//        t_i(gamma_2), or t_c(gamma_3) = t_o(gamma_2), or both.
//   3.3  (extensions) Each is extended while it fits: by a block with t_i(gamma_a) =
//        t_c(gamma_{a-1}) - t_o(gamma_{a-2}), and, in a duplicate, by one with t_c(gamma_a) =
//        t_o(gamma_{a-1}).
//   3.4  (restart) The rest of the share goes through the same steps.
//   3.5  (finish) Where 3.1 finds nothing, the rest is one block alone, or several that fit one by
//        one.
//   3.6  (keep) The schedule with the greatest psi_tau = beta / t_tau is kept. Groups of several
//        blocks are timed by `pipeline_time`, blocks alone by the unit's model for blocks alone
//        (`GroupProblem::alone`): the two models of one unit that section 6 speaks of.
//
// The equations of 3.1 are garbled in print: both have gamma_1 + gamma_3 on the left. They are
// read as the same condition twice: once phi_iota is a curve in gamma_3 for a given gamma_1, once
// phi_o one in gamma_1 for a given gamma_3. Table 1 confirms this: where copies take 0.54 and 0.44
// of computing and 122 items fit, gamma_2 is 41, and 3.2 and 3.3 make 22, 41, 18, 8, 4, 2, 1, as
// printed; 14, 26, 36 and 17, 32, 45 are such triples, too.
//
// Ours, where the paper is silent or refers to a report that is not available: the copies of units
// with two copy engines do not compete, t_i(gamma_3) = t_c(gamma_2) in 3.1 and t_i(gamma_a) =
// t_c(gamma_{a-1}) in 3.3; after one block with t_c(gamma_a) = t_o(gamma_{a-1}) only such blocks
// follow, although they break the other half of (7), because the printed lists (18, 8, 4, 2, 1) do
// so; the last of them may be smaller, to fill what is left; a group of less than a sixteenth of
// what may be in it is not followed, nor are more than the four fastest schedules of a round; one
// block alone is always among the schedules.
//
// Source: hierarchical divisible load scheduling (2012), section 4, step 3.
#include "shared_policies/policies/hierarchical/block_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/solve/inverse_cost.hpp"
#include "shared_policies/solve/pipeline_schedule.hpp"

namespace equipoise {
namespace {

constexpr std::array room_parts{1.0, 0.75, 0.5, 0.25};  // sums of a first triple that are tried
constexpr double least_triple_gain = 1e-3;  // relative: a smaller sum must be faster by this
constexpr int first_points = 12;
constexpr int refining_steps = 12;
constexpr int bisection_steps = 30;
constexpr std::size_t most_blocks = 64;
constexpr Items least_group_part = 16;
constexpr std::size_t kept_schedules = 4;

using Group = std::vector<Items>;  // sizes in grains

Items grains_of(const Group& group) {
  return std::accumulate(group.begin(), group.end(), Items{0});
}

/// The times of a unit's blocks, and their inverses, with sizes in grains.
class BlockTimes {
 public:
  explicit BlockTimes(const GroupProblem& problem)
      : problem_(problem),
        grain_(static_cast<double>(problem.grain_items)),
        limit_(static_cast<double>(problem.items) + grain_),
        in_(*problem.in, limit_),
        compute_(*problem.compute, limit_) {}

  [[nodiscard]] double in_s(double x) const { return problem_.in->at(x * grain_).seconds; }
  [[nodiscard]] double compute_s(double x) const {
    return problem_.compute->at(x * grain_).seconds;
  }
  [[nodiscard]] double out_s(double x) const { return problem_.out->at(x * grain_).seconds; }

  /// The largest block that is copied in, or computed, within `seconds`.
  [[nodiscard]] double copied_in(double seconds) { return in_.within(seconds).items / grain_; }
  [[nodiscard]] double computed(double seconds) { return compute_.within(seconds).items / grain_; }

  /// The largest block whose copy in ends with the computation of block b, if block a is copied out
  /// before it (with one copy engine). 0: none.
  [[nodiscard]] double copied_in_behind(double a, double b) {
    const double out = out_s(a);
    const double span = compute_s(b);
    if (out > span) return 0.0;
    return copied_in(problem_.copy_engines > 1 ? span : span - out);
  }

  template <typename Sizes>
  [[nodiscard]] double overlapped_s(const Sizes& group) const {
    return pipeline_time(problem_.stages(group, grain_), problem_.copy_engines).value;
  }

  /// t_delta of a group; a block alone by the model for blocks alone.
  [[nodiscard]] double group_s(const Group& group) const {
    if (group.size() > 1 || problem_.alone == nullptr) return overlapped_s(group);
    return problem_.alone->at(static_cast<double>(group.front()) * grain_).seconds;
  }

 private:
  const GroupProblem& problem_;
  double grain_;
  double limit_;
  InverseCost in_;
  InverseCost compute_;
};

/// Step 3.1.
class FirstTriple {
 public:
  explicit FirstTriple(BlockTimes& times) : times_(times) {}

  /// The triple of at most `room` grains, in whole grains; nothing if there is none.
  [[nodiscard]] std::optional<Group> find(Items room) {
    Triple best;
    for (const double part : room_parts) {
      const Triple found = best_of_sum(part * static_cast<double>(room));
      if (found.speed > best.speed * (1.0 + least_triple_gain)) best = found;
    }
    if (best.speed == 0.0) return {};
    Group whole;
    for (const double size : best.sizes) whole.push_back(std::max<Items>(1, std::llround(size)));
    whole[2] = std::min(whole[2], room - whole[0] - whole[1]);
    if (whole[2] < 1) return {};
    return whole;
  }

 private:
  struct Triple {
    std::array<double, 3> sizes{};
    double speed = 0.0;  ///< psi_delta; 0: there is no such triple
  };

  /// The fastest triple of this sum: gamma_1 on a grid, then between its neighbours.
  [[nodiscard]] Triple best_of_sum(double sum) {
    if (sum < 3.0) return {};
    const double ratio = std::pow(sum, 1.0 / first_points);
    Triple best;
    double at = 1.0;
    for (double first = 1.0; first < sum; first *= ratio) {
      const Triple found = triple(first, sum);
      if (found.speed > best.speed) {
        best = found;
        at = first;
      }
    }
    double low = std::max(1.0, at / ratio);
    double high = std::min(sum, at * ratio);
    for (int step = 0; step < refining_steps; ++step) {
      const Triple lower = triple(low + (high - low) / 3.0, sum);
      const Triple upper = triple(high - (high - low) / 3.0, sum);
      for (const Triple& found : {lower, upper}) {
        if (found.speed > best.speed) best = found;
      }
      const double third = (high - low) / 3.0;
      if (lower.speed < upper.speed) {
        low += third;
      } else {
        high -= third;
      }
    }
    return best;
  }

  /// The triple of this sum with this gamma_1: gamma_2 and, by (6) with equality, gamma_3 grow
  /// together.
  [[nodiscard]] Triple triple(double first, double sum) {
    double low = 0.0;
    double high = sum - first;
    for (int step = 0; step < bisection_steps; ++step) {
      const double second = 0.5 * (low + high);
      (first + second + times_.copied_in_behind(first, second) < sum ? low : high) = second;
    }
    const std::array<double, 3> sizes{first, high, sum - first - high};
    if (sizes[1] < 0.5 || sizes[2] < 0.5) return {};
    return {sizes, sum / times_.overlapped_s(sizes)};
  }

  BlockTimes& times_;
};

/// Steps 3.1 to 3.3: the groups that may be next.
class NextGroups {
 public:
  explicit NextGroups(BlockTimes& times) : times_(times) {}

  /// Groups of at most `room` grains; none if 3.1 finds none.
  [[nodiscard]] std::vector<Group> of(Items room) {
    std::vector<Group> found;
    for (const Start& start : starts(room)) {
      for (Group& group : extensions(start, room)) {
        const bool is_new = std::find(found.begin(), found.end(), group) == found.end();
        if (is_new && least_group_part * grains_of(group) >= room) {
          found.push_back(std::move(group));
        }
      }
    }
    return found;
  }

 private:
  struct Start {
    Group triple;
    bool may_grow = false;  ///< gamma_3 does not yet belong to a tail
  };

  /// Steps 3.1 and 3.2.
  [[nodiscard]] std::vector<Start> starts(Items room) {
    const std::optional<Group> core = FirstTriple(times_).find(room);
    if (!core) return {};
    const Items second = (*core)[1];
    const auto size = static_cast<double>(second);
    const Items first = std::llround(times_.computed(times_.in_s(size)));
    const Items third = std::llround(times_.computed(times_.out_s(size)));
    std::vector<Start> found{{*core, true}};
    for (const Start& more :
         {Start{{first, second, (*core)[2]}, true}, Start{{(*core)[0], second, third}, false},
          Start{{first, second, third}, false}}) {
      const bool has_all = more.triple.front() > 0 && more.triple.back() > 0;
      if (has_all && grains_of(more.triple) <= room) found.push_back(more);
    }
    return found;
  }

  /// Step 3.3: 0, 1, 2, ... growing blocks, each time followed by a tail.
  [[nodiscard]] std::vector<Group> extensions(const Start& start, Items room) {
    Group group = start.triple;
    std::vector<Group> found{with_tail(group, room)};
    while (start.may_grow && group.size() < most_blocks) {
      const auto before = static_cast<double>(group[group.size() - 2]);
      const auto last = static_cast<double>(group.back());
      const double size = std::floor(times_.copied_in_behind(before, last));
      const bool fits = size <= static_cast<double>(room - grains_of(group));
      if (size < 1.0 || !fits || times_.compute_s(size) < times_.out_s(last)) break;
      group.push_back(static_cast<Items>(size));
      found.push_back(with_tail(group, room));
    }
    return found;
  }

  [[nodiscard]] Group with_tail(Group group, Items room) {
    Items left = room - grains_of(group);
    while (left > 0 && group.size() < most_blocks) {
      const double size = times_.computed(times_.out_s(static_cast<double>(group.back())));
      const Items whole = std::min(left, static_cast<Items>(std::llround(size)));
      if (whole < 1) break;
      group.push_back(whole);
      left -= whole;
    }
    return group;
  }

  BlockTimes& times_;
};

/// Steps 3.4 to 3.6.
class SixSteps {
 public:
  explicit SixSteps(const GroupProblem& problem)
      : problem_(problem),
        grains_((problem.items + problem.grain_items - 1) / problem.grain_items),
        cap_(std::max<Items>(1, problem.cap_items / problem.grain_items)),
        times_(problem),
        next_(times_) {}

  [[nodiscard]] BlockGroups best() {
    std::vector<Schedule> open{{{}, grains_, 0.0}};
    finish(open.front());
    while (!open.empty()) {
      std::vector<Schedule> longer;
      for (const Schedule& schedule : open) restart(schedule, longer);
      open = fastest(std::move(longer));
    }
    for (Group& group : best_.groups) {
      for (Items& size : group) size *= problem_.grain_items;
      EQ_CHECK(cap_ == 1 || fit_together(group, problem_.cap_items), "a group fits into memory");
    }
    return std::move(best_.groups);
  }

 private:
  struct Schedule {
    BlockGroups groups;  ///< sizes in grains
    Items left = 0;
    double seconds = std::numeric_limits<double>::infinity();
  };

  /// Step 3.4, or 3.5 where too little is left for a triple.
  void restart(const Schedule& schedule, std::vector<Schedule>& longer) {
    const std::vector<Group>& groups = groups_of(std::min(schedule.left, cap_));
    if (groups.empty()) return finish(schedule);
    for (const Group& group : groups) {
      Schedule more = schedule;
      append(more, group);
      if (more.left == 0) {
        keep(std::move(more));
      } else if (more.seconds < best_.seconds) {
        longer.push_back(std::move(more));
      }
    }
  }

  /// Step 3.5.
  void finish(Schedule schedule) {
    while (schedule.left > 0) append(schedule, {std::min(schedule.left, cap_)});
    keep(std::move(schedule));
  }

  /// Step 3.6.
  void keep(Schedule schedule) {
    if (schedule.seconds < best_.seconds) best_ = std::move(schedule);
  }

  void append(Schedule& schedule, const Group& group) const {
    schedule.seconds += times_.group_s(group);
    schedule.left -= grains_of(group);
    schedule.groups.push_back(group);
  }

  /// The schedules that did most items a second so far; of those with the same rest, the first.
  [[nodiscard]] std::vector<Schedule> fastest(std::vector<Schedule> all) const {
    const auto slower = [this](const Schedule& a, const Schedule& b) {
      return static_cast<double>(grains_ - a.left) * b.seconds >
             static_cast<double>(grains_ - b.left) * a.seconds;
    };
    std::stable_sort(all.begin(), all.end(), slower);
    std::vector<Schedule> kept;
    for (Schedule& schedule : all) {
      const bool is_known = std::any_of(kept.begin(), kept.end(),
                                        [&](const auto& k) { return k.left == schedule.left; });
      if (!is_known && kept.size() < kept_schedules) kept.push_back(std::move(schedule));
    }
    return kept;
  }

  const std::vector<Group>& groups_of(Items room) {
    const auto found = groups_.find(room);
    return found != groups_.end() ? found->second
                                  : groups_.emplace(room, next_.of(room)).first->second;
  }

  const GroupProblem& problem_;
  Items grains_;
  Items cap_;
  BlockTimes times_;
  NextGroups next_;
  std::map<Items, std::vector<Group>> groups_;
  Schedule best_;
};

}  // namespace

BlockGroups plan_six_steps(const GroupProblem& problem) {
  return problem.items > 0 ? SixSteps(problem).best() : BlockGroups{};
}

}  // namespace equipoise
