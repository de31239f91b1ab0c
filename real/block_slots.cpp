// Changes the state of one block at a time, under a lock that is held for a moment.
#include "real/block_slots.hpp"

#include "shared_policies/model/failure.hpp"

namespace equipoise {

BlockSlots::BlockSlots() {
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    free_.push_back(static_cast<Slot>(slot));
  }
}

BlockSlots::Slot BlockSlots::take(ResultClaimPtr claim) {
  EQ_CHECK(!free_.empty(), "there is a slot for every command at a worker");
  const Slot slot = free_.back();
  free_.pop_back();
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_[slot] = {State::queued, std::move(claim)};
  return slot;
}

void BlockSlots::free(Slot slot) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_[slot] = {State::withdrawn, nullptr};
  }
  free_.push_back(slot);
}

Fate BlockSlots::take_back(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = entries_[slot].state;
  switch (state) {
    case State::queued:
      state = State::withdrawn;
      return Fate::not_begun;
    case State::begun:
      state = State::dropped;
      return Fate::goes_on;
    case State::claimed:
    case State::withdrawn:
    case State::dropped:
      break;
  }
  return Fate::too_late;
}

ResultClaimPtr BlockSlots::contest(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[slot];
  if (entry.state == State::withdrawn || entry.state == State::dropped) return nullptr;
  if (!entry.claim) entry.claim = std::make_shared<ResultClaim>();
  if (entry.state == State::claimed) static_cast<void>(entry.claim->take());
  return entry.claim;
}

void BlockSlots::abandon() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.state == State::claimed && entry.claim) entry.claim->release();
    entry = {State::dropped, nullptr};
  }
}

bool BlockSlots::begin(Slot slot, ReportKind& kind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = entries_[slot].state;
  if (state == State::queued) state = State::begun;
  if (state == State::begun) return true;
  kind = state == State::withdrawn ? ReportKind::withdrawn : ReportKind::dropped;
  return false;
}

bool BlockSlots::is_contested(Slot slot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_[slot].claim != nullptr;
}

bool BlockSlots::is_open(Slot slot) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry& entry = entries_[slot];
  if (entry.state == State::claimed) return true;
  return entry.state == State::begun && (!entry.claim || !entry.claim->is_taken());
}

bool BlockSlots::claim(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[slot];
  if (entry.state == State::claimed) return true;
  const bool may = entry.state == State::begun && (!entry.claim || entry.claim->take());
  entry.state = may ? State::claimed : State::dropped;
  return may;
}

void BlockSlots::release_claim(Slot slot) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[slot];
  if (entry.state == State::claimed && entry.claim) entry.claim->release();
  entry.state = State::dropped;
}

}  // namespace equipoise
