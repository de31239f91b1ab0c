// The functions of the commands; command_line*.cpp parse the arguments. Each returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/runs/options.hpp"
#include "traces/csv_import.hpp"
#include "traces/starpu_import.hpp"

namespace equipoise {

/// `equipoise trace import starpu`: the kernels, and the destination.
struct StarpuImportRequest {
  StarpuImportOptions options;       ///< `kernel` is set for each kernel in turn
  std::vector<std::string> kernels;  ///< empty: all usable ones
  bool keep_drivers = false;         ///< do not reserve a core for each GPU to drive it
  std::string out;                   ///< output folder
};

/// `equipoise replay`: the run, and what is repeated.
struct ReplayRequest {
  std::string run_file;
  bool check = false;      ///< repeat the decisions offline and compare them
  bool decisions = false;  ///< issue the same blocks again
  std::string on;          ///< sim, real or paced; empty: as the run itself

  /// Whether the policy runs again, on units that take the run's block times.
  [[nodiscard]] bool takes_times() const { return on == "paced" && !check && !decisions; }
};

/// `equipoise diff`: two results, and what is asked of them.
struct DiffRequest {
  std::string before;  ///< a results.json, or a folder that has one
  std::string now;
  std::string quantity = "makespan_s";
  std::optional<double> fail_above;  ///< a share of the value before
  double confidence = 0.95;
};

/// `equipoise report`: what is reported, and the files to write; empty: not asked for, "-":
/// printed.
struct ReportRequest {
  std::vector<std::string> paths;
  std::string page;  ///< the HTML page; not printed
  std::string csv;
  std::string svg;
  std::string perfetto;
  std::string paje;
  bool json = false;  ///< print the numbers of the page
};

/// Runs one policy in the world that `options` names; `command` is what the user typed: "simulate"
/// or "run".
int run_command(const Options& options, const std::string& command);
/// Runs several policies with repetitions, in simulation, for real, or both.
int compare_command(const Options& options);
/// Runs a campaign of comparisons from one file; `shard` is as in --shard, or empty; of the
/// experiments those that match `only` (see `keep_only`), or all.
int sweep_command(const std::string& campaign_file, const std::string& shard,
                  const std::vector<std::string>& only, const Options& options);
/// Compares two results of the same experiment. Returns 1 if a policy is worse by more than
/// `request.fail_above` for certain.
int diff_command(const DiffRequest& request, const Options& options);
/// Repeats a recorded run.
int replay_command(const ReplayRequest& request, const Options& options);
/// Records a workload, simulates it and runs it for real. Returns 1 if the error of a makespan is
/// above `error_max`.
int validate_command(const Options& options, std::optional<double> error_max);
/// Measures a kernel's block times on real units.
int record_command(const Options& options);
/// Prints the schedule of the oracle and the lower bound.
int optimum_command(const Options& options);
/// Prints the sentence of a word of the tables, which may be typed as several words; of all words
/// if there are none. Throws InputError for a word that is not known.
int explain_command(const std::vector<std::string>& words, bool json);
/// Lists policies, kernels, units or devices, as `what` says: all, or the one called `name`, if
/// that is not empty.
int list_command(const std::string& what, const std::string& name, const Options& options);
/// Writes a project with a policy called `name` into the folder `out`, or, if that is empty, into
/// one called `name`.
int new_policy_command(const std::string& name, const std::string& out);
/// `equipoise check policy`: the policy, spelled as in --policy, and how it is checked.
struct PolicyCheckRequest {
  std::string policy;
  double seconds_max = 60.0;    ///< for each promise; a policy that needs longer breaks it
  std::optional<int> machines;  ///< for each promise; none: as many as a thorough check has
};

/// Checks what every policy has to keep. Returns 1 if the policy breaks something.
int check_policy_command(const PolicyCheckRequest& request, const Options& options);
/// Writes runs and results as a page and in other formats.
int report_command(const ReportRequest& request);
/// Prints a recorded run as a table and a chart.
int show_command(const std::string& file, bool json);
/// Lists the devices whose figures are known, or everything about the one called `name`.
int list_devices_command(const std::string& name, bool json);
/// Checks that a trace is valid, and prints doubtful entries.
int trace_check_command(const std::string& file, const Options& options);
/// Prints a trace as a table.
int trace_show_command(const std::string& file, const Options& options);
/// Makes a platform and traces from StarPU's performance models.
int trace_import_starpu_command(const StarpuImportRequest& request, const Options& options);
/// Makes a trace from a table of timings.
int trace_import_csv_command(const std::vector<std::string>& files, const CsvImportOptions& table,
                             const Options& options);
/// Checks that a platform is valid, including its routes.
int platform_check_command(const std::string& file, const Options& options);
/// Prints a platform as a table.
int platform_show_command(const std::string& file, const Options& options);
/// Writes the platforms and modelled traces of a machine spec to the folder `options.out`.
int platform_generate_command(const std::string& spec_file, const Options& options);
/// Writes this machine as a platform to `options.out`, or prints it.
int platform_detect_command(const Options& options);

}  // namespace equipoise
