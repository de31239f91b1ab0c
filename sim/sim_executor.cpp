// Virtual time on SimGrid's clock: what nobody can disturb is a date, what is shared is an
// activity.
//
// One actor, the controller, runs the body. While it waits it is suspended, and everything happens
// in SimGrid's kernel context, in callbacks of one timer (armed for the earliest date of any unit)
// and of completed activities. They move blocks through the pipelines of their units, put finished
// ones into `ready_` and resume the controller.
#include "sim/sim_executor.hpp"

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Activity.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Exec.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/simix.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>

#include "shared_policies/model/draw.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/unit_pipeline.hpp"
#include "sim/simgrid_engine.hpp"
#include "sim/timeline.hpp"

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

/// What is shorter takes its undisturbed time: SimGrid could not tell its end from its beginning.
constexpr Seconds shortest_activity = 2.0 * simgrid_precision;

/// What SimGrid is busy with for a stage of a unit.
struct Launched {
  s4u::ActivityPtr activity;
  s4u::ActivityPtr spent;  ///< SimGrid still looks at an activity after it said that it is over
};

constexpr std::size_t stages_of_a_unit = 3;

/// What a unit has of its own in a phase.
struct UnitOfPhase {
  Draw draw;
  Items room_items = 0;
};

struct LaterEvent {
  bool operator()(const Event& a, const Event& b) const { return key(a) > key(b); }
  static std::tuple<double, std::uint32_t, std::uint64_t> key(const Event& event) {
    const auto& finished = std::get<BlockFinished>(event.what);
    return {event.at.value, finished.unit.index, finished.block.id};
  }
};

/// What `bytes` take on `way` when nobody else is on it.
Seconds alone(const Way& way, double bytes) {
  if (bytes == 0.0 || way.from == way.to) return {};
  return way.latency + Seconds{bytes / way.bandwidth_bytes_per_s};
}

/// Bytes are whole for SimGrid, so they are for everybody; a little noise does not make one more.
double whole_bytes(double bytes) { return std::ceil(bytes * (1.0 - 1e-12)); }

class SimExecutor final : public Executor, private PipelineStages {
 public:
  explicit SimExecutor(SimSetup setup)
      : setup_(std::move(setup)),
        ordinals_(setup_.platform.units.size()),
        launched_(setup_.platform.units.size() * stages_of_a_unit),
        timeline_(setup_.platform.units.size()) {
    for (const PlatformUnit& unit : setup_.platform.units) {
      const UnitId id{static_cast<std::uint32_t>(pipelines_.size())};
      pipelines_.push_back(UnitPipeline(id, unit.unit.copy_engines, *this));
    }
    for (const Workload& phase : setup_.phases) {
      std::vector<UnitOfPhase>& units = phases_.emplace_back();
      for (const PlatformUnit& unit : setup_.platform.units) {
        const DrawKey key{setup_.seed, setup_.repetition, unit.unit.name, phase.kernel};
        units.push_back({Draw(key), items_in_memory(unit.unit, phase)});
      }
    }
  }

  void run(const std::function<void()>& body) override;
  [[nodiscard]] Seconds now() const override { return {s4u::Engine::get_clock()}; }
  void start(const Block& block, UnitId unit) override;
  void occupy(std::optional<UnitId> unit, Seconds span) override;
  std::optional<Event> next(Seconds deadline) override;

 private:
  // What pipelines ask and tell; `launch` and `finished` in kernel context.
  [[nodiscard]] std::optional<Seconds> duration(UnitId unit, const PipelinedBlock& block,
                                                Stage stage, Seconds begin) const override;
  void launch(UnitId unit, const PipelinedBlock& block, Stage stage) override;
  void finished(UnitId unit, const PipelinedBlock& block, Seconds at) override;

  [[nodiscard]] PipelinedBlock at_work(const Block& block, std::uint32_t unit);
  void complete(const s4u::Activity& activity);

  // Time; kernel context, but for settle() and wait(), which the controller calls.
  void advance();
  void arm(Seconds at);
  void wake_or_arm();
  void settle();
  void wait(Seconds until, bool wants_events);

  void load();
  void control(const std::function<void()>& body);

  SimSetup setup_;
  EnginePtr engine_;
  std::vector<UnitWays> ways_;
  std::vector<std::vector<UnitOfPhase>> phases_;  ///< (phases, units)
  std::vector<std::uint64_t> ordinals_;           ///< (units), of the next block
  std::vector<UnitPipeline> pipelines_;           ///< (units)
  std::vector<Launched> launched_;                ///< (units x stages)
  Timeline timeline_;                             ///< (units), of the pipelines
  std::vector<Event> ready_;                      ///< a heap, the earliest on top
  std::size_t activities_ = 0;

  s4u::ActorPtr controller_;
  Timer* timer_ = nullptr;
  Seconds timer_at_;
  Seconds wake_at_ = Seconds::infinity();
  bool wants_events_ = false;
  bool is_over_ = false;
  std::string failure_;  ///< what the machines did that no run survives
  std::exception_ptr thrown_;
};

void SimExecutor::run(const std::function<void()>& body) {
  load();
  s4u::Actor::create("controller", s4u::Host::by_name(setup_.platform.master),
                     [this, &body] { control(body); });
  engine_->run();
  if (thrown_) std::rethrow_exception(thrown_);
  if (!failure_.empty()) throw BackendError(failure_);
}

void SimExecutor::load() {
  try {
    engine_ = start_simgrid();
    EQ_CHECK(now() == Seconds{}, "SimGrid's clock starts at 0, one simulation a process");
    engine_->load_platform(setup_.platform_file);
    ways_ = find_ways(setup_.platform);
    const bool adds_up = transfers_add_up(setup_.platform_file);
    for (UnitWays& ways : ways_) {
      for (Way* way : {&ways.in, &ways.out}) {
        way->is_private = way->is_private && adds_up && !setup_.activities_only;
      }
    }
  } catch (const BackendError&) {
    throw;
  } catch (const std::exception& error) {
    throw BackendError(std::string("the simulated platform does not come up: ") + error.what());
  }
  s4u::Comm::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
  s4u::Exec::on_completion_cb([this](const s4u::Activity& activity) { complete(activity); });
}

void SimExecutor::control(const std::function<void()>& body) {
  controller_ = s4u::Actor::self();
  try {
    body();
  } catch (const simgrid::ForcefulKillException&) {
    failure_ = "the simulation stands still: a link or host of the platform is never on again";
    is_over_ = true;
    throw;
  } catch (...) {
    thrown_ = std::current_exception();
  }
  is_over_ = true;
  arm(Seconds::infinity());
}

void SimExecutor::start(const Block& block, UnitId unit) {
  UnitPipeline& pipeline = pipelines_[unit.index];
  pipeline.add(at_work(block, unit.index));
  timeline_.set(unit.index, pipeline.next_date());
}

void SimExecutor::occupy(std::optional<UnitId> unit, Seconds span) {
  if (unit) {
    pipelines_[unit->index].think(now(), span);
    return;
  }
  const Seconds until = now() + span;
  while (now() < until) wait(until, false);
}

std::optional<Event> SimExecutor::next(Seconds deadline) {
  for (;;) {
    settle();
    if (!failure_.empty()) throw BackendError(failure_);
    if (!ready_.empty() && ready_.front().at <= deadline) {
      std::pop_heap(ready_.begin(), ready_.end(), LaterEvent{});
      const Event event = ready_.back();
      ready_.pop_back();
      return event;
    }
    if (now() >= deadline) return std::nullopt;
    const bool is_idle = timeline_.earliest() == Seconds::infinity() && activities_ == 0;
    if (is_idle && deadline == Seconds::infinity()) return std::nullopt;
    wait(deadline, true);
  }
}

/// What `block`, which is handed to `unit` now, costs there.
PipelinedBlock SimExecutor::at_work(const Block& block, std::uint32_t unit) {
  const auto phase = static_cast<std::size_t>(block.phase);
  const Workload& workload = setup_.phases[phase];
  const BlockTiming& timing = setup_.timing[phase][unit];
  const auto items = static_cast<double>(block.items);

  PipelinedBlock work{block, now(), now() + setup_.dispatch};
  work.room_items = phases_[phase][unit].room_items;
  work.in_bytes = timing.in_bytes(items).value_or(workload.in_bytes_per_item * items);
  work.out_bytes = timing.out_bytes(items).value_or(workload.out_bytes_per_item * items);
  if (pipelines_[unit].is_new(block.phase)) {
    work.first_use = setup_.first_use;
    work.in_bytes += workload.resident_bytes;
  }
  work.in_bytes = whole_bytes(work.in_bytes);
  work.out_bytes = whole_bytes(work.out_bytes);
  work.alone.in = alone(ways_[unit].in, work.in_bytes);
  work.alone.out = alone(ways_[unit].out, work.out_bytes);
  const double quantile = phases_[phase][unit].draw.quantile(ordinals_[unit]++);
  work.alone.compute = setup_.noise ? timing.quantile(items, quantile) : timing.mean(items);
  return work;
}

std::optional<Seconds> SimExecutor::duration(UnitId unit, const PipelinedBlock& block, Stage stage,
                                             Seconds /*begin*/) const {
  const Seconds alone = time_of(block.alone, stage);
  const UnitWays& ways = ways_[unit.index];
  const bool is_undisturbed = stage == Stage::compute
                                  ? !setup_.activities_only
                                  : (stage == Stage::in ? ways.in : ways.out).is_private;
  if (is_undisturbed || alone < shortest_activity) return alone;
  return std::nullopt;
}

/// Only activities that are started in kernel context tell of their completion.
void SimExecutor::launch(UnitId unit, const PipelinedBlock& block, Stage stage) {
  Launched& launched = launched_[unit.index * stages_of_a_unit + static_cast<std::size_t>(stage)];
  const UnitWays& ways = ways_[unit.index];
  if (stage == Stage::compute) {
    const s4u::ExecPtr exec = s4u::Exec::init();
    exec->set_flops_amount(block.alone.compute.value * ways.in.to->get_speed());
    exec->set_host(ways.in.to);
    launched.activity = exec;
  } else {
    const Way& way = stage == Stage::in ? ways.in : ways.out;
    const double bytes = stage == Stage::in ? block.in_bytes : block.out_bytes;
    launched.activity = s4u::Comm::sendto_init(way.from, way.to)
                            ->set_payload_size(static_cast<std::uint64_t>(bytes));
  }
  launched.activity->set_data(&launched);
  ++activities_;
  launched.activity->start();
}

/// What an end makes possible happens after all ends of the instant.
void SimExecutor::complete(const s4u::Activity& activity) {
  Launched* const launched = activity.get_data<Launched>();
  if (is_over_ || launched == nullptr || launched->activity.get() != &activity) return;
  launched->spent = std::move(launched->activity);
  launched->activity = nullptr;
  --activities_;
  const auto index = static_cast<std::size_t>(launched - launched_.data());
  const auto unit = static_cast<std::uint32_t>(index / stages_of_a_unit);
  if (activity.get_state() == s4u::Activity::State::FAILED) {
    failure_ = "a transfer or computation of unit " + setup_.platform.units[unit].unit.name +
               " failed: the platform takes a link or host away";
    controller_->resume();
    return;
  }
  pipelines_[unit].end_stage(static_cast<Stage>(index % stages_of_a_unit), now());
  timeline_.set(unit, now());
  arm(now());
}

void SimExecutor::finished(UnitId unit, const PipelinedBlock& block, Seconds at) {
  ready_.push_back({at, BlockFinished{unit, block.block, block.assigned, block.times}});
  std::push_heap(ready_.begin(), ready_.end(), LaterEvent{});
}

/// Lets happen what is due.
void SimExecutor::advance() {
  const Seconds clock = now();
  while (timeline_.earliest() <= clock) {
    const std::uint32_t unit = timeline_.first();
    pipelines_[unit].advance(clock);
    timeline_.set(unit, pipelines_[unit].next_date());
  }
}

void SimExecutor::arm(Seconds at) {
  if (timer_ != nullptr && timer_at_ == at) return;
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
  if (at == Seconds::infinity()) return;
  timer_at_ = at;
  timer_ = Timer::set(std::max(at, now()).value, [this] {
    timer_ = nullptr;
    advance();
    wake_or_arm();
  });
}

void SimExecutor::wake_or_arm() {
  const bool is_wanted = wants_events_ && !ready_.empty();
  if (is_wanted || now() >= wake_at_) {
    controller_->resume();
  } else {
    arm(std::min(timeline_.earliest(), wake_at_));
  }
}

/// Lets happen what is due while the controller runs.
void SimExecutor::settle() {
  if (timeline_.earliest() <= now()) {
    simgrid::kernel::actor::simcall_answered([this] { advance(); });
  }
}

/// Suspends the controller until `until`, or, if it wants events, until there is one.
void SimExecutor::wait(Seconds until, bool wants_events) {
  wake_at_ = until;
  wants_events_ = wants_events;
  arm(std::min(timeline_.earliest(), until));
  s4u::this_actor::suspend();
}

}  // namespace

std::unique_ptr<Executor> make_sim_executor(SimSetup setup) {
  static bool is_made = false;
  EQ_CHECK(!std::exchange(is_made, true), "one simulation a process: SimGrid has one engine");
  return std::make_unique<SimExecutor>(std::move(setup));
}

}  // namespace equipoise
