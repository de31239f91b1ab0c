// What the user asked for, as plain structs; command_line*.cpp fill them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Options that commands share; each command uses those that it offers.
struct Options {
  std::string platform_file;
  std::vector<std::string> trace_files;
  std::string scenario_file;           ///< empty: nothing disturbs the runs
  std::vector<std::string> workloads;  ///< KERNEL[:k=v,...], one a phase
  std::vector<std::string> policies;   ///< NAME[:k=v,...]
  std::vector<std::string> without;    ///< names that "all" among the policies leaves out
  std::vector<std::string> units;      ///< KIND[,k=v,...], real units
  std::string on = "sim";              ///< sim, real, both or paced
  std::string baseline = "greedy";
  int reps = 10;
  std::uint64_t seed = 1;
  bool noise = true;
  std::string decision_cost = "none";    ///< none, paper, measured or seconds
  std::optional<Seconds> dispatch_cost;  ///< none: the trace's, else 5e-6
  std::optional<Seconds> block_timeout;  ///< none: blocks of real units may take for ever
  double time_scale = 1.0;               ///< of paced units: 0.1 runs ten times as fast
  std::string objective = "time";        ///< time, energy or edp
  std::string out;
  std::string platform_out;
  double seconds_max = 5.0;        ///< of recording, for each unit
  bool alone = false;              ///< record one unit after the other
  std::vector<std::string> sizes;  ///< block sizes to record; empty: they are chosen
  bool json = false;
  bool quiet = false;
};

}  // namespace equipoise
