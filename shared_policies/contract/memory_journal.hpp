// A journal that keeps every record in memory.
#pragma once

#include <string>
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

  /// How many events are called `what`.
  [[nodiscard]] int count(const std::string& what) const {
    int n = 0;
    for (const EventRecord& event : events) n += event.what == what ? 1 : 0;
    return n;
  }

  std::vector<BlockRecord> blocks;
  std::vector<DecisionRecord> decisions;
  std::vector<EventRecord> events;
  std::vector<Measured> measurements;
};

}  // namespace equipoise
