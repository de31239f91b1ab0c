// The worker of a paced unit: its thread sleeps while the model of the unit's pipeline is busy.
#include <utility>

#include "real/this_thread.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/machine/unit_pipeline.hpp"

namespace equipoise {
namespace {

/// A paced worker never polls, because there may be many more paced units than cores.
constexpr std::chrono::microseconds paced_patience{0};

class PacedDriver final : public UnitDriver, private PipelineStages {
 public:
  PacedDriver(WorkerSetup setup, std::shared_ptr<Lateness> lateness)
      : setup_(std::move(setup)),
        lateness_(std::move(lateness)),
        pipeline_(UnitId{0}, setup_.spec.unit.copy_engines, *this) {}

  void come_up() override {
    pin_this_thread(setup_.cores);
    wake_this_thread_on_time();
  }

  void work(WorkerMailbox& mailbox) override {
    const PromptThread prompt;
    mailbox_ = &mailbox;
    while (!mailbox.stops()) {
      const Command* const next =
          mailbox.await_command(setup_.clock->moment(pipeline_.next_date()));
      const Seconds now = setup_.clock->now();
      if (mailbox.epoch() != epoch_) let_go();
      pipeline_.advance(now);
      if (next == nullptr) continue;
      const Command command = *next;
      mailbox.drop_command();
      take(command, now);
    }
  }

 private:
  /// Drops all blocks and the resident data.
  void let_go() {
    for (const Command& lost : at_work_)
      mailbox_->report({.command = lost, .times = {}, .begins = {}, .end = {}});
    at_work_.clear();
    pipeline_.clear();
    epoch_ = mailbox_->epoch();
  }

  void take(const Command& command, Seconds now) {
    if (!mailbox_->begin(command)) {
      mailbox_->report({.command = command, .times = {}, .begins = {}, .end = {}});
      return;
    }
    at_work_.push_back(command);
    pipeline_.add(as_modelled(command, now));
  }

  /// The block with the stage times of the model.
  PipelinedBlock as_modelled(const Command& command, Seconds now) {
    const Block& block = command.block;
    const PacedPhase& phase = setup_.paced[static_cast<std::size_t>(block.phase)];
    const auto items = static_cast<double>(block.items);
    PipelinedBlock work{block, command.assigned, now};
    work.room_items = items_in_memory(setup_.spec.unit, phase.workload);
    add_setup(work, pipeline_.resident_data(block), phase.first_use, phase.workload, phase.copies);
    add_copies(work, phase.timing, phase.workload, phase.copies);
    const double quantile = phase.draw.quantile(ordinal_++);
    work.alone.compute =
        phase.noise ? phase.timing.quantile(items, quantile) : phase.timing.mean(items);
    return work;
  }

  std::optional<Seconds> duration(UnitId /*unit*/, const PipelinedBlock& block, Stage stage,
                                  Seconds begin) const override {
    const Seconds alone = time_of(block.alone, stage);
    if (stage == Stage::compute) return setup_.rates.compute.span_of(begin, alone);
    const PacedPhase& phase = setup_.paced[static_cast<std::size_t>(block.block.phase)];
    const bool is_in = stage != Stage::out;
    const std::optional<CopySpeed>& speed = is_in ? phase.copies.in : phase.copies.out;
    if (!speed) return alone;
    return disturbed_copy(*speed, setup_.spec.unit.copy_engines,
                          is_in ? setup_.rates.in : setup_.rates.out, begin, alone);
  }

  void launch(UnitId /*unit*/, const PipelinedBlock& /*block*/, Stage /*stage*/) override {}

  void finished(UnitId /*unit*/, const PipelinedBlock& block, Seconds at) override {
    lateness_->add(setup_.clock->now() - at);
    mailbox_->report(
        {.command = at_work_.front(), .times = block.times, .begins = block.begins, .end = at});
    at_work_.pop_front();
  }

  WorkerSetup setup_;
  std::shared_ptr<Lateness> lateness_;
  UnitPipeline pipeline_;
  WorkerMailbox* mailbox_ = nullptr;
  std::deque<Command> at_work_;  ///< the blocks in the pipeline, in order
  std::uint32_t epoch_ = 0;
  std::uint64_t ordinal_ = 0;
};

}  // namespace

std::unique_ptr<Worker> make_paced_worker(WorkerSetup setup, std::shared_ptr<Lateness> lateness) {
  const std::string unit = setup.spec.unit.name;
  const std::shared_ptr<WakeSignal> controller = setup.controller;
  return make_threaded_worker(unit,
                              std::make_unique<PacedDriver>(std::move(setup), std::move(lateness)),
                              controller, paced_patience);
}

}  // namespace equipoise
