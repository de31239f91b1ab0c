// Reads run files, `equipoise.run/1`: the settings, events and result of a run.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/experience.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// The header without units and workloads: all settings needed to repeat the run.
struct RunHeader {
  /// Whether blocks have a setup stage of their own. In files of version 1.0, `in_s` contains it.
  bool has_setup = true;
  std::string on;      ///< "sim", "real", ...
  std::string policy;  ///< name of the policy
  std::string
      spelling;  ///< the policy as in results: as typed, or with the name of a library's policy
  std::string loaded_from;  ///< from which the policy was loaded; empty: one of the catalog
  std::string loaded_hash;  ///< of that file's contents
  std::uint64_t seed = 1;
  std::uint64_t repetition = 0;
  std::string decision_cost;
  std::vector<std::string> workload_spellings;
  std::vector<std::string> unit_spellings;  ///< of real runs only
  std::vector<std::string> trace_files;
  std::vector<std::string> maps;  ///< TRACE_UNIT=HOST,... of `--map`
  std::string platform_file;      ///< of simulations only
  std::string scenario_file;      ///< empty: undisturbed
  bool noise = true;
  std::optional<Seconds> dispatch_cost;  ///< as typed by the user; none: that of the traces
  std::optional<Seconds> block_timeout;  ///< none: units may keep blocks without limit
  double time_scale = 1.0;               ///< of paced units only
  /// The run file whose decisions were issued again; empty: the policy made the decisions itself.
  std::string decisions_of;
  Experience experience;  ///< what the policy knew of earlier runs; empty: nothing
};

/// The summary's data about the run as a whole.
struct RunSummary {
  Seconds makespan;
  std::optional<Seconds> lower_bound;  ///< of simulations; none: not known
  bool complete = false;
  bool verified = false;
};

/// The contents of a run file.
struct RunFile {
  std::string path;
  RunHeader header;
  RecordedRun run;
  std::optional<RunSummary> summary;  ///< none: the run was interrupted
  bool is_cut = false;                ///< the last line was incomplete and was ignored
};

/// Reads a run file. If the summary is missing, the run was interrupted. A last line without line
/// end is ignored if it is incomplete. Unknown members are ignored. Version 1.0 does not say what
/// the setup of a block took, which is in its copy in, nor when its stages began: there, the setup
/// is 0, and the stages are taken to have followed one another up to the end.
///
/// Throws InputError (where = FILE:LINE) for everything else that is malformed: invalid JSON, a
/// schema other than `equipoise.run/1` and its minor versions, members that are missing or out of
/// range, units that are not in the header, blocks outside of their workload or with an id that was
/// used before, lines after the summary. Memory and time grow with the number of lines.
[[nodiscard]] RunFile read_run_file(const std::string& path);

/// Like `read_run_file`, but reads from `in`; messages name the file `path`.
[[nodiscard]] RunFile read_run(std::istream& in, const std::string& path);

/// Reads the header line into `file`: settings, units and workloads.
void read_run_header(const JsonValue& line, RunFile& file);

}  // namespace equipoise
