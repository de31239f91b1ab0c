// Gives every unit two small blocks, then starts the policy itself.
#include "shared_policies/policies/probed_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/solve/integer_rounding.hpp"
#include "shared_policies/specs/spec.hpp"

namespace equipoise {
namespace {

constexpr double probe_part = 1.0 / 64.0;  // of the block that `auto` means
constexpr double least_part = 1.0 / 4.0;   // of that block; a smaller first block is replaced by it
constexpr Items probe_growth = 4;
constexpr std::size_t probe_count = 2;
constexpr double steps = 20.0;              // of a run: the published step_fraction is 0.05
constexpr double least_slope_share = 0.01;  // of a block's time grows with its items
constexpr const char* parameter = "initial_block_items";

class ProbedStart final : public EventPolicy {
 public:
  ProbedStart(double time_share, PolicyFromFirstBlock make_policy)
      : time_share_(time_share), make_policy_(std::move(make_policy)) {}

 private:
  void on_event(const Event& event) override {
    if (policy_ != nullptr) return policy_->decide(view(), event, decisions());
    probes_.resize(view().units().size());
    if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      UnitProbes& unit = probes_[finished->unit.index];
      unit.is_out = false;
      unit.done.push_back(
          {static_cast<double>(finished->block.items), block_duration_s(finished->times)});
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      probes_[lost->unit.index].is_out = false;
    } else if (std::holds_alternative<UnitLost>(event.what)) {
      if (view().remaining() > 0 && is_measured()) start();  // no idle unit is offered again
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      UnitProbes& unit = probes_[idle->unit.index];
      if (is_measured()) {
        start();
      } else if (!unit.is_out && unit.done.size() < probe_count) {
        const Items items = probe_items() * (unit.done.empty() ? 1 : probe_growth);
        unit.is_out = decisions().assign(idle->unit, items, BlockTag::train) > 0;
      }
    }
  }

  struct Probe {
    double items = 0.0;
    double seconds = 0.0;
  };
  struct UnitProbes {
    std::vector<Probe> done;
    bool is_out = false;
  };

  [[nodiscard]] Items probe_items() const {
    const Items grain = view().workload().grain_items;
    const double items = probe_part * static_cast<double>(initial_block(view(), {}));
    return std::max(grain, nearest_block(items, grain, view().workload().items));
  }

  /// Whether all present units, at least one, have been measured and none is working.
  [[nodiscard]] bool is_measured() const {
    const auto is_done = [this](const UnitState& unit) {
      return !unit.present || probes_[unit.id.index].done.size() >= probe_count;
    };
    return view().outstanding() == 0 && std::ranges::any_of(view().units(), &UnitState::present) &&
           std::ranges::all_of(view().units(), is_done);
  }

  /// The line through both probes, or through the origin if its fixed cost would be negative.
  [[nodiscard]] static CostLine line_of(const Probe& first, const Probe& second) {
    const double mean = second.seconds / second.items;
    const double grown = second.items - first.items;
    const double slope = grown > 0.0 ? (second.seconds - first.seconds) / grown : mean;
    CostLine line;
    line.seconds_per_item = std::clamp(slope, least_slope_share * mean, mean);
    line.advance_s = line.seconds_per_item * second.items - second.seconds;
    return line;
  }

  [[nodiscard]] Items first_block() const {
    std::vector<CostLine> lines;
    for (const UnitProbes& unit : probes_) {
      if (unit.done.size() >= probe_count) lines.push_back(line_of(unit.done[0], unit.done[1]));
    }
    const Workload& workload = view().workload();
    const Items share_of_items = initial_block(view(), {});
    const double items = first_block_for_time(time_share_, workload.items, lines);
    if (items < least_part * static_cast<double>(share_of_items)) return share_of_items;
    return std::max(workload.grain_items,
                    nearest_block(items, workload.grain_items, workload.items));
  }

  /// Tells the policy what it has missed, and of idle units as the run loop does.
  void start() {
    const Items first = first_block();
    decisions().note(fmt::format("{}={}", parameter, first));
    policy_ = make_policy_(first);
    const auto tell = [this](const Event& event) { policy_->decide(view(), event, decisions()); };
    tell({at(), RunStarted{}});
    tell({at(), PhaseStarted{view().phase()}});
    tell({at(), IterationStarted{view().iteration()}});
    for (const UnitState& unit : view().units()) {
      const auto slots = static_cast<std::size_t>(unit.unit.slots);
      bool was_granted = true;
      while (was_granted && unit.present && unit.outstanding.size() < slots &&
             view().remaining() > 0) {
        const std::size_t before = unit.outstanding.size();
        tell({view().now(), UnitIdle{unit.id}});
        was_granted = unit.outstanding.size() > before;
      }
    }
  }

  double time_share_;
  PolicyFromFirstBlock make_policy_;
  std::vector<UnitProbes> probes_;  // (n)
  std::unique_ptr<Policy> policy_;  // nullptr while probing
};

}  // namespace

std::optional<double> take_time_share(TypedParameters& typed,
                                      std::span<const ParameterInfo> known) {
  const std::string prefix = "time:";
  const auto given = typed.find(parameter);
  const bool is_known = std::any_of(known.begin(), known.end(),
                                    [](const auto& info) { return info.name == parameter; });
  if (!is_known || given == typed.end() || !given->second.starts_with(prefix)) return {};
  const double share = parse_number(given->second.substr(prefix.size()), "policy");
  if (!(share > 0.0 && share < 1.0)) {
    throw InputError("policy", fmt::format("{}={} is out of range; give time:SHARE with a share "
                                           "of the time between 0 and 1, such as time:0.10",
                                           parameter, given->second));
  }
  given->second = "auto";
  return share;
}

double first_block_for_time(double time_share, Items items, std::span<const CostLine> lines) {
  std::vector<CostLine> costs(lines.begin(), lines.end());
  for (CostLine& cost : costs) cost.cap_items = static_cast<double>(items);
  const auto seconds = [](const CostLine& cost, double x) {
    return cost.seconds_per_item * x - cost.advance_s;
  };
  const std::vector<double> step = divide_by_lines(costs, static_cast<double>(items) / steps);
  double step_s = 0.0;
  for (std::size_t p = 0; p < costs.size(); ++p) {
    if (step[p] > 0.0) step_s = std::max(step_s, seconds(costs[p], step[p]));
  }
  const auto training_s = [&](double x0) {
    double least = seconds(costs.front(), x0);
    double sum = least;
    for (const CostLine& cost : costs) least = std::min(least, seconds(cost, x0));
    for (const CostLine& cost : costs) sum = std::max(sum, seconds(cost, x0));
    for (const double multiplier : {2.0, 4.0, 8.0}) {
      double longest = 0.0;
      for (const CostLine& cost : costs) {
        longest = std::max(longest, seconds(cost, multiplier * x0 * least / seconds(cost, x0)));
      }
      sum += longest;
    }
    return sum;
  };
  double low = 0.0;
  double high = static_cast<double>(items);
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (training_s(middle) <= time_share * steps * step_s ? low : high) = middle;
  }
  return low;
}

std::unique_ptr<Policy> make_probed_start(double time_share, PolicyFromFirstBlock make_policy) {
  return std::make_unique<ProbedStart>(time_share, std::move(make_policy));
}

}  // namespace equipoise
