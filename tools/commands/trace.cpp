// `equipoise trace check|show|import starpu|import csv`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platforms/starpu_platform.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/trace_report.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/platform_loading.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_record.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

std::string refused_text(const StarpuImport& import) {
  std::string text;
  for (const RefusedRow& row : import.refused) {
    const std::string size =
        row.size_bytes > 0.0 ? fmt::format(", {:.0f} bytes of operands", row.size_bytes) : "";
    text += fmt::format("  refused, line {}: {}{}: {}\n", row.line, row.unit, size, row.why);
  }
  return text;
}

Json import_json(const StarpuImport& import, const std::string& file) {
  Json refused = Json::array();
  for (const RefusedRow& row : import.refused) {
    refused.push_back(
        {{"line", row.line}, {"unit", row.unit}, {"size_bytes", row.size_bytes}, {"why", row.why}});
  }
  return {{"file", file},
          {"what", "trace"},
          {"kernel", import.trace.kernel},
          {"units", import.trace.units.size()},
          {"lines", import.trace.samples.size()},
          {"refused", std::move(refused)}};
}

/// Kernels without a usable row, by the reason.
using UnusableKernels = std::map<std::string, std::vector<std::string>>;

/// The result of an import: the kernels, their files in the same order, and a message about them.
struct Imported {
  std::vector<std::string> kernels;
  std::vector<WholeFile> files;
  std::string said;
  Json written = Json::array();                                    ///< the files, for `files_json`
  std::vector<std::pair<std::string, GrowthBeyondBytes>> growing;  ///< kernels counted in KiB whose
                                                                   ///< times grow faster
  std::map<std::string, std::vector<std::string>> contents;  ///< kernels by the text of their model
};

/// Says which kernels have the same model: they are one measurement under several names.
void warn_of_equal_models(const Imported& imported) {
  std::vector<std::string> equal;
  for (const auto& [text, kernels] : imported.contents) {
    if (kernels.size() > 1) equal.push_back(fmt::format("{}", fmt::join(kernels, ", ")));
  }
  if (equal.empty()) return;
  std::ranges::sort(equal);
  warn(fmt::format("models with equal contents are one measurement under several names: {}",
                   fmt::join(equal, "; ")));
}

/// Says that KiB do not measure the work of some kernels, with the example of one.
void warn_of_growth(const Imported& imported) {
  if (imported.growing.empty()) return;
  const auto& [kernel, growth] = imported.growing.front();
  const std::size_t more = imported.growing.size() - 1;
  warn(fmt::format(
      "a KiB is not work here: {} times the bytes take {} times the time ({} on {}{}), so the same "
      "items cost more in larger blocks; give the flops instead: --flops FACTOR*bytes^EXPONENT",
      significant(growth.bytes, 3), significant(growth.time, 3), kernel, growth.unit,
      more == 0 ? ""
                : fmt::format("; so it is with {} more kernel{}", more, more == 1 ? "" : "s")));
}

/// Returns `kernels` in their order, each once.
std::vector<std::string> each_once(const std::vector<std::string>& kernels) {
  std::vector<std::string> once;
  for (const std::string& kernel : kernels) {
    if (std::ranges::find(once, kernel) == once.end()) once.push_back(kernel);
  }
  return once;
}

/// Throws InputError if two imported kernels have the same file, because their short names are the
/// same.
void expect_one_file_each(const Imported& imported) {
  std::map<std::string, std::string> kernel_of;  // by file
  for (std::size_t i = 0; i < imported.kernels.size(); ++i) {
    const std::string& file = imported.files[i].path;
    const auto [found, is_new] = kernel_of.emplace(file, imported.kernels[i]);
    if (is_new) continue;
    throw InputError("--kernel", fmt::format("{} and {} would both be written to {}; import each "
                                             "with a --kernel and an --out of its own",
                                             found->second, imported.kernels[i], file));
  }
}

/// Imports one kernel, or adds an entry to `unusable` if the model holds nothing usable.
void import_kernel(const StarpuImportRequest& request, const std::string& kernel,
                   const StarpuMachine& machine, Imported& imported, UnusableKernels& unusable) {
  StarpuImportOptions options = request.options;
  options.kernel = kernel;
  options.known_units = starpu_units(machine);
  options.machine_facts = starpu_machine_facts(machine);
  try {
    const StarpuImport import = import_starpu_model(options);
    const std::string file =
        fmt::format("{}/{}-{}.jsonl", request.out, options.machine, short_kernel_name(kernel));
    imported.contents[read_input(import.file, "give a model of StarPU")].push_back(kernel);
    const auto growth = options.items_from_bytes ? growth_beyond_bytes(import.trace) : std::nullopt;
    if (growth) imported.growing.emplace_back(kernel, *growth);
    imported.files.push_back({file, readable_trace_text(import.trace, import.file)});
    imported.kernels.push_back(kernel);
    imported.said +=
        fmt::format("{}: {} units, {} sizes and units timed, {} rows refused\n", file,
                    import.trace.units.size(), import.trace.samples.size(), import.refused.size());
    imported.said += refused_text(import);
    imported.written.push_back(import_json(import, file));
  } catch (const InputError& error) {
    if (request.kernels.size() == 1) throw;
    unusable[error.why()].push_back(kernel);
  }
}

}  // namespace

int trace_check_command(const FileRequest& request) {
  const std::string& file = request.file;
  const Trace trace = read_traces({file}).front();
  const std::vector<std::string> doubtful = doubtful_in_trace(trace);
  for (const std::string& line : doubtful) warn(file + ": " + line);
  if (request.json) return print_json(trace_json(trace, file));
  const std::string outliers = outliers_text(trace);
  return print_out("{}: valid trace of {}: {}, {}, {}{}\n", file, trace.kernel,
                   counted(trace.units.size(), "unit"), counted(trace.samples.size(), "line"),
                   counted(doubtful.size(), "doubt"), outliers.empty() ? "" : "; " + outliers);
}

int trace_show_command(const FileRequest& request) {
  const std::string& file = request.file;
  const Trace trace = read_traces({file}).front();
  return request.json ? print_json(trace_json(trace, file))
                      : print_out("{}", describe_trace(trace));
}

int trace_import_starpu_command(const StarpuImportRequest& asked) {
  if (asked.options.flops && asked.options.items_from_bytes) {
    throw InputError("--flops",
                     "beside --items-from bytes it says twice what the work is; keep one of them");
  }
  const std::string& directory = asked.options.directory;
  const StarpuMachine machine = read_starpu_machine(directory, asked.options.machine);
  StarpuImportRequest request = asked;
  if (request.kernels.empty()) request.kernels = starpu_kernels(directory, machine.name);
  request.kernels = each_once(request.kernels);
  Imported imported;
  UnusableKernels unusable;
  for (const std::string& kernel : request.kernels) {
    import_kernel(request, kernel, machine, imported, unusable);
  }
  expect_one_file_each(imported);
  warn_of_equal_models(imported);
  warn_of_growth(imported);
  for (const auto& [why, kernels] : unusable) {
    warn(fmt::format("refused {}: {}", fmt::join(kernels, ", "), why));
  }
  if (imported.files.empty()) {
    throw InputError(directory, "no kernel of " + machine.name + " can be used; see above");
  }
  const std::string file = request.out + "/" + machine.name + ".xml";
  imported.files.push_back(
      {file,
       readable_platform_xml(
           starpu_platform(machine, request.keep_drivers, starpu_source(directory)), directory)});
  imported.said +=
      fmt::format("{}: {} CPU cores and {} GPUs{}\n", file, machine.cpu_cores, machine.gpus.size(),
                  request.keep_drivers || machine.gpus.empty()
                      ? ""
                      : ", of the cores one for each GPU is left out to drive it");
  imported.written.push_back(
      {{"file", file},
       {"what", "platform"},
       {"units", static_cast<std::size_t>(machine.cpu_cores) + machine.gpus.size()}});
  expect_no_inputs(paths_of(imported.files), "--out");
  make_folder(request.out, "--out");
  write_whole_files(imported.files);
  return request.json ? print_json(files_json(std::move(imported.written)))
                      : print_out("{}", imported.said);
}

int trace_import_csv_command(const CsvImportRequest& request) {
  const std::string& out = request.out;
  const CsvImport import = import_csv(request.files, request.table);
  const Trace& trace = import.trace;
  check_writable(out, "--out");
  for (const std::string& warning : import.warnings) warn(warning);
  write_whole_file(out, readable_trace_text(trace, request.files.front()));
  if (request.json) return print_json(trace_json(trace, out));
  return print_out("{}: {} of {} on {}\n", out, counted(trace.samples.size(), "line"), trace.kernel,
                   fmt::join(names_of(trace.units), ", "));
}

}  // namespace equipoise
