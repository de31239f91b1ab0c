// Gives every unit one small block, then starts the policy itself.
#include "shared_policies/policies/probed_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"
#include "shared_policies/policies/block_durations.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {
namespace {

constexpr double probe_part = 1.0 / 16.0;  // of the block that `auto` means
constexpr const char* parameter = "initial_block_items";

class ProbedStart final : public Policy {
 public:
  ProbedStart(double time_share, PolicyFromFirstBlock make_policy)
      : time_share_(time_share), make_policy_(std::move(make_policy)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (policy_ != nullptr) return policy_->decide(view, event, decisions);
    probes_.resize(view.units().size());
    if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      probes_[finished->unit.index].items_per_s =
          static_cast<double>(finished->block.items) / block_duration_s(finished->times);
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      probes_[lost->unit.index].was_asked = false;
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      Probe& probe = probes_[idle->unit.index];
      if (!probe.was_asked) {
        probe.was_asked = decisions.assign(idle->unit, probe_items(view), BlockTag::train) > 0;
      } else if (is_measured(view)) {
        start(view, event.at, decisions);
      }
    }
  }

 private:
  struct Probe {
    bool was_asked = false;
    double items_per_s = 0.0;  ///< 0: not measured
  };

  [[nodiscard]] static Items probe_items(const View& view) {
    const Items grain = view.workload().grain_items;
    const double items = probe_part * static_cast<double>(initial_block(view, {}));
    return std::max(grain, nearest_block(items, grain, view.workload().items));
  }

  /// Whether all present units have been measured and none is working.
  [[nodiscard]] bool is_measured(const View& view) const {
    return view.outstanding() == 0 &&
           std::all_of(view.units().begin(), view.units().end(), [this](const UnitState& unit) {
             return !unit.present || probes_[unit.id.index].items_per_s > 0.0;
           });
  }

  [[nodiscard]] Items first_block(const View& view) const {
    std::vector<double> speeds;
    for (const Probe& probe : probes_) {
      if (probe.items_per_s > 0.0) speeds.push_back(probe.items_per_s);
    }
    const Workload& workload = view.workload();
    const double items = first_block_for_time(time_share_, workload.items, speeds);
    return std::max(workload.grain_items,
                    nearest_block(items, workload.grain_items, workload.items));
  }

  /// Tells the policy what it has missed, and of idle units as the run loop does.
  void start(const View& view, Seconds at, Decisions& decisions) {
    const Items first = first_block(view);
    decisions.note(fmt::format("{}={}", parameter, first));
    policy_ = make_policy_(first);
    policy_->decide(view, {at, RunStarted{}}, decisions);
    policy_->decide(view, {at, PhaseStarted{view.phase()}}, decisions);
    policy_->decide(view, {at, IterationStarted{view.iteration()}}, decisions);
    for (const UnitState& unit : view.units()) {
      const auto slots = static_cast<std::size_t>(unit.unit.slots);
      bool was_granted = true;
      while (was_granted && unit.present && unit.outstanding.size() < slots &&
             view.remaining() > 0) {
        const std::size_t before = unit.outstanding.size();
        policy_->decide(view, {view.now(), UnitIdle{unit.id}}, decisions);
        was_granted = unit.outstanding.size() > before;
      }
    }
  }

  double time_share_;
  PolicyFromFirstBlock make_policy_;
  std::vector<Probe> probes_;       // (n)
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
  const double share = parse_number(given->second.substr(prefix.size()), "--policy");
  if (!(share > 0.0 && share < 1.0)) {
    throw InputError("--policy", fmt::format("{}={} is out of range; give time:SHARE with a share "
                                             "of the time between 0 and 1, such as time:0.10",
                                             parameter, given->second));
  }
  given->second = "auto";
  return share;
}

double first_block_for_time(double time_share, Items items, std::span<const double> speeds) {
  const auto [slowest, fastest] = std::minmax_element(speeds.begin(), speeds.end());
  const double sum = std::reduce(speeds.begin(), speeds.end());
  return time_share * static_cast<double>(items) / (sum * (14.0 / *fastest + 1.0 / *slowest));
}

std::unique_ptr<Policy> make_probed_start(double time_share, PolicyFromFirstBlock make_policy) {
  return std::make_unique<ProbedStart>(time_share, std::move(make_policy));
}

}  // namespace equipoise
