// What results.json says of the experiment besides its results: what was compared, with which
// inputs, where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/workload.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/records/facts.hpp"
#include "traces/run_settings.hpp"

namespace equipoise {

/// A file that an experiment read.
struct InputFile {
  std::string file;
  std::string hash;  ///< of its contents
};

constexpr auto describe(DescriptionOf<InputFile> /*of*/) {
  return std::tuple(member("file", &InputFile::file, "as typed").not_empty(),
                    member("hash", &InputFile::hash, "of its contents").not_empty());
}

/// How far the items of a phase differ in what they cost, relative to their mean.
struct CostsFacts {
  double least = 1.0;
  double most = 1.0;
  double sd = 0.0;
};

constexpr auto describe(DescriptionOf<CostsFacts> /*of*/) {
  return std::tuple(member("least", &CostsFacts::least, "the least cost of an item over the mean"),
                    member("most", &CostsFacts::most, "the greatest"),
                    member("sd", &CostsFacts::sd, "standard deviation of the costs over the mean"));
}

/// The header of results.json.
struct ExperimentFacts {
  std::string on;
  std::vector<std::string> workloads;
  std::vector<std::string> policies;
  std::string baseline;
  int reps = 1;
  std::uint64_t seed = 1;
  std::string decision_cost;
  std::vector<std::optional<Distribution>>
      distributions;  ///< (phases); nothing without resident data
  /// (phases); nothing where all items cost the same. Empty: they do in every phase.
  std::vector<std::optional<CostsFacts>> costs;
  std::string experience_file;
  std::vector<InputFile> inputs;
  std::vector<std::pair<std::string, InputFile>> libraries;  ///< by the policy's name in results
  std::optional<RunSettings> sim;                            ///< of the simulated runs
  std::optional<RunSettings> real;                           ///< of those in real time
};

constexpr auto describe(DescriptionOf<ExperimentFacts> /*of*/) {
  return std::tuple(
      member("on", &ExperimentFacts::on, "where the runs took place")
          .one_of("sim, real, paced, both"),
      member("workloads", &ExperimentFacts::workloads, "as typed, one per phase").not_empty(),
      member("policies", &ExperimentFacts::policies, "as typed"),
      member("baseline", &ExperimentFacts::baseline, "the policy to which speedups refer"),
      member("reps", &ExperimentFacts::reps, "number of runs of each policy").at_least(1),
      member("seed", &ExperimentFacts::seed, "of block times and of input data"),
      member("decision_cost", &ExperimentFacts::decision_cost,
             "how long decisions take: none, paper, measured, or seconds"),
      member("distribution", &ExperimentFacts::distributions,
             "where the resident data of each phase lie at the start; null: there are none"),
      member("costs", &ExperimentFacts::costs,
             "how the items of each phase differ; null: all cost the same")
          .if_any(),
      member("experience", &ExperimentFacts::experience_file, "file of earlier runs' block times")
          .or_null(),
      member("inputs", &ExperimentFacts::inputs,
             "the files that were read, each with a hash of its contents"),
      member("policy_libraries", &ExperimentFacts::libraries, "the libraries of policies").if_any(),
      member("sim", &ExperimentFacts::sim, "settings of the simulated runs").if_any(),
      member("real", &ExperimentFacts::real, "settings of the runs in real time").if_any());
}

/// Where and how results were made.
struct Environment {
  std::string version;    ///< of the program and its libraries
  std::string source_id;  ///< hash of the program's sources
  Facts machine;
  std::string date;     ///< "2026-11-23T10:00:00Z"
  std::string command;  ///< as typed, quoted for a shell
};

constexpr auto describe(DescriptionOf<Environment> /*of*/) {
  return std::tuple(member("version", &Environment::version, "of the program and its libraries"),
                    member("source_id", &Environment::source_id, "hash of the program's sources"),
                    member("machine", &Environment::machine, "on which the program ran"),
                    member("date", &Environment::date, "UTC"),
                    member("command", &Environment::command, "as typed, quoted for a shell"));
}

/// Keeps what was typed for `Environment::command`; to be called first.
void remember_command(int argc, const char* const* argv);

/// That of this program now. Everything else in results is the same for the same inputs and seed.
[[nodiscard]] Environment environment_now();

}  // namespace equipoise
