// A run in real time: brings the units up, here and on other nodes, starts the clock, the loads and
// the meters, and takes all of them down.
#include "real/real_executor.hpp"

#include <chrono>
#include <utility>

#include "real/core_watch.hpp"
#include "real/disturbances.hpp"
#include "real/two_levels/node_units.hpp"
#include "real/units_executor.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// How long a waiting controller polls for reports before it sleeps: on its own core, and on one
/// where a unit computes (not at all, because with a real-time priority it would take that core).
constexpr std::chrono::microseconds patience_alone{2000};
constexpr std::chrono::microseconds patience_sharing{0};

/// What the controller of `setup` drives: its units, or in a run of two levels the nodes.
DrivenUnits driven_of(const RealSetup& setup, const Placement& placement) {
  DrivenUnits driven{.units = setup.units,
                     .placement = placement,
                     .scenario = setup.scenario,
                     .block_timeout = setup.block_timeout,
                     .time_scale = setup.time_scale,
                     .patience = placement.waiting_compute ? patience_sharing : patience_alone,
                     .stop_requested = setup.stop_requested,
                     .warn = setup.warn,
                     .report_cores = setup.report_cores,
                     .takes_times = static_cast<bool>(setup.report_controller)};
  return setup.agents == nullptr ? driven : nodes_as_units(setup, driven);
}

class RealExecutor final : public UnitsExecutor {
 public:
  RealExecutor(RealSetup setup, Placement placement)
      : UnitsExecutor(driven_of(setup, placement)),
        setup_(std::move(setup)),
        placement_(std::move(placement)) {}

  void run(const std::function<void()>& body) override {
    for (const RealPhase& phase : setup_.phases) {
      if (phase.kernel != nullptr) phase.kernel->clear_results();
    }
    const std::shared_ptr<Clock> clock =
        setup_.clock ? setup_.clock : make_steady_clock(setup_.time_scale);
    const auto lateness = std::make_shared<Lateness>();
    NodesUp nodes(*this);
    report_clocks();
    run_units({worker_phases(), setup_.draws, clock, lateness}, body);
    const NodesRunEnd ended = nodes.end();
    report_clocks();
    for (const auto& [event, share] : ended.loads) {
      if (setup_.report_load) setup_.report_load({&setup_.scenario.events[event], share});
    }
    const PacingReport pacing = together(lateness->report(), ended.pacing);
    if (setup_.report_pacing && pacing.blocks > 0) setup_.report_pacing(pacing);
  }

  Seconds begin_iteration(int phase, int iteration) override {
    UnitsExecutor::begin_iteration(phase, iteration);
    const RealPhase& work = setup_.phases[static_cast<std::size_t>(phase)];
    if (iteration > 0 && work.kernel != nullptr) {
      work.kernel->begin_iteration(iteration);
    } else if (iteration > 0) {
      wait(work.merge);
    }
    return now();
  }

 private:
  /// The run on the nodes, if there are any, which outlasts the workers here.
  class NodesUp {
   public:
    explicit NodesUp(RealExecutor& executor) : executor_(executor) {
      if (!executor_.setup_.nodes) return;
      const RealSetup& setup = executor_.setup_;
      NodesRun run{.phases = executor_.worker_phases(),
                   .scenario = setup.scenario,
                   .draws = setup.draws,
                   .time_scale = setup.time_scale,
                   .measures_waits = static_cast<bool>(setup.report_cores)};
      if (setup.agents) run.agents = remote_agents(setup);
      setup.nodes->begin_run(run);
      is_up_ = true;
    }
    NodesUp(const NodesUp&) = delete;
    NodesUp& operator=(const NodesUp&) = delete;
    ~NodesUp() {
      if (is_up_) static_cast<void>(end());
    }
    NodesRunEnd end() {
      if (!std::exchange(is_up_, false)) return {};
      NodesRunEnd ended =
          executor_.setup_.nodes->end_run({executor_.stops(), executor_.patience_at_end()});
      for (const std::string& warning : ended.warnings) executor_.warn(warning);
      return ended;
    }

   private:
    RealExecutor& executor_;
    bool is_up_ = false;
  };

  void report_clocks() const {
    if (setup_.nodes && setup_.report_clocks) setup_.report_clocks(setup_.nodes->clocks());
  }

  /// Keeps the units up during its lifetime.
  class UnitsUp {
   public:
    UnitsUp(RealExecutor& executor, UnitsRun run) : executor_(executor) {
      executor_.bring_up(std::move(run));
    }
    UnitsUp(const UnitsUp&) = delete;
    UnitsUp& operator=(const UnitsUp&) = delete;
    ~UnitsUp() {
      if (executor_.setup_.meters) executor_.setup_.meters->stop();
      executor_.take_down();
      // After the units, for whose kernels a load on a GPU has to wait.
      executor_.loads_.end();
    }

   private:
    RealExecutor& executor_;
  };

  /// Brings the units up, runs `body`, and takes them down.
  void run_units(UnitsRun run, const std::function<void()>& body) {
    const UnitsUp up(*this, std::move(run));
    if (setup_.meters) setup_.meters->begin();
    clock().start();
    if (setup_.nodes) setup_.nodes->start_clock(clock());
    // Before ControllerPinning: new threads inherit the scheduling of this one.
    loads_.start(setup_.scenario, setup_.units, placement_.cores, clock());
    if (setup_.meters) setup_.meters->sample(clock(), placement_.others());
    const ControllerPinning place(placement_.controller(), placement_.waiting_compute);
    const CoreWatch watch(placement_);
    body();
    if (setup_.meters) setup_.meters->end(now());
    if (setup_.report_core_use) setup_.report_core_use(watch.since());
    if (times()) setup_.report_controller(*times());
    tell_loads();
  }

  [[nodiscard]] std::vector<WorkerPhase> worker_phases() const {
    std::vector<WorkerPhase> phases;
    for (const RealPhase& phase : setup_.phases) phases.push_back({&phase.workload, phase.kernel});
    return phases;
  }

  void tell_loads() const {
    loads_.tell(now(), [this](const Disturbance& load, double share) {
      if (setup_.report_load) setup_.report_load({&load, share});
    });
  }

  RealSetup setup_;
  Placement placement_;  ///< of `setup_.units`
  RunLoads loads_;
};

}  // namespace

std::unique_ptr<Executor> make_real_executor(RealSetup setup) {
  Placement placement =
      setup.placement ? *setup.placement : place_units(setup.units, this_machine());
  return std::make_unique<RealExecutor>(std::move(setup), std::move(placement));
}

}  // namespace equipoise
