// Journals that pass all records on to another one, and insert others between them: what a scenario
// does to the run, and what meters read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// Passes all records on to `next`, which must outlive it, and before each of them what happened by
/// then.
class InsertingJournal : public Journal {
 public:
  explicit InsertingJournal(Journal& next) : next_(next) {}

  void block(const BlockRecord& record) final {
    insert(record.end);
    next_.block(record);
  }
  void decision(const DecisionRecord& record) final {
    insert(record.at);
    next_.decision(record);
  }
  void event(const EventRecord& record) final {
    insert(record.at);
    next_.event(record);
  }
  void measured(const Measured& record) final {
    insert(record.at);
    next_.measured(record);
  }

 protected:
  [[nodiscard]] Journal& next() { return next_; }

 private:
  /// Passes on what happened by `until` and was not passed on yet.
  virtual void insert(Seconds until) = 0;

  Journal& next_;
};

/// Inserts, in order of time, one event for every disturbance of `scenario` that has begun, so that
/// the run file shows what was injected and when. Policies do not see these events. A disturbance
/// that begins after the last record of the run is left out. `scenario` must outlive it.
class ScenarioJournal final : public InsertingJournal {
 public:
  ScenarioJournal(const Scenario& scenario, Journal& next) : InsertingJournal(next) {
    for (const Disturbance& event : scenario.events) to_come_.push_back(&event);
    std::ranges::stable_sort(to_come_, {}, &Disturbance::at);
  }

 private:
  void insert(Seconds until) override {
    for (; passed_ < to_come_.size() && to_come_[passed_]->at <= until; ++passed_) {
      next().event({to_come_[passed_]->at, *to_come_[passed_]});
    }
  }

  std::vector<const Disturbance*> to_come_;  ///< in the order of time
  std::size_t passed_ = 0;                   ///< number of these that were passed on
};

/// What the meters of a machine read during a run. For who writes the journal, one at a time.
class MeterReadings {
 public:
  MeterReadings() = default;
  MeterReadings(const MeterReadings&) = delete;
  MeterReadings& operator=(const MeterReadings&) = delete;
  virtual ~MeterReadings() = default;

  /// Takes the earliest reading that was not taken yet, if it was made by `until`. Does not wait: a
  /// reading that is just being made may come with the next call.
  [[nodiscard]] virtual std::optional<Measured> take(Seconds until) = 0;
  /// What is not measured here, and why; empty if everything is.
  [[nodiscard]] virtual std::string note() const = 0;
};

/// Inserts before each record the readings that were made until then. A reading may come a few
/// milliseconds late, after records of its time.
class MeteredJournal final : public InsertingJournal {
 public:
  /// `readings` may be null: then nothing is inserted. It must outlive the journal.
  MeteredJournal(MeterReadings* readings, Journal& next)
      : InsertingJournal(next), readings_(readings) {}

  /// Passes on all readings that are left, when the run has ended.
  void finish() { insert(Seconds::infinity()); }

 private:
  void insert(Seconds until) override {
    if (readings_ == nullptr) return;
    while (const std::optional<Measured> read = readings_->take(until)) next().measured(*read);
  }

  MeterReadings* readings_;
};

}  // namespace equipoise
