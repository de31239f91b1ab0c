// Records what meters read during a run in the journal of the run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// What the meters of a machine read during a run. For the thread that writes the journal.
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

/// A journal that passes all records on to another one. Before each of them it inserts the readings
/// that were made by then. A reading may come a few milliseconds later, after records of its time.
class MeteredJournal final : public Journal {
 public:
  /// `readings` may be null: then nothing is inserted. Both must outlive the journal.
  MeteredJournal(MeterReadings* readings, Journal& next) : readings_(readings), next_(next) {}

  void block(const BlockRecord& record) override;
  void decision(const DecisionRecord& record) override;
  void event(const EventRecord& record) override;
  void measured(const Measured& record) override;

  /// Passes on all readings that are left, when the run has ended.
  void finish() { catch_up(Seconds::infinity()); }

 private:
  void catch_up(Seconds until);

  MeterReadings* readings_;
  Journal& next_;
};

}  // namespace equipoise
