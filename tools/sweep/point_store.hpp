// The points of a sweep on disk: one line each, appended as a whole and never rewritten.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/records/description.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/sweep/sweep_plan.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// The stored data of one point.
struct PointRecord {
  std::string key;  ///< Point::key
  std::string experiment;
  std::string policy;  ///< the choice's spelling
  std::uint64_t seed = 0;
  std::uint64_t repetition = 0;
  /// The reason why there is no result: the simulation failed, or its run is not verified (no unit
  /// was left, or it was interrupted). The next sweep tries such a point again.
  std::string failure;
  RunReport report;  ///< valid if `failure` is empty
};

/// The result of a search: for the best schedule (`key` is PlannedExperiment::schedule_key), or for
/// the best that is known to be reached with noise (PlannedExperiment::best_known_key).
struct SearchRecord {
  std::string key;
  std::string experiment;
  std::string failure;  ///< why nothing was found; empty on success
  BestReached best;
  std::optional<BlockLists> schedule{};  ///< of searches for schedules alone; its `best` is without
                                         ///< noise
};

/// The result of a point in its line.
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

/// The result of a point that has one.
[[nodiscard]] std::optional<StoredReport> stored_report(const PointRecord& record);
/// Puts it into the record.
void set_stored_report(PointRecord& record, std::optional<StoredReport> report);

constexpr auto describe(DescriptionOf<PointRecord> /*of*/) {
  return std::tuple(
      member("key", &PointRecord::key, "hash of all that the result depends on"),
      member("experiment", &PointRecord::experiment, "name of the experiment"),
      member("policy", &PointRecord::policy, "the policy, as spelled"),
      member("seed", &PointRecord::seed, "of block times"),
      member("repetition", &PointRecord::repetition, "number of the repetition, from 0"),
      computed("report", &stored_report, "the result", &set_stored_report).if_any(),
      member("failure", &PointRecord::failure, "why there is no result").if_any(),
      unwritten(&PointRecord::report));
}

/// A schedule in a line: nothing in a search with noise, null in one that failed.
using StoredSchedule = std::optional<std::optional<BlockLists>>;
[[nodiscard]] StoredSchedule stored_schedule(const SearchRecord& record);

constexpr auto describe(DescriptionOf<SearchRecord> /*of*/) {
  return std::tuple(
      member("key", &SearchRecord::key, "hash of all that the result depends on"),
      member("experiment", &SearchRecord::experiment, "name of the experiment"),
      computed(
          "with_noise", +[](const SearchRecord& record) { return !record.schedule.has_value(); },
          "the search is for the best that is known to be reached with noise",
          [](SearchRecord& record, bool with_noise) {
            if (with_noise) record.schedule.reset();
          })
          .if_any(),
      computed(
          "best_known_s",
          +[](const SearchRecord& record) {
            return record.failure.empty() ? std::optional(record.best.seconds) : std::nullopt;
          },
          "the shortest mean makespan that was found",
          [](SearchRecord& record, std::optional<double> seconds) {
            record.best.seconds = seconds.value_or(0.0);
          })
          .in("s")
          .at_least(0)
          .if_any(),
      computed(
          "best_known_by", +[](const SearchRecord& record) { return record.best.policy; },
          "the policy that reaches it",
          [](SearchRecord& record, std::string policy) { record.best.policy = std::move(policy); })
          .if_any(),
      computed("schedule", &stored_schedule, "[phase][unit]: items of the blocks",
               [](SearchRecord& record, StoredSchedule schedule) {
                 record.schedule = std::move(schedule).value_or(std::nullopt);
               })
          .in("items")
          .at_least(0)
          .if_any(),
      member("failure", &SearchRecord::failure, "why nothing was found").if_any(),
      unwritten(&SearchRecord::best, &SearchRecord::schedule));
}

/// The records of all points files, by key.
struct StoredPoints {
  std::map<std::string, PointRecord> points;
  std::map<std::string, SearchRecord> searches;
};

/// FOLDER/points.jsonl or, for example, FOLDER/points-3-of-16.jsonl.
[[nodiscard]] std::string points_file(const std::string& folder, const Shard& shard);

/// The file to which one shard of a sweep appends.
class PointWriter {
 public:
  /// Opens the file, writes the header if it is new, and locks the file. If another sweep has
  /// locked it, throws InputError at `--out`. An incomplete last line of a killed sweep is removed,
  /// and with it that point. Throws InputError if the file cannot be written, or is not empty and
  /// has another schema; then it is left as it is.
  PointWriter(const std::string& folder, const Shard& shard);
  PointWriter(const PointWriter&) = delete;
  PointWriter& operator=(const PointWriter&) = delete;
  ~PointWriter();

  /// Appends a line. Throws InputError if it cannot be written.
  void append(const PointRecord& record);
  void append(const SearchRecord& record);

 private:
  void append_line(const std::string& line);

  std::string path_;
  int fd_ = -1;
};

/// Reads the points and searches of all files points*.jsonl in FOLDER. Of several records with the
/// same key, the first one with a result counts, in the order of the file names. An incomplete last
/// line is ignored, because a sweep is writing it or was killed. Other unreadable lines are
/// reported in `warnings` and ignored, so that their points run again. Throws InputError for a file
/// of another schema.
[[nodiscard]] StoredPoints read_points(const std::string& folder,
                                       std::vector<std::string>& warnings);

/// During its lifetime, no other sweep writes results to FOLDER. The constructor waits for a sweep
/// that does.
class ResultsLock {
 public:
  explicit ResultsLock(const std::string& folder);
  ResultsLock(const ResultsLock&) = delete;
  ResultsLock& operator=(const ResultsLock&) = delete;
  ~ResultsLock();

 private:
  int fd_ = -1;
};

}  // namespace equipoise
