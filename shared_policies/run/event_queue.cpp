// A binary heap of events.
#include "shared_policies/run/event_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace equipoise {
namespace {

using Key = std::tuple<Seconds, int, std::uint32_t, std::uint64_t>;

Key key(const Event& event) {
  if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    return {event.at, 0, finished->unit.index, finished->block.id};
  }
  if (const auto* late = std::get_if<LateEnd>(&event.what)) {
    return {event.at, 1, late->unit.index, late->block.id};
  }
  if (const auto* probed = std::get_if<Probed>(&event.what)) {
    return {event.at, 2, probed->unit.index, probed->probe.id};
  }
  if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
    return {event.at, 3, lost->unit.index, 0};
  }
  return {event.at, 4, std::get<UnitJoined>(event.what).unit.index, 0};
}

bool is_later(const Event& a, const Event& b) { return key(a) > key(b); }

}  // namespace

void EventQueue::push(const Event& event) {
  heap_.push_back(event);
  std::push_heap(heap_.begin(), heap_.end(), is_later);
}

bool EventQueue::has_finished(std::uint64_t original) const {
  return std::ranges::any_of(heap_, [original](const Event& event) {
    const auto* const finished = std::get_if<BlockFinished>(&event.what);
    return finished != nullptr && finished->block.original() == original;
  });
}

Event EventQueue::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), is_later);
  const Event event = heap_.back();
  heap_.pop_back();
  return event;
}

}  // namespace equipoise
