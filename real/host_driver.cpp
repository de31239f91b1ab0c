// Units that do blocks in the memory of the host, with a pinned thread on each of their cores, or
// with processes.
#include "real/host_driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <span>
#include <utility>

#include "real/block_copies.hpp"
#include "real/kernels/buffer.hpp"
#include "real/machine.hpp"
#include "real/probe_memory.hpp"
#include "real/threads/core_wait.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/thread_team.hpp"
#include "real/unit_memory.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {
namespace {

/// How long a worker polls for its next block before it sleeps; it may poll because its core is its
/// own.
constexpr std::chrono::microseconds cpu_patience{300};

/// Takes each block through setup, copy-in, computation and copy-out, one block after another, in
/// memory of its own, and extends each stage as the rates demand. Resident data is copied before
/// the unit's first block of a phase, and again when it has changed.
class HostDriver final : public UnitDriver {
 public:
  HostDriver(WorkerSetup setup, int index) : UnitDriver(std::move(setup)), index_(index) {}

  void come_up(WorkerMailbox& /*mailbox*/) override {
    if (setup_.cores.empty()) {
      pin_this_thread(setup_.waiting);
    } else {
      team_ = std::make_unique<ThreadTeam>(setup_.cores);
    }
    std::size_t bytes = 0;
    for (const WorkerPhase& phase : setup_.phases) {
      programs_.push_back(phase.kernel->make_cpu_program());
      block_programs_.push_back(
          phase.kernel->make_block_program({setup_.unit.name, index_, setup_.cores}));
      EQ_CHECK(block_programs_.back() != nullptr || (team_ && programs_.back() != nullptr),
               "a unit has a program for blocks, or cores and one for these");
      if (block_programs_.back()) block_programs_.back()->come_up();
      const Items most = largest_block(setup_.unit, *phase.workload);
      bytes = std::max(bytes, UnitMemory::bytes_for_one(phase.kernel->data(), most));
    }
    bytes_ = BufferOf<std::byte>(bytes);
    if (setup_.phases.front().workload->distribution == Distribution::replicated) replicate();
  }

  void work(WorkerMailbox& mailbox) override {
    while (!mailbox.stops()) {
      const Command* const next = mailbox.await_command(WakeSignal::TimePoint::max());
      if (next == nullptr) continue;
      Report report{.command = *next};
      mailbox.drop_command();
      const bool is_begun = mailbox.slots().begin(report.command.slot, report.kind);
      if (is_begun && !mailbox.is_abandoned(report.command)) try_block(report, mailbox);
      mailbox.report(report);
    }
  }

 private:
  /// Copies the resident data of the first phase before the run starts.
  void replicate() {
    const Command first{};
    begin_phase(first);
    staged_.resident = memory_.resident();
    copy_resident(data_of(first.block), staged_, versions_);
  }

  /// Takes a block through its stages. Passes on exceptions that mean the unit has failed.
  void try_block(Report& report, WorkerMailbox& mailbox) {
    try {
      report.command.probe ? probe(report, mailbox) : perform(report, mailbox);
    } catch (...) {
      if (!is_of_block_alone(std::current_exception())) throw;
      mailbox.slots().release_claim(report.command.slot);
      report.kind = ReportKind::lost;
      report.why = reason_of(std::current_exception());
      report.end = setup_.clock->now();
    }
  }

  void perform(Report& report, WorkerMailbox& mailbox) {
    const Command& command = report.command;
    const GivesUp gives_up = [&] { return mailbox.gives_up(command); };
    // Does a stage at `rate`, and sets `waited` to how much later it ended because of waits for the
    // core, which `work` returns.
    const auto stage = [&](Seconds begin, const StepFunction& rate, Seconds& waited, auto&& work) {
      if (!setup_.measures_waits) return stretched(*setup_.clock, begin, rate, gives_up, work);
      Seconds worked;
      const Seconds end = stretched(*setup_.clock, begin, rate, gives_up, [&] {
        const Seconds in_work = work();
        worked = std::max(Seconds{}, setup_.clock->now() - begin - in_work);
      });
      waited = std::max(Seconds{}, end - rate.end_of(begin, worked));
      return end;
    };
    bool sets_up = false;
    const std::int64_t waits_before = setup_.measures_waits ? times_preempted() : 0;
    const Seconds begin = setup_.clock->now();
    report.kind = ReportKind::dropped;  // until its results are copied
    report.end = begin;
    report.begins = {begin, begin, begin, begin};
    const bool is_wanted = mailbox.access_host(command, [&] {
      const bool is_first = place(command);
      sets_up = copy_resident(data_of(command.block), staged_, versions_) || is_first;
    });
    if (!is_wanted) return;
    const Seconds set_up =
        sets_up ? stage(begin, setup_.rates.in, report.cores.waited.setup, [] { return Seconds{}; })
                : begin;
    bool has_input = false;
    const Seconds in = stage(set_up, setup_.rates.in, report.cores.waited.in, [&] {
      Seconds in_copy;
      has_input = mailbox.access_host(command, [&] {
        in_copy = wait_during([&] { copy_in(data_of(command.block), command.block, staged_); });
      });
      return in_copy;
    });
    if (!has_input) return;
    const Seconds computed = stage(in, setup_.rates.compute, report.cores.waited.compute,
                                   [&] { return compute(command, mailbox, gives_up); });
    report.end = computed;
    if (is_whole_ && mailbox.slots().claim(command.slot)) {
      report.kind = ReportKind::done;
      report.end = stage(computed, setup_.rates.out, report.cores.waited.out, [&] {
        Seconds in_copy;
        mailbox.access_host(command, [&] {
          in_copy = wait_during([&] { copy_out(data_of(command.block), command.block, staged_); });
          BlockProgram* const program = block_program_of(command.block);
          if (program != nullptr) program->keep_results(staged_);
        });
        return in_copy;
      });
    }
    report.times = {set_up - begin, in - set_up, computed - in, report.end - computed};
    report.begins = without_empty_stages({begin, set_up, in, computed}, report.times, report.end);
    if (setup_.measures_waits) report.cores.waits = times_preempted() - waits_before;
  }

  /// Calls `work` and returns how long it waited for the core, if that is measured.
  template <class Work>
  [[nodiscard]] Seconds wait_during(Work&& work) const {
    if (!setup_.measures_waits) {
      work();
      return {};
    }
    const CoreWait wait;
    work();
    return wait.so_far();
  }

  /// What does blocks of the phase of `block` as a whole; null if threads of the unit do.
  [[nodiscard]] BlockProgram* block_program_of(const Block& block) const {
    return block_programs_[static_cast<std::size_t>(block.phase)].get();
  }

  /// Computes the staged block. Returns the longest wait of a thread for its core, if that is
  /// measured.
  [[nodiscard]] Seconds compute(const Command& command, WorkerMailbox& mailbox,
                                const GivesUp& gives_up) {
    is_whole_ = true;
    BlockProgram* const program = block_program_of(command.block);
    if (program == nullptr) {
      return compute_with_threads(programs_[static_cast<std::size_t>(command.block.phase)]);
    }
    // What is only late goes on to its end, by which its unit is known to be back.
    const auto is_wanted = [&] {
      ReportKind kind{};
      return mailbox.is_abandoned(command) || mailbox.slots().begin(command.slot, kind);
    };
    is_whole_ = program->compute(staged_, {is_wanted, gives_up});
    return {};  // a thread that waits for a process does not wait for its core
  }

  [[nodiscard]] Seconds compute_with_threads(const CpuProgram& program) {
    std::atomic<double> longest_s = 0.0;
    compute_with(
        *team_,
        [&](const StagedBlock& block, std::size_t first, std::size_t items) {
          const double wait_s = wait_during([&] { program(block, first, items); }).value;
          for (double longest = longest_s; longest < wait_s;) {
            if (longest_s.compare_exchange_weak(longest, wait_s)) break;
          }
        },
        staged_);
    return {longest_s};
  }

  /// Copies there, then back, in the host's memory.
  void probe(Report& report, WorkerMailbox& mailbox) {
    const GivesUp gives_up = [&] { return mailbox.gives_up(report.command); };
    const ProbeCopies copies = probe_memory_.copies_of(*report.command.probe);
    const auto copy = [&](Seconds begin, const StepFunction& rate,
                          const std::vector<CopyPart>& parts) {
      if (parts.empty()) return begin;
      return stretched(*setup_.clock, begin, rate, gives_up, [&] {
        for (const CopyPart& part : parts) std::memcpy(part.to, part.from, part.bytes);
      });
    };
    const Seconds begin = setup_.clock->now();
    const Seconds there = copy(begin, setup_.rates.in, copies.there);
    report.end = copy(there, setup_.rates.out, copies.back);
    report.times = {{}, there - begin, {}, report.end - there};
    report.begins = without_empty_stages({begin, begin, there, there}, report.times, report.end);
  }

  [[nodiscard]] const KernelData& data_of(const Block& block) const {
    return setup_.phases[static_cast<std::size_t>(block.phase)].kernel->data();
  }

  /// Finds the place of a block in the unit's memory. Returns whether it is the first there of its
  /// phase.
  [[nodiscard]] bool place(const Command& command) {
    const Block& block = command.block;
    const bool is_first = block.phase != phase_ || command.epoch != epoch_;
    if (is_first) begin_phase(command);
    EQ_CHECK(memory_.place(block, staged_), "a unit's memory holds its largest block");
    memory_.release(block, true);  // nothing else is placed before it has ended
    return is_first;
  }

  void begin_phase(const Command& command) {
    phase_ = command.block.phase;
    epoch_ = command.epoch;
    const Workload& workload = *setup_.phases[static_cast<std::size_t>(phase_)].workload;
    const KernelData& data = data_of(command.block);
    memory_.begin_phase(data, bytes_.data(), bytes_.span().size(),
                        largest_block(setup_.unit, workload));
    versions_.assign(data.resident.size(), 0);
  }

  std::unique_ptr<ThreadTeam> team_;
  std::vector<CpuProgram> programs_;                           ///< (phases)
  std::vector<std::unique_ptr<BlockProgram>> block_programs_;  ///< (phases)
  BufferOf<std::byte> bytes_;
  UnitMemory memory_;
  std::deque<BufferOf<std::byte>> probe_buffers_;
  ProbeMemory probe_memory_{
      [this](std::size_t bytes) { return probe_buffers_.emplace_back(bytes).data(); }};
  StagedBlock staged_;
  std::vector<std::uint64_t> versions_;  ///< of the resident arrays here; 0: none
  int index_;                            ///< of the unit among those of its kind
  bool is_whole_ = false;                ///< whether the staged block was computed to its end
  int phase_ = -1;                       ///< whose data is here
  std::uint32_t epoch_ = 0;              ///< in which it came here
};

}  // namespace

std::unique_ptr<Worker> make_host_worker(WorkerSetup setup, int index) {
  const bool has_cores = !setup.cores.empty();
  return make_threaded_worker(std::make_unique<HostDriver>(std::move(setup), index),
                              has_cores ? cpu_patience : std::chrono::microseconds(0));
}

double host_worker_bytes(const Unit& unit, const Workload& workload) {
  return staged_bytes(workload, largest_block(unit, workload));
}

}  // namespace equipoise
