// Reads options from a run's header.
#include "tools/worlds/replay_inputs.hpp"

namespace equipoise {

std::string typed_policy(const RunHeader& header) {
  if (header.library_file.empty()) return header.spelling;
  const std::size_t parameters = header.spelling.find(':');
  return header.library_file +
         (parameters == std::string::npos ? std::string() : header.spelling.substr(parameters));
}

Options recorded_options(const RunFile& file, const Options& typed) {
  const RunHeader& header = file.header;
  Options options = typed;
  options.workloads = header.workload_spellings;
  options.policies = {typed_policy(header)};
  if (options.maps.empty() && options.platform_file.empty()) options.maps = header.maps;
  if (options.platform_file.empty()) options.platform_file = header.platform_file;
  if (options.trace_files.empty()) options.trace_files = header.trace_files;
  if (options.units.empty()) options.units = header.unit_spellings;
  if (options.scenario_file.empty()) options.scenario_file = header.scenario_file;
  options.seed = header.seed;
  options.noise = header.noise;
  options.dispatch_cost = header.dispatch_cost;
  options.decision_cost = header.decision_cost;
  if (!options.block_timeout) options.block_timeout = header.block_timeout;
  if (options.time_scale == 1.0) options.time_scale = header.time_scale;
  return options;
}

}  // namespace equipoise
