// A journal that keeps every record in memory.
#pragma once

#include <variant>
#include <vector>

#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// Keeps every record in memory, in the order of the calls.
class MemoryJournal final : public Journal {
 public:
  void block(const BlockRecord& record) override { blocks.push_back(record); }
  void decision(const DecisionRecord& record) override { decisions.push_back(record); }
  void event(const EventRecord& record) override { events.push_back(record); }
  void measured(const Measured& record) override { measurements.push_back(record); }

  /// How many events of this kind there are: `count<UnitLost>()`.
  template <class Event>
  [[nodiscard]] int count() const {
    int n = 0;
    for (const EventRecord& event : events) n += std::holds_alternative<Event>(event.what) ? 1 : 0;
    return n;
  }

  std::vector<BlockRecord> blocks;
  std::vector<DecisionRecord> decisions;
  std::vector<EventRecord> events;
  std::vector<Measured> measurements;
};

}  // namespace equipoise
