// The points of a sweep on disk: one line each, appended as a whole and never rewritten.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/run/metrics.hpp"
#include "tools/sweep/sweep_plan.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise {

/// The result of a run in its line.
struct StoredReport {
  RunNumbers numbers;
  bool policy_stalled = false;
  std::uint64_t repetition = 0;
};

constexpr auto describe(DescriptionOf<StoredReport> /*of*/) {
  return std::tuple(
      member("numbers", &StoredReport::numbers, "the numbers of the run").flat(),
      member("policy_stalled", &StoredReport::policy_stalled,
             "the policy left work undone, which was then done greedily"),
      member("repetition", &StoredReport::repetition, "number of the repetition, from 0"));
}

/// One point.
struct PointRecord {
  std::string key;  ///< Point::key
  std::string experiment;
  std::string spelling;  ///< of the policy
  std::uint64_t seed = 0;
  std::uint64_t repetition = 0;
  std::optional<StoredReport> report;  ///< none if it failed
  /// Why there is no report: the simulation failed, or its run is not verified (no unit was left,
  /// or it was interrupted). The next sweep tries such a point again.
  std::string failure;
};

constexpr auto describe(DescriptionOf<PointRecord> /*of*/) {
  return std::tuple(
      member("key", &PointRecord::key, "hash of all that the result depends on"),
      member("experiment", &PointRecord::experiment, "name of the experiment"),
      member("policy", &PointRecord::spelling, "the policy, as spelled"),
      member("seed", &PointRecord::seed, "of block times"),
      member("repetition", &PointRecord::repetition, "number of the repetition, from 0"),
      member("report", &PointRecord::report, "the result").if_any(),
      member("failure", &PointRecord::failure, "why there is no result").if_any());
}

/// The result of a search: for the best schedule (`key` is PlannedExperiment::schedule_key), or for
/// the best that is known to be reached with noise (PlannedExperiment::best_known_key).
struct SearchRecord {
  std::string key;
  std::string experiment;
  bool with_noise = false;
  std::optional<double> best_known_s;  ///< none if nothing was found
  std::string best_known_by;           ///< likewise
  /// What was found without noise: null in the line of a failed search. With noise, the line has
  /// no such member.
  std::optional<std::optional<BlockLists>> schedule{};
  std::string failure;  ///< why nothing was found; empty on success
};

constexpr auto describe(DescriptionOf<SearchRecord> /*of*/) {
  return std::tuple(
      member("key", &SearchRecord::key, "hash of all that the result depends on"),
      member("experiment", &SearchRecord::experiment, "name of the experiment"),
      member("with_noise", &SearchRecord::with_noise,
             "the search is for the best that is known to be reached with noise")
          .if_any(),
      member("best_known_s", &SearchRecord::best_known_s,
             "the shortest mean makespan that was found")
          .in("s")
          .at_least(0)
          .if_any(),
      member("best_known_by", &SearchRecord::best_known_by, "the policy that reaches it").if_any(),
      member("schedule", &SearchRecord::schedule, "[phase][unit]: items of the blocks")
          .in("items")
          .at_least(0)
          .if_any(),
      member("failure", &SearchRecord::failure, "why nothing was found").if_any());
}

/// The records of all points files, by key.
struct StoredPoints {
  std::map<std::string, PointRecord> points;
  std::map<std::string, SearchRecord> searches;
};

/// FOLDER/points.jsonl or, for example, FOLDER/points-3-of-16.jsonl.
[[nodiscard]] std::string points_file(const std::string& folder, const Shard& shard);

/// Lines of a points file, without line ends.
[[nodiscard]] std::string point_text(const PointRecord& record);
[[nodiscard]] std::string search_text(const SearchRecord& record);

/// The file to which one shard of a sweep appends.
class PointWriter {
 public:
  /// Opens the file, writes the header if it is new, and locks the file. If another sweep has
  /// locked it, throws InputError at `--out`. An incomplete last line of a killed sweep is removed,
  /// and with it that point. Throws InputError if the file cannot be written, and if it is not
  /// empty and has another schema; then it is left as it is.
  PointWriter(const std::string& folder, const Shard& shard);

  /// Appends a line. Throws std::runtime_error if it cannot be written.
  void append(const PointRecord& record) { append_line(point_text(record)); }
  void append(const SearchRecord& record) { append_line(search_text(record)); }

 private:
  void append_line(const std::string& line);

  std::string path_;
  LockedFile lock_;
  std::ofstream file_;
};

/// Reads the points and searches of all files points*.jsonl in FOLDER. Of several records with the
/// same key, the first one with a result counts, in the order of the file names. An incomplete last
/// line is ignored, because a sweep is writing it or was killed. Other unreadable lines are
/// reported in `warnings` and ignored, so that their points run again. Throws InputError for a file
/// of another schema.
[[nodiscard]] StoredPoints read_points(const std::string& folder,
                                       std::vector<std::string>& warnings);

/// As long as it lives, no other sweep writes results to FOLDER. Waits for a sweep that does.
/// Throws InputError if FOLDER cannot be written.
[[nodiscard]] LockedFile lock_results(const std::string& folder);

}  // namespace equipoise
