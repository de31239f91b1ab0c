// Drives a device: puts all stages of a block into its queues at once, and learns of their ends
// from events.
#include "real/devices/device_worker.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "real/block_copies.hpp"
#include "real/devices/block_in_flight.hpp"
#include "real/devices/held_stages.hpp"
#include "real/devices/phase_memory.hpp"
#include "real/devices/stage_queues.hpp"
#include "real/probe_memory.hpp"
#include "real/threads/host_gate.hpp"
#include "real/threads/this_thread.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// The driver sleeps until there is something to do, so that waiting costs no core.
constexpr std::chrono::microseconds device_patience{0};
/// A device that has failed for good may not ring any more.
constexpr Seconds longest_silence{0.1};
/// How often the driver asks whether work that it puts in before the run has ended, and how long it
/// waits for that while the device answers.
constexpr std::chrono::milliseconds early_poll{1};
constexpr std::chrono::minutes early_patience{5};
constexpr const char* library_is_late = "the first use of a library has not ended";
/// A block that takes longer is not delayed much by what a library prepares for it.
constexpr std::chrono::seconds long_preparation{1};

class DeviceDriver final : public UnitDriver {
 public:
  DeviceDriver(WorkerSetup setup, DeviceMaker open)
      : setup_(std::move(setup)), open_(std::move(open)) {}
  ~DeviceDriver() override {
    if (held_) held_->end();
  }

  void come_up() override {
    pin_this_thread(setup_.waiting);
    wake_this_thread_on_time();
    device_ = open_(setup_);
    const auto& [compute, in, out] = setup_.rates;
    if (!compute.is_one() || !in.is_one() || !out.is_one()) {
      held_ = std::make_shared<HeldStages>(*device_, setup_.clock, setup_.waiting);
    }
    for (const WorkerPhase& phase : setup_.phases) {
      for (const FixedArray& array : phase.kernel->data().fixed) device_->read_in_place(array);
      programs_.push_back(device_->load(*phase.kernel));
    }
    memory_.emplace(*device_, setup_.unit, setup_.phases);
    memory_->reserve();
    probes_.emplace([this](std::size_t bytes) { return device_->allocate(bytes); });
    prepare_programs();
    if (setup_.phases.front().workload->distribution == Distribution::replicated) replicate();
  }

  void work(WorkerMailbox& mailbox) override {
    const PromptThread prompt;
    mailbox_ = &mailbox;
    queues_.emplace(*device_, setup_.rates, held_, mailbox);
    while (!mailbox.stops()) {
      if (const Command* const next = mailbox.await_command(setup_.clock->moment(next_look()))) {
        waiting_.push_back(*next);
        mailbox.drop_command();
      }
      time_held_stages();
      report_finished();
      while (!waiting_.empty() && begin_next()) continue;
    }
  }

 private:
  /// Copies the resident data of the first phase before the run starts. If that fails, the first
  /// block brings them.
  void replicate() {
    Command first{};
    first.block.items = memory_->room_items(0);
    const KernelData& data = phase_of(first.block).kernel->data();
    const auto ticket = std::make_shared<BlockTicket>(before_run_);
    try {
      begin_phase(first, data);
      std::vector<CopyPart> parts;
      StagedBlock staged;
      staged.resident = memory_->places().resident();
      for_each_new_resident(data, staged, versions_,
                            [&parts](std::byte* to, const std::byte* from, std::size_t bytes) {
                              parts.push_back({to, from, bytes});
                            });
      if (parts.empty()) return;
      device_->copy(Queue::in, std::move(parts), ticket);
      await_early(Queue::in, "the resident data has not come there");
    } catch (...) {
      if (!is_of_block_alone(std::current_exception())) throw;
      phase_ = -1;
    }
    if (ticket->failure()) phase_ = -1;
  }

  /// Waits for what is in `queue` before the run.
  void await_early(Queue queue, const char* too_late) {
    const EventPtr end = device_->record(queue);
    const auto begin = std::chrono::steady_clock::now();
    while (!end->happened()) {
      if (std::chrono::steady_clock::now() - begin > early_patience) {
        throw BackendError(std::string(too_late) + " within 5 minutes");
      }
      std::this_thread::sleep_for(early_poll);
    }
  }

  /// Lets libraries prepare themselves. What they prepare at their first use would later be taken
  /// for the time of a block, and might wait for a queue that is stopped. If that fails, so may
  /// blocks.
  void prepare_programs() {
    for (std::size_t phase = 0; phase < programs_.size(); ++phase) {
      if (!programs_[phase]->prepares_at_first_use()) continue;
      try {
        prepare_program(static_cast<int>(phase));
      } catch (...) {
        if (!is_of_block_alone(std::current_exception())) throw;
        await_early(Queue::compute, library_is_late);
      }
    }
  }

  /// Computes blocks of several sizes, of any bytes. Where no queue will be stopped, it leaves out
  /// sizes that take long.
  void prepare_program(int phase) {
    const Workload& workload = *setup_.phases[static_cast<std::size_t>(phase)].workload;
    memory_->begin_phase(phase, workload.grain_items);
    const Items most = std::min(memory_->room_items(phase), largest_block(setup_.unit, workload));
    const auto ticket = std::make_shared<BlockTicket>(before_run_);
    for (Items items = 1; items <= most; items *= 2) {
      const Block block{.items = items, .phase = phase};
      StagedBlock staged;
      if (!memory_->places().place(block, staged)) return;
      memory_->places().release(block, true);
      const auto begin = std::chrono::steady_clock::now();
      programs_[static_cast<std::size_t>(phase)]->launch(staged, memory_->streamed_bytes(block),
                                                         ticket);
      await_early(Queue::compute, library_is_late);
      if (!held_ && std::chrono::steady_clock::now() - begin > long_preparation) return;
    }
  }

  /// When the driver looks at the device even if nothing rings.
  [[nodiscard]] Seconds next_look() const {
    return in_flight_.empty() ? Seconds::infinity() : setup_.clock->now() + longest_silence;
  }

  /// Finds out how long the stages that have ended are to be held.
  void time_held_stages() {
    for (const BlockInFlight& block : in_flight_) {
      for (const StageInQueue& stage : block.stages) {
        if (!stage.slowed || stage.held->happened()) continue;
        const std::optional<Seconds> ended = stage.ended->happened();
        if (!ended) break;
        held_->set_times(*stage.slowed, *stage.began->happened(), *ended);
        break;
      }
    }
  }

  void report_finished() {
    while (!in_flight_.empty() && in_flight_.front().stages.back().over()->happened()) {
      const BlockInFlight block = std::move(in_flight_.front());
      in_flight_.pop_front();
      for (const StageInQueue& stage : block.stages) {
        if (stage.slowed) held_->remove(stage.slowed);
      }
      if (!block.command.probe) release_memory(block.command.block);
      report(block);
    }
  }

  void report(const BlockInFlight& block) {
    Report report{.command = block.command};
    for (const StageInQueue& stage : block.stages) static_cast<void>(stage.over()->happened());
    if (const std::exception_ptr failure = block.ticket->failure()) {
      if (resident_ticket_ && resident_ticket_->failure()) bring_resident_data_again();
      lose(report, failure);
      return;
    }
    // A block without results to copy claims its items here.
    if (!mailbox_->slots().claim(block.command.slot)) report.kind = ReportKind::dropped;
    const auto& [setup, in, compute, out] = block.stages;
    const Seconds set_up = *setup.over()->happened();
    // The host's clock said when it began.
    const Seconds setup_began = std::min(block.setup_began.value_or(set_up), set_up);
    const auto began = [](const StageInQueue& stage) { return *stage.began->happened(); };
    const auto span = [&](const StageInQueue& stage) {
      return *stage.over()->happened() - began(stage);
    };
    report.times = {set_up - setup_began, span(in), span(compute), span(out)};
    report.end = *out.over()->happened();
    report.begins = without_empty_stages({setup_began, began(in), began(compute), began(out)},
                                         report.times, report.end);
    mailbox_->report(report);
  }

  void lose(Report& report, const std::exception_ptr& failure) {
    if (!is_of_block_alone(failure)) std::rethrow_exception(failure);
    mailbox_->slots().release_claim(report.command.slot);
    report.kind = ReportKind::lost;
    report.why = reason_of(failure);
    report.end = setup_.clock->now();
    mailbox_->report(report);
  }

  /// Puts the oldest waiting block into the queues. Returns false if it has to wait.
  bool begin_next() {
    if (in_flight_.size() == blocks_in_queues_max) return false;
    if (!in_flight_.empty() && device_->is_full()) return false;
    const Command& command = waiting_.front();
    Report over{.command = command, .end = setup_.clock->now()};
    if (!mailbox_->slots().begin(command.slot, over.kind)) return end_unbegun(over);
    if (command.probe) {
      begin_probe(over);
      return true;
    }
    const bool is_new = command.block.phase != phase_ || command.epoch != epoch_;
    const bool is_later = command.iteration != iteration_;  // than lost blocks that go on
    if ((is_new || is_later) && !in_flight_.empty()) return false;
    iteration_ = command.iteration;
    BlockInFlight block{.command = command};
    StageCopies copies;
    auto begun = Begun::not_wanted;
    try {
      mailbox_->access_host(command, [&] { begun = prepare(block, copies, is_new); });
    } catch (...) {
      phase_ = -1;  // lets go of all that is there, when nothing is in flight any more
      waiting_.pop_front();
      lose(over, std::current_exception());
      return true;
    }
    if (begun == Begun::waits) return false;
    over.kind = ReportKind::dropped;
    if (begun == Begun::not_wanted) return end_unbegun(over);
    waiting_.pop_front();
    queues_->put(block, std::move(copies), [&] {
      const Block& of = block.command.block;
      programs_[static_cast<std::size_t>(of.phase)]->launch(
          block.staged, memory_->streamed_bytes(of), block.ticket);
    });
    in_flight_.push_back(std::move(block));
    return true;
  }

  /// Puts the oldest waiting command, a probe, into the queues.
  void begin_probe(Report over) {
    BlockInFlight probe{.command = over.command};
    waiting_.pop_front();
    try {
      ProbeCopies copies = probes_->copies_of(*over.command.probe);
      probe.ticket = std::make_shared<BlockTicket>(mailbox_->host(), over.command.epoch,
                                                   std::move(copies.host));
      queues_->put(probe, {.in = std::move(copies.there), .out = std::move(copies.back)}, {});
    } catch (...) {
      return lose(over, std::current_exception());
    }
    in_flight_.push_back(std::move(probe));
  }

  /// Reports the oldest waiting block, which is not put into the queues.
  bool end_unbegun(const Report& report) {
    waiting_.pop_front();
    mailbox_->report(report);
    return true;
  }

  enum class Begun : std::uint8_t { yes, waits, not_wanted };

  [[nodiscard]] const WorkerPhase& phase_of(const Block& block) const {
    return setup_.phases[static_cast<std::size_t>(block.phase)];
  }

  /// Finds room for a block and its segments on the host. Throws std::bad_alloc if it does not fit.
  /// Uses the kernel, so it must not be called for a block that was abandoned.
  Begun prepare(BlockInFlight& flying, StageCopies& copies, bool is_new) {
    const Block& block = flying.command.block;
    const KernelData& data = phase_of(block).kernel->data();
    const Seconds now = setup_.clock->now();
    if (is_new) begin_phase(flying.command, data);
    if (!memory_->places().place(block, flying.staged)) {
      if (!in_flight_.empty()) return Begun::waits;
      throw std::bad_alloc();
    }
    const auto put_into = [](std::vector<CopyPart>& parts) {
      return [&parts](std::byte* to, const std::byte* from, std::size_t bytes) {
        parts.push_back({to, from, bytes});
      };
    };
    for_each_new_resident(data, flying.staged, versions_, put_into(copies.setup));
    if (is_new || !copies.setup.empty()) flying.setup_began = now;
    make_tickets(flying, !copies.setup.empty());
    for_each_input(data, block, flying.staged, put_into(copies.in));
    for_each_result(data, block, flying.staged, put_into(copies.out));
    return Begun::yes;
  }

  /// A copy of resident data has a ticket of its own: it takes place even if its block fails later,
  /// and if it fails, so do all blocks that need it.
  void make_tickets(BlockInFlight& flying, bool brings_resident_data) {
    const Command& command = flying.command;
    HostGate& host = mailbox_->host();
    if (brings_resident_data) {
      resident_ticket_ = std::make_shared<BlockTicket>(host, command.epoch, command.iteration);
      flying.setup_ticket = resident_ticket_;
    }
    flying.ticket = std::make_shared<BlockTicket>(
        host, command.epoch, command.iteration, resident_ticket_,
        [mailbox = mailbox_, slot = command.slot] { return mailbox->slots().claim(slot); });
  }

  /// The next block brings all resident data.
  void bring_resident_data_again() {
    versions_.assign(versions_.size(), 0);
    resident_ticket_ = nullptr;
  }

  /// Gets memory for the blocks of a phase, for fewer of them at a time if there is not enough.
  void begin_phase(const Command& command, const KernelData& data) {
    phase_ = -1;
    memory_->begin_phase(command.block.phase, command.block.items);
    versions_.assign(data.resident.size(), 0);
    resident_ticket_ = nullptr;
    phase_ = command.block.phase;
    epoch_ = command.epoch;
  }

  void release_memory(const Block& block) {
    const auto is_of_group = [&](const Command& other) { return other.block.group == block.group; };
    const bool is_last = block.group == 0 ||
                         (std::ranges::none_of(waiting_, is_of_group) &&
                          std::ranges::none_of(in_flight_, is_of_group, &BlockInFlight::command));
    memory_->places().release(block, is_last);
  }

  WorkerSetup setup_;
  DeviceMaker open_;
  HostGate before_run_;  ///< for work that is done before there are commands
  std::unique_ptr<Device> device_;
  std::shared_ptr<HeldStages>
      held_;  ///< null if nothing is slowed down; calls of the device have it
  std::vector<std::unique_ptr<DeviceProgram>> programs_;  ///< (phases); end before the device
  WorkerMailbox* mailbox_ = nullptr;
  std::optional<StageQueues> queues_;
  std::optional<ProbeMemory> probes_;
  std::deque<Command> waiting_;  ///< not yet in the device's queues
  std::deque<BlockInFlight> in_flight_;
  std::optional<PhaseMemory> memory_;
  std::vector<std::uint64_t> versions_;  ///< of the resident arrays there; 0: none
  TicketPtr resident_ticket_;            ///< of the last copy of resident data
  int phase_ = -1;                       ///< whose data is there
  std::uint32_t epoch_ = 0;              ///< in which it came there
  std::uint32_t iteration_ = 0;          ///< of the last block that was put into the queues
};

}  // namespace

std::unique_ptr<Worker> make_device_worker(WorkerSetup setup, DeviceMaker open) {
  const std::string unit = setup.unit.name;
  const std::shared_ptr<WakeSignal> controller = setup.controller;
  return make_threaded_worker(unit,
                              std::make_unique<DeviceDriver>(std::move(setup), std::move(open)),
                              controller, device_patience);
}

}  // namespace equipoise
