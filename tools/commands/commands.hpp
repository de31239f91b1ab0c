// The commands: what the command line fills for each, and its function, which returns the exit
// code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/command_work.hpp"
#include "shared_policies/records/description.hpp"
#include "tools/report/table_rows.hpp"
#include "tools/runs/options.hpp"
#include "tools/search/ideal_runs.hpp"
#include "tools/sweep/sweep_plan.hpp"
#include "traces/csv_import.hpp"
#include "traces/starpu_import.hpp"

namespace equipoise {

/// A file, and whether what is said of it is JSON.
struct FileRequest {
  std::string file;
  bool json = false;
};

/// Bounds that results must keep.
struct BoundsRequest {
  std::string file;        ///< empty: there are none
  std::string junit_file;  ///< report of the bounds as JUnit XML; empty: none
};

/// `equipoise simulate` and `equipoise run`: one policy, one run.
struct RunRequest {
  RunOptions options;
  std::vector<std::string> policies;  ///< one
  std::string out;                    ///< run file; empty: none
  std::string report_file;            ///< a page about the run; empty: none
  bool json = false;
};
int simulate_command(const RunRequest& request);
int run_command(const RunRequest& request);

/// `equipoise compare`: several policies with repetitions, in simulation, for real, or both.
struct CompareRequest {
  ComparisonOptions options;
  bool best_known = true;         ///< search for the best known schedule
  bool explain_interval = false;  ///< print what makes intervals as wide as they are
  /// Asks whether the winner stays one on machines that differ by this share.
  std::optional<double> what_if;
  TableChoice table;
  BoundsRequest bounds;
  bool json = false;
};
int compare_command(const CompareRequest& request);

/// `equipoise sweep`: a campaign of comparisons from one file.
struct SweepRequest {
  std::string campaign_file;
  std::string out;
  Shard shard;
  std::vector<std::string> only;  ///< patterns of experiments' names; none: all of them
  BoundsRequest bounds;
  bool json = false;
  bool quiet = false;
};
int sweep_command(const SweepRequest& request);

/// `equipoise diff`: two results of the same experiment. Returns 1 if a policy is worse by more
/// than `fail_above` for certain.
struct DiffRequest {
  std::string before;  ///< a results.json, or a folder that has one
  std::string now;
  std::string quantity = "makespan_s";
  std::optional<double> fail_above;  ///< a share of the value before
  double confidence = 0.95;
  std::string junit_file;
  bool json = false;
};
int diff_command(const DiffRequest& request);

/// `equipoise replay`: a recorded run, and what is repeated.
struct ReplayRequest {
  std::string run_file;
  bool check = false;      ///< repeat the decisions offline and compare them
  bool decisions = false;  ///< issue the same blocks again
  std::string on;          ///< sim, real or paced; empty: as the run itself
  RunOptions options;      ///< those of the run count where these are not given
  std::string out;
  bool json = false;

  /// Whether the policy runs again, on units that take the run's block times.
  [[nodiscard]] bool takes_times() const { return on == "paced" && !check && !decisions; }
};
int replay_command(const ReplayRequest& request);

/// `equipoise validate`: records a workload, simulates it and runs it for real. Returns 1 if the
/// error of a makespan is above `error_max`.
struct ValidateRequest {
  ComparisonOptions options;
  double seconds_max = 5.0;  ///< recording time of each kernel
  std::optional<double> error_max;
  BoundsRequest bounds;
  bool json = false;
};
int validate_command(const ValidateRequest& request);

/// `equipoise record`: measures a kernel's block times on real units.
struct RecordRequest {
  RunOptions options;
  double seconds_max = 5.0;  ///< for each unit
  bool alone = false;        ///< one unit after another
  std::vector<Items> sizes;  ///< of blocks; empty: chosen automatically
  std::string out;
  const char* out_option = "--out";
  std::string platform_out;
  bool json = false;
};
int record_command(const RecordRequest& request);

/// What `equipoise optimum` looks for: the least of something, or all divisions that none beats in
/// both time and energy.
enum class OptimumObjective : std::uint8_t { time, energy, edp, pareto };

constexpr auto words(DescriptionOf<OptimumObjective> /*of*/) {
  return std::array{Word{OptimumObjective::time, "time"}, Word{OptimumObjective::energy, "energy"},
                    Word{OptimumObjective::edp, "edp"}, Word{OptimumObjective::pareto, "pareto"}};
}

/// `equipoise optimum`: the schedule of the oracle and the lower bound, or a front.
struct OptimumRequest {
  RunOptions options;
  OptimumObjective objective = OptimumObjective::time;
  std::optional<Items> pieces;  ///< of a front; none: 256
  std::string svg;              ///< picture of a front; "-": printed; empty: none
  bool json = false;
};
int optimum_command(const OptimumRequest& request);
/// The same for `OptimumObjective::pareto`.
int optimum_front_command(const OptimumRequest& request);

/// `equipoise explain`: the sentence of a word of the tables, which may be typed as several words;
/// of all words if there are none. Throws InputError for a word that is not known.
struct ExplainRequest {
  std::vector<std::string> words;
  bool json = false;
};
int explain_command(const ExplainRequest& request);

/// `equipoise list`: policies, kernels, units or devices, as `what` says: all, or the one called
/// `name`, if that is not empty.
struct ListRequest {
  std::string what;
  std::string name;
  bool json = false;
};
int list_command(const ListRequest& request);

/// `equipoise new policy`: a project with a policy called `name`, in the folder `out` or, if that
/// is empty, in one called `name`.
struct NewPolicyRequest {
  std::string name;
  std::string out;
};
int new_policy_command(const NewPolicyRequest& request);

/// `equipoise new work`: tries a command on one item, then writes a work file with `work` to `out`
/// or, if that is empty, to NAME.json.
struct NewWorkRequest {
  CommandWork work;
  std::string out;
};
int new_work_command(const NewWorkRequest& request);

/// `equipoise check policy`: checks what every policy has to keep. Returns 1 if it breaks
/// something.
struct PolicyCheckRequest {
  std::string policy;  ///< as in --policy
  std::uint64_t seed = 1;
  double seconds_max = 60.0;    ///< for each promise; a policy that needs longer breaks it
  std::optional<int> machines;  ///< for each promise; none: as many as a thorough check has
  bool json = false;
};
int check_policy_command(const PolicyCheckRequest& request);

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
int report_command(const ReportRequest& request);

/// `equipoise show`: a recorded run as a table and a chart, or a comparison as it was printed.
struct ShowRequest {
  std::string path;
  TableChoice table;  ///< of a comparison
  bool json = false;
  bool quiet = false;  ///< without the definitions of its words
};
int show_command(const ShowRequest& request);

/// `equipoise trace check` and `show`, `equipoise platform check` and `show`.
int trace_check_command(const FileRequest& request);
int trace_show_command(const FileRequest& request);
int platform_check_command(const FileRequest& request);
int platform_show_command(const FileRequest& request);

/// `equipoise trace import starpu`: makes a platform and traces from StarPU's performance models.
struct StarpuImportRequest {
  StarpuImportOptions options;       ///< `kernel` is set for each kernel in turn
  std::vector<std::string> kernels;  ///< empty: all usable ones
  bool keep_drivers = false;         ///< do not reserve a core for each GPU to drive it
  std::string out;                   ///< folder
  bool json = false;
};
int trace_import_starpu_command(const StarpuImportRequest& request);

/// `equipoise trace import csv`: makes a trace from tables of timings.
struct CsvImportRequest {
  std::vector<std::string> files;
  CsvImportOptions table;
  std::string out;
  bool json = false;
};
int trace_import_csv_command(const CsvImportRequest& request);

/// `equipoise platform generate`: writes the platforms and modelled traces of the machine spec
/// `file` to the folder `out`.
struct GenerateRequest : FileRequest {
  std::string out;
};
int platform_generate_command(const GenerateRequest& request);

/// `equipoise platform detect`: writes this machine as a platform to `out`, or prints it.
struct DetectRequest {
  std::string out;
  bool json = false;
};
int platform_detect_command(const DetectRequest& request);

}  // namespace equipoise
