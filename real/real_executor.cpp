// The controller's side: hands blocks to workers and merges what they report into one order.
#include "real/real_executor.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "real/clock.hpp"
#include "real/doorbell.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// How often a waiting controller asks whether it is to stop.
constexpr Seconds stop_poll{50e-3};
/// How long a waiting controller looks for reports before it sleeps, on a core of its own and on
/// one that it shares with units that compute.
constexpr std::chrono::microseconds patience_alone{2000};
constexpr std::chrono::microseconds patience_sharing{50};
/// What tells two events apart whose order the clock does not.
constexpr Seconds tick{1e-9};

/// Keeps the calling thread off the cores that compute, while there are others.
class ControllerPlace {
 public:
  explicit ControllerPlace(const std::vector<int>& free) : before_(cores_of_this_thread()) {
    if (!free.empty()) pin_this_thread(free);
  }
  ControllerPlace(const ControllerPlace&) = delete;
  ControllerPlace& operator=(const ControllerPlace&) = delete;
  ~ControllerPlace() { pin_this_thread(before_); }

 private:
  std::vector<int> before_;
};

class RealExecutor final : public Executor {
 public:
  explicit RealExecutor(RealSetup setup)
      : setup_(std::move(setup)),
        placement_(setup_.placement ? *setup_.placement
                                    : place_units(setup_.units, this_machine())),
        bell_(placement_.free.empty() ? patience_sharing : patience_alone) {
    EQ_CHECK(placement_.cores.size() == setup_.units.size(), "every unit has its cores");
  }

  void run(const std::function<void()>& body) override {
    for (Kernel* const kernel : setup_.phases) kernel->clear_results();
    const Up up(*this);
    for (Seat& seat : seats_) seat.worker->await_up();
    const ControllerPlace place(placement_.free);
    begin_ = clock_->now();
    last_ = Seconds{};
    phase_ = 0;
    iteration_ = 0;
    body();
  }

  Seconds now() const override { return std::max(clock_->now() - begin_, last_); }

  Seconds start(const Block& block, UnitId unit) override {
    Seat& seat = seats_[unit.index];
    begin_iteration_of(block);
    const Command command{block, now()};
    ++outstanding_;
    ++seat.outstanding;
    if (!seat.waiting.empty() || !seat.worker->offer(command)) seat.waiting.push_back(command);
    return command.assigned;
  }

  Seconds occupy(std::optional<UnitId> /*unit*/, Seconds /*span*/) override { return now(); }

  std::optional<Event> next(Seconds deadline) override {
    if (!pending_) collect();
    while (!pending_ && now() < deadline && await(deadline)) collect();
    if (!pending_ || pending_->at > deadline) return std::nullopt;
    return std::exchange(pending_, std::nullopt);
  }

 private:
  /// A unit's place at the table.
  struct Seat {
    std::unique_ptr<Worker> worker;
    std::deque<Command> waiting;  ///< what does not fit into the worker's own queue
    std::size_t outstanding = 0;
    bool lost = false;
  };

  /// The workers are up for as long as this lives.
  class Up {
   public:
    explicit Up(RealExecutor& executor) : executor_(executor) {
      executor_.seats_.clear();
      executor_.clock_ = make_steady_clock();
      executor_.outstanding_ = 0;
      executor_.pending_.reset();
      for (std::size_t i = 0; i < executor_.setup_.units.size(); ++i) {
        executor_.seats_.emplace_back().worker = executor_.make_worker(i);
      }
    }
    Up(const Up&) = delete;
    Up& operator=(const Up&) = delete;
    ~Up() {
      for (Seat& seat : executor_.seats_) seat.worker->stop();
      executor_.seats_.clear();
    }

   private:
    RealExecutor& executor_;
  };

  std::unique_ptr<Worker> make_worker(std::size_t unit) {
    return make_cpu_worker({.spec = setup_.units[unit],
                            .cores = placement_.cores[unit],
                            .phases = setup_.phases,
                            .clock = clock_.get(),
                            .controller = &bell_});
  }

  /// Lets the kernel merge the results of an iteration before the first block of the next.
  void begin_iteration_of(const Block& block) {
    const bool is_next = block.iteration > iteration_ && block.phase == phase_;
    phase_ = block.phase;
    iteration_ = block.iteration;
    if (is_next) setup_.phases[static_cast<std::size_t>(phase_)]->begin_iteration(iteration_);
  }

  /// The unit whose oldest report ended first, or null.
  Seat* earliest() {
    Seat* first = nullptr;
    for (Seat& seat : seats_) {
      if (seat.lost || seat.worker->report() == nullptr) continue;
      if (first == nullptr || seat.worker->report()->end < first->worker->report()->end) {
        first = &seat;
      }
    }
    return first;
  }

  /// Makes the earliest report the pending event, if there is one.
  void collect() {
    Seat* const seat = earliest();
    if (seat == nullptr) return;
    const Report report = *seat->worker->report();
    const UnitId unit{static_cast<std::uint32_t>(seat - seats_.data())};
    seat->worker->drop_report();
    last_ = std::max(report.end - begin_, last_ + tick);
    if (report.failed) {
      lose(*seat, unit);
      pending_ = Event{last_, UnitLost{unit}};
      return;
    }
    --outstanding_;
    --seat->outstanding;
    while (!seat->waiting.empty() && seat->worker->offer(seat->waiting.front())) {
      seat->waiting.pop_front();
    }
    pending_ = Event{
        last_, BlockFinished{unit, report.command.block, report.command.assigned, report.times}};
  }

  void lose(Seat& seat, UnitId unit) {
    seat.lost = true;
    outstanding_ -= seat.outstanding;
    seat.outstanding = 0;
    seat.waiting.clear();
    if (setup_.warn) {
      setup_.warn(fmt::format("unit {} is lost: {}; the others do its work",
                              setup_.units[unit.index].unit.name, seat.worker->failure()));
    }
  }

  /// Waits for a report, `deadline`, or a stop. False: there is nothing to wait for any more.
  bool await(Seconds deadline) {
    if (setup_.stop_requested && setup_.stop_requested()) return false;
    if (outstanding_ == 0 && deadline == Seconds::infinity()) return false;
    const Seconds span = std::min(deadline - now(), stop_poll);
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(span.value));
    bell_.wait([this] { return earliest() != nullptr; }, until);
    return true;
  }

  RealSetup setup_;
  Placement placement_;
  std::unique_ptr<Clock> clock_;
  Doorbell bell_;
  std::vector<Seat> seats_;
  Seconds begin_;
  Seconds last_;       ///< when the last event was
  int phase_ = 0;      ///< of the last block that was handed out
  int iteration_ = 0;  ///< of the same
  std::size_t outstanding_ = 0;
  std::optional<Event> pending_;
};

}  // namespace

std::unique_ptr<Executor> make_real_executor(RealSetup setup) {
  return std::make_unique<RealExecutor>(std::move(setup));
}

void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where) {
  double needed_bytes = 0.0;
  for (const auto& kernel : phases) {
    const Workload& workload = kernel->workload();
    needed_bytes += kernel->host_bytes();
    for (const UnitSpec& spec : units) {
      needed_bytes +=
          workload.resident_bytes +
          workload.memory_bytes_per_item * static_cast<double>(largest_block(spec.unit, workload));
    }
  }
  if (needed_bytes <= available_bytes) return;
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  throw InputError(where, fmt::format("needs {:.3g} GiB of memory with its units' own buffers, "
                                      "{:.3g} GiB are there; give a smaller size, or units with "
                                      "memory_bytes=",
                                      needed_bytes / gibibyte, available_bytes / gibibyte));
}

}  // namespace equipoise
