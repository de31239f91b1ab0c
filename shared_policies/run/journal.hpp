// The record of a run: what is said to a journal while the run goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/decision.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// An accepted block: all its items are done.
struct BlockRecord {
  UnitId unit;
  Block block;
  Seconds assigned;
  StageTimes times;
  Seconds end;
  std::uint64_t after_events = 0;  ///< see OutstandingBlock
};

/// A model was solved.
struct DecisionRecord {
  Seconds at;  ///< the View's time when the policy said so
  Seconds cost;
  Seconds end;  ///< the View's time behind it
  Decision decision;
};

/// Anything else: a phase or an iteration began, a block, a unit was lost, a unit joined, a timer
/// fired, a policy left a note, the run loop found the policy stalled, a block was outstanding when
/// the run ended early, a scenario disturbed the run.
struct EventRecord {
  Seconds at;
  std::string what;  ///< "iteration_started", "block_lost", "policy_stalled", "compete", ...
  std::optional<UnitId> unit{};
  std::optional<Block> block{};
  const Disturbance* disturbance = nullptr;  ///< by which the run is disturbed from now on, or null
  Seconds assigned{};                        ///< of the block
  std::uint64_t after_events = 0;            ///< of the block; see OutstandingBlock
};

/// Whether OutstandingBlock::after_events counts the event, as it does every accepted block.
inline bool is_counted(const EventRecord& event) {
  return event.what == "unit_lost" || event.what == "block_lost" || event.what == "unit_joined" ||
         event.what == "timer_fired";
}

/// Takes the records of one run, in the order in which the run loop took them in. Run files, and
/// the numbers that results are made of, are both journals, so both see the same.
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
  /// Anything else happened.
  virtual void event(const EventRecord& record) = 0;
};

}  // namespace equipoise
