// A worker for a unit of CPU cores: takes each block through setup, copy-in, computation and
// copy-out, one block after another.
#include <utility>

#include "real/worker_mailbox.hpp"

namespace equipoise {
namespace {

/// How long a worker polls for its next block before it sleeps; it may poll because its core is its
/// own.
constexpr std::chrono::microseconds cpu_patience{300};

class CpuDriver final : public UnitDriver {
 public:
  explicit CpuDriver(WorkerSetup setup) : setup_(std::move(setup)) {}

  void come_up() override {
    team_ = std::make_unique<ThreadTeam>(setup_.cores);
    for (Kernel* const kernel : setup_.phases) {
      sides_.push_back(kernel->make_cpu_side(largest_block(setup_.spec.unit, kernel->workload())));
    }
  }

  void work(WorkerMailbox& mailbox) override {
    while (!mailbox.stops()) {
      const Command* const next = mailbox.await_command(WakeSignal::TimePoint::max());
      if (next == nullptr) continue;
      Report report{.command = *next, .times = {}, .begins = {}, .end = {}, .failed = false};
      mailbox.drop_command();
      if (mailbox.begin(report.command)) perform(report, mailbox);
      mailbox.report(report);
    }
  }

 private:
  /// Takes a block through its stages. Passes on every exception of the kernel.
  void perform(Report& report, WorkerMailbox& mailbox) {
    const Block& block = report.command.block;
    UnitKernel& side = *sides_[static_cast<std::size_t>(block.phase)];
    const auto stage = [&](Seconds begin, const StepFunction& rate, auto&& work) {
      return stretched(*setup_.clock, begin, rate, mailbox.gives_up(), work);
    };
    const Seconds begin = setup_.clock->now();
    Seconds set_up = begin;
    if (lacks_resident_data(report.command)) {
      set_up = stage(begin, setup_.rates.in, [&] {
        mailbox.with_host(report.command, [&] { copy_resident(side, report.command); });
      });
    }
    const Seconds in = stage(set_up, setup_.rates.in, [&] {
      mailbox.with_host(report.command, [&] { side.copy_in(block); });
    });
    const Seconds computed = stage(in, setup_.rates.compute, [&] { side.compute(block, *team_); });
    report.end = stage(computed, setup_.rates.out,
                       [&] { mailbox.with_host(report.command, [&] { side.copy_out(block); }); });
    report.times = {set_up - begin, in - set_up, computed - in, report.end - computed};
    report.begins = without_empty_stages({begin, set_up, in, computed}, report.times, report.end);
  }

  [[nodiscard]] bool lacks_resident_data(const Command& command) const {
    return command.block.phase != resident_phase_ || command.epoch != resident_epoch_;
  }

  void copy_resident(UnitKernel& side, const Command& command) {
    side.copy_resident();
    resident_phase_ = command.block.phase;
    resident_epoch_ = command.epoch;
  }

  WorkerSetup setup_;
  std::unique_ptr<ThreadTeam> team_;
  std::vector<std::unique_ptr<UnitKernel>> sides_;  ///< (phases)
  int resident_phase_ = -1;
  std::uint32_t resident_epoch_ = 0;
};

}  // namespace

std::unique_ptr<Worker> make_cpu_worker(WorkerSetup setup) {
  const std::string unit = setup.spec.unit.name;
  const std::shared_ptr<WakeSignal> controller = setup.controller;
  return make_threaded_worker(unit, std::make_unique<CpuDriver>(std::move(setup)), controller,
                              cpu_patience);
}

}  // namespace equipoise
