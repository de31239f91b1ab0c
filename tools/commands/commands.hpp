// What each command does; command_line*.cpp read the arguments. Each gives the exit code.
#pragma once

#include <optional>
#include <string>

#include "tools/commands/options.hpp"
#include "traces/csv_import.hpp"
#include "traces/starpu_import.hpp"

namespace equipoise {

/// `equipoise trace import starpu`: which kernels, and where to write.
struct StarpuImportRequest {
  StarpuImportOptions options;       ///< `kernel` is set for each kernel in turn
  std::vector<std::string> kernels;  ///< empty: all that are usable
  bool keep_drivers = false;         ///< do not leave a core for each GPU to drive it
  std::string out;                   ///< a folder
};

/// `equipoise replay`: which run, and what of it is done again.
struct ReplayRequest {
  std::string run_file;
  bool check = false;      ///< decide it again offline
  bool decisions = false;  ///< issue the same blocks again
  std::string on;          ///< in which world; empty: in the run's own
};

/// One policy on SimGrid.
int simulate_command(const Options& options);
/// One policy on real units.
int run_command(const Options& options);
/// Several policies, repeated, on either or both.
int compare_command(const Options& options);
/// A campaign of comparisons from one file; `shard` as in --shard, or empty.
int sweep_command(const std::string& campaign_file, const std::string& shard,
                  const Options& options);
/// A recorded run again.
int replay_command(const ReplayRequest& request, const Options& options);
/// Records, simulates and really runs the same thing; 1 where an error of a makespan is above
/// `error_max`.
int validate_command(const Options& options, std::optional<double> error_max);
/// Times a kernel on real units.
int record_command(const Options& options);
/// The clairvoyant split and the lower bound.
int optimum_command(const Options& options);
/// What there is: `what` is policies, kernels or units.
int list_command(const std::string& what, bool json);
/// Whether a trace is legal, and what is doubtful in it.
int trace_check_command(const std::string& file);
/// A trace as a table.
int trace_show_command(const std::string& file);
/// Platform and traces from StarPU's performance models.
int trace_import_starpu_command(const StarpuImportRequest& request);
/// A trace from a table of timings.
int trace_import_csv_command(const std::string& file, const CsvImportOptions& options,
                             const std::string& out);
/// Whether a platform is legal, routes included.
int platform_check_command(const std::string& file);
/// A platform as a table.
int platform_show_command(const std::string& file);
/// The platforms and modelled traces of a machine spec, written into the folder `out`.
int platform_generate_command(const std::string& spec_file, const std::string& out);
/// This machine as a platform, written to `out` or printed.
int platform_detect_command(const std::string& out);

}  // namespace equipoise
