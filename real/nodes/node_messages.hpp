// What the master and the nodes of a run say to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "real/machine.hpp"
#include "real/nodes/node_data.hpp"
#include "real/paced/paced_unit.hpp"
#include "real/worker.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "shared_policies/run/two_levels.hpp"

namespace equipoise {

// To a node. Its units are numbered as it has them, from 0.

/// A question for the program on the node, answered by an Answer.
struct Question {
  std::string text;
};
/// What the agent of a node needs in a run of two levels.
struct NodeAgentSetup {
  std::uint64_t number = 0;  ///< of its node in the run
  BlockTimeout block_timeout{};
  RecordedAgent recorded{};
};
/// What the workers of a node need for a run.
struct NodeRunSetup {
  std::uint64_t run = 0;           ///< its number
  std::vector<Workload> phases{};  ///< of those that the node has opened
  Placement place{};
  Scenario scenario;
  RunDraws draws;
  double time_scale = 1.0;
  bool measures_waits = false;
  std::vector<DataShape> shapes{};  ///< (phases)
  /// How many resident arrays follow at once, which units have before the run.
  std::uint32_t residents_before = 0;
  /// Whose blocks the node divides itself, so that it is one unit; none: it has its units.
  std::optional<NodeAgentSetup> agent{};
};
/// Begin a run: bring the units up. Answered by RunBegan.
struct BeginRun {
  NodeRunSetup setup;
};
/// End the run. Answered by RunEnded.
struct EndRun {
  std::uint64_t run = 0;
  bool is_stopped = false;  ///< there is no time to wait for what still computes
};
/// End the process.
struct EndNode {
  int exit_code = 0;
};
/// The clock of the run shows 0 when that of the node's machine shows `ns`.
struct ZeroClock {
  std::uint64_t run = 0;
  std::int64_t ns = 0;
};
/// A resident array of the kernel of a phase comes as a payload.
struct SendResident {
  std::uint64_t run = 0;
  std::uint32_t phase = 0;
  std::uint32_t array = 0;
  std::uint64_t version = 0;
  std::uint64_t bytes = 0;
};
/// A block or a probe; its input follows as payloads, or is in the message.
struct SendBlock {
  std::uint64_t run = 0;
  std::uint32_t unit = 0;
  std::uint32_t epoch = 0;  ///< of the unit's mailbox at the master
  Block block;
  std::optional<Probe> probe{};
  bool follows_resident = false;        ///< resident data were sent for its sake
  bool is_held = false;                 ///< it is there once a ReleaseBlock says so
  std::string enclosed{};               ///< the input, if that is little
  std::vector<std::uint64_t> pieces{};  ///< else the bytes of the payloads that follow
};
/// Which block or probe.
struct BlockAtNode {
  std::uint64_t block = no_block;
  std::optional<std::uint64_t> probe{};

  bool operator==(const BlockAtNode&) const = default;
};
[[nodiscard]] inline BlockAtNode id_of(const Block& block, const std::optional<Probe>& probe) {
  return {block.id, probe ? std::optional(probe->id) : std::nullopt};
}
/// A held block has come, as far as its unit is concerned.
struct ReleaseBlock {
  std::uint64_t run = 0;
  std::uint32_t unit = 0;
  std::uint32_t epoch = 0;
  BlockAtNode block;
};
struct TakeBackBlock {
  std::uint64_t run = 0;
  std::uint32_t unit = 0;
  BlockAtNode block;
};
/// Abandon all blocks of earlier epochs than this. Answered by UnitFree when they have ended.
struct AbandonBlocks {
  std::uint64_t run = 0;
  std::uint32_t unit = 0;
  std::uint32_t epoch = 0;
  bool are_late = false;
};

/// Bytes that mean nothing follow, and as many as `back_bytes` are to come back.
struct SendLinkProbe {
  std::uint64_t number = 0;
  std::uint64_t there_bytes = 0;
  std::uint64_t back_bytes = 0;
  bool is_held = false;  ///< they are there once a ReleaseLinkProbe says so
};
struct ReleaseLinkProbe {
  std::uint64_t number = 0;
};

using MessageToNode =
    std::variant<Question, BeginRun, EndRun, EndNode, ZeroClock, SendResident, SendBlock,
                 ReleaseBlock, TakeBackBlock, AbandonBlocks, SendLinkProbe, ReleaseLinkProbe>;

// From a node. Times are those of its clock of the run.

struct Answer {
  std::string text;
};
struct RunBegan {
  std::uint64_t run = 0;
  std::string why{};  ///< why it did not; empty: it did
};
/// A competing load of the scenario has had `share` of its unit.
struct LoadHad {
  std::uint32_t event = 0;  ///< which one of the scenario
  double share = 0.0;
};
struct RunEnded {
  std::uint64_t run = 0;
  std::vector<LoadHad> loads{};
  std::int64_t late_blocks = 0;  ///< of paced units
  Seconds late_mean{};
  Seconds late_most{};
  std::vector<std::string> warnings{};
};
/// A report of a unit's worker; results follow as payloads, or are in the message.
struct BlockReport {
  std::uint64_t run = 0;
  std::uint32_t unit = 0;
  std::uint32_t epoch = 0;
  Block block{};
  std::optional<Probe> probe{};
  ReportKind kind = ReportKind::done;
  Seconds resident_at{};  ///< when resident data were there that were sent for its sake; else 0
  Seconds arrived{};      ///< when its input was there
  StageTimes times{};
  StageTimes begins{};
  Seconds end{};
  BlockCores cores{};
  std::string why{};
  std::string enclosed{};               ///< the results, if these are little
  std::vector<std::uint64_t> pieces{};  ///< else the bytes of the payloads that follow
};
/// What the agent of a node has recorded. It is there before the end of a block to whose parts it
/// belongs is reported.
struct AgentRecords {
  std::uint64_t run = 0;
  std::vector<RecordedLine> lines{};
};
/// The agent of a node has thrown an InputError.
struct AgentRefused {
  std::uint64_t run = 0;
  std::string where{};
  std::string why{};
};
/// The unit has ended all blocks of earlier epochs than this.
struct UnitFree {
  std::uint64_t run = 0;
  std::uint32_t unit = 0;
  std::uint32_t epoch = 0;
};

/// The bytes of a probe were there when the clock of the node's machine showed `arrived_ns`; others
/// follow.
struct LinkProbed {
  std::uint64_t number = 0;
  std::int64_t arrived_ns = 0;
  std::uint64_t back_bytes = 0;
};

using MessageFromNode = std::variant<Answer, RunBegan, RunEnded, BlockReport, AgentRecords,
                                     AgentRefused, UnitFree, LinkProbed>;

[[nodiscard]] std::string archived(const MessageToNode& message);
[[nodiscard]] std::string archived(const MessageFromNode& message);
/// Throw BackendError for what was not made so.
[[nodiscard]] MessageToNode read_message_to_node(std::string_view bytes);
[[nodiscard]] MessageFromNode read_message_from_node(std::string_view bytes);

}  // namespace equipoise
