// What the files that know CLI11 share: what the parser fills, and the options of several commands.
#pragma once

#include <functional>
#include <string>

#include "tools/commands/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}  // namespace CLI

namespace equipoise {

/// Everything that the parser fills, and the command that it chose.
struct Request {
  Options options;
  std::string noise = "on";
  std::string run_on = "real";  ///< where `run` runs
  std::string seed = "1";
  std::string dispatch_cost;
  std::string reps = "10";
  std::string block_timeout;
  std::string error_max;  ///< of `validate`
  std::string time_scale = "1";
  std::string seconds_max = "5";
  std::string what;  ///< of `list`
  std::string file;
  std::string shard;
  StarpuImportRequest starpu;
  std::string drivers = "drive";
  std::string items_from = "flops";
  std::string bytes = "none";
  CsvImportOptions csv;
  ReplayRequest replay;
  std::function<int()> command;
};

// Options that are spelled the same in every command that has them.
void add_help(CLI::App& command, const std::string& example);
void add_out(CLI::App& command, Request& r, const std::string& meaning);
void add_output(CLI::App& command, Request& r);
void add_workload(CLI::App& command, Request& r);
void add_simulation(CLI::App& command, Request& r, bool required);
void add_policies(CLI::App& command, Request& r);
void add_run_settings(CLI::App& command, Request& r);
void add_units(CLI::App& command, Request& r, bool required);
void add_real_settings(CLI::App& command, Request& r);

/// Adds `simulate`, `run`, `replay`, `compare`, `validate`, `sweep`, `record` and `optimum`: what
/// runs something.
void add_run_commands(CLI::App& app, Request& r);
/// Adds `list`, `trace` and `platform`: what reads and writes files.
void add_file_commands(CLI::App& app, Request& r);

/// Reads what the parser leaves as text. Throws InputError naming the option.
void finish_options(Request& r);

}  // namespace equipoise
