// Reading, finding, warning.
#include "tools/worlds/inputs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/console.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {

std::vector<Trace> read_traces(const std::vector<std::string>& files) {
  std::vector<Trace> traces;
  std::vector<std::string> warnings;
  for (const std::string& file : files) traces.push_back(read_trace(file, &warnings));
  for (const std::string& warning : warnings) warn(warning);
  return traces;
}

void check_out(const Options& options, const std::vector<std::string>& more) {
  if (options.out.empty()) return;
  check_writable(options.out, "--out");
  std::vector<std::string> read = options.trace_files;
  read.push_back(options.platform_file);
  read.push_back(options.scenario_file);
  read.insert(read.end(), more.begin(), more.end());
  for (const std::string& file : read) {
    std::error_code error;
    if (file.empty() || !std::filesystem::equivalent(file, options.out, error)) continue;
    throw InputError("--out", options.out + " is read by this command; give another file");
  }
}

std::optional<TimingPlace> find_timing(const std::vector<Trace>& traces, const std::string& kernel,
                                       const std::string& unit) {
  for (const Trace& trace : traces) {
    if (trace.kernel != kernel) continue;
    for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
      if (trace.units[i].name == unit && has_samples(trace, i)) return TimingPlace{&trace, i};
    }
  }
  return std::nullopt;
}

bool takes_part(const Unit& unit, const std::vector<Workload>& phases) {
  for (const Workload& phase : phases) {
    if (holds_a_grain(unit, phase)) continue;
    warn(fmt::format("{} takes no part: its memory holds less than one grain ({} items) of {}",
                     unit.name, phase.grain_items, phase.kernel));
    return false;
  }
  return true;
}

}  // namespace equipoise
