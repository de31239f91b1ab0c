// One thread that takes blocks from a ring and reports them in another.
#include <atomic>
#include <exception>
#include <future>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "real/ring.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Commands and reports that a worker holds at most, both together; more wait with the controller.
constexpr std::size_t ring_capacity = 64;
/// How long a worker looks for its next block before it sleeps: its core is its own.
constexpr std::chrono::microseconds patience{300};

class CpuWorker final : public Worker {
 public:
  explicit CpuWorker(WorkerSetup setup) : setup_(std::move(setup)), up_(promise_.get_future()) {
    try {
      thread_ = std::thread([this] { live(); });
    } catch (const std::system_error& error) {
      throw BackendError(
          fmt::format("unit {}: no thread: {}", setup_.spec.unit.name, error.what()));
    }
  }

  ~CpuWorker() override {
    stop();
    thread_.join();
  }

  void await_up() override {
    try {
      up_.get();
    } catch (const std::exception& error) {
      throw BackendError(
          fmt::format("unit {} does not come up: {}", setup_.spec.unit.name, error.what()));
    }
  }

  bool offer(const Command& command) override {
    if (held_ == ring_capacity) return false;
    EQ_CHECK(commands_.push(command), "there is room for every command");
    ++held_;
    bell_.ring();
    return true;
  }

  const Report* report() override { return reports_.front(); }
  void drop_report() override {
    reports_.pop();
    --held_;
  }

  void stop() override {
    stops_.store(true, std::memory_order_seq_cst);
    bell_.ring();
  }

  std::string failure() const override { return failure_; }

 private:
  void live() {
    std::unique_ptr<ThreadTeam> team;
    try {
      team = std::make_unique<ThreadTeam>(setup_.cores);
      for (Kernel* const kernel : setup_.phases) {
        sides_.push_back(
            kernel->make_cpu_side(largest_block(setup_.spec.unit, kernel->workload())));
      }
    } catch (...) {
      promise_.set_exception(std::current_exception());
      return;
    }
    promise_.set_value();
    work(*team);
  }

  void work(ThreadTeam& team) {
    const auto has_something = [this] {
      return commands_.front() != nullptr || stops_.load(std::memory_order_seq_cst);
    };
    while (bell_.wait(has_something, Doorbell::TimePoint::max()) && !stops_.load()) {
      Report report{.command = *commands_.front(), .times = {}, .end = {}, .failed = false};
      commands_.pop();
      try {
        perform(report, team);
      } catch (const std::bad_alloc&) {
        failure_ = "out of memory";
      } catch (const std::exception& error) {
        failure_ = error.what();
      } catch (...) {
        failure_ = "an unknown failure";
      }
      report.failed = !failure_.empty();
      report.end = report.failed ? setup_.clock->now() : report.end;
      EQ_CHECK(reports_.push(report), "there is room for every report");
      setup_.controller->ring();
      if (report.failed) return;
    }
  }

  /// Takes a block through its three stages. Throws what the kernel throws.
  void perform(Report& report, ThreadTeam& team) {
    const Block& block = report.command.block;
    UnitKernel& side = *sides_[static_cast<std::size_t>(block.phase)];
    const auto stage = [&](Seconds begin, auto&& work) {
      return stretched(*setup_.clock, begin, setup_.spec.slowdown, stops_, work);
    };
    const Seconds begin = setup_.clock->now();
    const Seconds in = stage(begin, [&] {
      if (resident_phase_ != block.phase) side.copy_resident();
      resident_phase_ = block.phase;
      side.copy_in(block);
    });
    const Seconds computed = stage(in, [&] { side.compute(block, team); });
    report.end = stage(computed, [&] { side.copy_out(block); });
    report.times = {in - begin, computed - in, report.end - computed};
  }

  WorkerSetup setup_;
  std::promise<void> promise_;
  std::future<void> up_;
  Ring<Command, ring_capacity> commands_;
  Ring<Report, ring_capacity> reports_;
  std::size_t held_ = 0;  ///< offered and not dropped; the controller's
  Doorbell bell_{patience};
  std::atomic<bool> stops_ = false;
  std::vector<std::unique_ptr<UnitKernel>> sides_;  ///< (phases)
  int resident_phase_ = -1;
  std::string failure_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Worker> make_cpu_worker(WorkerSetup setup) {
  return std::make_unique<CpuWorker>(std::move(setup));
}

}  // namespace equipoise
