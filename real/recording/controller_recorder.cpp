// Runs empty blocks through the run loop on one core.
#include "real/recording/controller_recorder.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <variant>

#include "real/controller_times.hpp"
#include "real/kernels/catalog.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {
namespace {

constexpr Items blocks_in_all = 1000;

/// Gives one item to each unit that is idle.
class OneByOne final : public Policy {
 public:
  void decide(const View& /*view*/, const Event& event, Decisions& decisions) override {
    if (const auto* const idle = std::get_if<UnitIdle>(&event.what))
      decisions.assign(idle->unit, 1);
  }
};

/// Measures a run as commands do, and passes its records on to `journal`, unless that is null.
class MeasuredRun final : public Journal {
 public:
  MeasuredRun(const std::vector<Unit>& units, Journal* journal)
      : metrics_(units), journal_(journal) {}

  void block(const BlockRecord& record) override {
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
  Metrics metrics_;
  Journal* journal_;
};

/// Whether threads that copy for an accelerator have the controller's core.
bool copies_share_core(std::span<const UnitSpec> units, const Placement& placement) {
  const bool copies = std::ranges::any_of(
      units, [](const UnitSpec& spec) { return spec.computes() && spec.unit.copy_engines > 0; });
  return copies && placement.controller().size() == 1 &&
         placement.others() == placement.controller();
}

}  // namespace

Seconds undisturbed_mean(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  seconds.resize(seconds.size() - seconds.size() / 20);
  const double median = seconds[seconds.size() / 2];
  if (median > 0.0) {
    seconds.erase(std::ranges::upper_bound(seconds, 10.0 * median), seconds.end());
  }
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return Seconds{std::max(sum / static_cast<double>(seconds.size()), 0.0)};
}

std::optional<ControllerWork> record_controller(const RecordSetup& setup,
                                                const Placement& placement) {
  const std::unique_ptr<Kernel> kernel =
      make_kernel("empty", {{"items", std::to_string(blocks_in_all)}}, "empty");
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
  OneByOne policy;
  MeasuredRun journal(run.units, setup.journal.get());
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  if (!run_policy(*executor, policy, run, journal).complete) return std::nullopt;
  ControllerWork work{undisturbed_mean(times.report_s), undisturbed_mean(times.block_s)};
  if (copies_share_core(setup.units, placement)) work.byte_s = 1.0 / memory_copy_bytes_per_s();
  return work;
}

}  // namespace equipoise
