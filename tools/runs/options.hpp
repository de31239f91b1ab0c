// The user's options as plain structs; tools/commands/command_line*.cpp fill them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/run_settings.hpp"

namespace equipoise {

/// Options that commands share, those of runs (RunSettings) among them. Each command uses those
/// that it offers.
struct Options : RunSettings {
  std::vector<std::string> policies;  ///< NAME[:k=v,...]
  std::vector<std::string> without;   ///< names that "all" in `policies` excludes
  std::string on = "sim";             ///< sim, real, both or paced
  std::string baseline = "greedy";
  int reps = 10;
  std::uint64_t seed = 1;
  std::string decision_cost = "none";  ///< none, paper, measured or seconds
  std::string experience_file;         ///< what earlier runs showed; empty: none is used
  std::string objective = "time";      ///< time, energy or edp
  std::string expect_file;             ///< bounds that the results must keep; empty: none
  std::string junit_file;              ///< report of the bounds as JUnit XML; empty: none
  std::string kept_runs = "small";  ///< the run files that a comparison keeps: small, all or none
  std::string out;
  std::string report_file;  ///< a page about the run; empty: none
  std::string platform_out;
  double seconds_max = 5.0;        ///< recording time per unit
  bool best_known = true;          ///< search for the best known schedule
  bool meters = true;              ///< measure energy in real runs
  bool alone = false;              ///< record one unit after another
  std::vector<std::string> sizes;  ///< block sizes to record; empty: chosen automatically
  std::string command_line;        ///< as typed, quoted for a shell
  bool json = false;
  bool quiet = false;  ///< neither progress nor notes
};

}  // namespace equipoise
