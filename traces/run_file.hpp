// Run files, `equipoise.run/1`, read again: what was to be run, what happened, how it ended.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// What the header says beside units and workloads: all that is needed to run it again.
struct RunHeader {
  std::string on;        ///< "sim", "real", ...
  std::string policy;    ///< its name
  std::string spelling;  ///< the policy as it was typed
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  std::string decision_cost;
  std::vector<std::string> workload_spellings;
  std::vector<std::string> unit_spellings;  ///< of real runs
  std::vector<std::string> trace_files;
  std::string platform_file;  ///< of simulations
  std::string scenario_file;  ///< empty: undisturbed
  bool noise = true;
  std::optional<Seconds> dispatch_cost;  ///< as it was typed; else the traces'
  std::optional<Seconds> block_timeout;  ///< of runs in real time
  double time_scale = 1.0;               ///< of paced units
  /// The run file whose decisions were issued again; empty: they are the policy's own.
  std::string decisions_of;
};

/// What the summary says of the run as a whole.
struct RunSummary {
  Seconds makespan;
  bool complete = false;
  bool verified = false;
};

/// A run file.
struct RunFile {
  std::string path;
  RunHeader header;
  RecordedRun run;
  std::optional<RunSummary> summary;  ///< none: the run was interrupted
  bool is_cut = false;                ///< its last line was not whole and was left out
};

/// Reads a run file. A file without its summary is an interrupted run; a last line that lacks its
/// end is left out. Members that this version does not know are passed over.
///
/// Throws InputError (where = FILE:LINE) for anything else that is malformed: no JSON, a schema
/// other than `equipoise.run/1` and its minor versions, members that are missing or out of range,
/// units that the header does not name, blocks outside of their workload or handed out twice, lines
/// behind the summary. Memory and time grow with the number of lines.
[[nodiscard]] RunFile read_run_file(const std::string& path);

/// The same, of text that stands in the file called `path`.
[[nodiscard]] RunFile read_run(std::istream& in, const std::string& path);

/// Reads the header line into `file`: settings, units and workloads.
void read_run_header(const JsonValue& line, RunFile& file);

}  // namespace equipoise
