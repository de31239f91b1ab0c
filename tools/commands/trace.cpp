// `equipoise trace check|show|import starpu|import csv`.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "platforms/starpu_platform.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/console.hpp"
#include "tools/worlds/inputs.hpp"
#include "traces/trace_file.hpp"
#include "traces/trace_report.hpp"

namespace equipoise {
namespace {

void print_refused(const StarpuImport& import) {
  for (const RefusedRow& row : import.refused) {
    const std::string size =
        row.size_bytes > 0.0 ? fmt::format(", {:.0f} bytes of operands", row.size_bytes) : "";
    std::printf("  refused, line %d: %s%s: %s\n", row.line, row.unit.c_str(), size.c_str(),
                row.why.c_str());
  }
}

/// "1 unit", "2 units".
std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Kernels of which no row can be used, by the reason.
using UnusableKernels = std::map<std::string, std::vector<std::string>>;

/// Imports one kernel; false, and an entry in `unusable`, when the model holds nothing usable.
bool import_kernel(const StarpuImportRequest& request, const std::string& kernel,
                   const StarpuMachine& machine, UnusableKernels& unusable) {
  StarpuImportOptions options = request.options;
  options.kernel = kernel;
  options.known_units = starpu_units(machine);
  options.machine_facts = starpu_machine_json(machine);
  StarpuImport import;
  try {
    import = import_starpu_model(options);
  } catch (const InputError& error) {
    if (request.kernels.size() == 1) throw;
    unusable[error.why()].push_back(kernel);
    return false;
  }
  make_folder(request.out, "--out");
  const std::string file =
      fmt::format("{}/{}-{}.jsonl", request.out, options.machine, short_kernel_name(kernel));
  write_whole_file(file, trace_text(import.trace));
  std::printf("%s: %zu units, %zu sizes and units timed, %zu rows refused\n", file.c_str(),
              import.trace.units.size(), import.trace.samples.size(), import.refused.size());
  print_refused(import);
  return true;
}

}  // namespace

int trace_check_command(const std::string& file) {
  const Trace trace = read_traces({file}).front();
  const std::vector<std::string> doubtful = doubtful_in_trace(trace);
  for (const std::string& line : doubtful) warn(file + ": " + line);
  std::printf("%s: a legal trace of %s: %s, %s, %s\n", file.c_str(), trace.kernel.c_str(),
              counted(trace.units.size(), "unit").c_str(),
              counted(trace.samples.size(), "line").c_str(),
              counted(doubtful.size(), "doubt").c_str());
  return 0;
}

int trace_show_command(const std::string& file) {
  std::printf("%s", describe_trace(read_traces({file}).front()).c_str());
  return 0;
}

int trace_import_starpu_command(const StarpuImportRequest& asked) {
  const std::string& directory = asked.options.directory;
  const StarpuMachine machine = read_starpu_machine(directory, asked.options.machine);
  StarpuImportRequest request = asked;
  if (request.kernels.empty()) request.kernels = starpu_kernels(directory, machine.name);
  int imported = 0;
  UnusableKernels unusable;
  for (const std::string& kernel : request.kernels) {
    imported += import_kernel(request, kernel, machine, unusable) ? 1 : 0;
  }
  for (const auto& [why, kernels] : unusable) {
    warn(fmt::format("refused {}: {}", fmt::join(kernels, ", "), why));
  }
  if (imported == 0) {
    throw InputError(directory, "no kernel of " + machine.name + " can be used; see above");
  }
  const std::string file = request.out + "/" + machine.name + ".xml";
  write_whole_file(
      file, platform_xml(starpu_platform(machine, request.keep_drivers, starpu_source(directory))));
  std::printf("%s: %d CPU cores and %zu GPUs%s\n", file.c_str(), machine.cpu_cores,
              machine.gpus.size(),
              request.keep_drivers || machine.gpus.empty()
                  ? ""
                  : ", of the cores one for each GPU is left out to drive it");
  return 0;
}

int trace_import_csv_command(const std::string& file, const CsvImportOptions& options,
                             const std::string& out) {
  check_writable(out, "--out");
  const Trace trace = import_csv(file, options);
  write_whole_file(out, trace_text(trace));
  std::printf("%s: %zu lines of %s on %s\n", out.c_str(), trace.samples.size(),
              trace.kernel.c_str(), options.unit.c_str());
  return 0;
}

}  // namespace equipoise
