// Chooses the fastest unit and drives a CostFinder there.
#include "real/recording/cost_recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "real/real_executor.hpp"
#include "real/recording/run_recorder.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// The unit of a block, and how long it computed and took, without waits for cores.
struct ComputedBlock {
  UnitId unit;
  Seconds computed;
  Seconds taken;
};

/// The next block that ends; nothing if a stop was requested or `deadline` came first.
std::optional<ComputedBlock> next_computed(Executor& executor, const std::vector<UnitSpec>& units,
                                           const std::vector<StageTimes>& waited,
                                           Seconds deadline) {
  const std::optional<Event> event = executor.next(deadline);
  if (!event) return std::nullopt;
  const auto* const finished = std::get_if<BlockFinished>(&event->what);
  if (finished == nullptr) {
    throw BackendError(loss_text(*event, units, 0, "its items were compared"));
  }
  const StageTimes& waits = waited[finished->unit.index];
  return ComputedBlock{finished->unit, std::max(Seconds{}, finished->times.compute - waits.compute),
                       std::max(Seconds{}, recurring(finished->times) - recurring(waits))};
}

/// The largest block of `unit` that may be timed: no larger than the sizes that were asked for.
Items largest_timed(const RecordSetup& setup, std::size_t unit) {
  const Items fits = largest_block(setup.units[unit].unit, setup.kernel->workload());
  return setup.sizes.empty() ? fits : std::min(fits, *std::ranges::max_element(setup.sizes));
}

/// Lets units do growing blocks side by side. There is a grain for each of them.
class Race {
 public:
  Race(const RecordSetup& setup, std::vector<UnitId> units)
      : specs_(setup.units), workload_(setup.kernel->workload()), units_(std::move(units)) {
    const auto count = static_cast<Items>(units_.size());
    const Items grain = workload_.grain_items;
    const Items part = std::min(workload_.items / count, workload_.items / 64);
    const Items part_items = std::max(part / grain, Items{1}) * grain;
    Items first = (workload_.items - count * part_items) / 2 / grain * grain;
    for (const UnitId unit : units_) {
      const Items most = std::min(part_items, largest_timed(setup, unit.index));
      runners_.push_back({.first = first, .most = most, .items = std::min(grain, most)});
      first += part_items;
    }
  }

  /// The fastest unit; nothing if a stop was requested.
  std::optional<UnitId> run(Executor& executor, const std::vector<StageTimes>& waited) {
    constexpr Seconds patience{0.02};
    executor.begin_iteration(0, 0);
    for (std::size_t i = 0; i < units_.size(); ++i) start(executor, i);
    Seconds deadline = Seconds::infinity();
    for (std::size_t ready = 0; ready < units_.size();) {
      const auto block = next_computed(executor, specs_, waited, deadline);
      if (!block && executor.now() < deadline) return std::nullopt;
      if (!block) break;  // the others are slower
      const auto i =
          static_cast<std::size_t>(std::ranges::find(units_, block->unit) - units_.begin());
      if (!take(runners_[i], block->computed)) {
        start(executor, i);
      } else if (++ready == 1) {
        deadline = executor.now() + patience;
      }
    }
    const auto fastest = std::ranges::max_element(runners_, {}, &Runner::items_per_s);
    return units_[static_cast<std::size_t>(fastest - runners_.begin())];
  }

 private:
  struct Runner {
    Items first = 0;
    Items most = 0;   ///< of a block
    Items items = 0;  ///< of the next block
    bool is_warm = false;
    double items_per_s = 0.0;  ///< of the last block
  };

  void start(Executor& executor, std::size_t i) {
    const Runner& runner = runners_[i];
    executor.start({.id = id_++, .first = runner.first, .items = runner.items}, units_[i]);
  }

  /// Whether the unit needs no more blocks.
  bool take(Runner& runner, Seconds computed) const {
    constexpr Seconds enough{1e-3};
    const double time_s = std::max(computed.value, 1e-9);
    runner.items_per_s = static_cast<double>(runner.items) / time_s;
    if (!std::exchange(runner.is_warm, true)) return false;
    if (computed >= enough || runner.items == runner.most) return true;
    runner.items = std::min(4 * runner.items, runner.most);
    return false;
  }

  const std::vector<UnitSpec>& specs_;
  const Workload& workload_;
  std::vector<UnitId> units_;
  std::vector<Runner> runners_;
  std::uint64_t id_ = 0;
};

}  // namespace

bool time_places(Executor& executor, const std::vector<UnitSpec>& units, UnitId unit,
                 const std::vector<StageTimes>& waited, Seconds limit, CostFinder& finder) {
  executor.begin_iteration(0, 0);
  const Seconds end = executor.now() + limit;
  Seconds spent;
  for (std::uint64_t id = 0; !finder.is_done(); ++id) {
    const ItemRange block = finder.next_block();
    executor.start({.id = id, .first = block.first, .items = block.items}, unit);
    const auto done = next_computed(executor, units, waited, Seconds::infinity());
    if (!done) return false;
    finder.take(done->computed, spent += done->taken);
    if (executor.now() > end && !finder.is_done()) finder.end();
  }
  return true;
}

std::optional<FoundCosts> look_for_costs(const RecordSetup& setup, const Placement& placement) {
  std::vector<UnitId> computing;
  for (std::uint32_t i = 0; i < setup.units.size(); ++i) {
    if (setup.units[i].computes()) computing.push_back(UnitId{i});
  }
  if (setup.costs_share <= 0.0 || computing.empty()) return std::nullopt;
  const Workload& workload = setup.kernel->workload();
  const auto grains = static_cast<std::size_t>(workload.items / workload.grain_items);
  std::vector<StageTimes> waited(setup.units.size());
  RealSetup real;
  real.units = setup.units;
  real.placement = placement;
  real.nodes = setup.nodes;
  real.phases = {setup.kernel};
  real.stop_requested = setup.stop_requested;
  real.report_cores = [&waited](UnitId unit, const BlockCores& cores) {
    waited[unit.index] = cores.waited;
  };
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  std::optional<UnitId> fastest = computing.front();
  if (computing.size() > 1 && grains >= computing.size()) {
    Race race(setup, computing);
    executor->run([&] { fastest = race.run(*executor, waited); });
  }
  const std::size_t unit = fastest.value_or(computing.front()).index;
  const Seconds budget = setup.costs_share * setup.budget;
  FoundCosts found{CostFinder(workload, largest_timed(setup, unit), budget), unit, !fastest};
  if (found.interrupted || found.finder.is_done()) return found;
  executor->run([&] {
    found.interrupted =
        !time_places(*executor, setup.units, *fastest, waited, 4.0 * budget, found.finder);
  });
  return found;
}

}  // namespace equipoise
