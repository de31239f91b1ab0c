// A search for the least time, with what every unit could do in it and what the links would carry.
#include "shared_policies/solve/lower_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/solve/cheapest_blocks.hpp"
#include "shared_policies/solve/packing_program.hpp"

namespace equipoise {
namespace {

constexpr double exactness = 1e-12;
constexpr double safety = 1e-9;  // the bound is given from below, whatever rounding did

/// What a unit needs for its share.
struct UnitNeeds {
  std::size_t unit = 0;
  CheapestBlocks compute;
  CheapestBlocks in;
  CheapestBlocks out;
  std::optional<CheapestBlocks> both;  // ways share one copy engine
  double in_bytes_per_item = 0.0;
  double out_bytes_per_item = 0.0;
  double resident_s = 0.0;  // to copy in the resident bytes, without latency
  /// The narrowest link that this unit alone crosses, both ways; infinite: none.
  double own_bandwidth = std::numeric_limits<double>::infinity();
};

/// A shared link that several units cross.
struct SharedLink {
  std::uint32_t link = 0;
  std::vector<std::size_t> in_users;  // positions in the list of needs
  std::vector<std::size_t> out_users;
};

/// The sizes between which everything is linear: smallest block, grain, recorded ones, largest.
std::vector<double> kinks(const Unit& unit, const Workload& workload, const BlockTiming& timing) {
  const Items rest = workload.items % workload.grain_items;
  const auto low = static_cast<double>(rest > 0 ? rest : workload.grain_items);
  const auto high =
      std::max(low, static_cast<double>(std::min(largest_block(unit, workload), workload.items)));
  std::vector<double> sizes = {low, static_cast<double>(workload.grain_items), high};
  for (const double size : timing.sizes()) {
    sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  std::vector<double> inside;
  for (const double size : sizes) {
    if (size >= low && size <= high && (inside.empty() || size > inside.back())) {
      inside.push_back(size);
    }
  }
  return inside;
}

CheapestBlocks cheapest(const std::vector<double>& sizes,
                        const std::function<double(double)>& takes) {
  std::vector<BlockTake> list;
  for (const double size : sizes) {
    list.push_back({size, takes(size)});
  }
  return CheapestBlocks(list);
}

/// The bound of one iteration.
class IterationBound {
 public:
  IterationBound(const Platform& platform, const Workload& workload,
                 std::span<const BlockTiming* const> timings)
      : platform_(platform), workload_(workload) {
    for (std::size_t p = 0; p < platform.units.size(); ++p) {
      if (timings[p] != nullptr && largest_block(platform.units[p].unit, workload) > 0) {
        needs_.push_back(needs_of(p, *timings[p]));
      }
    }
    EQ_CHECK(!needs_.empty(), "a unit takes part");
    find_shared_links();
  }

  LowerBound solve(bool with_resident) {
    resident_bytes_ = with_resident ? workload_.resident_bytes : 0.0;
    double low = 0.0;
    double high =
        std::max(static_cast<double>(workload_.items) * needs_.front().compute.per_item(), 1e-9);
    while (!fits(high)) {
      low = high;
      high *= 2.0;
    }
    while (high - low > exactness * high) {
      const double middle = 0.5 * (low + high);
      (fits(middle) ? high : low) = middle;
    }
    return answer(high, low * (1.0 - safety));
  }

 private:
  UnitNeeds needs_of(std::size_t p, const BlockTiming& timing) const {
    const PlatformUnit& unit = platform_.units[p];
    const std::vector<double> sizes = kinks(unit.unit, workload_, timing);
    const auto in_bytes = [&](double x) {
      return timing.in_bytes(x).value_or(workload_.in_bytes_per_item * x);
    };
    const auto out_bytes = [&](double x) {
      return timing.out_bytes(x).value_or(workload_.out_bytes_per_item * x);
    };
    const auto in_s = [&](double x) {
      return transfer_time(platform_, unit.in, in_bytes(x)).value;
    };
    const auto out_s = [&](double x) {
      return transfer_time(platform_, unit.out, out_bytes(x)).value;
    };
    UnitNeeds needs{p,
                    cheapest(sizes, [&](double x) { return timing.mean(x).value; }),
                    cheapest(sizes, in_s),
                    cheapest(sizes, out_s),
                    {},
                    cheapest(sizes, in_bytes).per_item(),
                    cheapest(sizes, out_bytes).per_item(),
                    1.0 / bandwidth_of(platform_.links, unit.in)};
    if (unit.unit.copy_engines < 2) {
      needs.both = cheapest(sizes, [&](double x) { return in_s(x) + out_s(x); });
    }
    return needs;
  }

  void find_shared_links() {
    std::vector<SharedLink> links(platform_.links.size());
    for (std::uint32_t l = 0; l < links.size(); ++l) {
      links[l].link = l;
    }
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      for (const std::uint32_t l : platform_.units[needs_[i].unit].in.links) {
        links[l].in_users.push_back(i);
      }
      for (const std::uint32_t l : platform_.units[needs_[i].unit].out.links) {
        links[l].out_users.push_back(i);
      }
    }
    for (SharedLink& link : links) {
      if (!platform_.links[link.link].shared) {
        continue;
      }
      if (is_of_one_unit(link)) {
        note_own_link(link);
      } else if (!link.in_users.empty() || !link.out_users.empty()) {
        shared_.push_back(std::move(link));
      }
    }
  }

  static bool is_of_one_unit(const SharedLink& link) {
    return link.in_users.size() <= 1 && link.out_users.size() <= 1 &&
           (link.in_users.empty() || link.out_users.empty() || link.in_users == link.out_users);
  }

  /// A link that one unit crosses both ways holds both sums of bytes.
  void note_own_link(const SharedLink& link) {
    if (!link.in_users.empty() && !link.out_users.empty()) {
      double& bandwidth = needs_[link.in_users.front()].own_bandwidth;
      bandwidth = std::min(bandwidth, platform_.links[link.link].bandwidth_bytes_per_s);
    }
  }

  double copies_within(const UnitNeeds& needs, double seconds) const {
    const double left = seconds - resident_bytes_ * needs.resident_s;
    double items = std::min(needs.in.within(left), needs.out.within(seconds));
    if (needs.both) {
      items = std::min(items, needs.both->within(left));
    }
    const double bytes = needs.in_bytes_per_item + needs.out_bytes_per_item;
    if (std::isinf(needs.own_bandwidth) || bytes == 0.0) {
      return items;
    }
    const double room = seconds * needs.own_bandwidth - resident_bytes_;
    return std::min(items, std::max(0.0, room) / bytes);
  }

  /// The items that fit into `seconds` when the links are not asked.
  double unit_within(const UnitNeeds& needs, double seconds) const {
    return std::min({needs.compute.within(seconds), copies_within(needs, seconds),
                     static_cast<double>(workload_.items)});
  }

  /// All items, less what the linear program's rounding may lose of them.
  double all_items() const { return static_cast<double>(workload_.items) * (1.0 - 1e-12); }

  bool fits(double seconds) { return most_items(seconds) >= all_items(); }

  /// The most items that all units together can do in `seconds`.
  double most_items(double seconds) {
    double sum = 0.0;
    limits_.clear();
    for (const UnitNeeds& needs : needs_) {
      limits_.push_back(unit_within(needs, seconds));
      sum += limits_.back();
    }
    if (shared_.empty() || sum < all_items()) {
      return sum;
    }
    packing_ = solver_.solve(program(seconds));
    return packing_.gain;
  }

  PackingProblem program(double seconds) const {
    std::vector<std::vector<std::pair<int, double>>> columns(needs_.size());
    const auto add = [&](std::size_t i, std::size_t l, double bytes) {
      const double room = seconds * platform_.links[shared_[l].link].bandwidth_bytes_per_s;
      auto& column = columns[i];
      if (!column.empty() && column.back().first == static_cast<int>(l)) {
        column.back().second += bytes / room;
      } else {
        column.emplace_back(static_cast<int>(l), bytes / room);
      }
    };
    for (std::size_t l = 0; l < shared_.size(); ++l) {
      for (const std::size_t i : shared_[l].in_users) {
        add(i, l, needs_[i].in_bytes_per_item * limits_[i] + resident_bytes_);
      }
      for (const std::size_t i : shared_[l].out_users) {
        add(i, l, needs_[i].out_bytes_per_item * limits_[i]);
      }
    }
    PackingProblem problem;
    problem.gains = limits_;
    problem.row_count = shared_.size();
    for (const auto& column : columns) {
      problem.column_starts.push_back(static_cast<int>(problem.rows.size()));
      for (const auto& [row, weight] : column) {
        problem.rows.push_back(row);
        problem.weights.push_back(weight);
      }
    }
    problem.column_starts.push_back(static_cast<int>(problem.rows.size()));
    return problem;
  }

  LowerBound answer(double reached_s, double bound_s) {
    const double most = most_items(reached_s);
    const double part = static_cast<double>(workload_.items) / most;
    LowerBound bound{bound_s, std::vector<double>(platform_.units.size(), 0.0), ""};
    double by_compute = 0.0;
    double by_copies = 0.0;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const double fraction = shared_.empty() ? 1.0 : packing_.fractions[i];
      bound.share_items[needs_[i].unit] = part * fraction * limits_[i];
      const bool compute =
          needs_[i].compute.within(reached_s) <= copies_within(needs_[i], reached_s);
      (compute ? by_compute : by_copies) += fraction * limits_[i];
    }
    bound.binding = by_compute >= by_copies ? "compute" : "copies";
    if (!shared_.empty()) {
      const auto dearest = std::max_element(packing_.row_prices.begin(), packing_.row_prices.end());
      if (*dearest > 1e-9 * most) {
        const auto l = static_cast<std::size_t>(dearest - packing_.row_prices.begin());
        bound.binding = platform_.links[shared_[l].link].name;
      }
    }
    return bound;
  }

  const Platform& platform_;
  const Workload& workload_;
  std::vector<UnitNeeds> needs_;
  std::vector<SharedLink> shared_;
  double resident_bytes_ = 0.0;
  std::vector<double> limits_;  // of the units that take part, at the last trial time
  Packing packing_;             // at the last trial time where the links were asked
  PackingSolver solver_;
};

}  // namespace

LowerBound lower_bound(const Platform& platform, const Workload& workload,
                       std::span<const BlockTiming* const> timings) {
  EQ_CHECK(timings.size() == platform.units.size(), "a timing or null for each unit");
  IterationBound iteration(platform, workload, timings);
  LowerBound bound = iteration.solve(true);
  if (workload.iterations > 1) {
    bound.seconds += static_cast<double>(workload.iterations - 1) * iteration.solve(false).seconds;
  }
  return bound;
}

}  // namespace equipoise
