// Short runs of the workload, or of empty blocks, through the run loop, and the controller's times.
#include "real/recording/run_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "real/controller_times.hpp"
#include "real/kernels/catalog.hpp"
#include "real/real_executor.hpp"
#include "real/recording/unit_recorder.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {
namespace {

constexpr Items empty_blocks = 1000;

/// Gives each idle unit its number of items in `items`.
class Parts final : public Policy {
 public:
  /// (units)
  explicit Parts(std::vector<Items> items) : items_(std::move(items)) {}
  void decide(const View& /*view*/, const Event& event, Decisions& decisions) override {
    if (const auto* const idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, items_[idle->unit.index]);
    }
  }

 private:
  std::vector<Items> items_;
};

/// Lets the iterations of a run repeat the first one: the kernel merges nothing between them.
class Repetitions final : public Executor {
 public:
  explicit Repetitions(Executor& executor) : executor_(executor) {}

  void run(const std::function<void()>& body) override { executor_.run(body); }
  [[nodiscard]] Seconds now() const override { return executor_.now(); }
  Seconds begin_iteration(int phase, int /*iteration*/) override {
    return executor_.begin_iteration(phase, 0);
  }
  Seconds start(const Block& block, UnitId unit) override { return executor_.start(block, unit); }
  TakenBack take_back(const Block& block, UnitId unit) override {
    return executor_.take_back(block, unit);
  }
  Seconds probe(const Probe& probe, UnitId unit) override { return executor_.probe(probe, unit); }
  Seconds occupy(std::optional<UnitId> unit, Seconds span) override {
    return executor_.occupy(unit, span);
  }
  std::optional<Event> next(Seconds deadline) override { return executor_.next(deadline); }

 private:
  Executor& executor_;
};

/// Measures a run as commands do, and passes its records on to `journal`, unless that is null.
class MeasuredRun final : public Journal {
 public:
  MeasuredRun(const std::vector<Unit>& units, Journal* journal)
      : metrics_(units), journal_(journal) {}

  /// (iterations) From when the first block was handed out to the end of the last one, without the
  /// longest setup.
  [[nodiscard]] std::vector<double> seconds_of_iterations() const {
    std::vector<double> seconds;
    for (const Iteration& one : iterations_) {
      seconds.push_back((one.end - one.begin - one.setup).value);
    }
    return seconds;
  }

  void block(const BlockRecord& record) override {
    iterations_.resize(
        std::max(iterations_.size(), static_cast<std::size_t>(record.block.iteration) + 1));
    Iteration& now = iterations_[static_cast<std::size_t>(record.block.iteration)];
    now.begin = std::min(now.begin, record.assigned);
    now.end = std::max(now.end, record.end);
    now.setup = std::max(now.setup, record.times.setup);
    metrics_.block(record);
    if (journal_ != nullptr) journal_->block(record);
  }
  void decision(const DecisionRecord& record) override {
    metrics_.decision(record);
    if (journal_ != nullptr) journal_->decision(record);
  }
  void event(const EventRecord& record) override {
    metrics_.event(record);
    if (journal_ != nullptr) journal_->event(record);
  }
  void measured(const Measured& record) override {
    metrics_.measured(record);
    if (journal_ != nullptr) journal_->measured(record);
  }

 private:
  struct Iteration {
    Seconds begin = Seconds::infinity();
    Seconds end;
    Seconds setup;
  };

  Metrics metrics_;
  Journal* journal_;
  std::vector<Iteration> iterations_;
};

/// Whether threads that copy for an accelerator have the controller's core.
bool copies_share_core(std::span<const UnitSpec> units, const Placement& placement) {
  const bool copies = std::ranges::any_of(
      units, [](const UnitSpec& spec) { return spec.computes() && spec.unit.copy_engines > 0; });
  return copies && placement.controller().size() == 1 &&
         placement.others() == placement.controller();
}

/// The times of a run of empty blocks on one core; none if a stop was requested.
std::optional<ControllerTimes> of_empty_blocks(const RecordSetup& setup) {
  const std::unique_ptr<Kernel> kernel =
      make_kernel("empty", {{"items", std::to_string(empty_blocks)}}, "empty");
  kernel->allocate(1);
  ControllerTimes times;
  RealSetup real;
  real.units = parse_units({"cpu"});
  real.phases = {kernel.get()};
  real.stop_requested = setup.stop_requested;
  real.report_controller = [&times](const ControllerTimes& of_run) { times = of_run; };
  RunSetup run;
  run.units = {real.units.front().unit};
  run.phases = {kernel->workload()};
  run.stop_requested = setup.stop_requested;
  Parts policy({1});
  MeasuredRun journal(run.units, setup.journal.get());
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  if (!run_policy(*executor, policy, run, journal).complete) return std::nullopt;
  return times;
}

}  // namespace

std::string loss_text(const Event& event, const std::vector<UnitSpec>& units, std::size_t first,
                      const std::string& what) {
  if (const auto* block = std::get_if<BlockLost>(&event.what)) {
    return fmt::format("unit {} could not do a block of {} items while {}; give smaller sizes",
                       units[first + block->unit.index].unit.name, block->block.items, what);
  }
  const UnitId lost = std::get<UnitLost>(event.what).unit;
  return fmt::format("unit {} was lost while {}", units[first + lost.index].unit.name, what);
}

Items part_of(const RecordSetup& setup, std::size_t unit, Items items, Items usual) {
  constexpr Items blocks_for_a_unit = 8;
  const Workload& workload = setup.kernel->workload();
  const auto units = static_cast<Items>(setup.units.size());
  return std::min({items / (blocks_for_a_unit * units) + 1,
                   largest_block(setup.units[unit].unit, workload),
                   std::max(usual, workload.grain_items)});
}

RecordedRuns record_runs(const RecordSetup& setup, const Placement& placement,
                         std::span<const Items> usual_items, Items items) {
  constexpr int counted = 3;
  RecordedRuns runs;
  RealSetup real;
  real.units = setup.units;
  real.placement = placement;
  real.nodes = setup.nodes;
  real.phases = {setup.kernel};
  real.stop_requested = setup.stop_requested;
  RunSetup run;
  for (const UnitSpec& spec : setup.units) run.units.push_back(spec.unit);
  run.phases = {setup.kernel->workload()};
  run.phases.front().items = items;
  run.phases.front().iterations = 1 + counted;
  run.stop_requested = setup.stop_requested;
  std::vector<Items> parts;
  for (std::size_t unit = 0; unit < setup.units.size(); ++unit) {
    parts.push_back(part_of(setup, unit, items, usual_items[unit]));
  }
  real.report_controller = [&runs](const ControllerTimes& times) { runs.controller = times; };
  Parts policy(std::move(parts));
  MeasuredRun journal(run.units, setup.journal.get());
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  Repetitions repetitions(*executor);
  const RunOutcome outcome = run_policy(repetitions, policy, run, journal);
  runs.interrupted = outcome.interrupted;
  if (runs.interrupted) return runs;
  if (!outcome.complete) throw BackendError("units were lost while short runs were recorded");
  runs.runs_s = journal.seconds_of_iterations();
  runs.runs_s.erase(runs.runs_s.begin());
  return runs;
}

std::optional<ControllerWork> record_controller(const RecordSetup& setup,
                                                const Placement& placement,
                                                const ControllerTimes& of_runs) {
  constexpr std::size_t enough_reports = 100;
  const std::optional<ControllerTimes> times =
      of_runs.report_s.size() >= enough_reports ? of_runs : of_empty_blocks(setup);
  if (!times) return std::nullopt;
  ControllerWork work{undisturbed(times->report_s).mean, undisturbed(times->block_s).mean};
  int sharing = 0;
  for (std::size_t i = 0; i < setup.units.size(); ++i) {
    if (!setup.units[i].computes() || !shares_core_of_controller(placement, i)) continue;
    if (sharing++ > 0)
      work.shares_core_of.clear();  // none of several is right alone
    else
      work.shares_core_of = setup.units[i].unit.name;
  }
  if (copies_share_core(setup.units, placement)) work.byte_s = 1.0 / memory_copy_bytes_per_s();
  return work;
}

}  // namespace equipoise
