// The worker of a node, whose thread is the controller of the node's units.
#include "real/two_levels/node_worker.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "real/worker_mailbox.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// The executor of a node's agent. The units are up as long as it lives.
class NodeExecutor final : public UnitsExecutor {
 public:
  NodeExecutor(DrivenUnits units, UnitsRun run) : UnitsExecutor(std::move(units)) {
    bring_up(std::move(run));
  }
  ~NodeExecutor() override { take_down(); }

  void run(const std::function<void()>& body) override { body(); }
};

/// The commands of a mailbox as blocks for an agent.
class MailboxBlocks final : public NodeBlocks {
 public:
  MailboxBlocks(WorkerMailbox& mailbox, const Clock& clock) : mailbox_(mailbox), clock_(clock) {}

  /// Waits for the first command. Returns whether there is one.
  [[nodiscard]] bool await_first() {
    while (!is_over()) {
      if (mailbox_.await_command(WakeSignal::TimePoint::max()) != nullptr) return true;
    }
    return false;
  }

  /// Waits until the run is over. Further blocks, which nobody does any more, are dropped.
  void await_end() {
    while (await_first()) mailbox_.drop_command();
  }

  std::optional<Block> next() override {
    while (await_first()) {
      report_ = Report{.command = *mailbox_.command()};
      mailbox_.drop_command();
      begin_ = clock_.now();
      if (!mailbox_.slots().begin(report_.command.slot, report_.kind)) {
        mailbox_.report(report_);
      } else if (report_.command.probe) {
        end();
      } else {
        is_divided_ = true;
        return report_.command.block;
      }
    }
    return std::nullopt;
  }

  void done(const Block& /*block*/) override {
    is_divided_ = false;
    if (!mailbox_.slots().claim(report_.command.slot)) report_.kind = ReportKind::dropped;
    end();
  }

  [[nodiscard]] bool is_over() const override {
    return mailbox_.stops() || mailbox_.epoch() != epoch_;
  }
  /// Whether a block is being divided that nobody wants any more.
  [[nodiscard]] bool is_in_vain() const { return is_divided_ && is_over(); }

 private:
  void end() {
    report_.end = clock_.now();
    report_.times.compute = report_.end - begin_;
    report_.begins =
        without_empty_stages({begin_, begin_, begin_, report_.end}, report_.times, report_.end);
    mailbox_.report(report_);
  }

  WorkerMailbox& mailbox_;
  const Clock& clock_;
  std::uint32_t epoch_ = mailbox_.epoch();
  Report report_;  ///< of the latest command
  Seconds begin_;
  bool is_divided_ = false;
};

class NodeDriver final : public UnitDriver {
 public:
  NodeDriver(WorkerSetup setup, NodePart part)
      : UnitDriver(std::move(setup)), part_(std::move(part)) {}

  void come_up(WorkerMailbox& mailbox) override {
    blocks_.emplace(mailbox, *setup_.clock);
    part_.units.stop_requested = [this, stops = std::move(part_.units.stop_requested)] {
      return blocks_->is_in_vain() || (stops && stops());
    };
    executor_.emplace(part_.units, UnitsRun{setup_.phases, setup_.draws, setup_.clock,
                                            setup_.lateness, mailbox.shared_host()});
  }

  void work(WorkerMailbox& mailbox) override {
    if (blocks_->await_first()) {
      const Placement& placement = part_.units.placement;
      const ControllerPinning place(placement.others(), placement.waiting_compute);
      const RunOutcome outcome = part_.agent(*executor_, *blocks_);
      if (outcome.interrupted) blocks_->await_end();  // the master stops, too
    }
    if (mailbox.stops()) return;
    throw BackendError(blocks_->is_over() ? "its blocks were given up"
                                          : "none of its units is left");
  }

 private:
  NodePart part_;
  std::optional<MailboxBlocks> blocks_;
  std::optional<NodeExecutor> executor_;  ///< ends first
};

}  // namespace

std::unique_ptr<Worker> make_node_worker(WorkerSetup setup, NodePart part) {
  return make_threaded_worker(std::make_unique<NodeDriver>(std::move(setup), std::move(part)),
                              std::chrono::microseconds(0));
}

}  // namespace equipoise
