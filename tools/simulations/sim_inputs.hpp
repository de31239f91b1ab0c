// What is read for simulations: files, options, and what SimGrid reports about the platform.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// All inputs of a simulated world. Everything else follows from them (`make_sim_world`).
struct SimInputs {
  PlatformSource source;
  Platform platform;             ///< with the units that take part
  bool transfers_add_up = true;  ///< as the probe found; if false, the bound leaves copies out
  std::vector<Trace> traces;     ///< as given, in order
  std::vector<Workload> phases;
  Scenario scenario;
  std::vector<std::string> scenario_files;  ///< the files of the scenario
  std::optional<Seconds> dispatch_cost;     ///< replaces those of the traces
};

}  // namespace equipoise
