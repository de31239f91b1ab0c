// The structure that the parser fills, and the options of several commands, shared by the files
// that use CLI11.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/commands/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}  // namespace CLI

namespace equipoise {

/// All values that the parser fills, and the chosen command.
struct Request {
  Options options;
  std::string noise = "on";
  std::string best_known = "on";
  std::string meters = "on";
  std::string run_on = "real";  ///< where the command `run` runs
  std::string seed = "1";
  std::string reps = "10";
  std::string error_max;  ///< for `validate`
  std::string seconds_max = "5";
  std::string what;  ///< for `list`
  std::string name;  ///< for `list`, `new policy` and `check policy`
  std::string check_seconds_max = "60";
  std::string check_machines;
  std::vector<std::string> words;  ///< for `explain` and `help`
  std::string color = "auto";
  std::string file;
  std::string shard;
  std::vector<std::string> only;  ///< for `sweep`: patterns of names
  StarpuImportRequest starpu;
  std::string drivers = "drive";
  std::string items_from = "flops";
  std::string bytes = "none";
  std::string flops;  ///< of `trace import starpu`
  std::vector<std::string> csv_files;
  CsvImportOptions csv;
  ReplayRequest replay;
  DiffRequest diff;
  std::string diff_fail;
  std::string diff_confidence = "95%";
  ReportRequest report;
  std::vector<std::function<void()>> typed;  ///< take values over, which may be refused
  std::function<int()> command;
};

// Options with the same spelling in every command.
void add_help(CLI::App& command, const std::string& example);
void add_out(CLI::App& command, Request& r, const std::string& meaning);
/// --report of commands that make one run.
void add_report_file(CLI::App& command, Request& r);
void add_json(CLI::App& command, Request& r);
/// --json and --quiet.
void add_output(CLI::App& command, Request& r);
void add_workload(CLI::App& command, Request& r);
void add_simulation(CLI::App& command, Request& r, bool required);
/// `--map`, beside `--platform` and `--trace`.
void add_map(CLI::App& command, Request& r);
void add_policies(CLI::App& command, Request& r);
void add_run_settings(CLI::App& command, Request& r);
void add_expect(CLI::App& command, Request& r);
void add_units(CLI::App& command, Request& r, bool required);
void add_meters(CLI::App& command, Request& r);
void add_real_settings(CLI::App& command, Request& r);
/// `then`: what becomes of the file.
void add_experience(CLI::App& command, Request& r, const std::string& then);
void add_settings_of_all_runs(CLI::App& command, Request& r);

/// Adds the commands that run something: `simulate`, `run`, `replay`, `compare`, `validate`,
/// `sweep`, `record` and `optimum`.
void add_run_commands(CLI::App& app, Request& r);
/// Adds the commands that read and write files: `list`, `trace` and `platform`.
void add_file_commands(CLI::App& app, Request& r);
/// Adds the command `completion`, which knows all commands of `app`.
void add_completion(CLI::App& app, Request& r);
/// Adds the commands for policies of one's own: `new policy` and `check policy`.
void add_policy_commands(CLI::App& app, Request& r);
/// Adds the commands that show what was recorded: `report` and `show`.
void add_report_commands(CLI::App& app, Request& r);

/// Converts the values that the parser leaves as text, and remembers all files that options name as
/// inputs, so that no output replaces one, even if it is not read. Throws InputError with the
/// option's name.
void finish_options(Request& r);

}  // namespace equipoise
