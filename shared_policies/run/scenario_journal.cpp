// A journal that adds a scenario's disturbances to another journal.
#include "shared_policies/run/scenario_journal.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace equipoise {
namespace {

class ScenarioJournal final : public Journal {
 public:
  ScenarioJournal(const Scenario& scenario, Journal& next) : next_(next) {
    for (const Disturbance& event : scenario.events) to_come_.push_back(&event);
    std::stable_sort(to_come_.begin(), to_come_.end(),
                     [](const auto* a, const auto* b) { return a->at < b->at; });
  }

  void block(const BlockRecord& record) override {
    catch_up(record.end);
    next_.block(record);
  }
  void decision(const DecisionRecord& record) override {
    catch_up(record.at);
    next_.decision(record);
  }
  void event(const EventRecord& record) override {
    catch_up(record.at);
    next_.event(record);
  }
  void measured(const Measured& record) override {
    catch_up(record.at);
    next_.measured(record);
  }

 private:
  void catch_up(Seconds now) {
    for (; written_count_ < to_come_.size() && to_come_[written_count_]->at <= now;
         ++written_count_) {
      const Disturbance& event = *to_come_[written_count_];
      next_.event({event.at, event});
    }
  }

  Journal& next_;
  std::vector<const Disturbance*> to_come_;  ///< in the order of time
  std::size_t written_count_ = 0;            ///< number of disturbances already written
};

}  // namespace

std::unique_ptr<Journal> make_scenario_journal(const Scenario& scenario, Journal& next) {
  return std::make_unique<ScenarioJournal>(scenario, next);
}

}  // namespace equipoise
