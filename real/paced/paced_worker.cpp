// The worker of a paced unit: its thread sleeps while the model of the unit's pipeline is busy.
#include "real/paced/paced_worker.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>

#include "real/threads/this_thread.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// A paced worker never polls, because there may be many more paced units than cores.
constexpr std::chrono::microseconds paced_patience{0};

class PacedDriver final : public UnitDriver, private PipelineStages {
 public:
  PacedDriver(WorkerSetup setup, const std::vector<PacedTiming>& timings)
      : UnitDriver(std::move(setup)), pipeline_(UnitId{0}, setup_.unit.copy_engines, *this) {
    EQ_CHECK(timings.size() == setup_.phases.size(), "a paced unit has a timing for every phase");
    for (std::size_t i = 0; i < timings.size(); ++i) {
      const Workload& workload = *setup_.phases[i].workload;
      const DrawKey key{setup_.draws.seed, setup_.draws.repetition, setup_.unit.name,
                        workload.kernel};
      phases_.push_back({timings[i], DrawnTimes(key), workload});
    }
  }

  void come_up(WorkerMailbox& /*mailbox*/) override {
    pin_this_thread(setup_.waiting);
    wake_this_thread_on_time();
  }

  void work(WorkerMailbox& mailbox) override {
    const PromptThread prompt;
    mailbox_ = &mailbox;
    while (!mailbox.stops()) {
      const Command* const next =
          mailbox.await_command(setup_.clock->moment(pipeline_.next_date()));
      const Seconds now = setup_.clock->now();
      if (mailbox.epoch() != epoch_) let_go(now);
      pipeline_.advance(now);
      heed(now);
      if (next == nullptr) continue;
      const Command command = *next;
      mailbox.drop_command();
      take(command, now);
    }
  }

 private:
  /// One phase of this run.
  struct Phase {
    PacedTiming times;
    DrawnTimes draw;
    Workload workload;
  };

  /// Drops all blocks, but those that a late unit has begun, and the resident data.
  void let_go(Seconds now) {
    epoch_ = mailbox_->epoch();
    std::size_t going_on = 0;
    if (mailbox_->goes_on()) {
      pipeline_.advance(now);
      going_on = pipeline_.give_up(now);
    } else {
      pipeline_.clear();
    }
    for (; at_work_.size() > going_on; at_work_.pop_back()) {
      mailbox_->report({.command = at_work_.back()});
    }
  }

  /// Learns which blocks were taken back, or have copies.
  void heed(Seconds now) {
    std::deque<Command> still;
    for (const Command& command : std::exchange(at_work_, {})) {
      ReportKind kind{};
      const bool is_wanted = mailbox_->slots().begin(command.slot, kind);
      if (is_wanted && mailbox_->slots().is_contested(command.slot)) {
        static_cast<void>(pipeline_.contest(command.block.original()));
      }
      if (!is_wanted && pipeline_.take_back(command.block, now) == Fate::not_begun) {
        mailbox_->report({.command = command, .end = now, .kind = kind});
      } else {
        still.push_back(command);
      }
    }
    at_work_ = std::move(still);
  }

  void take(const Command& command, Seconds now) {
    Report over{.command = command, .end = now};
    if (!mailbox_->slots().begin(command.slot, over.kind) || mailbox_->is_abandoned(command)) {
      mailbox_->report(over);
      return;
    }
    if (command.probe) return take_probe(command, now);
    at_work_.push_back(command);
    pipeline_.add(as_modelled(command, now));
  }

  void take_probe(const Command& command, Seconds now) {
    const auto& [in, out] = phases_[static_cast<std::size_t>(command.block.phase)].times.copies;
    if (!in && !out) {
      mailbox_->report({.command = command, .begins = {now, now, now, now}, .end = now});
      return;
    }
    const Probe& probe = *command.probe;
    const Seconds there = in ? in->message_time(probe.there_bytes) : Seconds{};
    const Seconds back = out && probe.back_bytes ? out->message_time(*probe.back_bytes) : Seconds{};
    PipelinedBlock work = work_of(probe, command.assigned, now, there, back);
    work.block.phase = command.block.phase;
    at_work_.push_back(command);
    pipeline_.add_probe(work);
  }

  /// The block with the stage times of the model.
  PipelinedBlock as_modelled(const Command& command, Seconds now) {
    const Block& block = command.block;
    Phase& phase = phases_[static_cast<std::size_t>(block.phase)];
    const auto items = static_cast<double>(block.items);
    PipelinedBlock work{block, command.assigned, now};
    work.room_items = items_in_memory(setup_.unit, phase.workload);
    add_setup(work, pipeline_.resident_data(block), phase.times.first_use, phase.workload,
              phase.times.copies, phase.times.stream);
    if (phase.times.stream) work.stream = phase.times.stream->time(items);
    add_copies(work, phase.times.timing, phase.workload, phase.times.copies);
    const std::uint64_t ordinal = ordinal_++;
    const double cost = equipoise::work_of(phase.times.items, block);
    work.alone.compute = setup_.draws.noise ? phase.draw.next(phase.times.timing, cost, ordinal)
                                            : phase.times.timing.mean(cost);
    return work;
  }

  std::optional<Seconds> duration(UnitId /*unit*/, const PipelinedBlock& block, Stage stage,
                                  Seconds begin) const override {
    const Seconds alone = time_of(block.alone, stage);
    if (stage == Stage::compute) return setup_.rates.compute.span_of(begin, alone);
    const Phase& phase = phases_[static_cast<std::size_t>(block.block.phase)];
    const bool is_in = stage != Stage::out;
    const std::optional<CopySpeed>& speed = is_in ? phase.times.copies.in : phase.times.copies.out;
    if (!speed) return alone;
    return disturbed_copy(*speed, setup_.unit.copy_engines,
                          is_in ? setup_.rates.in : setup_.rates.out, begin, alone);
  }

  Seconds stream_time(UnitId /*unit*/, const PipelinedBlock& block, Seconds begin) const override {
    const PacedTiming& times = phases_[static_cast<std::size_t>(block.block.phase)].times;
    if (!times.stream) return {};
    return disturbed_copy(times.stream->speed, setup_.unit.copy_engines,
                          times.stream_rate ? *times.stream_rate : setup_.rates.in, begin,
                          block.stream);
  }

  void launch(UnitId /*unit*/, const PipelinedBlock& /*block*/, Stage /*stage*/) override {}

  [[nodiscard]] bool is_open(UnitId /*unit*/, const Block& block) const override {
    return mailbox_->slots().is_open(slot_of(block));
  }
  bool claim(UnitId /*unit*/, const Block& block) override {
    return mailbox_->slots().claim(slot_of(block));
  }
  [[nodiscard]] std::uint8_t slot_of(const Block& block) const {
    const auto id = [](const Command& command) { return command.block.id; };
    return std::ranges::find(at_work_, block.id, id)->slot;
  }

  void finished(UnitId /*unit*/, const PipelinedBlock& block, Seconds at,
                bool /*is_dropped*/) override {
    setup_.lateness->add(setup_.clock->now() - at);
    const Command& command = at_work_.front();
    const bool is_done = mailbox_->slots().claim(command.slot);
    mailbox_->report({.command = command,
                      .times = block.times,
                      .begins = block.begins,
                      .end = at,
                      .kind = is_done ? ReportKind::done : ReportKind::dropped});
    at_work_.pop_front();
  }

  void probed(UnitId /*unit*/, const PipelinedBlock& probe, Seconds at) override {
    setup_.lateness->add(setup_.clock->now() - at);
    mailbox_->report(
        {.command = at_work_.front(), .times = probe.times, .begins = probe.begins, .end = at});
    at_work_.pop_front();
  }

  std::vector<Phase> phases_;
  UnitPipeline pipeline_;
  WorkerMailbox* mailbox_ = nullptr;
  std::deque<Command> at_work_;  ///< the blocks and probes in the pipeline, in order
  std::uint32_t epoch_ = 0;
  std::uint64_t ordinal_ = 0;
};

class PacedFactory final : public UnitFactory {
 public:
  PacedFactory(std::string trace_unit, std::vector<PacedTiming> timings,
               std::optional<UnitRates> rates)
      : trace_unit_(std::move(trace_unit)),
        timings_(std::move(timings)),
        rates_(std::move(rates)) {}

  int cores() const override { return 0; }
  std::string trace_unit() const override { return trace_unit_; }
  bool has_program(const Kernel& /*kernel*/) const override { return true; }
  double host_bytes(const Unit& /*unit*/, const Workload& /*workload*/) const override {
    return 0.0;
  }

  std::shared_ptr<const UnitFactory> for_phase(std::size_t phase) const override {
    return std::make_shared<PacedFactory>(trace_unit_, std::vector{timings_[phase]}, rates_);
  }

  UnitRates rates(const Unit& unit, double slowdown, const Scenario& scenario) const override {
    return rates_ ? *rates_ : modelled_rates(unit, slowdown, scenario);
  }

  std::unique_ptr<Worker> make_worker(WorkerSetup setup) const override {
    return make_threaded_worker(std::make_unique<PacedDriver>(std::move(setup), timings_),
                                paced_patience);
  }

  std::unique_ptr<CompetingLoad> make_load(const Clock& /*clock*/, const Disturbance& /*event*/,
                                           const std::vector<int>& /*cores*/) const override {
    return nullptr;
  }

 private:
  std::string trace_unit_;
  std::vector<PacedTiming> timings_;  ///< (phases)
  std::optional<UnitRates> rates_;
};

}  // namespace

UnitKindInfo paced_kind() {
  return {
      "paced", "computes nothing and takes as long as a trace says, in real time",
      with_common_parameters({{"trace_unit", "", "", "which unit of the traces times it; required"},
                              {"copy_engines", "1", "",
                               "0: no stages overlap; 1 or 2: how many copies go on at a time"}},
                             "1", "the trace's"),
      [] { return std::string(); },
      [](std::span<UnitRequest> requests) {
        UnitFactories factories;
        for (UnitRequest& request : requests) {
          const Parameters& read = request.read;
          if (!read.is_given("trace_unit")) {
            throw InputError(request.where,
                             "a paced unit needs a unit of a trace; give trace_unit=");
          }
          request.unit.copy_engines = static_cast<int>(read.items("copy_engines", 0, 2));
          factories.push_back(make_paced_factory(read.text("trace_unit"), {}));
        }
        return factories;
      }};
}

std::shared_ptr<const UnitFactory> make_paced_factory(std::string trace_unit,
                                                      std::vector<PacedTiming> phases,
                                                      std::optional<UnitRates> rates) {
  return std::make_shared<PacedFactory>(std::move(trace_unit), std::move(phases), std::move(rates));
}

}  // namespace equipoise
