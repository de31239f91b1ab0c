// Virtual time on SimGrid's clock: what nobody can disturb is a date, what is shared is an
// activity.
//
// One actor, the controller, runs the body. While it waits it is suspended, and everything happens
// in SimGrid's kernel context, in callbacks of one timer (armed for the earliest date of any unit)
// and of completed activities. They move units from stage to stage, put finished blocks into
// `ready_` and resume the controller. A chain of stages of known duration is one date.
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
#include <deque>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>

#include "shared_policies/model/draw.hpp"
#include "shared_policies/model/failure.hpp"
#include "sim/simgrid_engine.hpp"
#include "sim/timeline.hpp"

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

/// What is shorter takes its undisturbed time: SimGrid could not tell its end from its beginning.
constexpr Seconds shortest_activity = 2.0 * simgrid_precision;

enum class Stage : std::uint8_t { in, compute, out, done };

Seconds& stage_time(StageTimes& times, Stage stage) {
  if (stage == Stage::in) return times.in;
  return stage == Stage::compute ? times.compute : times.out;
}

Stage after(Stage stage) { return static_cast<Stage>(static_cast<int>(stage) + 1); }

/// A block that was handed to a unit.
struct Handed {
  Block block;
  Seconds assigned;
  Seconds thought;  ///< the unit thinks this long between the block before and this one
};

/// One unit: a queue of blocks, the first of which it is busy with.
struct UnitLine {
  std::deque<Handed> queue;
  // Of the first block of the queue:
  Stage stage = Stage::done;  ///< the one that begins at its date in the timeline, or that runs
  Seconds stage_began;
  Seconds first_use;  ///< taken from it before its copy in
  double in_bytes = 0.0;
  double out_bytes = 0.0;
  StageTimes times;  ///< compute is known from the beginning, the others when they are over

  s4u::ActivityPtr activity;  ///< that SimGrid is busy with for this unit
  s4u::ActivityPtr spent;     ///< SimGrid still looks at an activity after it said that it is over
  Seconds free_at;            ///< of an idle unit: it starts no block before
  Seconds thought;            ///< of a busy unit: thinks this long after its last block
  int phase = -1;             ///< of the last block begun
  std::uint64_t ordinal = 0;  ///< of the next block to begin
};

struct LaterEvent {
  bool operator()(const Event& a, const Event& b) const { return key(a) > key(b); }
  static std::tuple<double, std::uint32_t, std::uint64_t> key(const Event& event) {
    const auto& finished = std::get<BlockFinished>(event.what);
    return {event.at.value, finished.unit.index, finished.block.id};
  }
};

/// Bytes are whole for SimGrid, so they are for everybody; a little noise does not make one more.
double whole_bytes(double bytes) { return std::ceil(bytes * (1.0 - 1e-12)); }

class SimExecutor final : public Executor {
 public:
  explicit SimExecutor(SimSetup setup)
      : setup_(std::move(setup)),
        lines_(setup_.platform.units.size()),
        timeline_(setup_.platform.units.size()) {
    for (const Workload& phase : setup_.phases) {
      std::vector<Draw>& draws = draws_.emplace_back();
      for (const PlatformUnit& unit : setup_.platform.units) {
        draws.emplace_back(DrawKey{setup_.seed, setup_.repetition, unit.unit.name, phase.kernel});
      }
    }
  }

  void run(const std::function<void()>& body) override;
  [[nodiscard]] Seconds now() const override { return {s4u::Engine::get_clock()}; }
  void start(const Block& block, UnitId unit) override;
  void occupy(std::optional<UnitId> unit, Seconds span) override;
  std::optional<Event> next(Seconds deadline) override;

 private:
  // The stages of a unit; kernel context, but for what has no activity to start.
  void begin_block(std::uint32_t unit);
  void proceed(std::uint32_t unit, Seconds at);
  [[nodiscard]] std::optional<Seconds> known_time(std::uint32_t unit) const;
  [[nodiscard]] std::optional<Seconds> known_transfer(const Way& way, double bytes) const;
  void launch(std::uint32_t unit);
  void finish_block(std::uint32_t unit, Seconds at);
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
  bool adds_up_ = false;
  std::vector<UnitWays> ways_;
  std::vector<std::vector<Draw>> draws_;  ///< (phases, units)
  std::vector<UnitLine> lines_;
  Timeline timeline_;
  std::vector<Event> ready_;  ///< a heap, the earliest on top
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
    adds_up_ = transfers_add_up(setup_.platform_file);
    ways_ = find_ways(setup_.platform);
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
  UnitLine& line = lines_[unit.index];
  line.queue.push_back({block, now(), std::exchange(line.thought, Seconds{})});
  if (line.queue.size() == 1) begin_block(unit.index);
}

void SimExecutor::occupy(std::optional<UnitId> unit, Seconds span) {
  if (unit) {
    UnitLine& line = lines_[unit->index];
    if (line.queue.empty()) {
      line.free_at = std::max(line.free_at, now()) + span;
    } else {
      line.thought += span;
    }
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
    const bool is_idle = timeline_.empty() && activities_ == 0;
    if (is_idle && deadline == Seconds::infinity()) return std::nullopt;
    wait(deadline, true);
  }
}

void SimExecutor::begin_block(std::uint32_t unit) {
  UnitLine& line = lines_[unit];
  const Handed& handed = line.queue.front();
  const auto phase = static_cast<std::size_t>(handed.block.phase);
  const Workload& workload = setup_.phases[phase];
  const BlockTiming& timing = setup_.timing[phase][unit];
  const auto items = static_cast<double>(handed.block.items);

  line.in_bytes = timing.in_bytes(items).value_or(workload.in_bytes_per_item * items);
  line.out_bytes = timing.out_bytes(items).value_or(workload.out_bytes_per_item * items);
  line.first_use = {};
  if (line.phase != handed.block.phase) {
    line.first_use = setup_.first_use;
    line.in_bytes += workload.resident_bytes;
    line.phase = handed.block.phase;
  }
  line.in_bytes = whole_bytes(line.in_bytes);
  line.out_bytes = whole_bytes(line.out_bytes);
  const double quantile = draws_[phase][unit].quantile(line.ordinal++);
  line.times.compute = setup_.noise ? timing.quantile(items, quantile) : timing.mean(items);

  line.stage = Stage::in;
  proceed(unit, std::max(line.free_at + handed.thought, handed.assigned + setup_.dispatch));
}

/// The stage of `unit` begins at `at`: goes through the stages that nobody can disturb, to the date
/// at which the next activity, or the next block, begins.
void SimExecutor::proceed(std::uint32_t unit, Seconds at) {
  UnitLine& line = lines_[unit];
  for (; line.stage != Stage::done; line.stage = after(line.stage)) {
    const Seconds lead = line.stage == Stage::in ? line.first_use : Seconds{};
    line.stage_began = at;
    at += lead;
    const std::optional<Seconds> known = known_time(unit);
    if (!known) break;
    at += *known;
    stage_time(line.times, line.stage) = lead + *known;
  }
  timeline_.set(unit, at);
}

/// The time of the stage that `unit` is in, if no one else has a part in it.
std::optional<Seconds> SimExecutor::known_time(std::uint32_t unit) const {
  const UnitLine& line = lines_[unit];
  if (line.stage == Stage::in) return known_transfer(ways_[unit].in, line.in_bytes);
  if (line.stage == Stage::out) return known_transfer(ways_[unit].out, line.out_bytes);
  const Seconds compute = line.times.compute;
  if (setup_.activities_only && compute >= shortest_activity) return std::nullopt;
  return compute;
}

std::optional<Seconds> SimExecutor::known_transfer(const Way& way, double bytes) const {
  if (bytes == 0.0 || way.from == way.to) return Seconds{};
  const Seconds alone = way.latency + Seconds{bytes / way.bandwidth_bytes_per_s};
  const bool is_plain = adds_up_ && way.is_private && !setup_.activities_only;
  if (is_plain || alone < shortest_activity) return alone;
  return std::nullopt;
}

/// Starts the activity of the stage that `unit` is in. Only activities that are started in kernel
/// context tell of their completion.
void SimExecutor::launch(std::uint32_t unit) {
  UnitLine& line = lines_[unit];
  if (line.stage == Stage::compute) {
    s4u::Host* host = ways_[unit].in.to;
    const s4u::ExecPtr exec = s4u::Exec::init();
    exec->set_flops_amount(line.times.compute.value * host->get_speed());
    exec->set_host(host);
    line.activity = exec;
  } else {
    const Way& way = line.stage == Stage::in ? ways_[unit].in : ways_[unit].out;
    const double bytes = line.stage == Stage::in ? line.in_bytes : line.out_bytes;
    line.activity = s4u::Comm::sendto_init(way.from, way.to)
                        ->set_payload_size(static_cast<std::uint64_t>(bytes));
  }
  line.activity->set_data(&line);
  ++activities_;
  line.activity->start();
}

void SimExecutor::complete(const s4u::Activity& activity) {
  UnitLine* const line = activity.get_data<UnitLine>();
  if (is_over_ || line == nullptr || line->activity.get() != &activity) return;
  line->spent = std::move(line->activity);
  line->activity = nullptr;
  --activities_;
  const auto unit = static_cast<std::uint32_t>(line - lines_.data());
  if (activity.get_state() == s4u::Activity::State::FAILED) {
    failure_ = "a transfer or computation of unit " + setup_.platform.units[unit].unit.name +
               " failed: the platform takes a link or host away";
    controller_->resume();
    return;
  }
  stage_time(line->times, line->stage) = now() - line->stage_began;
  line->stage = after(line->stage);
  proceed(unit, now());
  advance();
  wake_or_arm();
}

void SimExecutor::finish_block(std::uint32_t unit, Seconds at) {
  UnitLine& line = lines_[unit];
  const Handed& handed = line.queue.front();
  ready_.push_back({at, BlockFinished{UnitId{unit}, handed.block, handed.assigned, line.times}});
  std::push_heap(ready_.begin(), ready_.end(), LaterEvent{});
  line.queue.pop_front();
  line.free_at = at;
  if (line.queue.empty()) {
    line.free_at += std::exchange(line.thought, Seconds{});
  } else {
    begin_block(unit);
  }
}

/// Lets happen what is due.
void SimExecutor::advance() {
  const Seconds clock = now();
  while (timeline_.earliest() <= clock) {
    const Seconds at = timeline_.earliest();
    const std::uint32_t unit = timeline_.pop();
    if (lines_[unit].stage == Stage::done) {
      finish_block(unit, at);
    } else {
      launch(unit);
    }
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
