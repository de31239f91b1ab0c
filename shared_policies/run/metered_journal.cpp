// A journal that adds the readings of meters to another journal.
#include "shared_policies/run/metered_journal.hpp"

namespace equipoise {

void MeteredJournal::block(const BlockRecord& record) {
  catch_up(record.end);
  next_.block(record);
}

void MeteredJournal::decision(const DecisionRecord& record) {
  catch_up(record.at);
  next_.decision(record);
}

void MeteredJournal::event(const EventRecord& record) {
  catch_up(record.at);
  next_.event(record);
}

void MeteredJournal::measured(const Measured& record) {
  catch_up(record.at);
  next_.measured(record);
}

void MeteredJournal::catch_up(Seconds until) {
  if (readings_ == nullptr) return;
  while (const std::optional<Measured> reading = readings_->take(until)) next_.measured(*reading);
}

}  // namespace equipoise
