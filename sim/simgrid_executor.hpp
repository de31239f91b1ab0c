// The executor in virtual time. SimGrid's headers are not needed to use its class.
//
// One actor, the controller, runs the body. While it waits it is suspended, and everything happens
// in SimGrid's kernel context, in callbacks of one timer (set to the earliest time in the timeline)
// and of completed activities. These callbacks advance the units' pipelines, apply the scenario's
// changes, put events into `ready_` and resume the controller.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/contested_blocks.hpp"
#include "shared_policies/machine/machine_pipelines.hpp"
#include "shared_policies/machine/node_residents.hpp"
#include "shared_policies/run/block_watch.hpp"
#include "shared_policies/run/event_queue.hpp"
#include "sim/controller_actor.hpp"
#include "sim/machine_changes.hpp"
#include "sim/sim_executor.hpp"
#include "sim/simgrid_engine.hpp"
#include "sim/simulated_units.hpp"
#include "sim/stage_activities.hpp"
#include "sim/timeline.hpp"

namespace equipoise {

/// Executes blocks in virtual time on SimGrid's clock. A stage that nothing can disturb is an entry
/// in the timeline; a stage on shared links is a SimGrid activity.
class SimExecutor final : public Executor, private PipelineStages {
 public:
  explicit SimExecutor(SimSetup setup)
      : setup_(std::move(setup)),
        units_(simulated_units(setup_)),
        nodes_(sharing_nodes(setup_.platform), setup_.platform.units.size()),
        timeline_(setup_.platform.units.size() + 2),
        changes_(machine_changes(setup_.scenario, setup_.platform)),
        watch_(kinds_of(setup_.platform.units), setup_.block_timeout) {
    for (const PlatformUnit& unit : setup_.platform.units) {
      pipelines_.add_unit(unit.unit.copy_engines, device_of(unit.unit), *this);
    }
    for (const SimulatedUnit& unit : units_) {
      if (!unit.is_present) watch_.lost(UnitId{unit.index});
    }
  }

  void run(const std::function<void()>& body) override;
  [[nodiscard]] Seconds now() const override { return simgrid_clock(); }
  Seconds begin_iteration(int phase, int iteration) override;
  Seconds start(const Block& block, UnitId unit) override;
  TakenBack take_back(const Block& block, UnitId unit) override;
  Seconds probe(const Probe& probe, UnitId unit) override;
  Seconds occupy(std::optional<UnitId> unit, Seconds span) override;
  std::optional<Event> next(Seconds deadline) override;

 private:
  // Interface of the pipelines; `launch` and `finished` are called in kernel context.
  [[nodiscard]] std::optional<Seconds> duration(UnitId unit, const PipelinedBlock& block,
                                                Stage stage, Seconds begin) const override;
  Seconds stream_time(UnitId unit, const PipelinedBlock& block, Seconds at) const override {
    return units_[unit.index].stream_time(block, at);
  }
  void launch(UnitId unit, const PipelinedBlock& block, Stage stage) override;
  [[nodiscard]] bool is_open(UnitId unit, const Block& block) const override {
    return contested_.is_open(unit, block);
  }
  bool claim(UnitId unit, const Block& block) override { return contested_.claim(unit, block); }
  void finished(UnitId unit, const PipelinedBlock& block, Seconds at, bool is_dropped) override;
  void probed(UnitId unit, const PipelinedBlock& probe, Seconds at) override;
  bool ends_given_up(UnitId unit, Seconds at);

  [[nodiscard]] Seconds compute_time(UnitId unit, const PipelinedBlock& block, Seconds at) const {
    return units_[unit.index].speed.span_of(at, block.alone.compute);
  }
  void end(UnitId unit, Stage stage, bool is_failed);
  void transfer(UnitId unit, Stage stage, double bytes);
  [[nodiscard]] bool has_to_fetch(UnitId unit, const PipelinedBlock& block);
  void take_from_node(UnitId unit);

  // Virtual time. In kernel context, but settle() and wait() by the controller, arm() in both.
  void advance();
  void change_machines();
  void lose_late_unit();
  void give_up(UnitId unit, Seconds at);
  void join_again(UnitId unit, Seconds at);
  void fetch_for(std::optional<UnitId> unit);
  void drop_blocks(UnitId unit);
  void wake_or_arm();
  void settle();
  void bring_up_to_date(UnitId unit);
  void contest(const Block& copy);
  /// Nothing will happen by itself; if the controller still waited, SimGrid would see a deadlock.
  [[nodiscard]] bool is_idle() const { return timeline_.is_empty() && activities_->running() == 0; }
  void wait(Seconds until, bool wants_events);

  /// The timeline slot of the scenario's changes, after the slots of the units.
  [[nodiscard]] std::uint32_t changes_slot() const {
    return static_cast<std::uint32_t>(pipelines_.size());
  }
  /// The slot for the time when a unit may have kept a block for too long.
  [[nodiscard]] std::uint32_t watch_slot() const { return changes_slot() + 1; }

  void load();
  void control(const std::function<void()>& body);

  SimSetup setup_;
  EnginePtr engine_;
  std::vector<UnitRoutes> routes_;  ///< (units)
  std::vector<SimulatedUnit> units_;
  MachinePipelines pipelines_;  ///< (units)
  NodeResidents nodes_;
  std::unique_ptr<StageActivities> activities_;
  Timeline timeline_;  ///< (units + 2), for the devices, each as its first unit, and the others
  std::vector<MachineChange> changes_;
  std::size_t changes_done_ = 0;  ///< number of changes that have happened
  BlockWatch watch_;
  std::optional<ChangingLinks> links_;
  EventQueue ready_;  ///< events not yet reported
  ContestedBlocks contested_;

  std::unique_ptr<ControllerActor> controller_;
  Seconds wake_at_ = Seconds::infinity();
  bool wants_events_ = false;
  std::size_t phase_ = 0;  ///< of the latest iteration
  bool is_over_ = false;
  std::string failure_;  ///< a failure of the platform that ends the run
  std::exception_ptr thrown_;
};

}  // namespace equipoise
