// Reads options from a run's header.
#include "tools/worlds/replay_inputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Throws InputError, which names the option to give, if a file that the run used is not there.
void expect_file(const std::string& file, const std::string& option, const std::string& run) {
  std::error_code error;
  if (file.empty() || std::filesystem::exists(file, error)) return;
  throw InputError(file,
                   fmt::format("is not here, and the run in {} used it; start from the folder "
                               "in which that run was made, or give {} FILE",
                               run, option));
}

}  // namespace

std::string typed_policy(const RunHeader& header) {
  if (header.loaded_from.empty()) return header.spelling;
  const std::size_t parameters = header.spelling.find(':');
  return header.loaded_from +
         (parameters == std::string::npos ? std::string() : header.spelling.substr(parameters));
}

Options recorded_options(const RunFile& file, const Options& typed) {
  const RunHeader& header = file.header;
  Options options = typed;
  RunSettings& settings = options;
  settings = completed(settings, header.settings);
  if (!settings.block_timeout) settings.block_timeout = BlockTimeout{};  // as runs were then
  if (!typed.platform_file.empty()) settings.maps = typed.maps;  // those of the run name its hosts
  options.policies = {typed_policy(header)};
  expect_file(options.platform_file, "--platform", file.path);
  for (const std::string& trace : options.trace_files) expect_file(trace, "--trace", file.path);
  options.seed = header.seed;
  options.decision_cost = header.decision_cost;
  return options;
}

}  // namespace equipoise
