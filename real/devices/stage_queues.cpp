// A stage that is slowed down has a stop behind it.
#include "real/devices/stage_queues.hpp"

#include <exception>
#include <utility>

namespace equipoise {

void StageQueues::put(BlockInFlight& block, StageCopies copies,
                      const std::function<void()>& launch) {
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

void StageQueues::put_copy(StageInQueue& stage, Queue queue, const StepFunction& rate,
                           std::vector<CopyPart>& parts, const TicketPtr& ticket) {
  if (parts.empty()) {
    stage.began = stage.ended = device_.record(queue);
    return;
  }
  put_stage(stage, queue, rate, ticket, [&] { device_.copy(queue, std::move(parts), ticket); });
}

void StageQueues::put_stage(StageInQueue& stage, Queue queue, const StepFunction& rate,
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

}  // namespace equipoise
