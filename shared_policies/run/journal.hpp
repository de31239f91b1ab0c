// The journal: the interface that receives the records of a run while the run goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/decision.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/run_event.hpp"

namespace equipoise {

/// An accepted block: it has finished and all its items are done.
struct BlockRecord {
  UnitId unit;
  Block block;
  Seconds assigned;
  StageTimes times;
  StageTimes begins;  ///< when each stage began, as in BlockFinished
  Seconds end;
  std::uint64_t after_events = 0;  ///< see OutstandingBlock
  /// In a run of two levels, the node whose agent the record is of, here and below; none: it is of
  /// the master.
  std::optional<UnitId> node{};
};

/// A policy solved a model.
struct DecisionRecord {
  Seconds at;  ///< the View's time when the policy reported the decision
  Seconds cost;
  Seconds end;  ///< the View's time afterwards
  Decision decision;
  std::optional<UnitId> node{};
};

/// Any other event.
struct EventRecord {
  Seconds at;  ///< for a disturbance: its own `at`
  RunEvent what;
  std::optional<UnitId> node{};
};

/// A reading of a meter.
struct Measured {
  Seconds at;
  std::string domain;  ///< what the meter measures: "package-0", "cuda:0"; `policy_domain`
  std::string what;    ///< the quantity with its unit of measure: "energy_j" (joules since the run
                       ///< began), "idle_w" (watts before the run), "power_w", "clock_hz"
  double value = 0.0;  ///< finite
  std::optional<UnitId> node{};
};

/// What the run loop measures of a policy: the time of its calls that no DecisionRecord contains,
/// in sum and in the longest call.
inline constexpr const char* policy_domain = "policy";
inline constexpr const char* answers_s = "answers_s";
inline constexpr const char* longest_answer_s = "longest_answer_s";

/// Receives the records of one run, in the order in which the run loop processed them. The run file
/// and the metrics are both journals, so both get the same records.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  /// A block was accepted.
  virtual void block(const BlockRecord& record) = 0;
  /// A policy solved a model.
  virtual void decision(const DecisionRecord& record) = 0;
  /// Any other event.
  virtual void event(const EventRecord& record) = 0;
  /// A meter was read. Does nothing by default.
  virtual void measured(const Measured& /*record*/) {}
};

}  // namespace equipoise
