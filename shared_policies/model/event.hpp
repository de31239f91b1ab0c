// Events: the half of the protocol that goes from the executor to the policy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// The run begins: the first event. No items can be handed out before IterationStarted.
struct RunStarted {};
/// The workload number `phase` of the run begins. Its kernel may differ from that of the phase
/// before.
struct PhaseStarted {
  int phase = 0;
};
/// An iteration of the phase begins: every item of the phase has to be done (once more). From the
/// event's time on, blocks of the iteration can be handed out; the results of the iteration before
/// are merged by then.
struct IterationStarted {
  int iteration = 0;
};
/// A block has finished; all its items are done.
struct BlockFinished {
  UnitId unit;
  Block block;
  Seconds assigned;  ///< when it was handed out
  StageTimes times;
  StageTimes begins;  ///< when each stage began; one of 0 s begins where the next one does
};
/// Why a block was lost.
enum class LostBy : std::uint8_t {
  unit,       ///< its unit is lost with all its blocks, or could not do this one and goes on
  take_back,  ///< the policy took it back
  copy,       ///< a copy of it was done first
};

constexpr auto words(DescriptionOf<LostBy> /*of*/) {
  return std::array{Word{LostBy::unit, "unit"}, Word{LostBy::take_back, "take_back"},
                    Word{LostBy::copy, "copy"}};
}

/// A block was lost. Every block that was handed out ends with a BlockFinished or a BlockLost.
struct BlockLost {
  UnitId unit;
  Block block;
  /// The largest block that the unit can do now, for the rest of the phase; at least a grain. None:
  /// as before.
  std::optional<Items> cap_items{};
  LostBy by = LostBy::unit;
  /// Whether its unit still works on it: a LateEnd follows, unless the unit is lost or the run ends
  /// before.
  bool goes_on = false;
  /// Whether its items have to be handed out again. If not, a copy of it is outstanding or done.
  bool returns_items = true;
};
/// A block that was lost but went on has ended on its unit. Its results are dropped.
struct LateEnd {
  UnitId unit;
  Block block;
  Seconds assigned;
  StageTimes times;  ///< without a copy of results
  StageTimes begins;
};
/// Copies that a policy asks for to learn what a link carries (Decisions::probe).
struct Probe {
  std::uint64_t id = 0;                ///< 0, 1, 2, ... in the order of asking
  std::uint64_t number = 0;            ///< chosen by the policy, for the answer
  double there_bytes = 0.0;            ///< to the unit, whole
  std::optional<double> back_bytes{};  ///< from it, whole; none: there is no copy back

  bool operator==(const Probe&) const = default;
};
/// When the copies of a probe began, and how long they took, without waiting.
struct ProbeTimes {
  Seconds there_at;
  Seconds there;
  Seconds back_at;  ///< without a copy back: the time of the event
  Seconds back;

  bool operator==(const ProbeTimes&) const = default;
};
/// A probe has ended.
struct Probed {
  UnitId unit;
  Probe probe;
  std::optional<ProbeTimes> times{};  ///< none: its unit is lost, or could not do it
};
/// A unit failed. Its outstanding blocks were reported lost before this event, and its probes
/// ended.
struct UnitLost {
  UnitId unit;
};
/// A unit became available, for the first time or again.
struct UnitJoined {
  UnitId unit;
};
/// A unit has fewer blocks than its slots, lost ones that go on included, and items remain to be
/// handed out. Sent once each time that the unit enters this state, finishes a block while in it,
/// or is assigned a block and remains in it; sent again when an iteration starts or the items of a
/// lost block can be handed out again. A policy that wants to wait gives nothing.
struct UnitIdle {
  UnitId unit;
};
/// The time that a policy asked for with Decisions::set_timer has come.
struct TimerFired {
  std::uint64_t timer = 0;  ///< the `timer` that was given to set_timer
};

/// What a policy is told: something that happened at one point in time.
struct Event {
  Seconds at;  ///< since the start of the run
  std::variant<RunStarted, PhaseStarted, IterationStarted, BlockFinished, BlockLost, UnitLost,
               UnitJoined, UnitIdle, TimerFired, LateEnd, Probed>
      what;
};

}  // namespace equipoise
