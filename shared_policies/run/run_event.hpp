// What happens in a run besides accepted blocks and decisions, as journals and run files tell it.
//
// Where a policy is told the same, it is the same type (shared_policies/model/event.hpp). The words
// of files and messages stand in run_event.cpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Blocks of the next iteration can be handed out.
struct IterationBegin {
  /// The block that the agent of a node begins to divide, in a run of two levels; none: the master
  /// begins an iteration.
  std::optional<Block> node_block{};
};
/// A block was lost.
struct LostBlock {
  UnitId unit;
  Block block;
  Seconds assigned;
  std::uint64_t after_events = 0;    ///< see OutstandingBlock
  std::optional<Items> cap_items{};  ///< see BlockLost
  LostBy by = LostBy::unit;
  bool goes_on = false;  ///< see BlockLost
};
/// A block was outstanding when the run ended early.
struct UnfinishedBlock {
  UnitId unit;
  Block block;
  Seconds assigned;
  std::uint64_t after_events = 0;  ///< see OutstandingBlock
};
/// A policy probes a unit.
struct ProbeBegin {
  UnitId unit;
  Probe probe;
  std::uint64_t after_blocks = 0;  ///< number of blocks that were handed out before
};
/// The time came that a policy had asked for.
struct TimerEnd {};
/// The policy left work undone, and the run loop finishes it.
struct PolicyStall {};
/// A remark of a policy. From run files also events whose words this version does not know.
struct Note {
  std::string text;
};

/// An event of a journal. A Disturbance is one of the scenario that begins.
using RunEvent =
    std::variant<IterationBegin, LostBlock, LateEnd, UnfinishedBlock, UnitLost, UnitJoined,
                 ProbeBegin, Probed, TimerEnd, PolicyStall, Disturbance, Note>;

/// The word of the event in files and messages: "unit_lost", "slow", or the text of a note.
[[nodiscard]] std::string_view word_of(const RunEvent& event);

/// The event with this word, its members not filled in (but the kind of a disturbance); none if the
/// word can only be a note's.
[[nodiscard]] std::optional<RunEvent> event_called(std::string_view word);

/// Whether OutstandingBlock::after_events counts the event. It also counts every accepted block.
[[nodiscard]] bool is_counted(const RunEvent& event);

/// The unit that the event names by its id, if any.
[[nodiscard]] std::optional<UnitId> unit_of(const RunEvent& event);

/// The block that the event is about, or null.
[[nodiscard]] const Block* block_of(const RunEvent& event);

/// The probe that the event is about, or null.
[[nodiscard]] const Probe* probe_of(const RunEvent& event);

}  // namespace equipoise
