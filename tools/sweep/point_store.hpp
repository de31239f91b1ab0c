// The points of a sweep on disk: one line each, appended whole as they come, never rewritten.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "tools/sweep/sweep_plan.hpp"
#include "tools/worlds/run_plan.hpp"

namespace equipoise {

/// What is kept of one point.
struct PointRecord {
  std::string key;  ///< Point::key
  std::string experiment;
  std::string policy;  ///< as spelled
  std::uint64_t seed = 0;
  std::uint64_t repetition = 0;
  /// Why there is no result: the simulation broke off, or its run is not verified (no unit was
  /// left, interrupted). Such a point is tried again by the next sweep.
  std::string failure;
  RunReport report;  ///< where `failure` is empty
};

/// A search for the best schedule known, by PlannedExperiment::schedule_key.
struct ScheduleRecord {
  std::string key;
  std::string experiment;
  std::string failure;  ///< why nothing was found; empty when something was
  double best_known_s = 0.0;
  BlockLists schedule;
};

/// What the lines of points files hold, by key.
struct StoredPoints {
  std::map<std::string, PointRecord> points;
  std::map<std::string, ScheduleRecord> schedules;
};

/// FOLDER/points.jsonl, or points-3-of-16.jsonl.
[[nodiscard]] std::string points_file(const std::string& folder, const Shard& shard);

/// The file that one shard of a sweep appends to.
class PointWriter {
 public:
  /// Opens the file, with a header when it is new, and locks it: another sweep that would write the
  /// same file is refused (InputError at `--out`). A last line that a killed sweep left torn is cut
  /// off; its point is then not there. Throws InputError when the file cannot be written.
  PointWriter(const std::string& folder, const Shard& shard);
  PointWriter(const PointWriter&) = delete;
  PointWriter& operator=(const PointWriter&) = delete;
  ~PointWriter();

  /// Appends a line. Throws InputError when the disk does not take it.
  void append(const PointRecord& record);
  void append(const ScheduleRecord& record);

 private:
  void append_line(const std::string& line);

  std::string path_;
  int fd_ = -1;
};

/// The points and schedules in all files of FOLDER called points*.jsonl. Of two records of one key
/// the first with a report counts, in the order of the files' names. A last line without an end (a
/// sweep is writing it, or was killed) is not there yet; other lines that cannot be read are named
/// in `warnings` and are not there either, so that their points run again. Throws InputError for a
/// file of another schema.
[[nodiscard]] StoredPoints read_points(const std::string& folder,
                                       std::vector<std::string>& warnings);

/// While it lives, no other sweep writes results into FOLDER; waits for one that does.
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
