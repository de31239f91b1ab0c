// Blocks on their way between the controller and a thread of the user's program.
#include "real/loop/pulled_unit.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

#include "real/host_driver.hpp"
#include "real/machine.hpp"
#include "real/unit_rates.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// How long a thread polls for its next block before it sleeps.
constexpr std::chrono::microseconds pull_patience{300};

}  // namespace

/// What the user's thread and the worker share.
class PulledUnit::Blocks {
 public:
  explicit Blocks(std::shared_ptr<BodyCalls> calls) : calls_(std::move(calls)) {}

  // The side of the worker.

  void open(std::shared_ptr<WorkerMailbox> mailbox, std::shared_ptr<Clock> clock) {
    const std::lock_guard<std::mutex> lock(mutex_);
    mailbox_ = std::move(mailbox);
    clock_ = std::move(clock);
    changed_.notify_all();
  }
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    mailbox_ = nullptr;
    is_closed_ = true;
    changed_.notify_all();
  }
  // The side of the user's thread.

  /// The mailbox, once there is one; null: there will be none any more.
  [[nodiscard]] std::shared_ptr<WorkerMailbox> opened() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return mailbox_ || is_closed_; });
    return is_closed_ ? nullptr : mailbox_;
  }

  [[nodiscard]] std::optional<Block> next() {
    if (has_block()) {
      throw std::logic_error("the unit asks for a block before its last one is done or has failed");
    }
    while (const std::shared_ptr<WorkerMailbox> mailbox = opened()) {
      const Command* const command = mailbox->await_command(WakeSignal::TimePoint::max());
      if (command == nullptr && mailbox->stops()) return std::nullopt;
      if (command == nullptr) continue;
      Report report{.command = *command};
      mailbox->drop_command();
      if (begin(report)) return report.command.block;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool has_block() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return held_.has_value();
  }

  /// Ends the block that the thread has, if any. Returns whether its results count.
  bool end(ReportKind kind, const std::string& why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!held_) return false;
    const Command command = *std::exchange(held_, std::nullopt);
    call_.reset();
    changed_.notify_all();
    if (!mailbox_) return false;
    Report report{.command = command, .end = clock_->now(), .kind = kind, .why = why};
    if (kind != ReportKind::done) {
      mailbox_->slots().release_claim(command.slot);
    } else if (mailbox_->is_abandoned(command) || !mailbox_->slots().claim(command.slot)) {
      report.kind = ReportKind::dropped;
    }
    report.times.compute = report.end - began_;
    report.begins = {began_, began_, began_, report.end};
    mailbox_->report(report);
    return report.kind == ReportKind::done;
  }

  void leave(const std::string& why) {
    end(ReportKind::lost, why);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!mailbox_ || is_closed_) return;
    mailbox_->report({.command = {}, .end = clock_->now(), .kind = ReportKind::failed, .why = why});
    is_closed_ = true;
  }

 private:
  /// Begins the block of `report`. Reports it, and returns false, if it is not to be done, or is a
  /// probe.
  [[nodiscard]] bool begin(Report& report) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!mailbox_) return false;
    const Command& command = report.command;
    const bool is_begun = mailbox_->slots().begin(command.slot, report.kind);
    report.end = clock_->now();
    if (is_begun && !command.probe && !is_closed_ && !mailbox_->is_abandoned(command)) {
      held_ = command;
      call_.emplace(calls_);
      began_ = report.end;
      return true;
    }
    report.begins = {report.end, report.end, report.end, report.end};
    mailbox_->report(report);
    return false;
  }

  std::shared_ptr<BodyCalls> calls_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<WorkerMailbox> mailbox_;  ///< null: no run yet, or no more
  std::shared_ptr<Clock> clock_;
  std::optional<Command> held_;   ///< the block that the user's thread does
  std::optional<BodyCall> call_;  ///< of that block
  Seconds began_;
  bool is_closed_ = false;
};

/// Has no thread: that of the user serves its mailbox.
class PulledUnit::PulledWorker final : public MailboxWorker {
 public:
  PulledWorker(const WorkerSetup& setup, std::shared_ptr<Blocks> blocks)
      : MailboxWorker(setup.controller, pull_patience, setup.outer), blocks_(std::move(blocks)) {
    blocks_->open(mailbox(), setup.clock);
  }
  ~PulledWorker() override {
    stop();
    blocks_->close();
  }

  /// The thread may come when it wants.
  void await_up() override {}
  /// Nothing of ours runs there, and a block that the thread still has does not count any more.
  bool has_ended(std::chrono::milliseconds /*patience*/) override { return true; }
  void leave_behind() override {}

 private:
  std::shared_ptr<Blocks> blocks_;
};

PulledUnit::PulledUnit(std::shared_ptr<BodyCalls> calls)
    : blocks_(std::make_shared<Blocks>(std::move(calls))) {}
PulledUnit::~PulledUnit() = default;

// The unit may be destroyed while a thread waits in one of these.
bool PulledUnit::await_begin() { return BlocksPtr(blocks_)->opened() != nullptr; }
std::optional<Block> PulledUnit::next() { return BlocksPtr(blocks_)->next(); }
bool PulledUnit::has_block() const { return blocks_->has_block(); }
bool PulledUnit::done() { return blocks_->end(ReportKind::done, {}); }
void PulledUnit::failed(const std::string& why) { blocks_->end(ReportKind::lost, why); }
void PulledUnit::leave(const std::string& why) { blocks_->leave(why); }
void PulledUnit::close() { blocks_->close(); }

std::unique_ptr<Worker> PulledUnit::make_worker(const WorkerSetup& setup) {
  return std::make_unique<PulledWorker>(setup, blocks_);
}

namespace {

class PulledFactory final : public UnitFactory {
 public:
  explicit PulledFactory(PulledUnit& unit) : unit_(unit) {}

  /// The program has pinned its threads, or not.
  int cores() const override { return 0; }
  bool has_program(const Kernel& kernel) const override {
    return kernel.program_source() == ProgramSource::loop;
  }
  double host_bytes(const Unit& /*unit*/, const Workload& /*workload*/) const override {
    return 0.0;
  }
  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return modelled_rates(unit, slowdown, scenario);
  }
  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return unit_.make_worker(setup);
  }
  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }

 private:
  PulledUnit& unit_;
};

}  // namespace

std::vector<UnitSpec> pulled_units(const std::vector<std::string>& names,
                                   const std::vector<std::unique_ptr<PulledUnit>>& units) {
  const std::string where = "the units";
  if (names.empty()) throw InputError(where, "there are none; name one for each thread");
  std::set<std::string> seen;
  std::vector<UnitSpec> specs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    UnitSpec& spec = specs.emplace_back();
    spec.unit.name = checked_name(names[i], where);
    if (names[i].empty() || !seen.insert(names[i]).second) {
      throw InputError(where, fmt::format("'{}' is no name of its own; name every unit, and each "
                                          "otherwise",
                                          names[i]));
    }
    spec.unit.node = this_machine().name;
    spec.unit.kind = UnitKind::cpu;
    spec.unit.model = "thread of the program";
    spec.unit.copy_engines = 0;
    spec.factory = std::make_shared<PulledFactory>(*units[i]);
  }
  return specs;
}

}  // namespace equipoise
