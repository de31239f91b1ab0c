// What each command does; command_line.cpp reads the arguments. Each gives the exit code.
#pragma once

#include <string>

#include "tools/options.hpp"
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

int simulate_command(const Options& options);
int run_command(const Options& options);
int compare_command(const Options& options);
int record_command(const Options& options);
int optimum_command(const Options& options);
int list_command(const std::string& what, bool json);
int trace_check_command(const std::string& file);
int trace_show_command(const std::string& file);
int trace_import_starpu_command(const StarpuImportRequest& request);
int trace_import_csv_command(const std::string& file, const CsvImportOptions& options,
                             const std::string& out);
int platform_check_command(const std::string& file);
int platform_show_command(const std::string& file);
int platform_detect_command(const std::string& out);

}  // namespace equipoise
