// Drives a device: puts all stages of a block into its queues at once, and learns of their ends
// from events.
#include "real/devices/device_worker.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/block_copies.hpp"
#include "real/devices/held_stages.hpp"
#include "real/kernels/kernel_data.hpp"
#include "real/probe_memory.hpp"
#include "real/threads/host_gate.hpp"
#include "real/threads/this_thread.hpp"
#include "real/unit_memory.hpp"
#include "real/unit_rates.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {
namespace {

/// The device's memory for a phase in which `room_items` items are there at a time.
std::size_t device_bytes(const KernelData& data, Items room_items, bool holds_resident) {
  return UnitMemory::bytes_for_several(data, room_items) +
         (holds_resident ? UnitMemory::resident_bytes(data) : 0);
}

/// Memory of a device for blocks and resident data. Resident data that the unit's memory does not
/// hold (`streamed_data`) lie in the host's, and programs read them there.
class PhaseMemory {
 public:
  /// `device` outlives it, as do the kernels of `phases`, which are allocated.
  PhaseMemory(Device& device, const Unit& unit, const std::vector<WorkerPhase>& phases)
      : device_(device) {
    for (const WorkerPhase& phase : phases) {
      phases_.push_back({&phase.kernel->data(), equipoise::room_items(unit, *phase.workload),
                         streamed_data(unit, *phase.workload)});
    }
  }

  /// Gets memory for all phases beforehand. If there is not enough, the first block of a phase
  /// makes do with less.
  void reserve() {
    std::size_t most = 0;
    std::size_t most_on_host = 0;
    for (const Phase& phase : phases_) {
      most = std::max(most, device_bytes(*phase.data, phase.room_items, !phase.streamed));
      if (!phase.streamed) continue;
      most_on_host = std::max(most_on_host, UnitMemory::resident_bytes(*phase.data));
    }
    const auto try_to_grow = [this](Piece& piece, Allocate allocate, std::size_t bytes) {
      try {
        grow(piece, allocate, bytes);
      } catch (const std::bad_alloc&) {
      }
    };
    try_to_grow(on_device_, &Device::allocate, most);
    try_to_grow(on_host_, &Device::allocate_on_host, most_on_host);
  }
  /// Begins `phase`, for fewer items at a time if there is not enough memory, but not for fewer
  /// than `items`: then it throws std::bad_alloc. Nothing may be in flight.
  void begin_phase(int phase, Items items) {
    Phase& next = at(phase);
    if (next.streamed) {
      grow(on_host_, &Device::allocate_on_host, UnitMemory::resident_bytes(*next.data));
    }
    for (;;) {
      try {
        grow(on_device_, &Device::allocate,
             device_bytes(*next.data, next.room_items, !next.streamed));
        break;
      } catch (const std::bad_alloc&) {
        if (next.room_items <= items) throw;
        next.room_items = std::max(items, next.room_items / 2);
      }
    }
    places_.begin_phase(*next.data, on_device_.begin, on_device_.bytes, next.room_items,
                        next.streamed ? on_host_.begin : nullptr);
  }
  /// How many items are in memory at a time.
  [[nodiscard]] Items room_items(int phase) const { return at(phase).room_items; }
  /// How many bytes of the resident data are read with a block; 0 if the unit's memory holds them.
  [[nodiscard]] std::size_t streamed_bytes(const Block& block) const {
    const std::optional<StreamedData>& streamed = at(block.phase).streamed;
    return streamed ? static_cast<std::size_t>(streamed->bytes(static_cast<double>(block.items)))
                    : 0;
  }
  /// Where the present phase's arrays lie.
  [[nodiscard]] UnitMemory& places() { return places_; }

 private:
  struct Phase {
    const KernelData* data;
    Items room_items;
    std::optional<StreamedData> streamed;
  };
  /// A piece of memory; null: none.
  struct Piece {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
  };
  using Allocate = std::byte* (Device::*)(std::size_t);

  [[nodiscard]] Phase& at(int phase) { return phases_[static_cast<std::size_t>(phase)]; }
  [[nodiscard]] const Phase& at(int phase) const {
    return phases_[static_cast<std::size_t>(phase)];
  }
  void grow(Piece& piece, Allocate allocate, std::size_t bytes) {
    if (bytes <= piece.bytes) return;
    if (const Piece old = std::exchange(piece, {}); old.begin != nullptr)
      device_.release(old.begin);
    piece = {(device_.*allocate)(bytes), bytes};
  }

  Device& device_;
  std::vector<Phase> phases_;
  Piece on_device_;
  Piece on_host_;  ///< for resident data that the unit's memory does not hold
  UnitMemory places_;
};

/// A stage of a block in a queue of the device.
struct StageInQueue {
  EventPtr began;
  EventPtr ended;
  EventPtr held;        ///< for a stage that is slowed down: keeps the queue busy until then
  HeldStagePtr slowed;  ///< its entry among those

  /// The event after which later stages may begin.
  [[nodiscard]] const EventPtr& over() const { return held ? held : ended; }
};

/// A block whose stages are in the device's queues.
struct BlockInFlight {
  Command command;
  TicketPtr ticket{};
  TicketPtr setup_ticket{};  ///< of the resident data that it brings; null if none
  StagedBlock staged{};
  std::optional<Seconds> setup_began{};  ///< if it brings resident data
  std::array<StageInQueue, 4> stages{};  ///< setup, in, compute, out
};

/// What is to be copied for a block or a probe.
struct StageCopies {
  std::vector<CopyPart> setup{};
  std::vector<CopyPart> in{};
  std::vector<CopyPart> out{};
};

/// The queues of one device, with the rates of its unit.
class StageQueues {
 public:
  /// Both outlive it, and what is in the queues. `held`: null if nothing is slowed down.
  StageQueues(Device& device, const UnitRates& rates, std::shared_ptr<HeldStages> held,
              WorkerMailbox& mailbox)
      : device_(device), rates_(rates), held_(std::move(held)), mailbox_(&mailbox) {}

  /// Puts all stages of `block` into the queues, each after the one before it. A stage without
  /// copies takes no time. `launch` puts in the computation; none: a probe has none. Rings the
  /// mailbox at the end.
  void put(BlockInFlight& block, StageCopies copies, const std::function<void()>& launch) {
    auto& [setup, in, compute, out] = block.stages;
    put_copy(setup, Queue::in, rates_.in, copies.setup, block.setup_ticket);
    put_copy(in, Queue::in, rates_.in, copies.in, block.ticket);
    if (launch) {
      device_.wait(Queue::compute, in.over());
      put_stage(compute, Queue::compute, rates_.compute, block.ticket, launch);
    } else {
      compute.began = compute.ended = in.over();
    }
    device_.wait(Queue::out, compute.over());
    put_copy(out, Queue::out, rates_.out, copies.out, block.ticket);
    device_.call_back(Queue::out, [mailbox = mailbox_] { mailbox->ring(); });
  }

 private:
  void put_copy(StageInQueue& stage, Queue queue, const StepFunction& rate,
                std::vector<CopyPart>& parts, const TicketPtr& ticket) {
    if (parts.empty()) {
      stage.began = stage.ended = device_.record(queue);
      return;
    }
    put_stage(stage, queue, rate, ticket, [&] { device_.copy(queue, std::move(parts), ticket); });
  }

  /// A stage that is slowed down has a stop behind it.
  void put_stage(StageInQueue& stage, Queue queue, const StepFunction& rate,
                 const TicketPtr& ticket, const std::function<void()>& work) {
    stage.began = device_.record(queue);
    try {
      work();
    } catch (...) {
      if (!is_of_block_alone(std::current_exception())) throw;
      ticket->fail(std::current_exception());
    }
    stage.ended = device_.record(queue);
    if (rate.is_one()) return;
    stage.slowed = held_->add(queue, rate, ticket);
    device_.call_back(queue, [held = held_, slowed = stage.slowed, mailbox = mailbox_] {
      held->ring(*slowed);
      mailbox->ring();
    });
    stage.held = device_.hold(queue);
    held_->put_stop(*stage.slowed, *stage.held);
  }

  Device& device_;
  const UnitRates& rates_;
  std::shared_ptr<HeldStages> held_;
  WorkerMailbox* mailbox_;
};

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
      : UnitDriver(std::move(setup)), open_(std::move(open)) {}
  ~DeviceDriver() override {
    if (held_) held_->end();
  }

  void come_up(WorkerMailbox& /*mailbox*/) override {
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
      if (!programs_[phase].prepares_at_first_use) continue;
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
      programs_[static_cast<std::size_t>(phase)].launch(staged, memory_->streamed_bytes(block),
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
    report.cores.copying = block.ticket->copying();
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
      programs_[static_cast<std::size_t>(of.phase)].launch(
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

  DeviceMaker open_;
  HostGate before_run_;  ///< for work that is done before there are commands
  std::unique_ptr<Device> device_;
  std::shared_ptr<HeldStages>
      held_;  ///< null if nothing is slowed down; calls of the device have it
  std::vector<DeviceProgram> programs_;  ///< (phases); end before the device
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
  return make_threaded_worker(std::make_unique<DeviceDriver>(std::move(setup), std::move(open)),
                              device_patience);
}

}  // namespace equipoise
