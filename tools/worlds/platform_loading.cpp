// Loads a platform with SimGrid, and shows warnings and progress.
#include "tools/worlds/platform_loading.hpp"

#include <fmt/format.h>

#include <utility>

#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"

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

}  // namespace equipoise
