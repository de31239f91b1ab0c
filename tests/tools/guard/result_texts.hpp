// Texts of results.json with given makespans, for tests of guards.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace equipoise {

/// A result of one policy, with repetitions 0, 1, ... of these makespans.
inline std::string result_text(const std::string& policy, const std::vector<double>& makespans_s,
                               const std::string& on = "sim", bool verified = true) {
  std::string repetitions;
  for (std::size_t i = 0; i < makespans_s.size(); ++i) {
    repetitions += fmt::format(R"({}{{"repetition":{},"makespan_s":{},"energy_j":{}}})",
                               i == 0 ? "" : ",", i, makespans_s[i], 10.0 * makespans_s[i]);
  }
  return fmt::format(
      "{{\"spelling\":\"{}\",\"on\":\"{}\",\"verified\":{},\n\"share_by_unit\":{{\"n0.gpu\":0.75}},"
      "\n\"repetitions\":[{}]}}",
      policy, on, verified, repetitions);
}

/// What may differ in an experiment.
struct ExperimentText {
  int seed = 1;
  bool noise = true;
  std::string workload = "k:items=10";
  std::string trace_hash = "0123456789abcdef";
  std::string library_hash = "fedcba9876543210";
};

/// A results.json with these results and a lower bound of 2 s.
inline std::string results_json(const std::vector<std::string>& results,
                                const ExperimentText& experiment = {}) {
  return fmt::format(
      "{{\"schema\":\"equipoise.results/1\",\n"
      "\"experiment\":{{\"workloads\":[\"{}\"],\"baseline\":\"greedy\",\"seed\":{},"
      "\"decision_cost\":\"none\",\"policy_libraries\":{{\"a\":{{\"file\":\"a.so\",\"hash\":\"{}\"}"
      "}}},"
      "\"inputs\":[{{\"file\":\"t.jsonl\",\"hash\":\"{}\"}}],"
      "\"sim\":{{\"noise\":{}}}}},\n"
      "\"lower_bound_s\":2,\"best_known_s\":null,\"interrupted\":false,\n\"results\":[{}]}}",
      experiment.workload, experiment.seed, experiment.library_hash, experiment.trace_hash,
      experiment.noise, fmt::join(results, ",\n"));
}

}  // namespace equipoise
