// An executor from a table: block times are functions of size, so schedules can be worked out by
// hand.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// What a unit's copies go over, where a scenario changes it.
struct FakeWay {
  std::string link;        ///< its bandwidth counts behind the latency; empty: it never changes
  double latency_s = 0.0;  ///< of every copy that takes time
};

/// The times of one unit's blocks, in seconds as functions of items. Empty functions: no time.
struct FakeUnit {
  std::function<double(double)> compute_s;
  std::function<double(double)> in_s;
  std::function<double(double)> out_s;
  double resident_s = 0.0;  ///< added to the copy in of its first block in a phase
  int copy_engines = 1;
  Items memory_items = std::numeric_limits<Items>::max();  ///< that it holds at a time
  FakeWay in{};
  FakeWay out{};
};

/// A unit fails or comes (back).
struct FakeFault {
  Seconds at;
  UnitId unit;
  bool joins = false;
};

struct FakeSetup {
  std::vector<FakeUnit> units;  ///< of every phase that `later_phases` has no times for
  Seconds dispatch;
  std::vector<FakeFault> faults{};
  Scenario scenario{};  ///< the units are u0, u1, ...
  /// [phase - 1][unit]: the times in the phases 1, 2, ...; copy engines and links stay.
  std::vector<std::vector<FakeUnit>> later_phases{};
};

/// The units that are not there when the run starts.
[[nodiscard]] std::vector<UnitId> absent_at_start(const FakeSetup& setup);

/// Blocks of a unit overlap as its copy engines and memory let them (UnitPipeline), as in the
/// simulator; nothing that they move is shared. A block that waits in a queue is dispatched
/// meanwhile.
[[nodiscard]] std::unique_ptr<Executor> make_fake_executor(FakeSetup setup);

/// A unit whose blocks take `fixed_s + per_item_s * items`.
[[nodiscard]] FakeUnit affine_unit(double fixed_s, double per_item_s);

}  // namespace equipoise
