// The program as the process of a node: it opens the units and the workload that the master asks
// for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "real/machine.hpp"
#include "real/nodes/communicator.hpp"
#include "real/nodes/node_agent.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "tools/runs/options.hpp"

namespace equipoise {

/// What the master asks of a node.
struct UnitsQuestion {
  std::string node;                    ///< its name, which those of its units begin with
  std::vector<std::string> units;      ///< KIND[,k=v,...]
  std::vector<std::string> workloads;  ///< as typed, one per phase
  bool computes = true;                ///< whether any unit of the run does
  std::vector<Trace> traces;           ///< that pace units
  std::string results_folder;
  std::string per_node;  ///< the policy of its agent, in runs of two levels; else empty
};

/// A unit of a node.
struct OpenedUnit {
  Unit unit;
  std::string trace_unit;  ///< that paces it; empty: it computes
  PlacedUnit placed;
};

/// What the node answers.
struct UnitsAnswer {
  std::string where;  ///< of an InputError
  std::string why;    ///< why it cannot; empty: it can
  std::string host;   ///< see `this_host`
  Machine machine;
  std::vector<OpenedUnit> units;
  std::vector<Workload> phases;
};

[[nodiscard]] std::string archived(const UnitsQuestion& question);
[[nodiscard]] std::string archived(const UnitsAnswer& answer);
[[nodiscard]] UnitsQuestion read_units_question(const std::string& text);
[[nodiscard]] UnitsAnswer read_units_answer(const std::string& text);

/// Connects this process with all others that mpirun has started. Null if it has started no other
/// one. Throws BackendError.
[[nodiscard]] std::shared_ptr<Communicator> connect_ranks();

/// Serves the master until it says that it is over. Returns the exit code. `options`: the loop, if
/// there is one.
[[nodiscard]] int be_node(Communicator& communicator, const RunOptions& options);

}  // namespace equipoise
