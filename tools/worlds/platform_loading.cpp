// Loads platforms with SimGrid; generated ones are read back through a file in memory, because
// SimGrid needs a path.
#include "tools/worlds/platform_loading.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "sim/memory_file.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
LoadedPlatform load_platform_file(PlatformFileFacts facts, RoutesOf wanted, MissingRoutes missing,
                                  bool quiet) {
  for (const std::string& notice : facts.notices) warn(notice);
  Progress progress(quiet);
  const auto watch = [&](std::size_t done, std::size_t hosts) {
    if (stop_signal() != 0) throw Interrupted(stop_signal());
    progress.show(hosts == 0 ? "SimGrid reads the platform"
                             : fmt::format("routes of {} of {} hosts", done, hosts));
  };
  ProbedPlatform probed = probe_in_server(facts.source, std::move(wanted), missing, watch);
  return {std::move(facts.source), std::move(probed)};
}

namespace {

/// Throws the error of a generated file, with the advice to correct the data from which it is made.
[[noreturn]] void refuse(const std::string& where, const std::string& file,
                         const InputError& error) {
  throw InputError(where, "the " + file + " generated from it is invalid: " +
                              error.why().substr(0, error.why().rfind(';')) +
                              "; correct its source data");
}

}  // namespace

std::string readable_trace_text(const Trace& trace, const std::string& where) {
  std::string text = trace_text(trace);
  std::istringstream in(text);
  try {
    static_cast<void>(read_trace(in, where, nullptr));
  } catch (const InputError& error) {
    refuse(where, "trace", error);
  }
  return text;
}

std::string readable_platform_xml(const PlatformDescription& platform, const std::string& where) {
  std::string text = platform_xml(platform);
  const MemoryFile file(text);
  try {
    const PlatformFileFacts facts = check_platform_file(file.path());
    const auto probed = probe_in_server(facts.source, RoutesOf{}, MissingRoutes::refuse, {});
    for (const ProbedHost& host : probed.hosts) {
      static_cast<void>(unit_from_properties(host.name, host.properties));
    }
    return text;
  } catch (const InputError& error) {
    refuse(where, "platform", error);
  } catch (const BackendError&) {  // without SimGrid, our own checks suffice
    return text;
  }
}

}  // namespace equipoise
