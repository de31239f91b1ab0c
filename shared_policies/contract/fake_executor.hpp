// An executor with given times: block times are functions of size, so schedules can be computed by
// hand.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/machine/controller_work.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/run/executor.hpp"

namespace equipoise {

/// The link that a unit's copies use, for scenarios that change its bandwidth.
struct FakeLink {
  std::string link;        ///< its bandwidth applies after the latency; empty: never changes
  double latency_s = 0.0;  ///< latency of every copy that takes time
};

/// The times of one unit's blocks, in seconds, as functions of items. An empty function means no
/// time.
struct FakeUnit {
  std::function<double(double)> compute_s;
  std::function<double(double)> in_s;
  std::function<double(double)> out_s;
  double resident_s = 0.0;   ///< the setup of its first block in a phase
  double iteration_s = 0.0;  ///< the setup of its first block in a further iteration
  /// It has the resident data at the start. Its first block of a phase then has no setup, or that
  /// of `iteration_s` in a further iteration, unless the unit was lost or joined before.
  bool is_replicated = false;
  int copy_engines = 1;
  Items memory_items = std::numeric_limits<Items>::max();  ///< the most that its memory holds
  FakeLink in{};
  FakeLink out{};
  std::string device{};  ///< units that name the same device share its copy engines
  std::string node{};    ///< units that name the same node get resident data once (NodeResidents)
  double from_node_s = 0.0;                  ///< time of a setup if the node has the data already
  std::function<double(double)> stream_s{};  ///< how long a block reads resident data
  /// The times of a probe's copies, in the same way as functions of bytes. Both empty: no link
  /// leads to it.
  std::function<double(double)> probe_there_s{};
  std::function<double(double)> probe_back_s{};
  /// The bytes that the controller copies for a block, as a function of items.
  std::function<double(double)> copied_bytes{};
};

/// A unit fails, or joins (again).
struct FakeFault {
  Seconds at;
  UnitId unit;
  bool joins = false;
};

struct FakeSetup {
  std::vector<FakeUnit> units;  ///< times in every phase that is not in `later_phases`
  Seconds dispatch;
  std::vector<FakeFault> faults{};
  Scenario scenario{};  ///< its units are called u0, u1, ...
  /// [phase - 1][unit]: the times in phases 1, 2, ...; copy engines and links are those of `units`.
  std::vector<std::vector<FakeUnit>> later_phases{};
  Seconds merge{};  ///< time of the master before every iteration of a phase except the first
  ControllerWork controller{};        ///< in every phase
  std::vector<ItemCostsPtr> items{};  ///< (phases) the costs of items; empty: all alike
};

/// The units that are absent when the run starts.
[[nodiscard]] std::vector<UnitId> absent_at_start(const FakeSetup& setup);

/// Makes the executor. The blocks of a unit overlap as its copy engines and memory allow
/// (MachinePipelines), as in the simulator; units share no links. A block is dispatched while it
/// waits in its unit's queue. The controller does one thing at a time, as in the simulator.
[[nodiscard]] std::unique_ptr<Executor> make_fake_executor(FakeSetup setup);

/// A unit whose blocks take `fixed_s + per_item_s * items`.
[[nodiscard]] FakeUnit affine_unit(double fixed_s, double per_item_s);

}  // namespace equipoise
